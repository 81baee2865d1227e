// Real git, by its command. No library, no cached belief. Twin of src/native/git.rs.
//
// Reads take no optional locks, never start a background process and never ask for a password. Paths are
// exchanged NUL-separated; those that are not UTF-8 are shown lossily. Every call has a time limit. Variables
// that would send git to another repository are taken out.

import { isHostError, problem } from 'endstate-core';
import type { Change, Diagnostic, PathDigest, Repository } from 'endstate-core';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { beforeGit } from './confine.js';
import { capture } from './capture.js';
import type { Said } from './capture.js';
import { ABSENT, changed, digestAt, digestOf, placed } from './files.js';
import type { Places } from './places.js';
import { cleanEnvironment } from './process.js';
import { byCommit } from './changed-paths.js';
import { hidden, named, STATUS } from './git-hidden.js';

/** Wall time of one reading call, in milliseconds. */
export const READ_TIMEOUT = 120_000;
/** Wall time of a commit, hooks included. */
export const COMMIT_TIMEOUT = 900_000;
/** The most paths a change or a dirty tree is listed with. */
export const MOST_PATHS = 10_000;
/** The most commits a change is listed with. */
const MOST_COMMITS = 1_000;
/** The most lost commits a change is listed with. */
const MOST_LOST = 100;
const OPTIONS = [
  '--literal-pathspecs', '-c', 'core.quotePath=false', '-c', 'core.fsmonitor=false', '-c', 'core.untrackedCache=false',
  // What a file looks like from outside is compared in full.
  '-c', 'core.trustctime=true', '-c', 'core.checkStat=default',
];
/** Commits are what they are, not what this repository has put in their place: a clone has neither. */
const AS_CLONED = { GIT_NO_REPLACE_OBJECTS: '1', GIT_GRAFT_FILE: '/dev/null' };
const NUL = 0;

/** What is checked out in a worktree: commit and branch, why it cannot be worked in, and the directory of git that all worktrees share. */
interface Checkout {
  head: string | null;
  branch: string | null;
  problem: Diagnostic | null;
  common?: string;
}

/** The git of one worktree. */
export class Git {
  constructor(readonly root: string) {}

  /** Reads. */
  read(...words: string[]): Promise<Said> {
    return this.#run(words, new Uint8Array(), READ_TIMEOUT, { GIT_OPTIONAL_LOCKS: '0' });
  }

  /** Reads, from an index of our own instead of the one of this worktree, which it may change. */
  inIndex(index: string, words: readonly string[], input: Uint8Array): Promise<Said> {
    return this.#run(words, input, READ_TIMEOUT, { GIT_OPTIONAL_LOCKS: '0', GIT_INDEX_FILE: index });
  }

  /** Changes something, with `input` on standard input. */
  change(words: string[], input: Uint8Array, timeout: number): Promise<Said> {
    return this.#run(words, input, timeout, {});
  }

  #run(words: readonly string[], input: Uint8Array, timeout: number, more: NodeJS.ProcessEnv): Promise<Said> {
    const env = { ...cleanEnvironment(), GIT_TERMINAL_PROMPT: '0', GIT_EDITOR: 'true', LC_ALL: 'C', ...AS_CLONED, ...more };
    return capture([...beforeGit(this.root), 'git', ...OPTIONS, ...words], this.root, env, input, timeout);
  }

  /** The first line of what git says, if it succeeds and says anything. */
  async line(...words: string[]): Promise<string | undefined> {
    const { status, stdout } = await this.read(...words);
    const [line = ''] = lines(stdout);
    return status === 0 && line !== '' ? line : undefined;
  }

  /** The commit at the head; nothing if the branch is unborn. */
  async head(): Promise<string | null> {
    return (await this.line('rev-parse', '--verify', '--quiet', 'HEAD^{commit}')) ?? null;
  }

  /** Whether what is committed is what it was at that commit. */
  async isAsAt(commit: string): Promise<boolean> {
    const tree = (of: string): Promise<string | undefined> => this.line('rev-parse', '--verify', '-q', '--end-of-options', of);
    return (await tree('HEAD^{tree}')) === (await tree(`${commit}^{tree}`));
  }

  /** Why this worktree cannot be worked in, if so. */
  async problem(): Promise<Diagnostic | null> {
    return (await this.#checkout()).problem;
  }

  /** What is checked out here, and why it cannot be worked in, if so. */
  async #checkout(): Promise<Checkout> {
    const places = ['rev-parse', '--show-toplevel', '--absolute-git-dir', '--git-common-dir'];
    const born = await this.read(...places, 'HEAD^{commit}', '--symbolic-full-name', 'HEAD');
    const [top = '', git = '', common = '', head = '', name = '', ...more] = lines(born.stdout);
    if (born.status === 0 && name !== '' && more.length === 0) {
      const branch = name === 'HEAD' ? null : branchOf(name);
      return { head, branch, problem: this.#problem(top, git, branch !== null), common: path.resolve(this.root, common) };
    }
    // There is no commit yet, or no repository.
    const { status, stdout, stderr } = await this.read(...places);
    const [root, folder, shared] = lines(stdout);
    if (status !== 0 || !root || folder === undefined || shared === undefined) {
      return { head: null, branch: null, problem: problem('not_a_repository', '', 'a git repository with a worktree', stderr) };
    }
    const found = await this.line('symbolic-ref', '--quiet', 'HEAD');
    const branch = found === undefined ? null : branchOf(found);
    return { head: await this.head(), branch, problem: this.#problem(root, folder, branch !== null), common: path.resolve(this.root, shared) };
  }

  /** Why a worktree with its root at `top` and its git at `git` cannot be worked in, if so. */
  #problem(top: string, git: string, onBranch: boolean): Diagnostic | null {
    if (real(top) !== real(this.root)) {
      return problem('not_a_repository', '', 'the root of a git repository', 'a directory inside one');
    }
    const underway = [
      ['MERGE_HEAD', 'a merge'], ['rebase-merge', 'a rebase'], ['rebase-apply', 'a rebase'],
      ['CHERRY_PICK_HEAD', 'a cherry-pick'], ['REVERT_HEAD', 'a revert'],
    ] as const;
    const found = underway.find(([name]) => fs.existsSync(path.join(git, name)));
    if (found) return problem('operation_in_progress', '', 'no operation in progress', found[1]);
    return onBranch ? null : problem('detached_head', 'HEAD', 'a branch', 'a detached head');
  }

  /** Looks at everything an order asks for. */
  async observe(places: Places, since: string | null, basis: string | null, known: PathDigest[]): Promise<Repository> {
    const nothing: Repository = { head: null, branch: null, refs: '', problem: null, dirty: [], since: null, basis: null, files: [] };
    try {
      places.check();
    } catch (error) {
      if (!isHostError(error)) throw error;
      return { ...nothing, problem: problem('unsafe_state_directory', error.at, error.expected, error.got) };
    }
    const { head, branch, problem: found, common } = await this.#checkout();
    if (found?.code === 'not_a_repository') return { ...nothing, problem: found, files: changed(places, known, new Set()) };
    const change = async (from: string | null): Promise<Change | null> => (from === null ? null : this.#changedSince(from, head));
    const asked = known.filter(({ digest }) => placed(digest) !== undefined).map((one) => one.path);
    const tracks = asked.length > 0 ? this.tracked(asked) : new Set<string>();
    // Reads that take no locks may be made side by side.
    const [sinceThat, sinceBasis, refs, dirty, tracked] = await Promise.all([
      change(since).then((one) => one && byCommit(this, one)), change(basis), this.#refs(), this.#dirtyBeside(common), tracks,
    ]);
    const files = changed(places, known, tracked);
    return { head, branch, problem: found, since: sinceThat, basis: sinceBasis, refs, dirty, files };
  }

  async #refs(): Promise<string> {
    const { stdout } = await this.read('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads', 'refs/tags');
    return digestOf(stdout);
  }

  /**
   * Tracked changes and untracked, unignored files, sorted, and what git was told to look away from; the engine's own
   * directory aside.
   */
  async dirty(): Promise<PathDigest[]> {
    return this.#dirtyBeside((await this.#checkout()).common);
  }

  async #dirtyBeside(common: string | undefined): Promise<PathDigest[]> {
    const { stdout } = await this.read(...STATUS);
    const entries = [...named(stdout), ...(await hidden(this, common))];
    const ours = (name: Buffer): boolean => {
      const text = name.toString('latin1');
      return text === '.agent/endstate' || text.startsWith('.agent/endstate/');
    };
    const sorted = entries.filter((name) => !ours(name)).sort(Buffer.compare);
    const paths = sorted.filter((name, at) => at === 0 || !name.equals(sorted[at - 1] as Buffer));
    const rest = paths.splice(MOST_PATHS);
    const dirty = paths.map((name) => this.digest(name));
    if (rest.length > 0) {
      // A tree this dirty is only ever compared with itself.
      const joined = Buffer.concat(rest.flatMap((name, at) => (at === 0 ? [name] : [Buffer.of(NUL), name])));
      dirty.push({ path: `(${rest.length} more paths)`, digest: digestOf(joined) });
    }
    return dirty;
  }

  /** A path of the worktree and the digest of what is there. */
  digest(raw: Buffer): PathDigest {
    const name = Buffer.concat([Buffer.from(`${this.root}/`), raw]);
    let digest: string;
    try {
      const found = raw.equals(Buffer.from(raw.toString())) ? digestAt(name.toString()) : rawDigest(name);
      if (found === 'absent') digest = ABSENT;
      else if (found === 'other') digest = linkDigest(name);
      else digest = found.digest;
    } catch {
      digest = digestOf(Buffer.from('unreadable'));
    }
    return { path: raw.toString(), digest };
  }

  /** Those of these paths that git tracks, and has not been told to take for unchanged. */
  async tracked(paths: string[]): Promise<Set<string>> {
    const { stdout } = await this.read('ls-files', '-v', '-z', '--full-name', '--', ...paths);
    return new Set(parts(stdout).map((line) => line.toString()).filter((line) => line.startsWith('H ')).map((line) => line.slice(2)));
  }

  /** What lies between a commit (`none` for the empty history) and the head. */
  async #changedSince(from: string, head: string | null): Promise<Change> {
    const nothing = (descends: boolean, truncated: boolean): Change => ({ from, descends, paths: [], commits: [], truncated });
    if (head === null) return { ...nothing(from === 'none', false), lost: (await this.#between('none', from, MOST_LOST))?.commits ?? [] };
    if (from === head) return nothing(true, false);
    const between = await this.#between(from, head, MOST_COMMITS + 1);
    if (between === undefined) return nothing(false, true);
    const { commits, descends } = between;
    let base = from;
    if (from === 'none') {
      const { stdout } = await this.change(['hash-object', '-t', 'tree', '--stdin'], new Uint8Array(), READ_TIMEOUT);
      base = stdout.toString().trim();
    }
    const { status, stdout } = await this.read('diff', '--name-only', '--no-renames', '--ignore-submodules=none', '-z', base, head, '--');
    const paths = parts(stdout).map((name) => name.toString()).sort(byBytes);
    const lost = descends ? [] : (await this.#between(head, from, MOST_LOST))?.commits ?? [];
    const cut = paths.length > MOST_PATHS || commits.length > MOST_COMMITS;
    return { from, descends, paths: paths.slice(0, MOST_PATHS), commits: commits.slice(0, MOST_COMMITS), lost, truncated: cut || status !== 0 };
  }

  /**
   * The commits behind `head` and not behind `from` (`none` for the empty history), at most so many, the newest first, and whether
   * `from` is an ancestor of `head`; nothing where one is not the full name of a commit that is here.
   */
  async #between(from: string, head: string, most: number): Promise<{ commits: string[]; descends: boolean } | undefined> {
    const named = /^(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/;
    if (!named.test(head) || (from !== 'none' && !named.test(from))) return undefined;
    const without = from === 'none' ? [] : [`^${from}`];
    const { status, stdout } = await this.read('rev-list', '--boundary', `--max-count=${most}`, head, ...without, '--');
    if (status !== 0) return undefined;
    const said = stdout.toString().split('\n').filter((line) => line !== '');
    const commits = said.filter((line) => !line.startsWith('-'));
    // What is no parent of any of them is no ancestor, if these are all.
    const descends = from === 'none' || said.includes(`-${from}`)
      || (commits.length === most && (await this.read('merge-base', '--is-ancestor', from, head)).status === 0);
    return { commits, descends };
  }
}

/** The lines of a text, without the empty one behind the last. */
function lines(said: Buffer): string[] {
  return said.toString().replace(/\r?\n$/, '').split(/\r?\n/);
}

/** The name of a branch by that of its ref, whatever else has the name. */
function branchOf(name: string): string {
  return name.replace(/^refs\/heads\//, '');
}

/** The pieces of a NUL-separated text that are not empty. */
export function parts(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(NUL, at);
    const to = end < 0 ? bytes.length : end;
    if (to > at) found.push(bytes.subarray(at, to));
    at = to + 1;
  }
  return found;
}

export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function real(name: string): string {
  try {
    return fs.realpathSync(name);
  } catch {
    return name;
  }
}

/** As `digestAt`, for a name that is no UTF-8. */
function rawDigest(name: Buffer): ReturnType<typeof digestAt> {
  const found = fs.lstatSync(name, { throwIfNoEntry: false });
  if (found === undefined) return 'absent';
  return found.isFile() ? { digest: digestOf(fs.readFileSync(name)), length: found.size } : 'other';
}

function linkDigest(name: Buffer): string {
  try {
    return digestOf(fs.readlinkSync(name, { encoding: 'buffer' }));
  } catch {
    return digestOf(Buffer.from('directory'));
  }
}
