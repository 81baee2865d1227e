// A host without a machine: the journal in memory, canonical files in a map, roles and commands played by
// callbacks. For browsers, for tests of protocols, and as the shortest example of what a host is.

import type {
  Change, CommandExited, DocumentSeen, Fact, Notify, Outcome, PathDigest, Repository, RunCommand, RunEnded, SpawnRole, WriteFile,
  AppendHistory, CommitFiles, Seen,
} from 'endstate-engine';
import type { InProcessAgent } from './agents/agent.js';
import { kindOf, playInProcess } from './agents/play.js';
import { HostError } from './error.js';
import type { Earlier, Hold, Host, Letter, LookOrder, RoleContext, SnapshotRecord, Wanted } from './host.js';
import type { Stop } from './stop.js';

/** What plays in a memory host. */
export interface MemoryHostOptions {
  /** Who plays the roles. A function is given the request and answers with the report. */
  agent?: InProcessAgent | InProcessAgent['play'];
  /**
   * Runs commands: answers with an exit status and output. Without it every command exits with 0, but for those that are to
   * prove the end in a `room` of their own: there is none here, and the end rests on claims.
   */
  command?: (order: RunCommand) => Promise<{ status: number; output?: string }> | { status: number; output?: string };
  /** Host code by the name it is consulted under. */
  handlers?: Record<string, (input: unknown) => unknown>;
  /** Files by path, as they are before the mission begins. */
  files?: Record<string, string>;
  /** Told notices. */
  notify?: (notice: Notify) => void;
  /** Answers questions; without it they stay open. */
  ask?: Host['ask'];
  /** Milliseconds since 1970; the clock of the machine. */
  now?: () => number;
}

/** A host in memory, with what it holds open to look at. */
export interface MemoryHost extends Host {
  /** The journal as text. */
  journal(): string;
  /** Canonical files by path. */
  readonly files: Map<string, string>;
  /** The commits that were made, the newest last. A run that may write and made none makes one when it ends. */
  readonly commits: { id: string; paths: string[]; message: string }[];
  /** Makes a commit, as a role does that commits its own work; gives its id. */
  commit(paths: string[], message: string): Promise<string>;
}

/** Makes one. */
export function memoryHost(options: MemoryHostOptions = {}): MemoryHost {
  return new Memory(options);
}

class Memory implements MemoryHost {
  readonly files: Map<string, string>;
  readonly commits: { id: string; paths: string[]; message: string }[] = [];
  readonly ask?: NonNullable<Host['ask']>;
  readonly #options: MemoryHostOptions;
  readonly #agent: InProcessAgent | undefined;
  #journal: Lines | undefined;
  #snapshots: SnapshotRecord[] = [];
  #held = false;

  constructor(options: MemoryHostOptions) {
    this.#options = options;
    this.#agent = agentOf(options.agent);
    this.files = new Map(Object.entries(options.files ?? {}));
    if (options.ask) this.ask = options.ask;
  }

  journal(): string {
    return new TextDecoder().decode(this.#journal?.read(0, Infinity));
  }

  now(): number {
    return this.#options.now?.() ?? Date.now();
  }

  redact<F extends Fact>(fact: F): F {
    return fact;
  }

  async records(): Promise<Hold> {
    const name = 'the journal in memory';
    return {
      name,
      tookOver: false,
      size: async () => this.#journal?.length,
      read: async (offset, length) => this.#journal?.read(offset, length) ?? new Uint8Array(),
      snapshots: async () => [...this.#snapshots],
      create: async (line) => {
        if (this.#journal) throw new HostError('mission_exists', name, 'no mission', 'a journal');
        this.#journal = new Lines();
        this.#journal.append(line);
      },
      truncate: async (length) => this.#journal?.truncate(length),
      append: async (line) => this.#journal?.append(line),
      keep: async (seq, text) => {
        this.#snapshots = [{ name: `snapshot ${seq}`, text: async () => text }];
      },
      forget: async () => {
        this.#snapshots = [];
      },
      letters: async (): Promise<Letter[]> => [],
      release: async () => {
        this.#held = false;
      },
    };
  }

  async hold(): Promise<Hold> {
    if (this.#held) throw new HostError('locked', 'memory', 'no other driver of this mission', 'another in this process');
    this.#held = true;
    return this.records();
  }

  async writeFile(order: WriteFile, content: string): Promise<Outcome> {
    this.files.set(order.path, content);
    return this.#file(order.path);
  }

  async appendHistory(order: AppendHistory): Promise<Outcome> {
    const before = this.files.get(order.path) ?? '';
    const bytes = new TextEncoder().encode(before);
    const prefix = new TextDecoder().decode(bytes.slice(0, order.offset));
    this.files.set(order.path, prefix + order.text);
    return this.#file(order.path);
  }

  async commitFiles(_: string, order: CommitFiles, wanted: Wanted[]): Promise<Outcome> {
    for (const { path, content } of wanted) this.files.set(path, content);
    const head = await this.commit(order.paths, order.message);
    const files = await Promise.all(wanted.map(async ({ path, content }) => ({ path, digest: await sha256(content) })));
    return { type: 'commit', head, files };
  }

  async observeRepository({ since, basis, known, within = [], without = [] }: LookOrder): Promise<Repository> {
    const place = (id: string): number => this.commits.findIndex((one) => one.id === id);
    // Of one commit alone the change has the paths.
    const each = (behind: { id: string; paths: string[] }[]): { id: string; paths: string[] }[] =>
      behind.length < 2 ? [] : behind.map(({ id, paths }) => ({ id, paths: [...paths].sort() })).reverse();
    const change = (from: string | null): Change | null => {
      if (from === null) return null;
      const behind = this.commits.slice(place(from) + 1);
      const paths = new Set(behind.flatMap((one) => one.paths));
      const commits = behind.map((one) => one.id).reverse();
      return { from, descends: from === 'none' || place(from) >= 0, paths: [...paths].sort(), commits, touched: each(behind), truncated: false };
    };
    const seen = await Promise.all(known.map(async ({ path, digest }) => ({ path, digest, seen: await this.#look(path) })));
    const digestOf = (one: Seen): string => (one.type === 'absent' ? 'absent' : one.digest);
    // What a commit touched is there, although nobody keeps its content.
    const committed = (path: string): boolean => this.commits.some((one) => one.paths.includes(path));
    const differs = (path: string, known: string, there: Seen): boolean =>
      known.startsWith('present') ? there.type === 'absent' && !committed(path) : digestOf(there) !== known;
    const files = seen.filter((one) => differs(one.path, one.digest, one.seen)).map(({ path, seen: there }) => ({ path, seen: there }));
    const head = this.commits.at(-1)?.id ?? (await this.commit([], 'The beginning'));
    const refs = await sha256(head);
    return { head, branch: 'main', refs, problem: null, dirty: [], since: change(since), basis: change(basis), files, beside: await this.#beside(known, within, without) };
  }

  /** Files below `within` that are not `known`, but for those below `without`. */
  async #beside(known: PathDigest[], within: string[], without: string[]): Promise<PathDigest[]> {
    const below = (path: string, folders: string[]): boolean => folders.some((one) => path.startsWith(one));
    const strange = [...this.files].filter(([path]) => below(path, within) && !below(path, without) && !known.some((one) => one.path === path));
    const seen = strange.map(async ([path, text]) => ({ path, digest: await sha256(text) }));
    return (await Promise.all(seen)).sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async observeDocuments(paths: string[]): Promise<DocumentSeen[]> {
    return Promise.all(paths.map(async (path) => ({ path, seen: await this.#look(path) })));
  }

  async earlier(): Promise<Earlier> {
    return { found: 'nothing' };
  }

  async endLeftovers(): Promise<string[]> {
    return [];
  }

  async role(effect: string, order: SpawnRole, context: RoleContext): Promise<RunEnded> {
    if (this.#agent === undefined) throw new HostError('host_failed', 'agent', 'an agent for roles', 'none');
    const before = this.commits.length;
    const ended = await playInProcess(this.#agent, effect, order, { ...context, root: '', promptFile: '' });
    const idle = this.commits.length === before;
    if (idle && order.access === 'write' && ended.outcome === 'success') await this.commit([`work/${effect}`], `Work of run ${effect}`);
    return ended;
  }

  async command(effect: string, order: RunCommand, _: Stop): Promise<CommandExited> {
    const none = this.#options.command === undefined && order.room !== undefined && order.room !== null;
    if (none) throw new HostError('host_failed', 'room', 'a checkout of a commit', 'a repository in memory');
    const { status, output = '' } = (await this.#options.command?.(order)) ?? { status: 0 };
    return { effect, status, output, problem: null };
  }

  consult(handler: string, input: string): Promise<string> {
    return consultHandler(this.#options.handlers, handler, input);
  }

  notify(notice: Notify): void {
    this.#options.notify?.(notice);
  }

  async commit(paths: string[], message: string): Promise<string> {
    const id = (await sha256(`${this.commits.length} ${message}`)).slice(0, 40);
    this.commits.push({ id, paths, message });
    return id;
  }

  async #file(path: string): Promise<Outcome> {
    const content = this.files.get(path) ?? '';
    return { type: 'file', digest: await sha256(content), length: new TextEncoder().encode(content).length };
  }

  async #look(path: string): Promise<Seen> {
    const text = this.files.get(path);
    if (text === undefined) return { type: 'absent' };
    const digest = await sha256(text);
    return path.endsWith('.jsonl') ? { type: 'digest', digest, length: text.length, problem: null } : { type: 'text', digest, text };
  }
}

/** Who plays, whichever way it was given. */
function agentOf(given: MemoryHostOptions['agent']): InProcessAgent | undefined {
  if (given === undefined) return undefined;
  const agent = typeof given === 'function' ? { name: 'memory', play: given } : given;
  if (typeof agent?.play === 'function') return agent;
  throw new HostError('usage', 'agent', 'a function that plays a run, or { name, play }', kindOf(given));
}

/** Lines that are appended: the room for them doubles, so that many cost what they are long. */
class Lines {
  #room = new Uint8Array(1 << 12);
  length = 0;

  append(line: string): void {
    const more = new TextEncoder().encode(`${line}\n`);
    const end = this.length + more.length;
    if (end > this.#room.length) {
      const before = this.#room;
      this.#room = new Uint8Array(Math.max(end, before.length * 2));
      this.#room.set(before);
    }
    this.#room.set(more, this.length);
    this.length = end;
  }

  read(offset: number, length: number): Uint8Array {
    return this.#room.slice(offset, Math.min(offset + length, this.length));
  }

  truncate(length: number): void {
    this.length = Math.min(length, this.length);
  }
}

/** Calls host code by name: a value in, a value out, both as JSON text for the engine. */
export async function consultHandler(
  handlers: Record<string, (input: unknown) => unknown> | undefined, name: string, input: string,
): Promise<string> {
  const handler = handlers && Object.hasOwn(handlers, name) ? handlers[name] : undefined;
  if (handler === undefined) throw new HostError('host_failed', name, 'host code of this name', 'none');
  return JSON.stringify(await handler(JSON.parse(input))) ?? 'null';
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
