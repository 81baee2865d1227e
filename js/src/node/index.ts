// The Node host: it does what the engine orders, on a real machine, and survives its own death. The twin of
// src/native: the same lock, journal, snapshots, records and inbox, so either may go on with what the other began.

import { consultHandler, HostError, words } from 'endstate-core';
import type {
  Agent, AppendHistory, CommandExited, CommitFiles, DocumentSeen, Earlier, Fact, Hold, Host, LookOrder, Notify, Outcome, Records, Repository,
  RoleContext, RunCommand, RunEnded, RunProgressed, SpawnRole, Stop, Wanted, WriteFile,
} from 'endstate-core';
import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { beside } from './beside.js';
import { commitFiles } from './commit.js';
import { Confinement, namedProgram } from './confine.js';
import type { Confine } from './confine.js';
import { appendHistory, documents, writeFile } from './files.js';
import { Git } from './git.js';
import { hide } from './own-files.js';
import { post } from './post.js';
import { Lock } from './lock.js';
import { Places } from './places.js';
import { Redactor } from './redact.js';
import { leave } from './room.js';
import { Runs } from './runs.js';
import { begun, DiskHold, DiskRecords, missionExists } from './store.js';

export { AgentBridge } from 'endstate-agents';
export { execAgent, lookForAgent, parseAgent, realAgent, scriptAgent } from '../agents/exec.js';
export { splitWords } from '../agents/words.js';
export { archivedWords, archiveMission } from './archive.js';
export type { Archived, ArchiveOptions } from './archive.js';
export { completionConfig, gridConfig, iterationConfig, promiseConfig, sprintConfig } from './config.js';
export type { Confine } from './confine.js';
export { docsSurfaces, testCommands } from './detect.js';
export { stopHook } from './hook.js';
export type { StopAsked, StopHookOptions } from './hook.js';
export { refuseRun } from './inside.js';
export { roomFiles } from './kept.js';
export { serveMcp } from './mcp.js';
export type { ServeMcpOptions } from './mcp.js';
export { ownProgram } from './own.js';
export { findProgram } from './program.js';
export { Redactor } from './redact.js';
export { playScenario } from './script.js';
export { terminal } from './terminal.js';
export { serveViewer } from './viewer-server.js';
export type { ViewerServer } from './viewer-server.js';
export { viewerFile } from './viewer.js';
export type { ViewerOptions } from './viewer.js';
export { writeViewer } from './viewer-out.js';
export type { ViewerOut } from './viewer-out.js';

/** What a Node host is made of. */
export interface NodeHostOptions {
  /** The root of the git repository that the mission is in. */
  root: string;
  /** Who plays the roles; without one, a role that is ordered fails. */
  agent?: Agent;
  /** Host code by the name it is consulted under: a value in, a value out. */
  handlers?: Record<string, (input: unknown) => unknown>;
  /** Told notices. */
  notify?: (notice: Notify) => void | Promise<void>;
  /** Asks the user; see `terminal()`. Without it questions stay open until they are answered. */
  ask?: Host['ask'];
  /** Takes secrets out; by default those of this process's environment. */
  redactor?: Redactor;
  /** Whether agents are confined: where the system can (`auto`, the default), or else none is started, or never. */
  confine?: Confine;
  /** The program that confines them; by default the one that ENDSTATE_BWRAP names, else `bwrap` in PATH. */
  bwrap?: string;
}

/** A host on this machine. */
export function nodeHost(options: NodeHostOptions): Host {
  return new NodeHost(options);
}

/** The process on this machine or another that holds the mission at `root`, if one that lives does. */
export function drivenBy(root: string): { pid: number; host: string } | undefined {
  const holder = Lock.heldBy(new Places(root).lock);
  return holder && { pid: holder.pid, host: holder.host };
}

/** The root of the git repository that a folder is in; the folder itself outside of one. */
export function repositoryRoot(folder: string): string {
  try {
    return execFileSync('git', ['rev-parse', '--show-toplevel'], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).replace(/\n$/, '');
  } catch {
    return folder;
  }
}

class NodeHost implements Host {
  readonly root: string;
  readonly ask?: NonNullable<Host['ask']>;
  readonly #options: NodeHostOptions;
  readonly #places: Places;
  readonly #redactor: Redactor;
  readonly #runs: Runs;
  /** Why agents are not confined, where they were to be if the system can; known once the mission is open. */
  unconfined: string | undefined;
  /** Files that were kept out of git's sight, or could not be, by this host. */
  readonly #hidden = new Set<string>();

  constructor(options: NodeHostOptions) {
    if (typeof options?.root !== 'string') throw new HostError('usage', 'root', 'the folder of a repository', typeof options?.root);
    const { agent } = options;
    const plays = agent === undefined || typeof agent === 'object' && ('command' in agent || 'play' in agent);
    if (!plays) throw new HostError('usage', 'agent', 'an agent, e.g. parseAgent("pi")', typeof agent);
    const { confine = 'auto' } = options;
    if (!['auto', 'required', 'never'].includes(confine)) throw new HostError('usage', 'confine', 'auto, required or never', String(confine));
    try {
      this.root = fs.realpathSync(options.root);
    } catch (error) {
      throw HostError.io('open', options.root, error);
    }
    this.#options = options;
    this.#places = new Places(this.root);
    this.#redactor = options.redactor ?? new Redactor();
    this.#runs = new Runs(this.#places, this.#redactor, new Confinement(confine, options.bwrap ?? namedProgram()));
    if (options.ask) this.ask = options.ask;
  }

  now(): number {
    return Date.now();
  }

  redact<F extends Fact>(fact: F): F {
    return this.#redactor.value(fact);
  }

  async hold(how: 'create' | 'open'): Promise<Hold> {
    this.#places.check();
    const there = begun(this.#places);
    const { journal } = this.#places;
    if (how === 'create' && there) throw missionExists(journal);
    if (how === 'open' && !fs.existsSync(journal)) {
      throw new HostError('no_mission', journal, 'a mission that was begun', 'no journal');
    }
    const hold = await DiskHold.enter(this.#places);
    // Tried before anything else is done in the repository.
    if (this.#options.agent !== undefined) this.unconfined = this.#runs.confine();
    return hold;
  }

  async records(): Promise<Records> {
    return new DiskRecords(this.#places);
  }

  send(fact: Fact): Promise<void> {
    return post(this.#places, { fact });
  }

  async writeFile(order: WriteFile, content: string): Promise<Outcome> {
    await this.#hide(order.path);
    return writeFile(this.#places, order, content);
  }

  /** Keeps a file of the mission out of git's sight before it is written. That it cannot be is no reason to stop. */
  async #hide(at: string): Promise<void> {
    if (this.#hidden.has(at)) return;
    try {
      if (!(await hide(this.#places, at))) return;
    } catch (error) {
      await this.notify({ level: 'warning', text: `${at} could not be hidden from git: ${words(error)}` });
    }
    this.#hidden.add(at);
  }

  async appendHistory(order: AppendHistory): Promise<Outcome> {
    return appendHistory(this.#places, order);
  }

  commitFiles(effect: string, order: CommitFiles, wanted: Wanted[]): Promise<Outcome> {
    return commitFiles(this.#places, effect, order, wanted);
  }

  head(): Promise<string | null> {
    return new Git(this.root).head();
  }

  isAsAt(commit: string): Promise<boolean> {
    return new Git(this.root).isAsAt(commit);
  }

  async knows(program: string): Promise<boolean> {
    // Where no shell answers, nothing is known to be missing.
    const { status, error } = spawnSync('/bin/sh', ['-c', 'command -v "$1"', 'sh', program], { stdio: 'ignore', timeout: 10_000 });
    return error !== undefined || status === 0;
  }

  async observeRepository({ since, basis, known, within = [], without = [] }: LookOrder): Promise<Repository> {
    const git = new Git(this.root);
    const seen = await git.observe(this.#places, since, basis, known);
    return { ...seen, beside: beside(git, known, within, without) };
  }

  async observeDocuments(paths: string[], tracked = false): Promise<DocumentSeen[]> {
    return documents(this.#places, paths, tracked ? await new Git(this.root).tracked(paths) : undefined);
  }

  unheard(effect: string): Promise<RunProgressed[]> {
    return this.#runs.unheard(effect);
  }

  async clear(effect: string): Promise<boolean> {
    return this.#runs.clear(effect);
  }

  earlier(effect: string): Promise<Earlier> {
    return this.#runs.earlier(effect);
  }

  endLeftovers(awaited: ReadonlySet<string> = new Set()): Promise<string[]> {
    return this.#runs.endLeftovers(awaited);
  }

  end(effect: string): Promise<void> {
    return this.#runs.end(effect);
  }

  async role(effect: string, order: SpawnRole, context: RoleContext): Promise<RunEnded> {
    return this.#runs.role(effect, order, this.#options.agent, context);
  }

  command(effect: string, order: RunCommand, stop: Stop): Promise<CommandExited> {
    return this.#runs.command(effect, order, stop);
  }

  leaveRooms(): void {
    leave(this.root);
  }

  consult(handler: string, input: string): Promise<string> {
    return consultHandler(this.#options.handlers, handler, input);
  }

  async notify(notice: Notify): Promise<void> {
    await this.#options.notify?.(notice);
  }
}
