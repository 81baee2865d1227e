// Processes in groups of their own: started behind a gate, watched, and ended whole. Twin of
// src/native/process.rs.
//
// A child is first held at a gate: a `/bin/sh` that waits for one line on its standard input and then runs
// the program (`exec "$@"`; the arguments are never read as shell text). So the process id is known, and can
// be made durable, before the program runs; if the host dies first, the gate sees the end of its input and
// exits without running anything.
//
// Output goes to files, which outlive the host, and is read from there while it grows; the gate of a role stays, and
// writes the exit status into a file when the program has ended. So a host that comes back looks on where the one
// before it did. The end of a child is the end of its group: what it left behind is ended too.

import { HostError, isHostError } from 'endstate-core';
import type { Stop } from 'endstate-core';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import { setImmediate as immediately, setTimeout as sleep } from 'node:timers/promises';
import { CRASH_VARIABLES, quietly } from './durable.js';
import { aliveInGroup, carrying, groupOf, isOurs, startTime, TICK } from './processes.js';
import { findProgram } from './program.js';
import { openRegular, readRegular } from './regular.js';

/** How long a group has between TERM and KILL. */
export const GRACE = 1_500;
/** How long a program that says nothing takes until it can hear that it is asked to wind up, in milliseconds. */
const SETS_OUT = 500;
/** How often what is left of a run is looked for, while some is found. */
const MOST_ROUNDS = 10;
/** How many pieces of a growing file are read in one go. */
const PIECES = 8;
/** Variables of git that would send it, or a child, to another repository. */
const GIT_VARIABLES = [
  'GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_OBJECT_DIRECTORY', 'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR', 'GIT_NAMESPACE', 'GIT_PREFIX',
];
/**
 * Waits for a line, then becomes the program, which reads from one file. Where another is to have its exit status, it
 * stays and runs it: TERM is for the program then, and what a shell says of a signal is not the program's to have said.
 */
const GATE = 'IFS= read -r go || exit 125; status=$1 input=$2; shift 2; '
  + '[ -n "$status" ] || exec "$@" <"$input"; trap : HUP INT TERM; '
  + 'exec 3>&2 2>/dev/null; (exec "$@" 2>&3 3>&- <"$input"); s=$?; echo $s >"$status"; exit $s';
/** How often a process that is no child of ours is looked at, in milliseconds. */
const LOOK = 50;

/** What to start. */
export interface Spec {
  /** What starts the program, where it is confined. */
  before?: readonly string[];
  /** Program and arguments. */
  argv: readonly string[];
  /** Where. */
  directory: string;
  /** What it is given instead of the environment of the host. */
  environment?: NodeJS.ProcessEnv;
  /** Variables beside those. */
  variables: Record<string, string>;
  /** The file it reads. */
  input: string;
  /** The file its standard output is appended to. */
  stdout: string;
  /** The file its standard error is appended to; may be the same. */
  stderr: string;
  /** The file its exit status is written to, in the words of a shell; blank for none, and so that a signal is known from a status. */
  status: string;
  /** Wall time it has, in milliseconds. */
  timeout: number;
  /** Bytes both files together may have. */
  outputBytes: number;
}

/** How a process ended. */
export type End =
  | { how: 'exited'; status: number }
  /** A signal ended it that we did not send. */
  | { how: 'signalled'; signal: number }
  | { how: 'timed_out' }
  | { how: 'flooded' }
  /** It was ended because somebody wanted it to. */
  | { how: 'stopped' };

/** Given every piece of output (`true` for standard output), and an empty one every now and then. */
export type Hear = (stdout: boolean, bytes: Uint8Array) => void;

/** Starts a child and holds it at the gate. Throws `io` with the program's name if there is none. */
export async function start(spec: Spec): Promise<Gated> {
  const inherited = spec.environment ?? cleanEnvironment();
  const program = findProgram(spec.argv[0] ?? '', spec.directory, inherited['PATH']);
  const stdout = openOutput(spec.stdout);
  const stderr = openOutput(spec.stderr);
  try {
    const gate = ['-c', GATE, 'gate', spec.status, spec.input, ...(spec.before ?? []), program, ...spec.argv.slice(1)];
    const child = spawn('/bin/sh', gate, {
      cwd: spec.directory,
      env: { ...inherited, ...spec.variables },
      // A session, and so a group, of its own.
      detached: true,
      stdio: ['pipe', stdout, stderr],
    });
    return await Gated.of(child, spec);
  } catch (error) {
    throw isHostError(error) ? error : HostError.io('start', '/bin/sh', error);
  } finally {
    fs.closeSync(stdout);
    fs.closeSync(stderr);
  }
}

function openOutput(name: string): number {
  try {
    return fs.openSync(name, 'a');
  } catch (error) {
    throw HostError.io('write', name, error);
  }
}

/** This environment without what must not reach a child: what points git elsewhere, and crash points. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const environment = { ...process.env };
  for (const name of [...GIT_VARIABLES, ...CRASH_VARIABLES]) delete environment[name];
  return environment;
}

/** What an earlier host started so many milliseconds ago, whether or not it is still there. */
export function found(spec: Spec, pid: number, start: string, age: number): Gated {
  return Gated.found(spec, pid, start, age);
}

type Exit = { code: number | null; signal: NodeJS.Signals | null; unknown?: unknown };

/** A child behind its gate, or one that an earlier host let through it. */
export class Gated {
  #exit: Exit | undefined;

  private constructor(
    /** None of our own where an earlier host started it. */
    private readonly child: ChildProcess | undefined,
    private readonly spec: Spec,
    /** Its process id, which is also its group's. */
    readonly pid: number,
    /** When it was started, in the words of the system. */
    readonly start: string,
    private readonly exited: Promise<Exit>,
    /** How long it had been running when it was found. */
    readonly age: number,
  ) {
    void exited.then((exit) => {
      this.#exit = exit;
    });
  }

  /** @internal */
  static async of(child: ChildProcess, spec: Spec): Promise<Gated> {
    const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => {
      // Who killed the gate behind its note did not end the program.
      const end = signal === null ? undefined : noted(spec.status);
      resolve(end === undefined || end.code === null ? { code, signal } : end);
    }));
    const { pid } = child;
    if (pid === undefined) {
      const error = await new Promise<Error>((resolve) => child.once('error', resolve));
      throw HostError.io('start', '/bin/sh', error);
    }
    child.on('error', () => undefined);
    // A gate that is gone before it is opened says so by its exit.
    child.stdin?.on('error', () => undefined);
    return new Gated(child, spec, pid, startTime(pid) ?? '', exited, 0);
  }

  /** @internal */
  static found(spec: Spec, pid: number, start: string, age: number): Gated {
    const exited = (async (): Promise<Exit> => {
      while (isOurs(pid, start, spec.stdout)) await sleep(LOOK);
      return noted(spec.status);
    })();
    return new Gated(undefined, spec, pid, start, exited, age);
  }

  /** Lets the child go without ever running its program. */
  async cancel(): Promise<void> {
    this.child?.stdin?.destroy();
    await endGroup(this.pid, GRACE);
    await this.exited;
  }

  /** Opens the gate, watches the program to its end, and ends its group. */
  async run(stop: Stop, hear: Hear): Promise<End> {
    let ended: End | undefined;
    try {
      ended = await this.#watch(stop, hear);
    } finally {
      const there = this.child !== undefined || isOurs(this.pid, this.start, this.spec.stdout);
      if (there) await endGroup(this.pid, GRACE);
      await this.exited;
      if (there) await waitUntilGone(this.pid);
    }
    return ended ?? byItself(await this.exited, this.spec, stop);
  }

  /** Watches until the leader has exited by itself (nothing) or must be ended. */
  async #watch(stop: Stop, hear: Hear): Promise<End | undefined> {
    const began = performance.now() - this.age;
    const same = this.spec.stdout === this.spec.stderr;
    const tails = [new Tail(this.spec.stdout, true), ...(same ? [] : [new Tail(this.spec.stderr, false)])];
    // What it writes to is read from before it can put anything else in its place.
    this.child?.stdin?.end('go\n');
    let asked = false;
    try {
      for (;;) {
        const over = this.#exit !== undefined;
        // Its files count, not what was read of them: a program may say much and be gone.
        const said = tails.reduce((sum, tail) => sum + tail.length(), 0);
        if (said > this.spec.outputBytes) {
          // What floods is ended before a word more of it is read, and is not asked: it would write on meanwhile.
          signalGroup(this.pid, 'SIGKILL');
          return { how: 'flooded' };
        }
        for (const tail of tails) {
          while (tail.read(hear) && over) await immediately();
        }
        hear(true, new Uint8Array());
        if (over) return undefined;
        if (performance.now() - began >= this.spec.timeout) return { how: 'timed_out' };
        if (stop.level === 2) return { how: 'stopped' };
        // Who has not set out yet would not hear it.
        if (stop.level === 1 && !asked && (said > 0 || performance.now() - began >= SETS_OUT)) {
          asked = true;
          signalGroup(this.pid, 'SIGTERM');
        }
        await Promise.race([sleep(TICK), this.exited]);
      }
    } finally {
      for (const tail of tails) tail.close();
    }
  }
}

/**
 * A gate that stays adds 128 to a signal, as shells do. So does what confines, but it is not the only one that may have: there only
 * the two signals count that come from outside.
 */
function byItself({ code, signal, unknown }: Exit, { status, before = [] }: Spec, stop: Stop): End {
  if (unknown !== undefined) throw unknown;
  const ours = code !== null && (status !== '' ? code > 128 && code <= 192 : before.length > 0 && [137, 143].includes(code));
  const noted = ours ? code - 128 : undefined;
  if (code !== null && noted === undefined) return { how: 'exited', status: code };
  if (stop.level > 0) return { how: 'stopped' };
  return { how: 'signalled', signal: noted ?? (signal === null ? 0 : os.constants.signals[signal]) };
}

/** How a program ended, as its gate noted; unknown where it did not. */
function noted(status: string): Exit {
  try {
    const text = readRegular(status).toString();
    if (!/^\d{1,3}\n$/.test(text)) throw new Error('not an exit status');
    return { code: Number(text), signal: null };
  } catch (error) {
    return { code: null, signal: null, unknown: HostError.io('read', status, error) };
  }
}

/** A file that is read while it grows. */
class Tail {
  readonly #file: number;
  readonly #buffer = Buffer.allocUnsafe(64 * 1024);

  constructor(private readonly name: string, private readonly stdout: boolean) {
    this.#file = this.#reading(() => openRegular(name));
  }

  length(): number {
    return this.#reading(() => fs.fstatSync(this.#file).size);
  }

  /** Whether there may be more: a writer that is faster than we are must not keep us here. */
  read(hear: Hear): boolean {
    for (let piece = 0; piece < PIECES; piece += 1) {
      const count = this.#reading(() => fs.readSync(this.#file, this.#buffer, 0, this.#buffer.length, null));
      if (count === 0) return false;
      hear(this.stdout, this.#buffer.subarray(0, count));
    }
    return true;
  }

  close(): void {
    fs.closeSync(this.#file);
  }

  #reading<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw HostError.io('read', this.name, error);
    }
  }
}

/** Ends a process group: TERM, then KILL for what is left after `grace`. */
export async function endGroup(group: number, grace: number): Promise<void> {
  if (!signalGroup(group, 'SIGTERM')) return;
  const began = performance.now();
  while (performance.now() - began < grace && aliveInGroup(group)) await sleep(TICK);
  signalGroup(group, 'SIGKILL');
}

/**
 * Waits (for at most two seconds, as KILL cannot be refused) until a group has no process left. What only waits to be reaped, by
 * whom we do not know, is gone.
 */
async function waitUntilGone(group: number): Promise<void> {
  const began = performance.now();
  while (performance.now() - began < 2_000 && signalGroup(group, 0) && aliveInGroup(group)) await sleep(TICK);
}

function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  // Group 1 and below would mean "everybody": never ours.
  if (!Number.isInteger(group) || group <= 1) return false;
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}

/** Ends every process that carries these variables in its environment, and what it starts meanwhile. */
export async function endLeftovers(variables: Record<string, string>): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const left = await carrying(variables);
    if (left.length === 0) return;
    for (const pid of left) {
      await endGroup(groupOf(pid) ?? pid, GRACE);
      quietly(() => process.kill(pid, 'SIGKILL'));
    }
  }
}
