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
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { setImmediate as immediately, setTimeout as sleep } from 'node:timers/promises';
import { CRASH_VARIABLES, isCode, quietly } from './durable.js';
import { listed } from './places.js';
import { findProgram } from './program.js';
import { openRegular, readRegular } from './regular.js';

/** How long a group has between TERM and KILL. */
export const GRACE = 1_500;
/** How often a child is looked at. */
const TICK = 20;
/** How long a program that says nothing takes until it can hear that it is asked to wind up, in milliseconds. */
const SETS_OUT = 500;
/** How often what is left of a run is looked for, while some is found. */
const MOST_ROUNDS = 10;
/** How long a process may be between two programs, in milliseconds: the machine may be busy. */
const MOST_EXEC = 1_000;
/** Where `stat` has the start of a process's stack. */
const START_OF_STACK = 25;
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
    const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
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
      try {
        return { code: noted(spec.status), signal: null };
      } catch (unknown) {
        return { code: null, signal: null, unknown };
      }
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
    this.child?.stdin?.end('go\n');
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

/** How a program ended, as its gate noted. */
function noted(status: string): number {
  try {
    const text = readRegular(status).toString();
    if (!/^\d{1,3}\n$/.test(text)) throw new Error('not an exit status');
    return Number(text);
  } catch (error) {
    throw HostError.io('read', status, error);
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

/** Whether a group has a process that is more than an unreaped exit status. */
function aliveInGroup(group: number): boolean {
  const pids = listed('/proc').filter((name) => /^\d+$/.test(name));
  if (pids.length === 0) return true;
  return pids.some((pid) => {
    const fields = stat(pid);
    return fields?.[2] === String(group) && !'ZX'.includes(fields[0] ?? 'X');
  });
}

/** The fields of `/proc/<pid>/stat` from the third (state) on. */
function stat(pid: string | number): string[] | undefined {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name in parentheses and may hold anything.
    return text.slice(text.lastIndexOf(') ') + 2).trim().split(/\s+/);
  } catch {
    return undefined;
  }
}

/**
 * When a process was started, in the words of the system; nothing if there is no such process. Together with
 * the id it names one process for as long as the machine is up.
 */
export function startTime(pid: number): string | undefined {
  if (fs.existsSync('/proc/self/stat')) {
    const fields = stat(pid);
    // An unreaped process does nothing any more.
    return fields === undefined || 'ZX'.includes(fields[0] ?? 'X') ? undefined : fields[19];
  }
  try {
    const said = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return said.trim() || undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether the process `pid` is the one that was started at `start` and writes into this file. (Where the system does
 * not show what a process writes into, its id and its start must do.)
 */
export function isOurs(pid: number, start: string, stdout: string): boolean {
  if (!(pid > 1) || start === '' || startTime(pid) !== start) return false;
  if (fs.lstatSync('/proc/self/fd/1', { throwIfNoEntry: false }) === undefined) return true;
  try {
    const [one, other] = [`/proc/${pid}/fd/1`, stdout].map((name) => fs.statSync(name));
    return one?.dev === other?.dev && one?.ino === other?.ino;
  } catch {
    return false;
  }
}

/** The processes that this one was started by, from its parent up, as far as the system tells. */
export function ancestors(): number[] {
  const parents: number[] = [];
  for (let fields = stat('self'); fields !== undefined; fields = stat(parents.at(-1) ?? 0)) parents.push(Number(fields[1]));
  return parents;
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

/** The group of a process, unless it is our own. */
function groupOf(pid: number): number | undefined {
  const [theirs, ours] = [stat(pid)?.[2], stat('self')?.[2]];
  return theirs === undefined || theirs === ours ? undefined : Number(theirs);
}

/** Processes whose environment has all of `variables`, as far as the system tells. */
async function carrying(variables: Record<string, string>): Promise<number[]> {
  const wanted = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const found: number[] = [];
  for (const pid of listed('/proc').filter((name) => /^\d+$/.test(name)).map(Number)) {
    if (pid === process.pid) continue;
    const entries = await environment(pid).catch(() => [] as string[]);
    if (wanted.every((entry) => entries.includes(entry))) found.push(pid);
  }
  return found;
}

/**
 * The environment of a process; throws where the system does not tell. Between two programs (in `exec`) it shows none, and
 * is asked again until its stack has a start; a thread of the kernel has no program.
 */
async function environment(pid: number): Promise<string[]> {
  for (const began = performance.now(); ; await sleep(TICK)) {
    const shown = fs.readFileSync(`/proc/${pid}/environ`, 'utf8');
    if (shown !== '' || performance.now() - began > MOST_EXEC) return shown.split('\0');
    fs.readlinkSync(`/proc/${pid}/exe`);
    if (stat(pid)?.[START_OF_STACK] !== '0') return [];
  }
}

/**
 * Whether a git may be at work in one of these directories (given by their real paths) or below; yes where the
 * system does not tell.
 */
export function gitWorksIn(directories: string[]): boolean {
  const pids = listed('/proc').filter((name) => /^\d+$/.test(name));
  return pids.length === 0 || pids.some((pid) => {
    try {
      if (!fs.readFileSync(`/proc/${pid}/comm`, 'latin1').startsWith('git')) return false;
      if ('ZX'.includes(stat(pid)?.[0] ?? 'X')) return false;
      const place = fs.readlinkSync(`/proc/${pid}/cwd`);
      return directories.some((directory) => place === directory || place.startsWith(directory + path.sep));
    } catch (error) {
      // A git of another user does not say where it works.
      return isCode(error, 'EACCES', 'EPERM');
    }
  });
}

/** What a short command of our own said. */
export interface Said {
  /** Its exit status; `null` if a signal ended it. */
  status: number | null;
  stdout: Buffer;
  /** Its standard error, lossily. */
  stderr: string;
}

/** Runs a short command of our own (git), and ends its group after `timeout` milliseconds. */
export async function capture(
  argv: readonly string[], directory: string, env: NodeJS.ProcessEnv, input: Uint8Array, timeout: number,
): Promise<Said> {
  const [name = '', ...rest] = argv;
  // Files and not pipes: what a hook leaves running cannot keep us waiting at the other end.
  const files = temporary(input);
  try {
    const child = spawn(name, rest, { cwd: directory, env, detached: true, stdio: files });
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      void endGroup(child.pid ?? 0, GRACE);
    }, timeout);
    const status = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', resolve);
    }).finally(() => clearTimeout(timer));
    if (late) throw new Error('it took too long');
    return { status, stdout: whole(files[1]), stderr: whole(files[2]).toString() };
  } catch (error) {
    throw HostError.io('run', name, error);
  } finally {
    for (const file of files) fs.closeSync(file);
  }
}

/** Three open files without a name: one to read, with this content, and two to write to. */
function temporary(content: Uint8Array): [number, number, number] {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'endstate-'));
  const open: number[] = [];
  try {
    if (content.length > 0) fs.writeFileSync(path.join(folder, 'in'), content, { mode: 0o600 });
    open.push(fs.openSync(content.length > 0 ? path.join(folder, 'in') : '/dev/null', 'r'));
    for (const name of ['out', 'err']) open.push(fs.openSync(path.join(folder, name), 'wx+', 0o600));
    return open as [number, number, number];
  } catch (error) {
    open.forEach((file) => fs.closeSync(file));
    throw HostError.io('write', folder, error);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function whole(file: number): Buffer {
  const bytes = Buffer.alloc(fs.fstatSync(file).size);
  for (let at = 0; at < bytes.length; ) {
    const count = fs.readSync(file, bytes, at, bytes.length - at, at);
    if (count === 0) return bytes.subarray(0, at);
    at += count;
  }
  return bytes;
}
