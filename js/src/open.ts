// Opens a mission from its journal: the newest snapshot whose chain stands in the journal at its offset,
// then the lines behind it. Neither time nor memory follows the length of the journal. A last line
// without newline is torn; any other line that does not hold is damage and named.

import { Engine } from 'endstate-engine';
import type { Divergence, Entry, Fact } from 'endstate-engine';
import { HostError, isEngineError, isHostError, words } from './error.js';
import type { Beside, Records } from './host.js';

/** The longest line that is read, in bytes. */
const MOST_LINE = 64 * 1024 * 1024;
/** How much is read at once. */
const PIECE = 1 << 20;
const NEWLINE = 10;

/** Something the driver found when it opened a mission. */
export type Report =
  /** The last line of the journal had no end and was cut off. */
  | { type: 'torn_tail'; path: string; bytes: number; line: number }
  /** The driver before this one did not end by itself. */
  | { type: 'took_over' }
  /** The journal was made under older rules: a driver upgrades it, whoever looks is shown how it will stand. */
  | { type: 'older_rules'; rules: number; aside: string[] }
  /** A snapshot could not be used; an older one, or the journal alone, was. */
  | { type: 'snapshot_unusable'; path: string; why: string }
  /** A run of the driver before this one was looked at. */
  | { type: 'run_recovered'; run: string; found: boolean }
  /** A run of the driver before this one lives, and is waited for. */
  | { type: 'run_taken_up'; run: string }
  /** Something stood in the place of a run before it was ordered, and was taken away. */
  | { type: 'run_foreign'; run: string }
  /** The engine was lost to a trap and opened again from snapshot and journal. */
  | { type: 'engine_reopened'; why: string };

/** An opened mission. */
export interface Opened {
  /** The engine, as the journal says. */
  engine: Engine;
  /** Bytes of the journal up to there. */
  offset: number;
  /** The last event, if it was replayed rather than found in a snapshot. */
  last: Fact | undefined;
  /** Bytes of a torn tail. */
  torn: number;
  /** What was found on the way. */
  reports: Report[];
}

/** Opens what the records say. Throws `no_mission`, `journal_damaged`, `other_rules`, `unknown_format`. */
export async function open(records: Records): Promise<Opened> {
  const size = await records.size();
  if (size === undefined) throw noMission(records.name);
  const opened = await newest(records);
  const older = opened.engine.older();
  if (older) opened.reports.push({ type: 'older_rules', rules: older.rules, aside: older.aside });
  // Older rules may have left nothing that these can read.
  opened.engine.continuation();
  return opened;
}

/** What the newest snapshot that can be used and the lines behind it come to. */
async function newest(records: Records): Promise<Opened> {
  const reports: Report[] = [];
  let [most, told] = [0, ''];
  for (const record of await records.snapshots()) {
    try {
      const { engine, offset, lines, stands } = await openSnapshot(records, await record.text());
      if (stands) return await reaching(await replayTail(records, engine, offset, reports), records, { lines: most, name: told });
      engine.free();
      if (lines > most) [most, told] = [lines, record.name];
      throw new HostError('invalid_value', 'position', `its chain at byte ${offset} of the journal`, 'another');
    } catch (error) {
      if (isEngineError(error) && error.code === 'journal_damaged') throw error;
      if (isHostError(error) && error.code === 'journal_damaged') throw error;
      if (isEngineError(error) && error.code === 'other_rules') throw error;
      if (error instanceof Error && (error.name === 'EngineLost' || error instanceof WebAssembly.RuntimeError)) throw error;
      reports.push({ type: 'snapshot_unusable', path: record.name, why: words(error) });
    }
  }
  return reaching(await replayTail(records, undefined, 0, reports), records, { lines: most, name: told });
}

/**
 * What was opened, if the journal has as many lines as a snapshot that reads knows of, or anything else beside it: it
 * is written before, so one that ends before was cut or put back.
 */
async function reaching(opened: Opened, records: Records, snapshot: Beside): Promise<Opened> {
  const { engine, offset, torn } = opened;
  const lines = engine.position()?.lines ?? 0;
  const beside = await records.beside?.(engine.histories());
  const most = beside !== undefined && beside.lines > snapshot.lines ? beside : snapshot;
  // A driver that lives wrote on behind what was read.
  if (lines >= most.lines || ((await records.size()) ?? 0) > offset + torn) return opened;
  engine.free();
  throw new HostError('journal_damaged', records.name, `${most.lines} lines, as ${most.name} knows them`, `${lines}: it was rolled back`);
}

/**
 * Decides the whole journal once more, from its first line. Throws `journal_damaged` if that does not lead to where
 * this engine stands: a snapshot is a file like others, and whoever changed it, or a line that was not read since,
 * must not have made a mission done.
 */
export async function prove(records: Records, engine: Engine): Promise<void> {
  const whole = await replayTail(records, undefined, 0, []);
  try {
    const [expected, got] = [engine.position()?.chain ?? '', whole.engine.position()?.chain ?? ''];
    if (expected === got && whole.torn === 0 && same(whole.engine, engine)) return;
    throw new HostError('journal_damaged', 'journal', `to lead to the state at chain ${expected}`, `another at chain ${got}`);
  } finally {
    whole.engine.free();
  }
}

/** Whether both stand alike. What older rules decided cannot be decided again, but each line says what it came to. */
function same(whole: Engine, engine: Engine): boolean {
  const older = whole.older();
  if (older) return engine.continuation() !== 'done' || older.continuation === 'done';
  return whole.snapshot() === engine.snapshot();
}

/**
 * The engine of the newest snapshot that reads, whatever the journal says: nothing is shown by it, but it knows which files
 * were its own.
 */
export async function unproven(records: Records): Promise<Engine | undefined> {
  for (const record of await records.snapshots()) {
    try {
      const [, , , , , snapshot] = RECORD.exec(await record.text()) ?? [];
      if (snapshot !== undefined) return Engine.open(snapshot);
    } catch {
      // An older one may read.
    }
  }
  return undefined;
}

/** The error of a place without a mission. */
export function noMission(name: string): HostError {
  return new HostError('no_mission', name, 'a mission that was begun', 'no journal');
}

const RECORD = /^\{"position":(\{"lines":(\d+),"chain":"([0-9a-f]*)"\}),"offset":(\d+),"snapshot":(\{[^]*\})\}\n?$/;

/** Opens a snapshot, and tells whether the journal has its chain at its offset. */
async function openSnapshot(records: Records, text: string): Promise<{ engine: Engine; offset: number; lines: number; stands: boolean }> {
  const [, position, count, chain, at, snapshot] = RECORD.exec(text) ?? [];
  if (position === undefined || snapshot === undefined) {
    throw new HostError('invalid_value', 'snapshot', 'a snapshot with its place', 'another text');
  }
  const [offset, lines] = [Number(at), Number(count)];
  const engine = Engine.open(snapshot, position);
  const { seq } = engine.outbox();
  if (seq + 1 !== lines) {
    engine.free();
    throw new HostError('invalid_value', 'position.lines', `${seq + 1}`, `${lines}`);
  }
  const end = new TextEncoder().encode(`,"chain":"${chain}"}\n`);
  const found = offset < end.length ? new Uint8Array() : await records.read(offset - end.length, end.length);
  const stands = found.length === end.length && found.every((byte, place) => byte === end[place]);
  return { engine, offset, lines, stands };
}

async function replayTail(records: Records, start: Engine | undefined, from: number, reports: Report[]): Promise<Opened> {
  let engine = start;
  let [offset, rest, last] = [from, new Uint8Array(), undefined as Uint8Array | undefined];
  for (let at = from; ; ) {
    const piece = await records.read(at, PIECE);
    if (piece.length === 0) break;
    at += piece.length;
    rest = joined(rest, piece);
    // A line longer than any that is read is refused, and not waited for to its end.
    if (rest.length > MOST_LINE && rest.indexOf(NEWLINE) < 0) rest = joined(rest, Uint8Array.of(NEWLINE));
    const whole = rest.lastIndexOf(NEWLINE) + 1;
    if (whole === 0) continue;
    const lines = rest.subarray(0, whole);
    engine = take(engine, lines);
    last = lines.slice(lines.lastIndexOf(NEWLINE, whole - 2) + 1, whole - 1);
    offset += whole;
    rest = rest.slice(whole);
  }
  if (engine === undefined) throw noMission(records.name);
  const lines = engine.position()?.lines ?? 0;
  if (rest.length > 0) reports.push({ type: 'torn_tail', path: records.name, bytes: rest.length, line: lines + 1 });
  const fact = last !== undefined && lines > 1 ? factOf(last) : undefined;
  return { engine, offset, last: fact, torn: rest.length, reports };
}

function take(engine: Engine | undefined, lines: Uint8Array): Engine {
  if (engine === undefined) {
    const opened = Engine.openJournal(lines);
    diverged(opened.divergence());
    return opened;
  }
  diverged(engine.applyBatch(lines).divergence ?? undefined);
  return engine;
}

/** The journal holds, but this engine decides otherwise: it must not go on with it. */
function diverged(found: Divergence | undefined): void {
  if (found === undefined) return;
  throw new HostError('journal_damaged', `line ${found.seq + 1}.${found.path}`, found.recorded, found.decided);
}

/** The fact of a line that was replayed a moment ago, so it reads. */
function factOf(line: Uint8Array): Fact {
  const { body } = JSON.parse(new TextDecoder().decode(line)) as { body: Entry };
  return body.event.fact;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
