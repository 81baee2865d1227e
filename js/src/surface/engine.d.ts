// Types of the package. The surface is written by hand; everything below the line was made from
// the JSON Schemas of the engine.

/** JSON text, or a value that is turned into it. */
export type Json<T> = string | T;

/** What {@link Engine.apply} answers. */
export interface Applied {
  /** What the host must do, in order. */
  effects: Effect[];
  /** What was decided, for the journal. */
  decided: Decided;
  /** The journal line to append, without its newline, if the engine knows its place. */
  line?: string;
}

/** The answer of {@link start} and {@link step}. */
export interface Step {
  /** The new state. */
  snapshot: Snapshot;
  /** What the host must do, in order. */
  effects: Effect[];
  /** Whether and why the mission goes on. */
  continuation: Continuation;
  /** What was decided, for the journal. */
  decided: Decided;
}

/** A place in a journal. */
export interface Position {
  /** Lines so far; the next line has this number as its `seq`. */
  lines: number;
  /** Chain of the last line; empty before line 0. */
  chain: string;
}

/** What a batch of journal lines led to. */
export interface Batch {
  /** How many lines were taken. */
  events: number;
  /** Bytes of a torn last line that were left out. */
  torn_bytes: number;
  /** The place behind the last line taken. */
  position: Position;
  /** Whether and why the mission goes on. */
  continuation: Continuation;
  /** The first line that was decided otherwise. The engine takes no more events then. */
  divergence: Divergence | null;
}

/** What every call throws when the input is at fault: an `Error` with these fields. Nothing changed. */
export interface EndstateError extends globalThis.Error {
  name: 'EndstateError';
  /** Whose fault it is. */
  kind: 'malformed' | 'refused' | 'broken';
  /** The stable code. */
  code: Code;
  /** Where: a JSON path, a line number, a file or an effect id. */
  at: string;
  /** What would have been right. */
  expected: string;
  /** What came. */
  got: string;
}

/** Starts a mission. `at` is in milliseconds since the Unix epoch. */
export declare function start(config: Json<Config>, at: number): Step;

/** Takes one event; pure: neither argument is changed. */
export declare function step(snapshot: Json<Snapshot>, event: Json<Event>): Step;

/** Whether the report of a run can be read, while the run still works on it. Answers with notes. */
export declare function checkReport(snapshot: Json<Snapshot>, run: string, report: string): string[];

/** What is found in one canonical file; without bytes it is not there. Faults and notes. */
export declare function checkFile(path: string, content?: Uint8Array): FileFinding[];

/** The paths that {@link checkFile} knows. */
export declare function checkedFiles(): { mission: string[]; records: string[] };

/**
 * What became of each test, from the file that a test runner wrote (blank if it did not) and what it printed; `null` where
 * that is not told by name.
 */
export declare function readTests(format: TestFormat, report: string, output: string): TestReport | null;

/** Decides every event of a journal again. */
export declare function replay(journal: Uint8Array): Replay;

/** All JSON Schemas (draft 2020-12) by name. */
export declare function schemas(): Record<string, Record<string, unknown>>;

/** Version of the engine, a plus sign, and the commit that the package was built from. */
export declare function version(): string;

/** Version of the rules. */
export declare function rules(): number;

/** See {@link Engine.outbox}. */
export interface Outbox {
  /** Number of the last event. */
  seq: number;
  /** Whether roles may be dispatched. */
  control: 'held' | 'running' | 'paused' | 'stopped';
  /** The head that a run is to begin at, as last looked at; `null` where none is followed, or what is left is the proof. */
  head: string | null;
  /** In the order they were ordered. */
  waiting: Array<{ id: string; order: Order['type']; live: boolean }>;
}

/** A mission held open: the same steps as {@link step}, without copying the state. */
export declare class Engine {
  private constructor();
  /** Starts a mission; its place in the journal is behind line 0. */
  static start(config: Json<Config>, at: number): Engine;
  /** Opens a snapshot; with the place it was taken at, the engine writes journal lines as well. */
  static open(snapshot: Json<Snapshot>, position?: Json<Position>): Engine;
  /** Opens a journal from its first line on; more lines are given to {@link applyBatch}. */
  static openJournal(lines: Uint8Array): Engine;
  /** The first event that was decided otherwise than recorded; no more are taken then. */
  divergence(): Divergence | undefined;
  /** What is outstanding, in short, without the texts of the orders. */
  outbox(): Outbox;
  /** One effect that has not been answered; `undefined` if it was answered or withdrawn. */
  find(effect: string): Outstanding | undefined;
  /** The answer to the start itself; `undefined` if the engine was opened. */
  started(): Applied | undefined;
  /** Takes one event. On an error the engine is exactly as before. */
  apply(event: Json<Event>): Applied;
  /** Takes whole journal lines as bytes, up to the first that does not hold. */
  applyBatch(lines: Uint8Array): Batch;
  /**
   * A journal of older rules that was not upgraded: which, what today's rules refuse of it, and where its last line says
   * that the mission stands. `undefined` for any other.
   */
  older(): { rules: number; aside: string[]; continuation: Continuation | null } | undefined;
  /**
   * The line that upgrades a journal of older rules; `undefined` for any other. It is upgraded once that line is appended;
   * before, {@link apply} gives no lines.
   */
  upgrade(at: number): string | undefined;
  /** The state as JSON text. */
  snapshot(): string;
  /** Effects that have not been answered: what a host that came back must look at. */
  pending(): Outstanding[];
  /** Why the next step is what it is. */
  why(): Why;
  /** The mission as nodes, edges, lanes and progress. */
  view(): View;
  /** The paths of the projections that the mission keeps: files that tell of this mission alone. */
  projections(): string[];
  /** The files that only grow and are there as far as the mission knows, with their lengths in bytes. */
  histories(): { path: string; length: number }[];
  /** May an agent that hosts roles stop? */
  mayStop(stopping: Json<Stopping>): MayStop;
  /** The content of a canonical file. */
  render(path: string): string;
  /** Whether and why the mission goes on. */
  continuation(): Continuation;
  /** Has the mission come to its end, though what it orders at its end may be under way? */
  isOver(): boolean;
  /** The programs that deciding commands start, as far as these are declared, each with the first thing it is to show. */
  programs(): Record<string, string>;
  /** Deciding commands, as far as these are declared, that name a deploy or the like and run more than once. */
  dangerousCommands(): string[];
  /** The place in the journal, if it is known. */
  position(): Position | undefined;
  /** A copy that goes its own way. */
  fork(): Engine;
  /** Where each item is drawn, as JSON text. */
  scene(): string;
  /** The state to colour the scene of the same `key` with, as JSON text. */
  picture(): string;
  /** One item with its criteria, claims, evidence and verdicts, as JSON text. */
  item(id: string): string;
  /** As the function of this name, without a copy of the snapshot. */
  checkReport(run: string, report: string): string[];
  /** Gives the memory back at once. May be called twice. */
  free(): void;
}

/** An agent that hosts roles wants to stop. */
export interface Stopping {
  /** It was sent out by the agent that hosts. */
  subagent: boolean;
  /** Whether a driver is alive; matters only where others are at work. */
  driven: boolean;
  /** How often in a row an agent is held without anything happening. */
  patience: number;
  /** What the hook has done so far. */
  count?: StopCount;
  /** Milliseconds since 1970. */
  at: number;
}

/** What the stop hook has done so far in a mission. */
export interface StopCount {
  /** The last event of the mission when an agent was last held. */
  seq: number;
  /** How often in a row it was held at this event. */
  held: number;
  /** When the hook was last heard of, in milliseconds since 1970. */
  heard_at: number;
  /** How often an agent was held in all. */
  holds: number;
}

/** What a stop hook says: the agent is held and hears the reason, or the user hears a message, or nothing. */
export type StopAnswer = { decision: 'block'; reason: string } | { systemMessage: string };

/** Whether an agent may stop. */
export interface MayStop {
  /** Others are at work. */
  others: boolean;
  /** What the hook answers; without an answer the agent may stop. */
  answer: StopAnswer | null;
  /** What is to be kept for the next time. */
  count: StopCount;
}

/** What an {@link McpServer} may do. */
export interface McpPolicy {
  /** How long `next` waits where the call does not say, in seconds. */
  wait_seconds: number;
  /** Whether the agent may pass on what the user answered. */
  answers: boolean;
  /** The agent is itself a run of a mission: it may look, and nothing else. */
  only_look: boolean;
}

/** What a host tells an {@link McpServer}. */
export type McpIn =
  | { in: 'line'; text: string }
  | { in: 'tick' }
  | { in: 'done'; ticket: number; answer: string }
  | { in: 'refused'; ticket: number; error: ErrorData };

/** What only a host can do for an {@link McpServer}. */
export type McpErrand =
  | { errand: 'report'; run: string; text: string }
  | { errand: 'answer'; question: string; answer: Answer }
  | { errand: 'command'; command: Command }
  | { errand: 'history' };

/** What an {@link McpServer} wants: a line sent, or an errand run and answered by its ticket. */
export type McpOut =
  | { out: 'line'; text: string }
  | { out: 'errand'; ticket: number; errand: McpErrand };

/** The mission as a server of the Model Context Protocol, without input or output. */
export declare class McpServer {
  constructor(policy?: Json<McpPolicy>);
  /** Tells the server something; answers with what it wants. Nothing a client says makes it throw. */
  hear(what: Json<McpIn>, scene: { engine?: Engine; why?: string; now: number; driven?: boolean }): McpOut[];
  /** Whether somebody waits to be told that the mission moved. */
  waits(): boolean;
  /** Gives the memory back at once. May be called twice. */
  free(): void;
}

/** A journal that is replayed in pieces of any size. */
export declare class Replayer {
  constructor();
  /** Takes the next piece. */
  push(piece: Uint8Array): void;
  /** What was found so far. */
  finish(): Replay;
  /** Gives the memory back at once. May be called twice. */
  free(): void;
}

/** A journal that is read for looking at it: any moment of it is a short replay away. */
export declare class Tape {
  constructor();
  /** Takes the next piece. A line that does not hold is told by {@link Tape.state}, not thrown. */
  push(piece: Uint8Array): void;
  /** What was found so far. */
  state(): TapeState;
  /** The runs and questions so far, as JSON text. */
  chronicle(): string;
  /**
   * An engine at event `seq` or a little before; its `position()` says where. The journal lines from
   * there on, given to its `applyBatch`, lead to the moment itself.
   */
  before(seq: number): Engine;
  /** Gives the memory back at once. May be called twice. */
  free(): void;
}

/** See {@link Tape.state}. */
export interface TapeState {
  /** Lines that hold. */
  lines: number;
  /** Chain of the last of them. */
  chain: string;
  /** Bytes behind the last newline. */
  torn_bytes: number;
  /** Why the line behind them does not hold, if it does not. */
  fault: ErrorData | null;
  /** The first event that was decided otherwise than recorded. */
  divergence: Divergence | null;
  /** How many of the first lines were made under older rules: they are shown as today's rules take them. */
  older_lines: number;
  /** Whether and why the mission goes on; `null` before line 0. */
  continuation: Continuation | null;
}

// ---------------------------------------------------------------------------------------------
