// Delivers a letter to a live driver and waits until it is taken or refused. Twin of src/native/post.rs, but
// that no driver of ours takes it where none is alive.

import { HostError } from 'endstate-core';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as inbox from './inbox.js';
import { Lock } from './lock.js';
import type { Places } from './places.js';

/** How long a live driver has to take a letter, in milliseconds. */
const PATIENCE = 10_000;

let letters = 0;

/** Sends a letter. Throws what the mission refuses, under its own code; `locked` if no driver comes to it. */
export async function post(places: Places, says: inbox.Says): Promise<void> {
  const id = `${String(BigInt(Date.now()) * 1_000_000n).padStart(20, '0')}-${process.pid}-${(letters += 1)}`;
  const file = inbox.send(places.inbox, id, says);
  const began = performance.now();
  while (fs.existsSync(file)) {
    const holder = Lock.heldBy(places.lock);
    if (holder === undefined || performance.now() - began > PATIENCE) {
      const who = holder === undefined ? 'the driver' : `process ${holder.pid}`;
      throw new HostError('locked', file, `${who} to take the command within 10 s`, 'it lies in the inbox for the next driver');
    }
    await sleep(20);
  }
  const note = path.join(places.inbox, 'refused', `${id}.json.why`);
  if (!fs.existsSync(note)) return;
  const why = fs.readFileSync(note, 'utf8').trim();
  const code = (/^\w+(?=:)/.exec(why)?.[0] ?? 'host_failed') as HostError['code'];
  throw new HostError(code, 'command', 'one that the mission takes now', why);
}
