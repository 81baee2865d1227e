// The engine's own commits: exactly these files, or everything as it was. Twin of src/native/commit.rs; what
// one of them kept, the other puts back.
//
// A commit is a transaction. What was there before (content, mode and index entry of each path) is kept,
// durably, in `.agent/endstate/commits/<effect id>/` before anything is touched; then the files are written,
// added and committed with the repository's hooks. If git refuses, everything is put back. If the host dies,
// the same order is performed again: a commit that was made is recognised by its parent, its paths and their
// contents; one that was not begins again from what was kept. What was there and is in no commit is also kept
// aside for the person who wrote it.

import { diagnostic, HostError, problem } from 'endstate-core';
import type { CommitFiles, Diagnostic, Outcome, Wanted } from 'endstate-core';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { doneElsewhere, isCode, quietly, remove, replace } from './durable.js';
import { digestOf, inside, keepAside } from './files.js';
import { COMMIT_TIMEOUT, Git, parts } from './git.js';
import type { Places } from './places.js';
import { readRegular } from './regular.js';

/** Wall time of git calls that touch the index only, in milliseconds. */
const INDEX_TIMEOUT = 120_000;
/** How often a transaction begins anew because another git has the index. */
const INDEX_RETRIES = 40;
/** The pause before that. */
const INDEX_PAUSE = 250;

/** How one path was before; field for field as the Rust host writes it. */
interface Before {
  path: string;
  /** Whether there was a file; its content is in `<place>.old`. */
  present: boolean;
  executable: boolean;
  /** The index entry as `mode object`, if there was one. */
  index: string | null;
}

type Attempt = { made: Outcome } | { refused: Diagnostic } | 'index locked';

/** Writes and commits exactly these files. Nothing else that is staged is committed. */
export async function commitFiles(places: Places, effect: string, order: CommitFiles, wanted: Wanted[]): Promise<Outcome> {
  const transaction = new Transaction(places, order, wanted, path.join(places.engine, 'commits', effect));
  for (let attempt = 0; attempt < INDEX_RETRIES; attempt += 1) {
    const result = await transaction.run();
    // A git that a dead host had started, or another person's.
    if (result === 'index locked') await sleep(INDEX_PAUSE);
    else if ('made' in result) return result.made;
    else throw HostError.of(result.refused);
  }
  throw HostError.of(problem('commit_refused', 'index.lock', 'the index of the repository to be free', 'another git holds it'));
}

/** One commit on its way. `kept` is where what was before is kept. */
class Transaction {
  readonly #git: Git;

  constructor(
    private readonly places: Places,
    private readonly order: CommitFiles,
    private readonly wanted: Wanted[],
    private readonly kept: string,
  ) {
    this.#git = new Git(places.root);
  }

  async run(): Promise<Attempt> {
    try {
      return await this.#attempt();
    } catch (error) {
      // Git may have been too slow for us and yet have made it.
      const head = await this.#git.head().catch(() => null);
      if (head !== null && head !== this.order.expected_head) {
        const found = await this.#madeBefore(head).catch(() => undefined);
        if (found !== undefined && typeof found === 'object' && 'made' in found) return found;
      }
      const why = await this.#undo().then(() => error, (worse: unknown) => worse);
      return { refused: diagnostic(why, 'write_failed', 'commit') };
    }
  }

  async #attempt(): Promise<Attempt> {
    for (const { path: name } of this.wanted) inside(this.places.root, name);
    const head = await this.#git.head();
    if (head !== this.order.expected_head) return this.#madeBefore(head);
    await this.#keep();
    for (const one of this.wanted) this.#write(one);
    const paths = this.wanted.map((one) => one.path);
    const added = await this.#git.change(['add', '-f', '--', ...paths], new Uint8Array(), INDEX_TIMEOUT);
    if (added.status !== 0) return this.#refused(added.stderr);
    const same = await this.#git.read('diff', '--cached', '--quiet', '--', ...paths);
    if (same.status === 0 && head !== null) return this.#made(head);
    const commit = ['commit', '--quiet', '--only', '-m', this.order.message, '--', ...paths];
    const said = await this.#git.change(commit, new Uint8Array(), COMMIT_TIMEOUT);
    const after = await this.#git.head();
    if (said.status === 0 && after !== null && after !== this.order.expected_head) {
      doneElsewhere('commit', this.places.root);
      return this.#made(after);
    }
    return this.#refused(said.stderr);
  }

  #write({ path: name, content }: Wanted): void {
    const full = path.join(this.places.root, name);
    const executable = name.endsWith('.sh');
    const bytes = Buffer.from(content);
    if (sameFile(full, bytes) && runs(full) === executable) return;
    try {
      replace(full, this.places.staging, bytes, executable);
    } catch (error) {
      throw HostError.io('write', full, error);
    }
  }

  /** The head is not where the order expects it: perhaps because the commit was made before. */
  async #madeBefore(head: string | null): Promise<Attempt> {
    if (head !== null && (await this.#isOurs(head))) return this.#made(head);
    await this.#undo();
    return { refused: problem('commit_refused', 'HEAD', this.order.expected_head ?? 'no commit', head ?? 'no commit') };
  }

  /** Whether `head` follows the expected head and changes these paths only, to these contents. */
  async #isOurs(head: string): Promise<boolean> {
    const [, ...parents] = ((await this.#git.line('rev-list', '--parents', '-n', '1', head)) ?? '').split(' ');
    const expected = this.order.expected_head;
    if (parents.join(' ') !== (expected ?? '')) return false;
    const diff = await this.#git.read('diff-tree', '--root', '-r', '-z', '--no-commit-id', '--name-only', head);
    const paths = new Set(this.wanted.map((one) => one.path));
    if (!parts(diff.stdout).every((name) => paths.has(name.toString()))) return false;
    for (const one of this.wanted) {
      const at = await this.#git.line('rev-parse', '--verify', '--quiet', `${head}:${one.path}`);
      if (at !== (await this.#object(one.path, Buffer.from(one.content)))) return false;
    }
    return true;
  }

  /** The name git gives this content at this path, its filters applied. */
  async #object(name: string, content: Uint8Array): Promise<string | undefined> {
    const said = await this.#git.change(['hash-object', '--stdin', `--path=${name}`], content, INDEX_TIMEOUT);
    return said.status === 0 ? said.stdout.toString().trim() : undefined;
  }

  #made(head: string): Attempt {
    this.#forget();
    const files = this.wanted.map((one) => ({ path: one.path, digest: digestOf(Buffer.from(one.content)) }));
    return { made: { type: 'commit', head, files } };
  }

  async #refused(said: string): Promise<Attempt> {
    if (said.includes('index.lock')) return 'index locked';
    await this.#undo();
    return { refused: problem('commit_refused', 'git commit', 'git to make the commit', said) };
  }

  get #list(): string {
    return path.join(this.kept, 'before.json');
  }

  /** Keeps what is there, once: what an attempt cut short has written is not what was there. */
  async #keep(): Promise<void> {
    if (fs.existsSync(this.#list)) return;
    fs.rmSync(this.kept, { recursive: true, force: true });
    fs.mkdirSync(this.kept, { recursive: true });
    const all: Before[] = [];
    for (const [place, wanted] of this.wanted.entries()) {
      const full = path.join(this.places.root, wanted.path);
      const content = readIfThere(full);
      if (content !== undefined) {
        fs.writeFileSync(path.join(this.kept, `${place}.old`), content);
        if (!content.equals(Buffer.from(wanted.content)) && !(await this.#committed(wanted.path, content))) {
          keepAside(this.places, full);
        }
      }
      const index = await this.#indexEntry(wanted.path);
      all.push({ path: wanted.path, present: content !== undefined, executable: runs(full), index });
    }
    replace(this.#list, this.places.staging, Buffer.from(JSON.stringify(all)));
  }

  /** Whether `content` is what the head has at this path. */
  async #committed(name: string, content: Uint8Array): Promise<boolean> {
    const held = await this.#git.line('rev-parse', '--verify', '--quiet', `HEAD:${name}`);
    return held !== undefined && held === (await this.#object(name, content));
  }

  async #indexEntry(name: string): Promise<string | null> {
    const { stdout } = await this.#git.read('ls-files', '--stage', '-z', '--', name);
    const [mode, object, stage] = stdout.toString().split(/[ \t]/);
    return mode && object && stage === '0' ? `${mode} ${object}` : null;
  }

  /** Puts everything back as it was kept. */
  async #undo(): Promise<void> {
    const text = readIfThere(this.#list);
    if (text === undefined) return;
    const all = JSON.parse(text.toString()) as Before[];
    const format = await this.#git.line('rev-parse', '--show-object-format');
    const gone = `0 ${'0'.repeat(format === 'sha256' ? 64 : 40)}`;
    for (const [place, before] of all.entries()) {
      const full = inside(this.places.root, before.path);
      try {
        if (!before.present) remove(full);
        else {
          const old = readRegular(path.join(this.kept, `${place}.old`));
          if (!sameFile(full, old)) replace(full, this.places.staging, old, before.executable);
        }
      } catch (error) {
        throw HostError.io('restore', full, error);
      }
    }
    const index = all.map((before) => `${before.index ?? gone}\t${before.path}\0`).join('');
    const said = await this.#git.change(['update-index', '-z', '--index-info'], Buffer.from(index), INDEX_TIMEOUT);
    if (said.status !== 0) throw HostError.io('restore', 'the index', new Error(said.stderr.trim()));
    this.#removeEmpty(all);
    this.#forget();
  }

  /** Directories that were made for files that are gone again. */
  #removeEmpty(all: Before[]): void {
    for (const before of all.filter((one) => !one.present)) {
      // Fails where there is anything left, which is what is wanted.
      quietly(() => {
        for (let place = path.dirname(before.path); place !== '.'; place = path.dirname(place)) {
          fs.rmdirSync(path.join(this.places.root, place));
        }
      });
    }
  }

  #forget(): void {
    // The list first: without it nothing is restored.
    quietly(() => fs.unlinkSync(this.#list));
    quietly(() => fs.rmSync(this.kept, { recursive: true, force: true }));
  }
}

function readIfThere(name: string): Buffer | undefined {
  try {
    return readRegular(name);
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw HostError.io('read', name, error);
  }
}

function sameFile(name: string, bytes: Buffer): boolean {
  try {
    return readRegular(name).equals(bytes);
  } catch {
    return false;
  }
}

function runs(name: string): boolean {
  return ((fs.statSync(name, { throwIfNoEntry: false })?.mode ?? 0) & 0o100) !== 0;
}
