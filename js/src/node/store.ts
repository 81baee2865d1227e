// The state directory of a mission: journal and snapshots. Twin of src/native/store.
//
// `.agent/endstate/journal.jsonl` is the truth; `snapshot-<seq>.json` beside it (the newest two are kept) only
// says where to begin reading.

import { HostError, isHostError } from 'endstate-core';
import type { Beside, Config, HistoryEnd, Hold, Letter, Records, SnapshotRecord } from 'endstate-core';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { mostLines } from './beyond.js';
import { append, createNew, isCode, quietly, remove, replace, truncate } from './durable.js';
import * as inbox from './inbox.js';
import { keep } from './kept.js';
import { Lock } from './lock.js';
import { listed } from './places.js';
import type { Places } from './places.js';
import { openRegular, readRegular } from './regular.js';
import { leaveEmpty } from './room.js';

/** How many snapshots are kept. */
const SNAPSHOTS = 2;
/** The longest line, and the largest snapshot, that is read. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Reads a mission without changing anything: also beside a live driver. */
export class DiskRecords implements Records {
  readonly name: string;

  constructor(protected readonly places: Places) {
    this.name = places.journal;
    places.check();
  }

  async size(): Promise<number | undefined> {
    try {
      const size = sizeOf(this.places.journal);
      if (size === 0) this.places.refuseLeftovers();
      return size;
    } catch (error) {
      if (isHostError(error)) throw error;
      if (!isCode(error, 'ENOENT')) throw HostError.io('read', this.name, error);
      this.places.refuseLeftovers();
      return undefined;
    }
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    try {
      const file = openRegular(this.places.journal);
      try {
        const bytes = Buffer.allocUnsafe(length);
        return bytes.subarray(0, fs.readSync(file, bytes, 0, length, offset));
      } finally {
        fs.closeSync(file);
      }
    } catch (error) {
      throw HostError.io('read', this.name, error);
    }
  }

  async snapshots(): Promise<SnapshotRecord[]> {
    return snapshots(this.places).map((name) => ({ name, text: async () => readSnapshot(name) }));
  }

  async beside(histories: HistoryEnd[]): Promise<Beside | undefined> {
    return mostLines(this.places, histories);
  }
}

/** A mission that this process alone may write. */
export class DiskHold extends DiskRecords implements Hold {
  #journal: number | undefined;
  /** Length of the journal in bytes, as this process left it. */
  #length = 0;

  private constructor(places: Places, private readonly lock: Lock) {
    super(places);
  }

  /** Makes the directories, takes the lock, sweeps. */
  static async enter(places: Places): Promise<DiskHold> {
    places.prepare();
    const lock = await Lock.acquire(places.lock, places.staging);
    places.sweep();
    return new DiskHold(places, lock);
  }

  get tookOver(): boolean {
    return this.lock.tookOver;
  }

  /** Opens the journal with the first look at it: from then on it must stay the same file. */
  override async size(): Promise<number | undefined> {
    const size = await super.size();
    if (size !== undefined && this.#journal === undefined) {
      this.#writing((file) => {
        this.#length = fs.fstatSync(file).size;
      });
      return this.#length;
    }
    return size;
  }

  async create(line: string, config: Config): Promise<void> {
    const { journal } = this.places;
    if (!begun(this.places) && unborn(journal)) remove(journal);
    keep(this.places, config.proof?.files ?? []);
    try {
      const bytes = Buffer.from(`${line}\n`);
      createNew(journal, bytes);
      this.#writing(() => undefined);
      this.#length = bytes.length;
    } catch (error) {
      if (isCode(error, 'EEXIST')) throw missionExists(journal);
      throw HostError.io('create', journal, error);
    }
  }

  async truncate(length: number): Promise<void> {
    this.#writing((file) => truncate(file, this.name, length));
    this.#length = length;
  }

  async append(line: string): Promise<void> {
    const bytes = Buffer.from(`${line}\n`);
    this.#stands();
    this.#writing((file) => append(file, this.name, bytes));
    this.#length += bytes.length;
  }

  async keep(seq: number, text: string): Promise<void> {
    this.#stands();
    const name = path.join(this.places.engine, `snapshot-${seq}.json`);
    replace(name, this.places.staging, Buffer.from(text));
    // An old snapshot too many does no harm.
    for (const old of snapshots(this.places).slice(SNAPSHOTS)) quietly(() => fs.unlinkSync(old));
  }

  async forget(): Promise<void> {
    for (const one of snapshots(this.places)) quietly(() => fs.unlinkSync(one));
  }

  async letters(): Promise<Letter[]> {
    return inbox.waiting(this.places.inbox);
  }

  async release(): Promise<void> {
    if (this.#journal !== undefined) fs.closeSync(this.#journal);
    this.#journal = undefined;
    leaveEmpty(this.places.root);
    this.lock.release();
  }

  /** Whoever removed, replaced or cut the journal left this driver writing into nothing. */
  #stands(): void {
    if (this.#journal === undefined) return;
    const got = differs(this.places.journal, this.#journal, this.#length);
    if (got !== undefined) throw new HostError('journal_damaged', this.name, 'the journal as this driver left it', got);
  }

  #writing(work: (file: number) => void): void {
    try {
      // Never made anew: without a journal there is no mission.
      this.#journal ??= openRegular(this.places.journal, fs.constants.O_RDWR | fs.constants.O_APPEND);
      work(this.#journal);
    } catch (error) {
      throw HostError.io('write', this.name, error);
    }
  }
}

/** The error of a place that has a mission. */
export function missionExists(journal: string): HostError {
  return new HostError('mission_exists', journal, 'no mission: `endstate archive` makes room for another', 'a journal');
}

/** What differs between the file of this name and the one that is open, if anything does. */
function differs(name: string, file: number, length: number): string | undefined {
  const open = fs.fstatSync(file, { bigint: true });
  const there = fs.lstatSync(name, { bigint: true, throwIfNoEntry: false });
  if (there === undefined) return 'none: it was removed';
  if (there.dev !== open.dev || there.ino !== open.ino) {
    return `another file in its place: device ${there.dev} inode ${there.ino}, not device ${open.dev} inode ${open.ino}`;
  }
  return there.size === BigInt(length) ? undefined : `${there.size} bytes, not ${length}`;
}

/**
 * Whether a mission was begun here. A journal whose first line was never finished is none. Throws `journal_missing` beside
 * other files of a mission.
 */
export function begun(places: Places): boolean {
  const begun = there(places.journal) && !unborn(places.journal);
  if (!begun) places.refuseLeftovers();
  return begun;
}

/** Whether a journal has no whole line, and could be the beginning of one: that mission was not begun. */
function unborn(journal: string): boolean {
  return there(journal) && sizeOf(journal) <= MOST_BYTES && !readRegular(journal).includes(10);
}

/** Whether anything has the name of the journal, be it a link that leads nowhere. */
function there(journal: string): boolean {
  return fs.lstatSync(journal, { throwIfNoEntry: false }) !== undefined;
}

/** The length of the journal. Anything else than a file in its place, a link as well, holds no mission. */
function sizeOf(journal: string): number {
  const found = fs.lstatSync(journal);
  if (found.isFile()) return found.size;
  const got = found.isSymbolicLink() ? 'a symbolic link' : 'no file';
  throw new HostError('journal_damaged', journal, 'a regular file', got);
}

/** Snapshots by sequence number, the newest first. */
function snapshots(places: Places): string[] {
  const found = listed(places.engine).flatMap((name) => {
    const seq = /^snapshot-(\d{1,15})\.json$/.exec(name)?.[1];
    return seq === undefined ? [] : [{ seq: Number(seq), name: path.join(places.engine, name) }];
  });
  return found.sort((a, b) => b.seq - a.seq).map((one) => one.name);
}

function readSnapshot(name: string): string {
  const { size } = fs.statSync(name);
  if (size > MOST_BYTES) throw new HostError('too_large', name, `at most ${MOST_BYTES} bytes`, `${size} bytes`);
  return readRegular(name).toString();
}
