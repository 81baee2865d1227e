// What a run said that nobody heard: its driver died before it was journaled, but what it printed is kept beside its
// record. Every structured sign of life is in the journal once, whoever told it. Twin of src/native/unheard.rs.

import { isStructured, SESSION } from 'endstate-core';
import type { Fact, ProgressEntry, RunProgressed } from 'endstate-core';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { Listener } from '../agents/output.js';
import { quietly } from './durable.js';
import type { Places } from './places.js';
import type { Redactor } from './redact.js';
import { openRegular } from './regular.js';

/** The most of an output that is looked at, in bytes. */
const MOST_OUTPUT = 256 * 1024 * 1024;
/** The most signs of life of one event. */
const MOST_OF_EVENT = 100;
const PIECE = 64 * 1024;

const keyOf = ({ kind, text }: ProgressEntry): string => JSON.stringify([kind, text]);

/** The structured signs of life of an earlier run that its journal does not have, in the order they were given. */
export function unheard(places: Places, redactor: Redactor, id: string): RunProgressed[] {
  const folder = places.run(id);
  const listener = new Listener();
  // What can be read counts.
  for (const [name, stdout] of [['stdout', true], ['stderr', false]] as const) {
    quietly(() => pieces(path.join(folder, name), MOST_OUTPUT, (bytes) => listener.hear(stdout, bytes)));
  }
  listener.close();
  const said: ProgressEntry[] = [];
  while (listener.hasEntries) said.push(...listener.entries().filter(isStructured));
  if (said.length === 0) return [];
  const left = new Told(places.journal, redactor, id).strike(said);
  const events: RunProgressed[] = [];
  while (left.length > 0) events.push({ effect: id, entries: left.splice(0, MOST_OF_EVENT) });
  return events;
}

/** What the journal has of a run. */
export class Told {
  readonly #times: Map<string, number>;

  constructor(journal: string, private readonly redactor: Redactor, id: string) {
    this.#times = times(journal, id);
  }

  /** What was not told yet, without secrets. */
  strike(said: readonly ProgressEntry[]): ProgressEntry[] {
    return said.map((one) => ({ ...one, text: this.redactor.text(one.text) })).filter((one) => {
      const left = this.#times.get(keyOf(one)) ?? 0;
      if (left > 0) this.#times.set(keyOf(one), left - 1);
      return left === 0;
    });
  }
}

/** How often the journal has each sign of life of a run. */
function times(journal: string, id: string): Map<string, number> {
  const heard = new Map<string, number>();
  const named = JSON.stringify(id);
  const line = (text: string): void => {
    if (!/"run_(?:progressed|started)"/.test(text) || !text.includes(named)) return;
    quietly(() => {
      const { fact } = (JSON.parse(text) as { body: { event: { fact: Fact } } }).body.event;
      if ((fact.type !== 'run_progressed' && fact.type !== 'run_started') || fact.data.effect !== id) return;
      const session = fact.type === 'run_started' ? fact.data.session : undefined;
      const entries = fact.type === 'run_progressed' ? fact.data.entries : session == null ? [] : [{ kind: SESSION, text: session }];
      for (const one of entries) heard.set(keyOf(one), (heard.get(keyOf(one)) ?? 0) + 1);
    });
  };
  let rest: Buffer = Buffer.alloc(0);
  quietly(() => pieces(journal, Number.MAX_SAFE_INTEGER, (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      line(rest.subarray(0, end).toString());
      rest = rest.subarray(end + 1);
    }
  }));
  return heard;
}

/** A file piece by piece, up to a number of bytes. */
function pieces(name: string, most: number, take: (bytes: Buffer) => void): void {
  const file = openRegular(name);
  try {
    for (let left = most; left > 0; ) {
      const buffer = Buffer.alloc(Math.min(PIECE, left));
      const count = fs.readSync(file, buffer);
      if (count === 0) return;
      take(buffer.subarray(0, count));
      left -= count;
    }
  } finally {
    fs.closeSync(file);
  }
}
