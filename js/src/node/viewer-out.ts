// Where the page of `view --html` may be written: a new file, or in the place of a page that this program wrote
// before. Anything else that is there is somebody's, and the journal that is shown lies one slip of the keyboard
// away. Twin of src/cli/view/out.rs.

import { HostError } from 'endstate-core';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { replace } from './durable.js';
import { openRegular } from './regular.js';
import { checkContent } from './viewer-content.js';
import { filesOf, find, Page } from './viewer.js';
import type { ViewerOptions } from './viewer.js';

/** How a page that was written begins; what it shows lies before the engine, so the page of the package is not one. */
const MARKS = ['<!doctype html>\n<html lang="en"', '<title>endstate viewer</title>', '<script type="application/octet-stream" data-file="'] as const;
/** The marks stand in so many first bytes. */
const HEAD = 4096;
/** Nothing but what engines write lies there. */
const STATE = ['.agent', '.grid'];

/** Where the page is to be written to, besides what it shows. */
export interface ViewerOut extends ViewerOptions {
  /** A new file, or a page that was written in this way before. */
  out: string;
}

/**
 * Writes the page of the viewer with a mission or a document in it, whole or not at all; gives its size.
 * Throws `usage` where something else is in its place, or in a state directory, and what the reader says of a file
 * of which nothing can be shown; nothing is changed then.
 */
export function writeViewer({ out: wanted, ...options }: ViewerOut): number {
  const { root, path: what = '.', page } = options;
  const shown = find(root, what);
  const source = 'files' in shown ? path.resolve(root, what) : shown.journal;
  const viewer = new Page(page);
  const files = filesOf(shown);
  checkContent(source, files);
  const bytes = viewer.withFiles(files);
  const out = path.resolve(root, wanted);
  checkOut(out, source);
  write(out, bytes);
  return bytes.length;
}

function write(out: string, bytes: Uint8Array): void {
  const parent = path.dirname(out);
  // A folder of our own, so that no file on its way takes the place of another.
  const staging = path.join(parent, `.endstate-view-${process.pid}`);
  try {
    fs.statSync(parent);
    replace(out, staging, bytes);
  } catch (error) {
    throw HostError.io('write', out, error);
  } finally {
    if (fs.existsSync(staging)) fs.rmdirSync(staging);
  }
}

/** Refuses a place that is not ours to write to. */
function checkOut(out: string, source: string): void {
  const refused = (expected: string, got: string): HostError => new HostError('usage', `--html ${out}`, expected, got);
  const state = stateDirectory(out);
  if (state !== undefined) throw refused('a file outside of `.agent` and `.grid`', `a file in ${state}`);
  let found: fs.BigIntStats | undefined;
  try {
    found = fs.lstatSync(out, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    throw HostError.io('read', out, error);
  }
  const got = found && whose(out, source, found);
  if (got !== undefined) throw refused('a new file, or a page that `view --html` wrote before', got);
}

/** What stands at a path, if it is not a page of ours. */
function whose(out: string, source: string, found: fs.BigIntStats): string | undefined {
  if (found.isSymbolicLink()) return 'a symbolic link';
  if (found.isDirectory()) return 'a folder';
  if (!found.isFile()) return 'neither a file nor a folder';
  const shown = fs.statSync(source, { bigint: true, throwIfNoEntry: false });
  if (shown && shown.dev === found.dev && shown.ino === found.ino) return 'the very file that is to be shown';
  if (!/[^/\\]\.html$/i.test(out)) return 'a file whose name does not end in .html';
  return isOurs(out) ? undefined : 'another file';
}

function isOurs(name: string): boolean {
  const head = Buffer.alloc(HEAD);
  let length: number;
  try {
    const file = openRegular(name);
    try {
      length = fs.readSync(file, head, 0, HEAD, 0);
    } finally {
      fs.closeSync(file);
    }
  } catch {
    return false;
  }
  const text = head.toString('latin1', 0, length);
  return text.startsWith(MARKS[0]) && MARKS.every((mark) => text.includes(mark));
}

/** The state directory that a path leads into, links or not. */
function stateDirectory(out: string): string | undefined {
  let real: string;
  try {
    real = fs.realpathSync(path.dirname(out));
  } catch {
    return undefined;
  }
  return real.split(path.sep).find((part) => STATE.includes(part.toLowerCase()));
}
