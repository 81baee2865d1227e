// Agents: what a role is in this world.
//
// There are two kinds, and a host takes either. A **process agent** says how to make the command line of
// one run; the host starts the process, feeds it the prompt on standard input, takes its standard output
// as the report, enforces the limits and can recover the run after a crash. An **in-process agent** plays
// the run itself, e.g. by calling a model; the host enforces the limits by its signals, and a run that was
// under way when its host died counts as lost.
//
// What a process says: every line of output is a sign of life. Lines that are JSON objects with a field
// `endstate` are for the host and no part of the report:
//
//   {"endstate":"progress","kind":"test","text":"12 of 40"}
//   {"endstate":"result","session":"s1","tokens":1200,"cost_micros":340}
//
// `result` may also carry `turns`, `turns_exhausted`, `context_exhausted` and `outcome` (`partial`,
// `checkpoint`, `failed`). A session that later runs must not share a verdict with is best named on the
// first line.

import type { Access, Diagnostic, Limits, RunOutcome, Tier, Usage } from 'endstate-engine';

/** Everything there is to know about one run of a role. */
export interface RunRequest {
  /** The effect id of the run, e.g. `12.1`; never used twice. */
  readonly run: string;
  /** The root of the repository: where the run works. Empty where a host has no files. */
  readonly root: string;
  /** The mission in words. */
  readonly mission: string;
  /** The role's name in its protocol, e.g. `completion-reviewer`. */
  readonly role: string;
  /** The item it works on, if any. */
  readonly item: string | null;
  /** How often this role has been sent before in this mission, plus one. */
  readonly visit: number;
  /** Everything the role is told. */
  readonly prompt: string;
  /** A file with the prompt, for programs that do not read it from standard input; empty without files. */
  readonly promptFile: string;
  /** The name of the schema its report must match; see `schemas()`. */
  readonly reportSchema: string;
  /** How strong a model it wants. */
  readonly tier: Tier;
  /** What it may do to the tree; a read-only role that touches it is found out and refused. */
  readonly access: Access;
  /** Limits that the host enforces. */
  readonly limits: Limits;
  /** The run whose unreadable report this one corrects; the same session goes on where the agent can. */
  readonly corrects: string | null;
}

/** A command line: an argument list, never given to a shell. */
export interface CommandLine {
  /** Program and arguments. A bare name is looked for in `PATH`. */
  readonly argv: readonly string[];
  /** Variables beside those inherited and the `ENDSTATE_…` ones that every run has. */
  readonly env?: Readonly<Record<string, string>>;
}

/** An agent that is a program. */
export interface ProcessAgent {
  /** A name for people. */
  readonly name: string;
  /** Program, arguments and variables for one run. Throws if there can be none: the effect fails. */
  command(request: RunRequest): CommandLine;
}

/** What an in-process agent may do while it plays. */
export interface RunContext {
  /** Aborted when the run is asked to wind up. */
  readonly windUp: AbortSignal;
  /** Aborted when the run must end now: stopped by the user, or out of time. Nothing it says counts then. */
  readonly kill: AbortSignal;
  /** Names the session of this run. Runs of one session never verify each other. */
  session(id: string): void;
  /** A sign of life. The host passes on at most one event a second. */
  progress(text: string, kind?: string): void;
}

/** How a run of an in-process agent came out. */
export interface RunResult {
  /** The report, whole, as a process would have printed it. */
  readonly report: string;
  /** `success` if not said. */
  readonly outcome?: RunOutcome;
  /** What the run used, as far as known. */
  readonly usage?: Partial<Usage>;
  /** What went wrong, if something did. */
  readonly problem?: Diagnostic;
}

/** An agent that plays in this process. */
export interface InProcessAgent {
  /** A name for people. */
  readonly name: string;
  /**
   * Plays one run to its end. What goes wrong outside (a model that refuses, say) is an `outcome` with a `problem`. What it
   * throws, and an answer that is no {@link RunResult}, is a bug of it: the run failed, and `run` throws `run_failed` or
   * `usage` at once. A run that was asked to end may throw as it likes.
   */
  play(request: RunRequest, context: RunContext): Promise<RunResult> | RunResult;
}

/** Who plays the roles. */
export type Agent = ProcessAgent | InProcessAgent;
