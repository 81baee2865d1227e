// Rooms: checkouts for judging, made from a commit and nothing else, outside the worktree. Twin of src/native/room.rs, and the
// same directories.
//
// What comes in is fetched, so git hashes every object again. Nothing of the repository's configuration, of its hooks or of
// what it ignores is in a room, nor is anything of the environment that is not named here.

import { HostError } from 'endstate-core';
import type { Room } from 'endstate-core';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { capture } from './capture.js';
import type { Said } from './capture.js';
import { isCode, quietly } from './durable.js';
import { digestOf } from './files.js';
import { entriesOf, INDEX } from './git-hidden.js';
import { lay } from './kept.js';
import { ENGINE_DIRECTORY } from './places.js';
import { cleanEnvironment, endLeftovers } from './process.js';

/** Wall time of one call of git, in milliseconds. */
const GIT_TIMEOUT = 900_000;
/** Lists what the work changed, which the index keeps. */
const CHANGED = ['diff-index', '--cached', '--name-only', '-z', '--no-renames'];
/** Lists what is not as at a commit in the files, whoever changed it. */
const DIFFERS = CHANGED.filter((word) => word !== '--cached');
/** Shows how files differ from those of a commit, as the index keeps them; a large one is not shown. */
const DIFF = ['-c', 'core.bigFileThreshold=1m', 'diff-index', '--cached', '--patch', '--no-ext-diff', '--no-textconv', '--no-renames'];
/** The most files whose difference is asked for, and the most bytes of it that are told. */
const MOST_DIFFERENT = 200;
const MOST_DIFF = 16_384;
/** Begins what git says of a link in a tree. */
const LINK = '120000 blob ';
/** The most links on the way to a file, as systems have it. */
const MOST_LINKS = 40;
/** Begins a word that is a pattern of file names, in the words of git. */
const GLOB = ':(glob)';
/**
 * Attributes of a room, above those of its files: what a file holds is what git has of it, so that the work cannot say how what
 * decides is written down, or that it has no difference to be seen.
 */
const AS_IT_IS = '* !text !crlf !eol !ident !filter !working-tree-encoding !diff\n';
/** What of the environment a command in a room is given. */
const VARIABLES = [
  'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TERM', 'TMPDIR', 'CARGO_HOME', 'RUSTUP_HOME',
  'RUSTUP_TOOLCHAIN',
];

/** A room that a command may run in. */
export interface Entered {
  /** Where it is. */
  place: string;
  /** What a command there is given of the environment. */
  environment: NodeJS.ProcessEnv;
  /** Files that the work had changed, and that are as at the base. */
  held: string[];
  /** How the first of these differ, whole. */
  diff: string;
}

/** The directory that the rooms of the mission at `root` are in. */
function folder(root: string): string {
  return path.join(os.tmpdir(), `endstate-room-${digestOf(Buffer.from(root)).slice(0, 16)}`);
}

/** The same by its real path, made if it is not there. */
export function makeFolder(root: string): string {
  const place = folder(root);
  try {
    fs.mkdirSync(place, { mode: 0o700 });
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw HostError.io('make', place, error);
  }
  mustBeOwn(place);
  return fs.realpathSync(place);
}

function mustBeOwn(place: string): void {
  const found = fs.lstatSync(place, { throwIfNoEntry: false });
  if (!found?.isDirectory() || found.uid !== process.getuid?.()) throw HostError.io('find', place, new Error('no such room'));
}

/** Makes a room or goes back into it. */
export async function enter(root: string, room: Room): Promise<Entered> {
  const place = path.join(makeFolder(root), room.name);
  if (room.fresh) await make(root, place, room);
  mustBeOwn(place);
  const held = await hold(place, room);
  lay(root, place, room.files ?? []);
  return { place, environment: environment(root, place, room), held, diff: await diff(place, room, held) };
}

/** Gives the files that were held back to the work. */
export async function giveBack({ place, held }: Entered): Promise<void> {
  for (const file of held) {
    // The work may have a directory in its place.
    const known = namesOf(await recorded(place, ['ls-files', '-z', '--', file]));
    if (!known.includes(file)) fs.rmSync(path.join(place, file));
    if (known.length > 0) await recorded(place, ['checkout-index', '-q', '-f', '--', ...known]);
  }
}

/** Takes away the rooms of a mission. What cannot be removed hurts nobody. */
export function leave(root: string): void {
  quietly(() => fs.rmSync(folder(root), { recursive: true, force: true }));
}

/** Takes their directory away where none is in it: who goes on later makes it again. */
export function leaveEmpty(root: string): void {
  quietly(() => fs.rmdirSync(folder(root)));
}

async function make(root: string, place: string, room: Room): Promise<void> {
  // A git of a driver that was killed may be at work in there yet.
  await endLeftovers({ ENDSTATE_ROOM: place });
  try {
    for (const old of [place, records(place)]) fs.rmSync(old, { recursive: true, force: true });
    fs.mkdirSync(place, { mode: 0o700 });
  } catch (error) {
    throw HostError.io('make', place, error);
  }
  await must(place, ['init', '-q', '--template=']);
  fs.mkdirSync(path.join(place, '.git/info'), { recursive: true });
  fs.writeFileSync(path.join(place, '.git/info/exclude'), `/${ENGINE_DIRECTORY}/\n`);
  fs.writeFileSync(path.join(place, '.git/info/attributes'), AS_IT_IS);
  if (room.commit !== null) {
    const fetch = ['-c', 'protocol.file.allow=always', 'fetch', '-q', '--no-tags', '--no-recurse-submodules', '--update-shallow'];
    // Git reads it as an address.
    fetch.push(`file://${root.replaceAll('%', '%25')}`);
    await must(place, [...fetch, ...new Set([room.commit, room.base ?? room.commit])]);
    await must(place, ['checkout', '-q', '--detach', room.commit]);
  }
  if (room.uncommitted) {
    await must(root, [`--git-dir=${path.join(place, '.git')}`, `--work-tree=${root}`, 'add', '-A', '--', '.']);
    await must(place, ['checkout-index', '-q', '-a', '-f']);
    await must(place, ['clean', '-q', '-f', '-d']);
  }
  await cut(place);
  // Files that were laid over look changed to the index until it has looked at them; a link that was cut is changed.
  await git(place, ['update-index', '-q', '--refresh']);
  try {
    fs.cpSync(path.join(place, '.git'), records(place), { recursive: true });
  } catch (error) {
    throw HostError.io('make', place, error);
  }
}

/**
 * What git knows of a room as it was made, where no command of the room writes: what one of them makes of its `.git` tells nothing
 * about the next.
 */
const records = (place: string): string => `${place}.git`;

/** Takes away the links that lead out: what is there is in no commit. */
async function cut(place: string): Promise<void> {
  const within = fs.realpathSync(place);
  const entries = entriesOf((await must(place, [...INDEX])).stdout);
  for (const { path: name } of entries.filter(({ mode }) => mode === '120000')) {
    const link = Buffer.concat([Buffer.from(place + path.sep), name]);
    let to = within;
    // The other one would make a text of its name.
    quietly(() => (to = fs.realpathSync.native(link)));
    if (to !== within && !to.startsWith(within + path.sep)) fs.unlinkSync(link);
  }
}

/**
 * Lays the files that decide over those of the work, as they were at the base, whatever commands before made of them. Answers with
 * those that the work changed.
 */
async function hold(place: string, { base, held: groups }: Room): Promise<string[]> {
  if (base === null) return [];
  const links = await linksOf(place, base);
  // What may come beside what was there, and what may not.
  const [open, closed]: [string[], string[]] = [[], []];
  for (const group of groups) {
    const kind = group.length > 1 && (await wasThere(place, base, group)) ? closed : open;
    for (const word of group) kind.push(...(await followed(place, word, links)));
  }
  const of = async (words: string[]): Promise<string[]> => [
    ...(await listed(place, [...words, '--diff-filter=a', base], open)), ...(await listed(place, [...words, base], closed)),
  ];
  const held = [...new Set(await of(CHANGED))].sort();
  const due = [...new Set([...(await of(DIFFERS)), ...held])];
  if (due.length > 0) {
    const words = ['restore', '-q', '--worktree', `--source=${base}`, '--pathspec-from-file=-', '--pathspec-file-nul'];
    done(place, await ofRecords(place, words, Buffer.from(due.join('\0'))));
  }
  return held;
}

/** Whether one of these was there at the base. */
async function wasThere(place: string, base: string, group: string[]): Promise<boolean> {
  const added = new Set(await listed(place, [...CHANGED, '--diff-filter=A', base], group));
  return (await listed(place, ['ls-files', '-z', `--with-tree=${base}`], group)).some((name) => !added.has(name));
}

/** The links of the base, each with the object that says where it leads. */
async function linksOf(place: string, base: string): Promise<[string, string][]> {
  const tree = (await recorded(place, ['ls-tree', '-r', '-z', base])).stdout.toString().split('\0');
  const links = tree.filter((entry) => entry.startsWith(LINK)).map((entry) => entry.slice(LINK.length).split('\t'));
  return links.map(([to = '', name = '']) => [name, to]);
}

/** A word, the links of the base on its way, and what it names through them. */
async function followed(place: string, word: string, links: [string, string][]): Promise<string[]> {
  const all = [word];
  for (let at = 0; at < Math.min(all.length, MOST_LINKS); at++) {
    const one = all[at]!;
    for (const [link, object] of links.filter(([link]) => one === link || one.startsWith(`${link}/`))) {
      const to = (await recorded(place, ['cat-file', 'blob', object])).stdout.toString();
      const there = path.posix.join(path.posix.dirname(link), to, one.slice(link.length));
      if (!to.startsWith('/') && !there.startsWith('..')) all.push(there);
      all.push(link);
    }
  }
  return all;
}

/** How files that were held differ. */
async function diff(place: string, { base }: Room, held: string[]): Promise<string> {
  if (base === null || held.length === 0) return '';
  return (await recorded(place, [...DIFF, base, '--', ...held.slice(0, MOST_DIFFERENT)])).stdout.toString();
}

/** A difference as it is told: its first lines, where it is long or of more files than were asked for. */
export function told(diff: string, held: number): string {
  const bytes = Buffer.from(diff);
  if (bytes.length <= MOST_DIFF && held <= MOST_DIFFERENT) return diff;
  const first = bytes.subarray(0, MOST_DIFF);
  return `${first.subarray(0, first.lastIndexOf('\n') + 1).toString()}\\ The rest is cut off.\n`;
}

/** The names in what git lists. */
const namesOf = ({ stdout }: Said): string[] => stdout.toString().split('\0').filter((name) => name !== '');

/** The files that git lists of these paths, directories (with a slash at their end) and patterns. */
async function listed(place: string, words: string[], files: string[]): Promise<string[]> {
  const list = async (how: string, files: string[]): Promise<string[]> => {
    return files.length === 0 ? [] : namesOf(await recorded(place, [how, ...words, '--', ...files]));
  };
  const names = files.filter((word) => !word.startsWith(GLOB));
  const found = await list('--literal-pathspecs', names);
  // A word that is the name of a directory names none of its files.
  const named = found.filter((name) => names.some((one) => one === name || (one.endsWith('/') && name.startsWith(one))));
  return [...named, ...(await list('--no-literal-pathspecs', files.filter((word) => word.startsWith(GLOB))))];
}

/** The environment of a command: empty caches, what is usual, what was asked for, and no program of the worktree's. */
function environment(root: string, place: string, room: Room): NodeJS.ProcessEnv {
  const within = (place: string): boolean => place === root || place.startsWith(`${root}${path.sep}`);
  const search = (process.env['PATH'] ?? '').split(path.delimiter).filter((place) => path.isAbsolute(place) && !within(path.resolve(place)));
  const given = [...VARIABLES, ...room.variables].map((name) => [name, process.env[name]] as const);
  // Where programs keep what they can make again: nothing is taken from where agents write.
  const cache = { XDG_CACHE_HOME: path.join(place, '.git/cache') };
  return { ...cache, ...Object.fromEntries(given.filter(([, value]) => value !== undefined)), PATH: search.join(path.delimiter) };
}

async function git(place: string, words: string[], input: Uint8Array = new Uint8Array()): Promise<Said> {
  // Nobody's settings: no filters, no aliases, no templates.
  const nobody = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const env = { ...cleanEnvironment(), ...nobody, ENDSTATE_ROOM: place, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C', GIT_NO_REPLACE_OBJECTS: '1' };
  const options = ['--literal-pathspecs', '-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false'];
  return capture(['git', ...options, ...words], place, env, input, GIT_TIMEOUT);
}

/** Asks git by the records of a room. */
function ofRecords(place: string, words: string[], input?: Uint8Array): Promise<Said> {
  return git(place, [`--git-dir=${records(place)}`, `--work-tree=${place}`, ...words], input);
}

async function recorded(place: string, words: string[]): Promise<Said> {
  return done(place, await ofRecords(place, words));
}

async function must(place: string, words: string[]): Promise<Said> {
  return done(place, await git(place, words));
}

function done(place: string, said: Said): Said {
  if (said.status !== 0) throw HostError.io('make', place, new Error(said.stderr.trim()));
  return said;
}
