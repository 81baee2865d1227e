// Canonical files: written, appended to and looked at so that doing it twice is harmless. Twin of
// src/native/files.rs.
//
// Every order says what must be there before. If that is there, it is done; if what comes after is there
// already, it was done; anything else is somebody else's work and left alone.

import { HostError, isHostError, problem, words } from 'endstate-core';
import type { AppendHistory, Code, Diagnostic, DocumentSeen, Outcome, PathDigest, Repository, Seen, WriteFile } from 'endstate-core';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { append, isCode, replace, syncDir } from './durable.js';
import type { Places } from './places.js';
import { openRegular, readRegular } from './regular.js';

/** The digest that stands for a file that is not there. */
export const ABSENT = 'absent';
/** The longest file that is read as text, in bytes. */
const MOST_TEXT = 16 * 1024 * 1024;
/** Where foreign content is kept, from the root of the repository. */
const ASIDE = '.agent/tmp';

/** What is at a path. */
export type Content = 'absent' | 'other' | { digest: string; length: number };

function fault(code: Code, at: string, expected: string, got: string): HostError {
  return HostError.of(problem(code, at, expected, got));
}

/** The error of a write that the system refused; what is an error of ours stays one. */
function writeFailed(name: string, error: unknown): HostError {
  return isHostError(error) ? error : fault('write_failed', name, 'to write it', words(error));
}

/** Puts `content` in the place of a canonical file, if what is there is what the order expects. */
export function writeFile(places: Places, order: WriteFile, content: string): Outcome {
  const name = inside(places.root, order.path);
  const bytes = Buffer.from(content);
  const wanted = digestOf(bytes);
  try {
    const found = digestAt(name);
    if (found === 'other') {
      const expected = 'a file, or nothing: put aside what stands there, then try again';
      throw fault('foreign_write', order.path, expected, whatStands(name));
    }
    const seen = found === 'absent' ? null : found.digest;
    const done: Outcome = { type: 'file', digest: wanted, length: bytes.length };
    if (seen === wanted) return done;
    const foreign = seen !== null && seen !== order.expected && seen === order.aside;
    if (seen !== order.expected && !foreign) {
      throw fault('foreign_write', order.path, order.expected ?? ABSENT, seen ?? ABSENT);
    }
    if (foreign) keepAside(places, name);
    replace(name, places.staging, bytes, order.executable);
    return done;
  } catch (error) {
    throw writeFailed(order.path, error);
  }
}

/** What stands in the place of a file, in words. */
function whatStands(name: string): string {
  const found = fs.lstatSync(name);
  if (found.isDirectory()) return 'a directory';
  return found.isSymbolicLink() ? 'a symbolic link' : 'something that is no file';
}

/** Copies what is at `name` to `.agent/tmp/rejected-<digest>.json`, once per content. */
export function keepAside(places: Places, name: string): void {
  const bytes = readRegular(name);
  const aside = inside(places.root, `${ASIDE}/rejected-${digestOf(bytes)}.json`);
  if (!fs.existsSync(aside)) replace(aside, places.staging, bytes);
}

/** Appends to a file that only ever grows, or completes an append that was cut short. */
export function appendHistory(places: Places, order: AppendHistory): Outcome {
  const name = inside(places.root, order.path);
  try {
    const { prefix, tail } = halves(name, order);
    const known = order.prefix_digest ?? digestOf(new Uint8Array());
    if (prefix !== known) throw fault('foreign_append', order.path, known, prefix);
    const text = Buffer.from(order.text);
    if (!text.subarray(0, tail.length).equals(tail)) {
      const got = `${tail.length} other bytes behind byte ${order.offset}`;
      throw fault('foreign_append', order.path, 'the end of the file, or a part of the text', got);
    }
    const rest = text.subarray(tail.length);
    // An empty text makes an empty file.
    if (rest.length > 0 || !fs.existsSync(name)) appendTo(name, rest);
    const found = digestAt(name);
    if (typeof found === 'string') throw fault('foreign_append', order.path, 'the file', 'nothing');
    return { type: 'file', ...found };
  } catch (error) {
    throw writeFailed(order.path, error);
  }
}

function appendTo(name: string, rest: Uint8Array): void {
  const parent = path.dirname(name);
  fs.mkdirSync(parent, { recursive: true });
  const fresh = !fs.existsSync(name);
  const file = openRegular(name, fs.constants.O_WRONLY | fs.constants.O_APPEND | fs.constants.O_CREAT);
  try {
    append(file, name, rest);
  } finally {
    fs.closeSync(file);
  }
  if (fresh) syncDir(parent);
}

/** The digest of the first `offset` bytes, and what follows them. */
function halves(name: string, { path: at, offset }: AppendHistory): { prefix: string; tail: Buffer } {
  const short = (): HostError => fault('foreign_append', at, `${offset} bytes`, 'a shorter file');
  let file: number;
  try {
    file = openRegular(name);
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
    if (offset > 0) throw short();
    return { prefix: digestOf(new Uint8Array()), tail: Buffer.alloc(0) };
  }
  try {
    const { digest, length } = digestFrom(file, offset);
    if (length < offset) throw short();
    const tail = Buffer.alloc(Math.min(MOST_TEXT, Math.max(0, fs.fstatSync(file).size - offset)));
    const count = tail.length === 0 ? 0 : fs.readSync(file, tail, 0, tail.length, offset);
    return { prefix: digest, tail: tail.subarray(0, count) };
  } finally {
    fs.closeSync(file);
  }
}

/** The line that a file must have, where an order asks for a place in a file and not for its content. */
export function placed(digest: string): number | undefined {
  return digest.startsWith('present:') ? Number(digest.slice('present:'.length)) : undefined;
}

/** Canonical files that are not as `known` says; `tracked` are those that git tracks, of those that are asked for by a line. */
export function changed(places: Places, known: PathDigest[], tracked: Set<string>): Repository['files'] {
  const seenAt = ({ path: at, digest }: PathDigest): Seen => {
    const [seen, line] = [look(places.root, at), placed(digest)];
    return line === undefined ? seen : placeIn(at, line, seen, tracked.has(at));
  };
  const seen = known.map((one) => ({ known: one, seen: seenAt(one) }));
  return seen
    .filter((one) => differs(one.known.digest, one.seen))
    .map((one) => ({ path: one.known.path, seen: one.seen }));
}

/** What is at a place in a file: with a problem where no file of the repository has that line. */
function placeIn(at: string, line: number, seen: Seen, tracked: boolean): Seen {
  if (seen.type === 'absent') return seen;
  const length = seen.type === 'text' ? Buffer.byteLength(seen.text) : seen.length;
  const wrong = (found: Diagnostic): Seen => ({ type: 'digest', digest: seen.digest, length, problem: found });
  // What is no text has no lines that could be counted.
  const uncounted = seen.type === 'digest' && [undefined, 'too_large', 'not_utf8'].includes(seen.problem?.code);
  if (seen.type === 'digest' && !uncounted) return seen;
  if (!tracked) return wrong(problem('dirty_tree', at, 'a file that git tracks and looks at', 'one it does not see'));
  const lines = seen.type === 'text' ? lineCount(seen.text) : line;
  if (lines < line) return wrong(problem('invalid_value', at, `a file with ${line} lines`, `${lines}`));
  return { type: 'digest', digest: seen.digest, length, problem: null };
}

function lineCount(text: string): number {
  const ends = text.split('\n').length - 1;
  return text === '' || text.endsWith('\n') ? ends : ends + 1;
}

/**
 * Whether something else is there than is known; with the digest `present`, whether nothing is; with a line behind that,
 * whether no file of the repository has it.
 */
function differs(known: string, seen: Seen): boolean {
  const absent = seen.type === 'absent';
  if (placed(known) !== undefined) return absent || (seen.type === 'digest' && seen.problem !== null);
  return known === 'present' ? absent : (absent ? ABSENT : seen.digest) !== known;
}

/**
 * Documents, read whole, in the order asked for. With `tracked` only those count that git tracks: another has a problem
 * instead of a text.
 */
export function documents(places: Places, paths: string[], tracked?: Set<string>): DocumentSeen[] {
  return paths.map((one) => {
    const seen = look(places.root, one);
    if (seen.type !== 'text' || (tracked?.has(one) ?? true)) return { path: one, seen };
    const found = problem('dirty_tree', one, 'a file that git tracks and looks at', 'one it does not see');
    return { path: one, seen: { type: 'digest', digest: seen.digest, length: Buffer.byteLength(seen.text), problem: found } };
  });
}

/** What is at a path: text where it can be read as such, otherwise a digest and the reason. */
export function look(root: string, relative: string): Seen {
  const unread = (digest: string, length: number, found: Diagnostic | null): Seen =>
    ({ type: 'digest', digest, length, problem: found });
  const wrong = (got: string): Diagnostic => problem('invalid_value', relative, 'a file', got);
  try {
    const name = inside(root, relative);
    const found = digestAt(name);
    if (found === 'absent') return { type: 'absent' };
    if (found === 'other') return unread(digestOf(Buffer.from('other')), 0, wrong('something else'));
    const { digest, length } = found;
    // Append-only files are only ever digested.
    if (relative.endsWith('.jsonl')) return unread(digest, length, null);
    if (length > MOST_TEXT) {
      return unread(digest, length, problem('too_large', relative, `at most ${MOST_TEXT} bytes`, `${length} bytes`));
    }
    const bytes = readRegular(name);
    const bad = firstBadByte(bytes);
    if (bad !== undefined) return unread(digest, length, problem('not_utf8', `${relative}: byte ${bad}`, 'UTF-8', 'other bytes'));
    // The digest is of the bytes in hand: the file may have changed since.
    return { type: 'text', digest: digestOf(bytes), text: bytes.toString() };
  } catch (error) {
    if (isHostError(error)) {
      const { at, expected, got } = error;
      return unread(digestOf(new Uint8Array()), 0, problem(error.code as Code, at, expected, got));
    }
    return unread(digestOf(Buffer.from('unreadable')), 0, wrong(words(error)));
  }
}

/** Where bytes stop being UTF-8. */
function firstBadByte(bytes: Buffer): number | undefined {
  const reads = (length: number): boolean => {
    try {
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, length), { stream: true });
      return true;
    } catch {
      return false;
    }
  };
  const text = bytes.toString();
  if (Buffer.byteLength(text) === bytes.length && Buffer.from(text).equals(bytes)) return undefined;
  let [good, bad] = [0, bytes.length + 1];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (middle <= bytes.length && reads(middle)) good = middle;
    else bad = middle;
  }
  // Back to the beginning of the letter that the bad byte is in.
  for (let back = 1; back <= 3 && good - back >= 0; back += 1) {
    const byte = bytes[good - back] ?? 0;
    if (byte >= 0xc0) return good - back;
    if (byte < 0x80) break;
  }
  return good;
}

/** Looks at a path without following a link at its end. */
export function digestAt(name: string): Content {
  let found: fs.Stats | undefined;
  try {
    found = fs.lstatSync(name, { throwIfNoEntry: false });
  } catch (error) {
    if (isCode(error, 'ENOTDIR')) return 'absent';
    throw error;
  }
  if (found === undefined) return 'absent';
  if (!found.isFile()) return 'other';
  const file = openRegular(name);
  try {
    return digestFrom(file, Infinity);
  } finally {
    fs.closeSync(file);
  }
}

function digestFrom(file: number, most: number): { digest: string; length: number } {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(64 * 1024);
  let length = 0;
  for (;;) {
    const count = fs.readSync(file, buffer, 0, Math.min(buffer.length, most - length), null);
    if (count === 0) return { digest: hash.digest('hex'), length };
    hash.update(buffer.subarray(0, count));
    length += count;
  }
}

/** SHA-256 in hex. */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * A path of the repository, made sure not to lead out of it: relative, without `..`, and through no symbolic
 * link. Throws `unsafe_state_directory`.
 */
export function inside(root: string, relative: string): string {
  const refuse = (got: string): HostError => fault('unsafe_state_directory', relative, 'a path inside the repository', got);
  const parts = relative.split('/').filter((part) => part !== '');
  const plain = relative !== '' && !relative.startsWith('/') && !relative.includes('\0') && !parts.includes('..') && parts[0] !== '.';
  if (!plain || parts.length === 0) throw refuse('a path that may leave it');
  let place = root;
  for (const part of parts.slice(0, -1)) {
    place = path.join(place, part);
    if (isLink(place)) throw refuse('a symbolic link on the way');
  }
  return path.join(root, ...parts);
}

/** A directory of the repository, or its root for an empty path; reached through no symbolic link. */
export function directory(root: string, relative: string): string {
  // Whatever lies in it: so its own name is looked at, too.
  return relative === '' ? root : path.dirname(inside(root, `${relative}/-`));
}

function isLink(name: string): boolean {
  try {
    return fs.lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  } catch {
    return false;
  }
}
