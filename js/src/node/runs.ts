// Runs outlive hosts: what is known of a process is on disk before it runs and after it ends. Twin of
// src/native/runs.rs, and the same files.
//
// `.agent/endstate/runs/<effect id>/` holds `record.json` (who, from when, what), `prompt.md`, `stdout`, `stderr`
// (a command has both in `stdout`), of a role `status` (its exit status), and in the end `result.json`: the fact
// itself. The record is durable before the child passes its gate, so **an effect id is never run twice**: a host
// that comes back finds no record (nothing ran), a result (it is read), or a record alone. Of a role it then looks on
// where the host before it did: it waits for a process that provably is the one of the record, and takes what one
// that ended meanwhile has written. How a role ended is known by its status and by nothing else: one that left none
// counts as lost, whatever it has said. What is left of a command is ended; it can be run again. A run in this
// process has a record without a process: it left no status, and is lost.

import { clip, effectOf, HostError, lostRun, diagnostic, playInProcess, PROGRESS_EVERY, problem, readTests, requestOf, startedRun } from 'endstate-core';
import type { Agent, CommandExited, Diagnostic, Earlier, Fact, ProgressEntry, RoleContext, RunCommand, RunEnded, RunProgressed, RunRequest, SpawnRole, Stop } from 'endstate-core';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { corrected, ended, Listener } from '../agents/output.js';
import type { Confinement } from './confine.js';
import { isCode, quietly, replace } from './durable.js';
import { directory } from './files.js';
import { Git } from './git.js';
import { releaseLeftLocks } from './stale-locks.js';
import { ownVariables } from './own.js';
import { listed } from './places.js';
import type { Places } from './places.js';
import { endGroup, endLeftovers, found, GRACE, start } from './process.js';
import type { End, Gated, Spec } from './process.js';
import { isOurs } from './processes.js';
import type { Redactor } from './redact.js';
import { enter, giveBack, told as toldDiff } from './room.js';
import { Told, unheard } from './unheard.js';
import { openRegular, readRegular } from './regular.js';

/** How long a silent run goes without a heartbeat, in milliseconds. */
const HEARTBEAT_EVERY = 60_000;
/** The most output of a command that is kept on disk; a command that says more is ended. */
const MOST_COMMAND_OUTPUT = 256 * 1024 * 1024;
/** Stands in a command for the path of the file that its runner is to write. */
const TESTS_PLACE = '{tests}';
/** The most that is read of what a test runner reports, in bytes; what is cut is no XML, and reports nothing. */
const MOST_TEST_REPORT = 64 << 20;
/** The most output of a command that goes into its fact. */
const MOST_COMMAND_TAIL = 1024 * 1024;

/** What is known of a process from before it runs. */
interface Record {
  effect: string;
  pid: number;
  start: string;
  argv: string[];
  /** It is kept from what the engine keeps. */
  confined?: true;
}

/** Where runs live, and what they must not tell. */
export class Runs {
  constructor(private readonly places: Places, private readonly redactor: Redactor, private readonly confinement: Confinement) {}

  /** Finds out whether runs can be confined. Where they cannot, each says so, and this why. */
  confine(): string | undefined {
    quietly(() => void this.confinement.words(this.places, []));
    return this.confinement.whyNot;
  }

  /** Looks for an earlier run of this effect. */
  async earlier(id: string): Promise<Earlier> {
    const folder = this.places.run(id);
    const record = this.#recorded(folder);
    if (record === undefined) return { found: fs.existsSync(path.join(folder, 'hosted.json')) ? 'hosted' : 'nothing' };
    const fact = readJson<Fact>(path.join(folder, 'result.json'));
    const { confined } = record;
    if (fact?.data !== undefined && effectOf(fact) === id) return { found: 'finished', fact, confined };
    const lives = isOurs(record.pid, record.start, path.join(folder, 'stdout'));
    return { found: 'begun', confined, lives, ended: fs.existsSync(path.join(folder, 'status')) };
  }

  /** Who was started here, if anybody was. */
  #recorded(folder: string): { pid: number; start: string; confined: boolean } | undefined {
    try {
      const { pid = 0, start: began = '', confined = false } = parsed<Partial<Record>>(readRegular(path.join(folder, 'record.json')).toString()) ?? {};
      return { pid, start: began, confined };
    } catch (error) {
      if (isCode(error, 'ENOENT')) return undefined;
      throw HostError.io('read', folder, error);
    }
  }

  /** Takes away what stands in the place of a run that has not begun. Whether there was anything. */
  clear(id: string): boolean {
    const folder = this.places.run(id);
    const there = fs.lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
    // A link goes as itself. Where this fails, the run cannot begin there either, and says so.
    quietly(() => fs.rmSync(folder, { recursive: true, force: true }));
    return there;
  }

  /** The structured signs of life of an earlier run that its journal does not have, in the order they were given. */
  async unheard(id: string): Promise<RunProgressed[]> {
    return unheard(this.places, this.redactor, id);
  }

  /** What every process of a run carries in its environment. */
  #marks(id: string): { ENDSTATE_RUN: string; ENDSTATE_ROOT: string } {
    return { ENDSTATE_RUN: id, ENDSTATE_ROOT: this.places.root };
  }

  /** The session of the run that this one corrects, so that an agent can go on where it was. */
  #corrected({ corrects }: RunRequest): { [name: string]: string } {
    let output: Uint8Array = new Uint8Array();
    if (corrects !== null) quietly(() => (output = readRegular(path.join(this.places.run(corrects), 'stdout'))));
    return corrected(output);
  }

  /**
   * Ends whatever an earlier host left running for effects that nobody waits for any more. Answers with the locks of
   * git that were left by it and taken away.
   */
  async endLeftovers(awaited: ReadonlySet<string>): Promise<string[]> {
    const runs = path.join(this.places.engine, 'runs');
    const open = listed(runs).filter((id) => /^\d+\.\d+$/.test(id) && !awaited.has(id) && !fs.existsSync(path.join(runs, id, 'result.json')));
    // A record that cannot be read now is looked at again by the next driver.
    await Promise.all(open.map((id) => this.end(id).catch(() => undefined)));
    return releaseLeftLocks(this.places.root);
  }

  /** Ends what is left of an earlier run. */
  async end(id: string): Promise<void> {
    const folder = this.places.run(id);
    const record = this.#recorded(folder);
    if (record === undefined) return;
    if (isOurs(record.pid, record.start, path.join(folder, 'stdout'))) await endGroup(record.pid, GRACE);
    await endLeftovers(this.#marks(id));
  }

  /** Plays a role to its end, or looks on at one that an earlier host started. Throws if it cannot be started. */
  async role(id: string, order: SpawnRole, agent: Agent | undefined, context: RoleContext): Promise<RunEnded> {
    const folder = this.places.run(id);
    const request = requestOf(id, order, context.mission, { root: this.places.root, promptFile: path.join(folder, 'prompt.md') });
    const [stdout, stderr] = [path.join(folder, 'stdout'), path.join(folder, 'stderr')];
    const spec = {
      argv: [order.role],
      directory: this.places.root,
      variables: {},
      input: request.promptFile,
      stdout,
      stderr,
      status: path.join(folder, 'status'),
      timeout: order.limits.timeout_ms,
      outputBytes: order.limits.output_bytes,
    };
    const begun = this.#recorded(folder);
    let gated: Gated;
    let teller: Teller;
    if (begun !== undefined) {
      // The gate was opened when the record was there.
      const age = Math.max(0, Date.now() - fs.statSync(path.join(folder, 'record.json')).mtimeMs);
      gated = found(spec, begun.pid, begun.start, age);
      teller = new Teller(id, context, new Told(this.places.journal, this.redactor, id));
    } else if (agent === undefined) {
      throw new HostError('host_failed', 'agent', 'an agent for roles', 'none');
    } else if ('play' in agent) {
      this.confinement.refuse('an agent in this process');
      this.#prepare(folder, order.prompt);
      this.#record(folder, { effect: id, pid: 0, start: '', argv: ['(in this process)', agent.name] });
      const fact = await playInProcess(agent, id, order, { ...context, ...request });
      return this.#finish(folder, { type: 'run_ended', data: fact });
    } else {
      const { argv, env = {} } = agent.command(request);
      const before = this.confinement.words(this.places, []);
      const variablesOf = { ...ownVariables(), ...env, ...variables(request), ...this.#corrected(request) };
      gated = await this.#begin(id, folder, order.prompt, { ...spec, before, argv, variables: variablesOf });
      // Told at once: what is stopped or lost before it was told would count as never started, and nobody would hear of
      // what it did. Its session is told when it is named.
      context.tell(startedRun(id, null, before.length > 0));
      teller = new Teller(id, context);
    }
    const began = performance.now() - gated.age;
    const end = await gated.run(context.stop, (out, bytes) => teller.hear(out, bytes)).catch((error: unknown) => ({ error }));
    // Agents start their tools in groups of their own, which the end of theirs does not reach.
    await endLeftovers(this.#marks(id));
    await this.#tidy(end);
    teller.finish();
    const said = [this.#keep(stdout, order.limits.output_bytes), this.#keep(stderr, order.limits.output_bytes)] as const;
    const spent = Math.round(performance.now() - began);
    const fact = 'how' in end ? ended(id, end, said[0], said[1], spent, order.limits) : lostRun(id, diagnostic(end.error, 'run_lost', `run ${id}`));
    return this.#finish(folder, { type: 'run_ended', data: fact });
  }

  /** Runs a command to its end. Throws if it cannot be started. */
  async command(id: string, order: RunCommand, stop: Stop): Promise<CommandExited> {
    const elsewhere = await this.#elsewhere(id, order.expected_head);
    if (elsewhere !== undefined) return elsewhere;
    const folder = this.places.run(id);
    const output = path.join(folder, 'stdout');
    const { root } = this.places;
    const report = path.join(folder, 'tests.xml');
    const format = order.room?.tests ?? undefined;
    const room = order.room ? await enter(root, order.room) : undefined;
    const before = this.confinement.words(this.places, room === undefined ? [] : [room.place, report], order.room?.offline);
    const gated = await this.#begin(id, folder, order.purpose, {
      before,
      argv: format === undefined ? order.argv : order.argv.map((word) => word.replaceAll(TESTS_PLACE, report)),
      directory: directory(room?.place ?? root, order.directory ?? ''),
      ...(room && { environment: room.environment }),
      variables: { ...ownVariables(), ...this.#marks(id) },
      input: '/dev/null',
      stdout: output,
      stderr: output,
      status: '',
      timeout: order.timeout_ms,
      outputBytes: MOST_COMMAND_OUTPUT,
    });
    // What is not there cannot be made writable. Where this fails, nothing is reported.
    quietly(() => fs.writeFileSync(report, ''));
    const end = await gated.run(stop, () => undefined).catch((error: unknown) => ({ error }));
    await this.#tidy(end);
    const said = this.#keep(output, MOST_COMMAND_OUTPUT);
    const text = this.redactor.text(tail(output, Math.min(order.output_bytes, MOST_COMMAND_TAIL)));
    const at = order.argv.join(' ');
    const why = 'how' in end ? noStatus(end, at, order.timeout_ms) : diagnostic(end.error, 'run_lost', at);
    const status = 'how' in end && end.how === 'exited' ? end.status : null;
    if (room !== undefined) await giveBack(room);
    // A secret that is cut would not be found.
    const held = room !== undefined && room.held.length > 0 ? { held: room.held, diff: toldDiff(this.redactor.text(room.diff), room.held.length) } : {};
    // A name with a path in it is the same test in every room.
    const read = (bytes: Uint8Array): string => Buffer.from(bytes).toString().replaceAll(room?.place ?? root, '/room');
    const told = format && readTests(format, read(this.#keep(report, MOST_TEST_REPORT)), read(said));
    const tests = told && { tests: told };
    return this.#finish(folder, { type: 'command_exited', data: { effect: id, status, output: text, problem: why, ...held, ...tests } });
  }

  /** A run that did not end by itself may have left a git in the middle of its work. */
  async #tidy(end: End | { error: unknown }): Promise<void> {
    if (!('how' in end) || end.how !== 'exited') await releaseLeftLocks(this.places.root);
  }

  /** Refuses a command that must run at another head than the repository has. */
  async #elsewhere(effect: string, expected: string | null): Promise<CommandExited | undefined> {
    if (expected === null) return undefined;
    const head = await new Git(this.places.root).head();
    if (head === expected) return undefined;
    return { effect, status: null, output: '', problem: problem('wrong_commit', 'HEAD', expected, head ?? 'no commit') };
  }

  /** Writes what is needed, starts the child behind its gate, and makes its record durable. */
  async #begin(id: string, folder: string, prompt: string, spec: Spec): Promise<Gated> {
    this.#prepare(folder, prompt);
    const gated = await start(spec);
    const confined = (spec.before ?? []).length > 0 ? { confined: true as const } : {};
    try {
      this.#record(folder, { effect: id, pid: gated.pid, start: gated.start, argv: spec.argv.map((word) => this.redactor.text(word)), ...confined });
      return gated;
    } catch (error) {
      await gated.cancel();
      throw error;
    }
  }

  /** Without a record nothing ran, so whatever is there is of an attempt that did not begin. */
  #prepare(folder: string, prompt: string): void {
    try {
      fs.rmSync(folder, { recursive: true, force: true });
      fs.mkdirSync(folder, { recursive: true });
      fs.writeFileSync(path.join(folder, 'prompt.md'), prompt);
    } catch (error) {
      throw HostError.io('write', folder, error);
    }
  }

  #record(folder: string, record: Record): void {
    const name = path.join(folder, 'record.json');
    try {
      replace(name, folder, Buffer.from(JSON.stringify(record)));
    } catch (error) {
      throw HostError.io('write', name, error);
    }
  }

  /** Keeps the result for a host that comes back, then tells it to this one. */
  #finish<T extends { type: 'run_ended'; data: RunEnded } | { type: 'command_exited'; data: CommandExited }>(folder: string, given: T): T['data'] {
    const fact = this.redactor.value(given);
    // If this cannot be written the result is only lost if this host dies, too.
    quietly(() => replace(path.join(folder, 'result.json'), folder, Buffer.from(JSON.stringify(fact))));
    return fact.data;
  }

  /** Cuts an output file to `limit`, takes secrets out of it, and answers with its content. */
  #keep(name: string, limit: number): Uint8Array {
    let bytes: Buffer = Buffer.alloc(0);
    quietly(() => {
      if (fs.statSync(name).size > limit) fs.truncateSync(name, limit);
      bytes = readRegular(name);
    });
    const text = bytes.toString();
    if (!this.redactor.finds(text)) return bytes;
    const clean = Buffer.from(this.redactor.text(text));
    try {
      fs.writeFileSync(name, clean);
    } catch {
      // What cannot be rewritten must not stay.
      quietly(() => fs.unlinkSync(name));
    }
    return clean;
  }
}

/** The variables a run finds in its environment. */
function variables(request: RunRequest): { [name: string]: string } {
  const all = {
    ROLE: request.role,
    RUN: request.run,
    VISIT: String(request.visit),
    ITEM: request.item ?? '',
    MISSION: clip(request.mission, 4_000),
    ROOT: request.root,
    CORRECTS: request.corrects ?? '',
    ACCESS: request.access,
    TIER: request.tier,
    MAX_TURNS: String(request.limits.max_turns),
  };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [`ENDSTATE_${name}`, value.replaceAll('\0', '')]));
}

/** Why a command has no exit status. */
function noStatus(end: End, at: string, timeout: number): Diagnostic | null {
  switch (end.how) {
    case 'exited':
      return null;
    case 'signalled':
      return problem('run_lost', at, 'to exit by itself', `ended by signal ${end.signal}`);
    case 'stopped':
      return problem('run_lost', at, 'to exit by itself', 'stopped');
    case 'timed_out':
      return problem('run_timed_out', at, `at most ${timeout} ms`, 'more');
    case 'flooded':
      return problem('run_flooded', at, `at most ${MOST_COMMAND_OUTPUT} bytes`, 'more');
  }
}

/** The last `most` bytes of a file as text. */
function tail(name: string, most: number): string {
  let text = '';
  quietly(() => {
    const file = openRegular(name);
    try {
      const { size } = fs.fstatSync(file);
      const bytes = Buffer.alloc(Math.min(size, most));
      const count = fs.readSync(file, bytes, 0, bytes.length, size - bytes.length);
      text = bytes.subarray(0, count).toString();
    } finally {
      fs.closeSync(file);
    }
  });
  return text;
}

function readJson<T>(name: string): T | undefined {
  try {
    return parsed<T>(readRegular(name).toString());
  } catch {
    return undefined;
  }
}

function parsed<T>(text: string): T | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}

/** Turns what a run says into facts, at most one a second. */
class Teller {
  readonly #listener = new Listener();
  readonly #began = performance.now();
  #told = performance.now();

  /** `told` is what an earlier host told of it. */
  constructor(private readonly id: string, private readonly context: RoleContext, private readonly told?: Told) {}

  hear(stdout: boolean, bytes: Uint8Array): void {
    this.#listener.hear(stdout, bytes);
    const now = performance.now();
    const silent = now - this.#told;
    if (this.#listener.hasEntries && silent >= PROGRESS_EVERY) {
      this.#told = now;
      while (this.#listener.hasEntries) {
        const entries = this.#news();
        if (entries.length > 0) this.#progress(entries);
      }
    } else if (silent >= HEARTBEAT_EVERY) {
      this.#progress([{ kind: 'heartbeat', text: `running for ${Math.round((now - this.#began) / 1_000)} s` }]);
    }
  }

  /** Structured signs of life are not lost, however short the run; the rest is in its report. */
  finish(): void {
    this.#listener.close();
    while (this.#listener.hasEntries) {
      const entries = this.#news();
      if (entries.some((entry) => entry.kind !== 'activity')) this.#progress(entries);
    }
  }

  /** What was heard since the last time. */
  #news(): ProgressEntry[] {
    const said = this.#listener.entries();
    return this.told?.strike(said) ?? said;
  }

  #progress(entries: ProgressEntry[]): void {
    this.#told = performance.now();
    this.context.tell({ type: 'run_progressed', data: { effect: this.id, entries } });
  }
}
