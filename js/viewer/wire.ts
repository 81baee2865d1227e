// What crosses between the page and the worker that holds the engine: plain data only.

/** An error as the engine throws it, without its stack. */
export interface Fault {
  code: string;
  kind?: string;
  at: string;
  expected: string;
  got: string;
}

/** What is known of the journal so far. */
export interface TapeState {
  lines: number;
  chain: string;
  torn_bytes: number;
  fault: Fault | null;
  divergence: { seq: number; rule: string; path: string; recorded: string; decided: string } | null;
  /** How many of the first lines were made under older rules. */
  older_lines: number;
  continuation: string | null;
}

/** What the reader has opened. */
export type Opened = About & (
  /** `beside`: the event of the newest snapshot that lies with it. */
  | { kind: 'journal'; blob: Blob; whole: boolean; beside?: number }
  | { kind: 'snapshot'; text: string }
  | { kind: 'config'; config: unknown; note: string });

/** What has to be said of how it was found. */
interface About { remark?: string; review?: Review }

/** What a reader of a plan noticed. */
export interface Remark { weight: string; code: string; line: number; expected: string; got: string }

interface PlanCriterion { commands: unknown[]; judged: boolean }
interface PlanSprint { label: string; name: string; tasks: unknown[]; entry: PlanCriterion[]; exit: PlanCriterion[]; notes: string }

/** A plan, read. */
export interface ReadPlan {
  family: string;
  plan: {
    notes: string;
    settings: { source: { file: string; sha256: string } | null };
    units: { name: string; notes: string; sprints: PlanSprint[] }[];
  };
  remarks: Remark[];
}

/** A plan that was imported, with its source beside it. */
export interface Review {
  file: string;
  /** The source; nothing if it was not opened with the plan. */
  source?: string;
  /** The source changed since. */
  stale?: boolean;
  counts: [string, number][];
  /** The lines of notes that may say more than a note. */
  shown: ShownLine[];
}

export interface ShownLine {
  /** Its line in the source, from 1; nothing if it is not there. */
  line?: number;
  why: string;
  text: string;
  /** The sprint or unit it stands in. */
  place: string;
}

export interface Progress {
  state: TapeState;
  /** Why reading came to its end before the journal did. */
  lost?: Fault;
  /** Bytes read and to be read. */
  read: number;
  total: number;
  /** Nothing more is to be read for now. */
  idle: boolean;
  /** All lines that were read, whether they hold or not. */
  known: number;
}

export interface Lane { lane: number; title: string }

export interface Spot { id: string; label: string; lane: number; column: number; row: number }

export interface Scene {
  key: string;
  nodes: Spot[];
  edges: [number, number][];
  lanes: Lane[];
  columns: number[];
  rows: number;
}

export type NodeState = 'waiting' | 'active' | 'verifying' | 'done' | 'waived' | 'deferred' | 'blocked';

export interface Picture {
  key: string;
  seq: number;
  at: number;
  control: string;
  title: string;
  protocol: string;
  phase: string;
  continuation: string;
  reason: string;
  next: { role: string | null; action: string };
  end: { closed_by: string; waived: string[]; deferred: string[] } | null;
  problem: { code: string; at: string; expected: string; got: string } | null;
  progress: { settled: number; total: number };
  runs: { run: string; role: string; item: string | null; last_line: string | null }[];
  questions: { id: string; text: string; expected: string }[];
  budget: { counter: string; spent: number; limit: number }[];
  tallies: { name: string; count: number }[];
  words: string[];
  nodes: [NodeState, number, number, number][];
  critical: number[];
}

/** A moment: its picture, and the scene if the asker does not have it. Both as JSON text, because a text crosses
 * from worker to page at once, and ten thousand rows do not. */
export interface Moment {
  picture: string;
  scene?: string;
}

export interface At { seq: number; at: number }

export interface Run {
  id: string;
  role: string;
  item: string | null;
  visit: number;
  corrects: string | null;
  ordered: At;
  started: At | null;
  ended: At | null;
  outcome: string | null;
  problem: string | null;
  usage: { turns: number; duration_ms: number; tokens: number; cost_micros: number };
}

/** What a role said of what it looked at. */
export interface Verdict { yes: boolean; words: string }

export interface Question {
  id: string;
  text: string;
  asked: At;
  answered: At | null;
  answer: Record<string, unknown> | null;
}

export interface Chronicle { runs: Run[]; questions: Question[] }

export interface Fact { type: string; data: Record<string, unknown> }
export interface Event { at: number; fact: Fact }

export interface Decided {
  rule: string;
  continuation: string;
  effects: { id: string; order: string; digest: string }[];
  withdrawn: string[];
}

/** One line of the journal, as far as it can be read. */
export interface Line {
  seq: number;
  /** Whether its chain holds. */
  holds: boolean;
  /** Absent for line 0. */
  event?: Event;
  decided?: Decided;
  /** Only line 0. */
  header?: Record<string, unknown>;
  chain?: string;
  /** Why it cannot be read. */
  unreadable?: string;
}

export interface Effect { id: string; order: { type: string; data: Record<string, unknown> } }
export interface Outstanding { effect: Effect; delivery: { phase: string } & Record<string, unknown> }

export interface FactSeen { fact: string; value: boolean; since: number; detail: string }

export interface Why {
  chosen: { name: string; rule: number | null; action: string };
  because: FactSeen[];
  others: { rule: number; name: string; against: FactSeen | null }[];
  unblock: { rule: string; lacks: FactSeen[]; hint: string } | null;
  waiting_for: string[];
  seq: number;
  at: number;
}

export interface Difference { path: string; before: string | null; after: string | null }

export interface Differences { changes: Difference[]; more: number }

/** An event with its effects, whole. */
export interface Told {
  line: Line;
  effects: Effect[];
  why: Why;
  pending: Outstanding[];
  /** There is this one moment only. */
  still?: 'plan' | 'snapshot';
}

export interface Criterion { id: string; text: string; state: { state: string } & Record<string, unknown> }

export interface Item {
  node: {
    id: string; label: string; status: string; state: NodeState; lane: number;
    progress: { settled: number; total: number };
    criteria: { id: string; text: string; state: string }[];
  };
  criteria: Criterion[] | null;
}

/** Where a branch stands. */
export interface Branch {
  /** The number of its first event: that of the event it replaces, or the one after which it begins. */
  seq: number;
  /** It can be saved: all of its lines are known from the first one on. */
  whole: boolean;
  steps: BranchStep[];
  picture: Picture;
  scene: Scene;
  why: Why;
  pending: Outstanding[];
  way: WayOn;
  /** The first recorded event behind the replaced one that the branch has not followed. */
  next: number;
  /** Why following what happened came to its end. */
  left?: string;
}

export interface BranchStep {
  seq: number;
  event: Event;
  decided: Decided;
  /** The number of the event of the journal that it repeats, if it does. */
  repeats?: number;
}

/** The way to done, as the engine took it when all went well. */
export interface Rehearsal {
  /** Done; or the bound was met; or nothing that is known here leads on. */
  end: 'done' | 'bound' | 'stuck';
  /** Why it ended otherwise than done. */
  why?: string;
  events: Event[];
  runs: { role: string; item: string | null }[];
  /** What the user says on the way. */
  said: string[];
  commands: number;
}

/** What is least left to be done. */
export interface WayOn {
  items: { id: string; label: string; state: NodeState; open: number }[];
  criteria: number;
  chain: string[];
  /** What has to be said first, by whom. */
  first: string[];
}
