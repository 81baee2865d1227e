// What a host is to the driver: a place to keep a mission, and hands.
//
// The driver (driver.ts) decides what is done when; a host does one thing when it is asked to and says
// how it came out. It never looks at an effect by itself. Whatever a method throws is told to the engine
// as `effect_failed` (a `HostError` with its own code, anything else as `host_failed`), except for the
// methods of a `Hold`: if the mission cannot be kept, the driver ends what it started and gives up.

import type {
  AppendHistory, Answer, CommandExited, CommitFiles, Config, DocumentSeen, Fact, Notify, Observe, Outcome, Position,
  Question, Repository, RunCommand, RunEnded, RunProgressed, RunStarted, SpawnRole, WriteFile,
} from 'endstate-engine';
import type { HostError } from './error.js';
import type { Stop } from './stop.js';

/** What a look at the repository is to tell. */
export type LookOrder = Omit<Extract<Observe, { what: 'repository' }>, 'what'>;

/** A mission's journal and snapshots, as they lie there. Reading changes nothing. */
export interface Records {
  /** Where the journal is, for people. */
  readonly name: string;
  /** The length of the journal in bytes; `undefined` if there is none. */
  size(): Promise<number | undefined>;
  /** At most `length` bytes of the journal from `offset` on. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** The snapshots by name, the newest first. */
  snapshots(): Promise<SnapshotRecord[]>;
  /**
   * What lies beside the journal and knows the most of its lines: the record of a run, or a line behind the known end of
   * a history, has the id of an effect, which the journal had before.
   */
  beside?(histories: HistoryEnd[]): Promise<Beside | undefined>;
}

/** A file beside the journal. */
export interface Beside {
  /** Its name, for people. */
  readonly name: string;
  /** How many lines the journal had when it was written, at least. */
  readonly lines: number;
}

/** Where a file that only grows ends, as far as the journal knows. */
export interface HistoryEnd {
  /** Path from the root of the repository. */
  readonly path: string;
  /** Bytes up to there. */
  readonly length: number;
}

/** A snapshot beside the journal. */
export interface SnapshotRecord {
  /** Its name, for people. */
  readonly name: string;
  /** Its text, whole: see `docs/formats.md`. */
  text(): Promise<string>;
}

/** A mission that this driver alone may write. */
export interface Hold extends Records {
  /** Whether the driver before this one did not end by itself. */
  readonly tookOver: boolean;
  /** Keeps the files of the config's `proof`, then begins the journal with line 0. Throws `mission_exists` if there is one. */
  create(line: string, config: Config): Promise<void>;
  /** Cuts a torn tail off. */
  truncate(length: number): Promise<void>;
  /** Appends a line (without its newline) and makes it durable. On a throw the journal is as before. */
  append(line: string): Promise<void>;
  /** Keeps a snapshot taken after event `seq`; older ones than the one before may go. */
  keep(seq: number, text: string): Promise<void>;
  /** Removes every snapshot: they do not go with the journal. */
  forget(): Promise<void>;
  /** Letters of other processes, in the order they are to be taken. */
  letters(): Promise<Letter[]>;
  /** Gives the mission back. */
  release(): Promise<void>;
}

/** A command or an answer from another process. */
export interface Letter {
  /** Its id. */
  readonly id: string;
  /** What it says. Throws if it cannot be read, or is not the user's to say. */
  read(): Promise<Fact>;
  /** Removes it: its event is journaled. */
  remove(): Promise<void>;
  /** Puts it aside with the reason. */
  refuse(why: unknown): Promise<void>;
}

/** What an earlier host left of an effect's run. */
export type Earlier =
  | { found: 'nothing' }
  /** It finished; this is its fact. */
  | { found: 'finished'; fact: Fact; confined?: boolean }
  /** It left no result, and never will; what was left of it has been ended. */
  | { found: 'lost' }
  /** A process was started and left no result: it lives, or ended while nobody looked. `role` looks on at it. */
  | { found: 'begun'; lives: boolean; ended: boolean; confined?: boolean }
  /** An agent of the user's plays it: there is no process, and it waits for its report. */
  | { found: 'hosted' };

/** A canonical file with the content it must have. */
export interface Wanted {
  /** Path from the root of the repository. */
  readonly path: string;
  /** Its whole content. */
  readonly content: string;
}

/** What a role's run is given by the driver. */
export interface RoleContext {
  /** The mission in words. */
  readonly mission: string;
  /** Asks it to wind up, or ends it. */
  readonly stop: Stop;
  /** Tells that the run was started, once, and of its signs of life: at most one event a second. */
  tell(fact: { type: 'run_started'; data: RunStarted } | { type: 'run_progressed'; data: RunProgressed }): void;
  /**
   * Tells that the code of the agent is wrong: the drive ends with this error as soon as the end of the run is in the
   * journal.
   */
  fault(error: HostError): void;
}

/** A host. */
export interface Host {
  /** The root of the repository, if there is one. */
  readonly root?: string;
  /** Milliseconds since 1970. */
  now(): number;
  /** Takes secrets out of every text of a fact, before anybody else sees it. */
  redact<F extends Fact>(fact: F): F;
  /** Takes the mission, for this driver alone. Throws `locked` if another holds it. */
  hold(how: 'create' | 'open'): Promise<Hold>;
  /** Looks at the mission without taking it: beside a live driver, too. */
  records(): Promise<Records>;
  /** Leaves a command or answer for the driver that holds the mission, and waits until it took it. */
  send?(fact: Fact): Promise<void>;

  /** Replaces a canonical file, if what is there is what the order expects. Safe to repeat. */
  writeFile(order: WriteFile, content: string): Promise<Outcome>;
  /** Appends to a history, or completes an append that was cut short. Safe to repeat. */
  appendHistory(order: AppendHistory): Promise<Outcome>;
  /** Writes and commits exactly these files, or leaves everything as it was. Safe to repeat. */
  commitFiles(effect: string, order: CommitFiles, wanted: Wanted[]): Promise<Outcome>;
  /** The commit that is checked out; `null` for none. Without this method nobody sees what came between a look and a run. */
  head?(): Promise<string | null>;
  /** Whether a shell here knows a program of this name. Without this method none is known to be missing. */
  knows?(program: string): Promise<boolean>;
  /** Whether what is committed is what it was at that commit. Without this method nobody sees that it is not. */
  isAsAt?(commit: string): Promise<boolean>;
  /** Looks at the repository. */
  observeRepository(order: LookOrder): Promise<Repository>;
  /**
   * Reads documents, in the order asked for. With `tracked` only what git tracks counts: a file that it ignores, or was
   * told not to look at, has a problem instead of a text.
   */
  observeDocuments(paths: string[], tracked?: boolean): Promise<DocumentSeen[]>;

  /** What an earlier host left of this effect's run; ends what still lives of it. */
  earlier(effect: string): Promise<Earlier>;
  /** Takes away what stands in the place of a run that has not begun; answers whether there was anything. */
  clear?(effect: string): Promise<boolean>;
  /** What an earlier host's run said that is not in the journal, in the order it was said; nothing where none is kept. */
  unheard?(effect: string): Promise<RunProgressed[]>;
  /**
   * Ends whatever an earlier host left running, but for effects that are awaited still. Answers with the locks of git
   * that this left and that were taken away.
   */
  endLeftovers(awaited?: ReadonlySet<string>): Promise<readonly string[]>;
  /** Ends what is left of an earlier run, where processes outlive a host. */
  end?(effect: string): Promise<void>;
  /**
   * Plays a role to its end; where an earlier host of these processes began it, looks on. A throw means that it could
   * not be started.
   */
  role(effect: string, order: SpawnRole, context: RoleContext): Promise<RunEnded>;
  /** Runs a command to its end, in its room if it names one. A throw means that it could not be started. */
  command(effect: string, order: RunCommand, stop: Stop): Promise<CommandExited>;
  /** Takes away the rooms of a mission that has come to its end. */
  leaveRooms?(): void;
  /** Asks host code registered under a name. JSON text in, JSON text out. */
  consult(handler: string, input: string, signal: AbortSignal): Promise<string>;
  /** Tells the user. */
  notify(notice: Notify): Promise<void> | void;
  /**
   * Asks the user. Answers with nothing if the question is to stay open. `refused` says why the answer
   * before was not taken. Without this method questions stay open until `Mission.answer`.
   */
  ask?(effect: string, question: Question, signal: AbortSignal, refused?: string): Promise<Answer | undefined>;
}

/** The text of a snapshot record. */
export function snapshotText(position: Position, offset: number, snapshot: string): string {
  const place = `{"lines":${position.lines},"chain":"${position.chain}"}`;
  return `{"position":${place},"offset":${offset},"snapshot":${snapshot}}\n`;
}
