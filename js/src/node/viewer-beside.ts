// Snapshots that lie beside a journal: what is newer than its last line says that it was longer once. Twin of
// src/cli/view/beside.rs.

import * as fs from 'node:fs';
import * as path from 'node:path';

/** The event of the newest snapshot beside a journal of a state directory. */
export function newest(journal: string): number | undefined {
  if (path.basename(journal) !== 'journal.jsonl') return undefined;
  const events = listed(path.dirname(journal)).flatMap((name) => {
    const event = /^snapshot-(\d{1,15})\.json$/.exec(name)?.[1];
    return event === undefined ? [] : [Number(event)];
  });
  return events.length === 0 ? undefined : events.reduce((a, b) => Math.max(a, b));
}

/** A file that by its name tells the page of a snapshot that is newer than the journal. */
export function toldBeside(event: number | undefined, journal: Buffer): [name: string, bytes: Buffer][] {
  let lines = 0;
  for (let at = journal.indexOf(10); at >= 0; at = journal.indexOf(10, at + 1)) lines += 1;
  return event !== undefined && event >= lines ? [[`snapshot-${event}.json`, Buffer.alloc(0)]] : [];
}

function listed(directory: string): string[] {
  try {
    return fs.readdirSync(directory);
  } catch {
    return [];
  }
}
