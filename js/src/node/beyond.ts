// What the journal must have reached, by what lies beside it. An order is in the journal before anything of it is on
// disk, at whatever moment a driver is killed. So the record of a run, or a line of a history, that bears the id of a
// later effect proves that the journal was cut or put back. Twin of src/native/store/beyond.rs.

import type { Beside, HistoryEnd } from 'endstate-core';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { listed } from './places.js';
import type { Places } from './places.js';
import { openRegular, readRegular } from './regular.js';

/** The records of a run: of a process, and of one that an agent hosts. */
const RECORDS = ['record.json', 'hosted.json'];
/** How many bytes of the end of a history are read. */
const MOST_TAIL = 256 * 1024;

/** The most lines that the journal had by a file beside it, and that file. */
export function mostLines(places: Places, histories: HistoryEnd[]): Beside | undefined {
  const named = histories.map((one) => {
    const name = path.join(places.root, one.path);
    return { name, lines: linesNamed(name, one.length) };
  });
  const all = [recorded(places), ...named].filter((one) => one !== undefined);
  return all.reduce<Beside | undefined>((most, one) => (one.lines > (most?.lines ?? 0) ? one : most), undefined);
}

/** The latest effect that has a record. What does not read as one is none. */
function recorded(places: Places): Beside | undefined {
  const ids = listed(path.join(places.engine, 'runs')).filter((id) => linesOf(id) > 0);
  for (const id of ids.sort((a, b) => linesOf(b) - linesOf(a))) {
    const name = RECORDS.map((record) => path.join(places.run(id), record)).find((record) => bears(record, id));
    if (name !== undefined) return { name, lines: linesOf(id) };
  }
  return undefined;
}

function bears(name: string, id: string): boolean {
  try {
    return fieldsOf(readRegular(name).toString())['effect'] === id;
  } catch {
    return false;
  }
}

/**
 * The lines of the journal for the latest run that is named behind the first `known` bytes of a history. Others may
 * write there as well; their lines name none.
 */
function linesNamed(name: string, known: number): number {
  const lines = tailOf(name, known).split('\n');
  const runs = lines.flatMap((line) => Object.entries(fieldsOf(line)).filter(([field]) => field === 'run' || field.endsWith('_run')));
  return Math.max(0, ...runs.map(([, id]) => linesOf(id)));
}

function tailOf(name: string, known: number): string {
  let file: number;
  try {
    file = openRegular(name);
  } catch {
    return '';
  }
  try {
    const { size } = fs.fstatSync(file);
    const from = Math.max(known, size - MOST_TAIL);
    const bytes = Buffer.alloc(Math.max(0, size - from));
    return bytes.subarray(0, fs.readSync(file, bytes, 0, bytes.length, from)).toString();
  } finally {
    fs.closeSync(file);
  }
}

/** How many lines a journal has at least that ordered this effect; none for what is no id. */
function linesOf(id: unknown): number {
  const seq = typeof id === 'string' ? /^(0|[1-9]\d{0,14})\.(0|[1-9]\d*)$/.exec(id)?.[1] : undefined;
  return seq === undefined ? 0 : Number(seq) + 1;
}

function fieldsOf(text: string): { [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as { [name: string]: unknown }) : {};
  } catch {
    return {};
  }
}
