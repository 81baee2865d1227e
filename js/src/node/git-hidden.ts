// What git was told to look away from: files it takes for unchanged or leaves out of the worktree, files that only
// rules outside of the repository's own `.gitignore` files hide, and repositories inside that nothing names. Whoever works in a repository can set all of
// that, and none of it is committed; a look sees through it. Twin of src/native/git_hidden.rs.

import { HostError } from 'endstate-core';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { parts } from './git.js';
import type { Git } from './git.js';
import { hides } from './own-files.js';

/** The words of every look at what is not committed. */
export const STATUS = [
  'status', '--porcelain=v1', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=none',
] as const;
/** The words of every look at the index, which `entriesOf` reads. */
export const INDEX = ['ls-files', '-v', '--stage', '-z'] as const;
const AGENT = Buffer.from('.agent/');
const LEFT_OUT = 'S'.charCodeAt(0);

/** The paths that a status names. */
export function named(status: Buffer): Buffer[] {
  return parts(status).map((entry) => entry.subarray(3)).filter((name) => name.length > 0);
}

/** Paths that differ from the last commit, and that `git status` does not name. */
export async function hidden(git: Git, common: string | undefined): Promise<Buffer[]> {
  // In a sparse worktree git takes the mark off where a file is there, and believes its time.
  const { stdout } = await git.read('-c', 'core.sparseCheckout=false', ...INDEX);
  const entries = entriesOf(stdout);
  return [...(await lookedAwayFrom(git, entries)), ...(common === undefined ? [] : await ignoredIn(git, common)), ...(await looseLinks(git, entries))];
}

/**
 * Repositories inside of this one that are committed as a link and named as no submodule: nothing tells where their
 * content comes from, and a clone has an empty directory in their place.
 */
async function looseLinks(git: Git, entries: readonly Entry[]): Promise<Buffer[]> {
  const links = entries.filter(({ mode }) => mode === '160000').map((one) => one.path);
  if (links.length === 0) return [];
  const modules = await git.read('config', '-z', '--file', '.gitmodules', '--get-regexp', '\\.path$');
  const known = new Set(parts(modules.stdout).map((entry) => entry.subarray(entry.indexOf('\n') + 1).toString('latin1')));
  return links.filter((name) => !known.has(name.toString('latin1')));
}

/** Paths of the index that are marked as unchanged or as left out, and are neither. */
async function lookedAwayFrom(git: Git, entries: readonly Entry[]): Promise<Buffer[]> {
  const marks = await marked(git, entries);
  const index = marks.length === 0 ? undefined : await pathOf(git, 'index');
  if (index === undefined) return [];
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'endstate-'));
  try {
    const own = copy(index, folder);
    // Entered anew they have neither a mark nor a time, so that git compares what is in them.
    const input = Buffer.concat(marks.flatMap(({ line }) => [line, Buffer.of(0)]));
    await git.inIndex(own, ['update-index', '-z', '--index-info'], input);
    const { stdout } = await git.inIndex(own, STATUS, new Uint8Array());
    const known = new Set(marks.map((one) => one.path.toString('latin1')));
    return named(stdout).filter((name) => known.has(name.toString('latin1')));
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Those that git was told not to compare. A path that is left out of a sparse worktree and is not there is as it
 * should be.
 */
async function marked(git: Git, entries: readonly Entry[]): Promise<Entry[]> {
  const marks = entries.filter(({ tag }) => tag === LEFT_OUT || (tag >= 0x61 && tag <= 0x7a));
  if (marks.length === 0) return [];
  const sparse = (await git.line('config', '--type=bool', 'core.sparseCheckout')) === 'true';
  const there = (name: Buffer): boolean =>
    fs.lstatSync(Buffer.concat([Buffer.from(`${git.root}/`), name]), { throwIfNoEntry: false }) !== undefined;
  return marks.filter((one) => !(sparse && one.tag === LEFT_OUT && !there(one.path)));
}

/**
 * Untracked files that are hidden by rules in `.git/info/exclude`, or in a file that the configuration of this
 * repository names, and by no rule that is committed or the user's own. What is below `.agent`, and what a mission writes
 * beside a plan and hid itself, is hidden so by right: of this mission it is compared by its digest.
 */
async function ignoredIn(git: Git, common: string): Promise<Buffer[]> {
  const rules = contentOf(path.join(common, 'info/exclude'));
  if (!hasRules(rules) && !mayNameRules(common)) return [];
  const theirs = await usersRules(git);
  const from = theirs !== undefined && isFile(theirs) ? [`--exclude-from=${theirs}`] : [];
  const { stdout } = await git.read('ls-files', '-z', '--others', '--exclude-per-directory=.gitignore', ...from);
  return parts(stdout).filter((name) => !name.subarray(0, AGENT.length).equals(AGENT) && !hides(rules, name.toString()));
}

/** Whether the configuration of this repository may name a file of rules: it says this word, or one that lets other files say it. */
function mayNameRules(common: string): boolean {
  return /excludesfile|include|worktreeconfig/i.test(contentOf(path.join(common, 'config')).toString('latin1'));
}

function contentOf(name: string): Buffer {
  return isFile(name) ? fs.readFileSync(name) : Buffer.alloc(0);
}

/** The file of the user's own rules for all repositories. */
async function usersRules(git: Git): Promise<string | undefined> {
  const { stdout } = await git.read('config', '-z', '--show-scope', '--type=path', '--get-all', 'core.excludesFile');
  const words = parts(stdout).map((word) => word.toString());
  const theirs = words.filter((_, at) => at % 2 === 1 && /^(?:system|global)$/.test(words[at - 1] ?? ''));
  return theirs.at(-1) ?? usualExcludes();
}

/** Where git looks for the user's rules if nothing names a file. */
function usualExcludes(): string | undefined {
  const { XDG_CONFIG_HOME: folder, HOME: home } = process.env;
  if (folder) return path.join(folder, 'git/ignore');
  return home ? path.join(home, '.config/git/ignore') : undefined;
}

/** A file in the directory of git, wherever this worktree has it. */
export async function pathOf(git: Git, name: string): Promise<string | undefined> {
  const found = await git.line('rev-parse', '--git-path', name);
  return found === undefined ? undefined : path.resolve(git.root, found);
}

function isFile(name: string): boolean {
  return fs.statSync(name, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** Whether rules say anything but what hides the state directory. */
function hasRules(rules: Buffer): boolean {
  const idle = (line: string): boolean => {
    const bare = line.trim().replace(/^\/+/, '');
    return bare === '' || bare.startsWith('#') || bare === '.agent' || bare.startsWith('.agent/');
  };
  return !rules.toString().split('\n').every(idle);
}

/** An entry of the index, as git lists it. */
interface Entry {
  /** The letter that says how git sees it: small where it is taken for unchanged, `S` where it is left out. */
  readonly tag: number;
  readonly mode: string;
  /** Mode, object, stage, a tab, the path. */
  readonly line: Buffer;
  /** Its name, which need not be text. */
  readonly path: Buffer;
}

/** The entries of the index in what git says of it. */
export function entriesOf(said: Buffer): Entry[] {
  return parts(said).map(entry);
}

function entry(listed: Buffer): Entry {
  const line = listed.subarray(2);
  return { tag: listed[0] ?? 0, mode: line.toString('latin1', 0, line.indexOf(' ')), line, path: line.subarray(line.indexOf('\t') + 1) };
}

function copy(index: string, folder: string): string {
  const own = path.join(folder, 'index');
  try {
    fs.copyFileSync(index, own);
  } catch (error) {
    throw HostError.io('copy', index, error);
  }
  return own;
}
