// Files that git ignores and commands need, as they were before the work: kept among the engine's own files by their digest, and
// laid into every room. Twin of src/native/kept.rs.

import { HostError } from 'endstate-core';
import type { PathDigest } from 'endstate-core';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { createNew, replace } from './durable.js';
import { digestOf, inside } from './files.js';
import { Git } from './git.js';
import { Places } from './places.js';
import { readRegular } from './regular.js';

/** The longest file that is kept, in bytes. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * These files as they are now, for `files` of a config's `proof`. A mission that begins with it keeps them. Throws
 * `unsafe_state_directory` for a path that leads out, `invalid_value` for a file that git does not ignore,
 * `too_large`, and `io` for what is no file.
 */
export async function roomFiles(root: string, paths: string[]): Promise<PathDigest[]> {
  if (paths.length === 0) return [];
  // Git lists nothing where one of them leads out, and each as it spells it.
  const names = paths.map((name) => (path.isAbsolute(name) ? name : name.split('/').filter((part) => part !== '' && part !== '.').join('/')));
  for (const name of names) inside(root, name);
  const { stdout } = await new Git(root).read('ls-files', '-o', '-i', '--exclude-standard', '-z', '--', ...names);
  const ignored = new Set(stdout.toString().split('\0'));
  return names.map((name) => {
    const at = inside(root, name);
    if (!ignored.has(name)) throw new HostError('invalid_value', name, 'a file that git ignores', 'one that it does not ignore, or that is not there');
    let bytes;
    try {
      bytes = read(at);
    } catch (error) {
      throw HostError.io('read', at, error);
    }
    if (bytes.length > MOST_BYTES) throw new HostError('too_large', name, `at most ${MOST_BYTES} bytes`, `${bytes.length} bytes`);
    return { path: name, digest: digestOf(bytes) };
  });
}

/** Keeps these files before a mission begins. Throws `io` for one that is not as it was looked at. */
export function keep(places: Places, files: PathDigest[]): void {
  for (const file of files) {
    const { at, bytes } = find(places.root, file);
    try {
      // Whatever the file was readable for, what is kept of it is its user's.
      fs.mkdirSync(folder(places), { recursive: true, mode: 0o700 });
      replace(path.join(folder(places), file.digest), places.staging, bytes, (fs.statSync(at).mode & 0o111) !== 0);
    } catch (error) {
      throw HostError.io('keep', at, error);
    }
  }
}

const folder = (places: Places): string => path.join(places.engine, 'kept');

/**
 * Lays these files into a room, whatever a command there made of them before. Throws `io` for one that is neither kept nor in the
 * worktree as it was, and `unsafe_state_directory` where a link stands on its way.
 */
export function lay(root: string, room: string, files: PathDigest[]): void {
  for (const file of files) {
    const to = inside(room, file.path);
    if (readKnown(to, file) !== undefined) continue;
    const { at, bytes } = find(root, file);
    try {
      // What is no file is not taken away: it is in the way.
      fs.rmSync(to, { force: true });
      fs.mkdirSync(path.dirname(to), { recursive: true });
      createNew(to, bytes);
      fs.chmodSync(to, fs.statSync(at).mode & 0o777);
    } catch (error) {
      throw HostError.io('lay into a room', to, error);
    }
  }
}

/** Where a file is as it was, and what it holds. */
function find(root: string, file: PathDigest): { at: string; bytes: Buffer } {
  const worktree = inside(root, file.path);
  for (const at of [path.join(folder(new Places(root)), file.digest), worktree]) {
    const bytes = readKnown(at, file);
    if (bytes !== undefined) return { at, bytes };
  }
  throw HostError.io('find', worktree, new Error(`no file with the SHA-256 ${file.digest}`));
}

function readKnown(at: string, { digest }: PathDigest): Buffer | undefined {
  try {
    const bytes = read(at);
    return digestOf(bytes) === digest ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a file, and not what a link leads to. */
function read(at: string): Buffer {
  if (!fs.lstatSync(at).isFile()) throw new Error('not a regular file');
  return readRegular(at);
}
