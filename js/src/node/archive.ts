// A mission that ended makes room for the next: its whole record is moved aside. Twin of src/native/archive.rs, with
// the same folders and the same order of moves.
//
// `.agent/archive/<number>/` takes what stands in `.agent`: first what the mission showed to people, the engine's own
// directory last, in one rename. Whoever is killed on the way has still got the mission, and does it again. The archive
// is hidden from git; a journal in it is replayed and viewed as any other.

import { HostError, isEngineError, isHostError, noMission, open, printable, prove, unproven } from 'endstate-core';
import type { Engine } from 'endstate-core';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { quietly, replace, syncDir } from './durable.js';
import { inside } from './files.js';
import { Git } from './git.js';
import { Places } from './places.js';
import { begun, DiskHold, DiskRecords } from './store.js';

/** Where the records go, from the root of the repository. */
const ARCHIVE = '.agent/archive';
/** What the repository tells roles, from its root: of no mission, so it stays for the next. */
export const PROMPTS = '.agent/prompts';
/** The numbers that a folder may have. */
const MOST_NUMBER = 2 ** 32 - 1;

/** How a mission is archived. */
export interface ArchiveOptions {
  /** Also a mission that is not done, or whose journal is gone or does not hold: nobody can go on with it then. */
  unfinished?: boolean;
}

/** What was moved. */
export interface Archived {
  /** The title of the mission; nothing where its journal was gone or did not hold. */
  mission: string | null;
  /** Why there is no title, if there is none. */
  lost?: 'journal_missing' | 'journal_damaged';
  /** The folder that has it now, from the root of the repository. */
  path: string;
  /** How many files of it git tracks where they were; their removal is not committed. */
  tracked: number;
}

/** What the newest record that has a file says in it; nothing where none has. The path is from the root of the repository. */
export function latest(root: string, file: string): string | undefined {
  let names: string[];
  try {
    names = fs.readdirSync(inside(fs.realpathSync(root), ARCHIVE));
  } catch {
    return undefined;
  }
  const numbers = names.filter((name) => /^\d+$/.test(name)).sort((a, b) => Number(b) - Number(a));
  for (const number of numbers) {
    try {
      return fs.readFileSync(inside(fs.realpathSync(root), `${ARCHIVE}/${number}/${file}`), 'utf8');
    } catch {
      // The record of a mission without it.
    }
  }
  return undefined;
}

/**
 * Moves the record of the mission at `root` aside, so that the next can begin. Throws `no_mission`; `locked` while somebody
 * drives it; `mission_exists` where it is not done and `unfinished` is not set; `journal_missing` and `journal_damaged`
 * likewise. What was not moved is where it was.
 */
export async function archiveMission(root: string, { unfinished = false }: ArchiveOptions = {}): Promise<Archived> {
  const places = new Places(realRoot(root));
  // Nothing is made where there is no mission; what counts is how it stands once nobody can drive it.
  const before = await standing(places);
  if ('engine' in before) before.engine.free();
  else if (!unfinished) throw before.error;
  const hold = await DiskHold.enter(places);
  try {
    const now = await standing(places);
    if ('lost' in now) {
      if (!unfinished) throw now.error;
      const engine = await unproven(new DiskRecords(places));
      return { mission: null, lost: now.lost, ...(await freed(engine, () => aside(places, engine))) };
    }
    const { engine, title } = now;
    return { mission: title, ...(await freed(engine, async () => {
      await rests(places, hold, engine, unfinished);
      return aside(places, engine);
    })) };
  } finally {
    await hold.release();
  }
}

/** What the command line says of it, line by line. */
export function archivedWords({ mission, lost, path: at, tracked }: Archived): string[] {
  const state = lost === 'journal_missing' ? 'without a journal' : 'with a journal that does not hold';
  const where = mission === null
    ? `archived: what was left ${state} is in ${at}`
    : `archived: ${printable(mission)} is in ${at}; see it with \`endstate view ${at}/endstate\``;
  const rest = `${tracked} files of it are tracked by git: \`git commit -m 'Archive a mission' -- .agent\` removes them there`;
  return tracked > 0 ? [where, rest] : [where];
}

type Lost = { lost: 'journal_missing' | 'journal_damaged'; error: Error };

function realRoot(root: string): string {
  try {
    return fs.realpathSync(root);
  } catch (error) {
    throw HostError.io('open', root, error);
  }
}

/** How the mission stands, or why it cannot be opened any more: its journal is gone, or does not hold. */
async function standing(places: Places): Promise<Lost | { engine: Engine; title: string }> {
  try {
    const records = new DiskRecords(places);
    if (!begun(places)) throw noMission(places.journal);
    const { engine } = await open(records);
    return { engine, title: engine.view().title };
  } catch (error) {
    if (!isHostError(error) && !isEngineError(error)) throw error;
    const { code } = error;
    if (code === 'journal_missing' || code === 'journal_damaged') return { lost: code, error };
    throw error;
  }
}

/** Refuses a mission that is not done, unless it may be; and one that is done by a changed snapshot only. */
async function rests(places: Places, hold: DiskHold, engine: Engine, unfinished: boolean): Promise<void> {
  const continuation = engine.continuation();
  if (continuation === 'done') {
    await prove(new DiskRecords(places), engine).catch(async (error: unknown) => {
      await hold.forget();
      throw error;
    });
  } else if (!unfinished) {
    throw new HostError('mission_exists', 'MISSION', 'a mission that is done; any other with --unfinished', continuation);
  }
}

async function freed<T>(engine: Engine | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    engine?.free();
  }
}

async function aside(places: Places, engine: Engine | undefined): Promise<{ path: string; tracked: number }> {
  const { root } = places;
  const archive = inside(root, ARCHIVE);
  made(archive);
  const ignore = path.join(archive, '.gitignore');
  io('write', ignore, () => replace(ignore, places.staging, Buffer.from('*\n')));
  const { stdout } = await new Git(root).read('ls-files', '-z', '--', '.agent', `:!${PROMPTS}`);
  const tracked = stdout.toString('latin1').split('\0').filter((one) => one !== '').length;
  const { at, folder } = free(root);
  made(folder);
  for (const known of elsewhere(engine)) {
    const from = inside(root, known);
    if (!(fs.statSync(from, { throwIfNoEntry: false })?.isFile() ?? false)) continue;
    const to = path.dirname(path.join(folder, known));
    made(to);
    moved(from, to);
  }
  const home = path.join(root, '.agent');
  for (const name of io('read', home, () => fs.readdirSync(home))) {
    const entry = path.join(home, name);
    if (![archive, places.engine, path.join(root, PROMPTS)].includes(entry)) moved(entry, folder);
  }
  moved(places.engine, folder);
  // The lock went with it; it holds nothing any more.
  quietly(() => fs.unlinkSync(path.join(folder, 'endstate', 'lock')));
  return { path: at, tracked };
}

/** Projections outside of `.agent` tell of this mission, too; what only grows is for the next as well. */
function elsewhere(engine: Engine | undefined): string[] {
  return (engine?.projections() ?? []).filter((known) =>
    known.split('/').at(-1) === 'SUPERVISOR_STATE.md' || known.startsWith('.grid/') && !known.endsWith('.gitignore'));
}

/** The first number without a whole record, and without anything that is no folder. */
function free(root: string): { at: string; folder: string } {
  const there = (name: string): fs.Stats | undefined => fs.lstatSync(name, { throwIfNoEntry: false });
  for (let number = 1; number <= MOST_NUMBER; number += 1) {
    const at = `${ARCHIVE}/${String(number).padStart(3, '0')}`;
    const folder = path.join(root, at);
    if (there(folder)?.isDirectory() === false) continue;
    if (there(path.join(folder, 'endstate')) === undefined) return { at, folder };
  }
  throw HostError.io('find a number in', path.join(root, ARCHIVE), new Error('every number is taken'));
}

function made(folder: string): void {
  io('create', folder, () => fs.mkdirSync(folder, { recursive: true }));
}

function moved(name: string, folder: string): void {
  io('move', name, () => {
    fs.renameSync(name, path.join(folder, path.basename(name)));
    syncDir(folder);
  });
}

function io<T>(doing: string, at: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw HostError.io(doing, at, error);
  }
}
