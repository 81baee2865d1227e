// The questions a page can ask the desk, by name: the one list that both ends share.
import type { Desk } from './desk';
import type { Event, Opened } from './wire';

export const CALLS = {
  open: (desk: Desk, what: Opened) => desk.open(what),
  readDocument: (desk: Desk, kind: string, text: string, path?: string) => desk.readDocument(kind, text, path),
  planParse: (desk: Desk, text: string, name: string) => desk.planParse(text, name),
  append: (desk: Desk, bytes: Uint8Array) => desk.append(bytes),
  moment: (desk: Desk, seq: number, knows?: string) => desk.moment(seq, knows),
  item: (desk: Desk, seq: number, id: string) => desk.item(seq, id),
  why: (desk: Desk, seq: number) => desk.why(seq),
  snapshot: (desk: Desk, seq: number) => desk.snapshot(seq),
  told: (desk: Desk, seq: number) => desk.told(seq),
  changes: (desk: Desk, seq: number) => desk.changes(seq),
  lines: (desk: Desk, from: number, count: number) => desk.lines(from, count),
  chronicle: (desk: Desk) => desk.chronicle(),
  verdicts: (desk: Desk, seqs: number[]) => desk.verdicts(seqs),
  pending: (desk: Desk, seq: number) => desk.pending(seq),
  branchBegin: (desk: Desk, seq: number, event: Event, after: boolean) => desk.branch((one) => one.begin(seq, event, after)),
  branchAdd: (desk: Desk, event: Event) => desk.branch((one) => one.add(event)),
  branchFollow: (desk: Desk, most?: number) => desk.branch((one) => one.follow(most)),
  branchRehearse: (desk: Desk) => desk.branch((one) => one.rehearse()),
  branchTakeWay: (desk: Desk) => desk.branch((one) => one.takeWay()),
  branchJournal: (desk: Desk) => desk.branch((one) => one.journal()),
  close: async (desk: Desk) => desk.close(),
};

/** Those that the engine alone does not answer. */
export const OF_DOCUMENTS = ['readDocument', 'planParse'];

export type Calls = typeof CALLS;
export interface Call { id: number; name: keyof Calls; args: unknown[] }

export function answer(desk: Desk, { name, args }: Call): Promise<unknown> {
  const call = CALLS[name] as (desk: Desk, ...args: unknown[]) => Promise<unknown>;
  return call(desk, ...args);
}

type Rest<F> = F extends (desk: Desk, ...args: infer A) => Promise<infer R> ? (...args: A) => Promise<R> : never;
/** The same questions, as the page asks them. */
export type Asked = { [Name in keyof Calls]: Rest<Calls[Name]> };
