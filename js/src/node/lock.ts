// One writer: the lock file of a mission. Twin of src/native/lock.rs, and the same file.
//
// `.agent/endstate/lock` comes into being whole and only if it is not there. It names the process by id
// *and* start time, so that a reused id is not mistaken for the holder. The lock of a dead holder is taken
// over by whoever has the right to: a lock of the system on `lock.right` beside it. Whoever has it looks
// once more that the lock still is that of the dead, and removes it, so two processes that take over at once
// cannot remove each other's fresh lock. Node has no locks of the system; the program `flock` holds it for us.

import { HostError } from 'endstate-core';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWhole, isCode, quietly } from './durable.js';
import { startTime } from './processes.js';
import { readRegular } from './regular.js';

/** How often an attempt is repeated while locks come and go. */
const MOST_ATTEMPTS = 200;
/** How often an unreadable lock is looked at before it counts as left by a crash. */
const UNREADABLE_LOOKS = 20;
/** The pause between two looks. */
const PAUSE = 50;

/** What stands in the lock file. */
export interface Holder {
  /** Its process id. */
  pid: number;
  /** When that process was started, in the words of the system. */
  start: string;
  /** The machine. */
  host: string;
  /** A text no other lock has. */
  token: string;
}

type Found = { gone: true } | { holder: Holder } | { unreadable: string };

/** The lock, held until released. */
export class Lock {
  private constructor(readonly path: string, readonly holder: Holder, readonly tookOver: boolean) {}

  /** Takes the lock; `staging` is a directory beside it. Throws `locked` with the process that holds it. */
  static async acquire(path: string, staging: string): Promise<Lock> {
    const holder = thisProcess();
    let [tookOver, unreadable] = [false, 0];
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      try {
        createWhole(path, staging, holder.token, Buffer.from(JSON.stringify(holder)));
        return new Lock(path, holder, tookOver);
      } catch (error) {
        // Somebody swept the staging directory between two steps of ours.
        if (isCode(error, 'ENOENT') && fs.existsSync(staging)) continue;
        if (!isCode(error, 'EEXIST')) throw HostError.io('create', path, error);
      }
      const found = look(path);
      if ('gone' in found) continue;
      if ('holder' in found) {
        if (!dead(found.holder)) throw locked(path, found.holder);
        tookOver = (await clear(path, found.holder.token)) || tookOver;
      } else if ((unreadable += 1) < UNREADABLE_LOOKS) {
        await sleep(PAUSE);
      } else {
        tookOver = (await clear(path, found.unreadable)) || tookOver;
      }
    }
    throw HostError.io('lock', path, new Error('locks came and went'));
  }

  /** Who holds the lock, if somebody alive does. */
  static heldBy(path: string): Holder | undefined {
    const found = look(path);
    return 'holder' in found && !dead(found.holder) ? found.holder : undefined;
  }

  /** Gives it back; only ours, if somebody removed it by hand and another driver came. */
  release(): void {
    const found = look(this.path);
    if ('holder' in found && found.holder.token === this.holder.token) quietly(() => fs.unlinkSync(this.path));
  }
}

/** The error of a mission that another driver holds. */
export function locked(path: string, { pid, host }: Holder): HostError {
  // A container that was taken down leaves its lock, and nobody here can tell.
  const elsewhere = host === hostname() ? ''
    : `, as far as can be seen from ${hostname()}; if ${host} is gone for good, remove .agent/endstate/lock`;
  return new HostError('locked', path, 'no other driver of this mission', `process ${pid} on ${host} holds it${elsewhere}`);
}

let count = 0;

function thisProcess(): Holder {
  const [pid, host] = [process.pid, hostname()];
  const start = startTime(pid) ?? '';
  const seed = `${host} ${pid} ${start} ${Date.now()} ${process.hrtime.bigint()} ${(count += 1)}`;
  return { pid, start, host, token: digest(Buffer.from(seed)) };
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 24);
}

/** Whether the holder is known to be dead. A holder on another machine never is. */
function dead(holder: Holder): boolean {
  return holder.host === hostname() && startTime(holder.pid) !== holder.start;
}

function look(path: string): Found {
  let bytes: Buffer;
  try {
    bytes = readRegular(path);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return { gone: true };
    throw HostError.io('read', path, error);
  }
  try {
    const { pid, start, host, token } = JSON.parse(bytes.toString()) as Holder;
    const whole = Number.isInteger(pid) && pid >= 0 && typeof start === 'string' && typeof host === 'string';
    if (whole && /^[0-9A-Za-z]*$/.test(token)) return { holder: { pid, start, host, token } };
  } catch {
    // Not a lock of ours; a name made of its bytes stands for its token.
  }
  return { unreadable: digest(bytes) };
}

/** Removes the lock of the dead `token`; `false` if somebody else has the right to, or did. */
async function clear(path: string, token: string): Promise<boolean> {
  const right = await takeRight(`${path}.right`);
  if (right === undefined) {
    await sleep(PAUSE);
    return false;
  }
  try {
    const found = look(path);
    const still = 'holder' in found ? found.holder.token === token : 'unreadable' in found && found.unreadable === token;
    if (still) fs.unlinkSync(path);
    return still;
  } finally {
    await right();
  }
}

/**
 * The right to take over: a lock of the system on a file beside the lock, which goes with the process that
 * holds it. However often drivers die while they take over, nothing is left that must be taken over itself.
 */
async function takeRight(path: string): Promise<(() => Promise<void>) | undefined> {
  fs.closeSync(fs.openSync(path, 'a'));
  const child = spawn('flock', ['-n', '-E', '75', path, 'sh', '-c', 'echo held; read -r over'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise<number | Error>((resolve) => {
    child.once('error', resolve);
    child.once('exit', (status) => resolve(status ?? -1));
  });
  child.stdin.on('error', () => undefined);
  const held = new Promise<'held'>((resolve) => child.stdout.once('data', () => resolve('held')));
  const answer = await Promise.race([held, ended]);
  if (answer === 75) return undefined;
  if (answer !== 'held') {
    const why = answer instanceof Error ? answer : new Error(`flock ended with status ${answer}`);
    throw HostError.io('lock', `${path} (with the program flock)`, why);
  }
  return async () => {
    child.stdin.end();
    await ended;
  };
}
