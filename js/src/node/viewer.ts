// What the viewer shows, and its page with files in it. Twin of src/cli/view/page.rs.
//
// The page is viewer.html of this package: one file in windows-1252, where every byte is a letter (see
// js/viewer/payload.ts). It is never looked for in the repository that is shown, since agents write there.

import { HostError } from 'endstate-core';
import { readDocument } from 'endstate-plan';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { Places } from './places.js';
import { newest, toldBeside } from './viewer-beside.js';

/** Where files are put. */
const PLACE = '<!--journal-->';
/** How the document begins; where it is served, it is told so here. */
const HTML = '<html lang="en"';
/** The largest plan document that is put into the page. */
const MOST_BYTES = 64 * 1024 * 1024;

/** What is to be shown, and with which page. */
export interface ViewerOptions {
  /** Where relative paths begin, and where a feature file's tasks are looked for. */
  root: string;
  /** A repository with a mission, a state directory, a journal, a snapshot or a plan document; by default `root`. */
  path?: string;
  /** The page: `viewer.html` of this package. */
  page: string;
}

/** What is shown. */
export type Shown =
  /** A journal that may grow; with the repository, if commands can be given. */
  | { journal: string; repository: string | undefined }
  /** Files as they are, by name. */
  | { files: [name: string, bytes: Buffer][] };

/** The page of the viewer with a mission or a document in it: one file that opens from disk, offline. */
export function viewerFile({ root, path: what = '.', page }: ViewerOptions): Uint8Array {
  return new Page(page).withFiles(filesOf(find(root, what)));
}

/** The files that the page has in it. */
export function filesOf(shown: Shown): [name: string, bytes: Buffer][] {
  if ('files' in shown) return shown.files;
  // Before the journal is read: a mission that runs writes the journal first.
  const event = newest(shown.journal);
  const bytes = readBytes(shown.journal);
  return [['journal.jsonl', bytes], ...toldBeside(event, bytes)];
}

/** Tells what is at a path. Throws `no_mission`, `io`. */
export function find(root: string, what: string): Shown {
  const full = path.resolve(root, what);
  let found: fs.Stats;
  try {
    found = fs.statSync(full);
  } catch (error) {
    throw HostError.io('read', full, error);
  }
  if (found.isFile()) return full.endsWith('.jsonl') ? { journal: full, repository: undefined } : { files: documents(root, full) };
  const places = new Places(full);
  places.check();
  if (fs.existsSync(places.journal)) return { journal: places.journal, repository: full };
  const journal = path.join(full, 'journal.jsonl');
  if (fs.existsSync(journal)) return { journal, repository: undefined };
  const plans = fs.readdirSync(full).filter((name) => name.endsWith('-PLAN.md')).sort();
  if (plans.length > 0) return { files: plans.map((name) => [name, readDocumentFile(path.join(full, name))]) };
  throw new HostError('no_mission', places.journal, 'a mission that was begun', 'no journal');
}

/** A document by itself, and a feature file with the task documents it names. */
function documents(root: string, file: string): [string, Buffer][] {
  const bytes = readDocumentFile(file);
  const files: [string, Buffer][] = [[path.basename(file), bytes]];
  if (!/\.ya?ml$/.test(file)) return files;
  for (const wanted of tasksOf(bytes.toString())) {
    const inside = !path.isAbsolute(wanted) && wanted.split(/[/\\]/).every((part) => !['', '.', '..'].includes(part));
    const task = path.join(root, wanted);
    // A document that is not there is told in the page.
    if (inside && fs.statSync(task, { throwIfNoEntry: false })?.isFile()) files.push([wanted, readDocumentFile(task)]);
  }
  return files;
}

/** The documents that a feature file names; none if it is something else, which the page will say. */
function tasksOf(text: string): string[] {
  try {
    return readDocument('feature', text).tasks.flatMap(({ file_path: named }) => named ?? []);
  } catch {
    return [];
  }
}

function readDocumentFile(file: string): Buffer {
  const { size } = fs.statSync(file);
  if (size > MOST_BYTES) throw new HostError('usage', file, `at most ${MOST_BYTES} bytes`, String(size));
  return readBytes(file);
}

function readBytes(file: string): Buffer {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    throw HostError.io('read', file, error);
  }
}

/** The page. */
export class Page {
  readonly #bytes: Buffer;

  constructor(file: string) {
    this.#bytes = readBytes(file);
    if (this.#bytes.includes(PLACE) && this.#bytes.includes(HTML)) return;
    throw new HostError('usage', file, 'the page of the viewer', 'another file');
  }

  /** The page with these files in it. */
  withFiles(files: [string, Uint8Array][]): Buffer {
    const blocks = files.flatMap(([name, bytes]) =>
      [Buffer.from(`<script type="application/octet-stream" data-file="${attribute(name)}">`), encode(bytes), Buffer.from('</script>\n')]);
    return this.#replace(PLACE, Buffer.concat(blocks));
  }

  /** The page that asks its server for a growing journal; told of the event of the newest snapshot. */
  live(event?: number): Buffer {
    return this.#replace(HTML, Buffer.from(`${HTML} data-live=""${event === undefined ? '' : ` data-snapshot="${event}"`}`));
  }

  #replace(from: string, to: Buffer): Buffer {
    const at = this.#bytes.indexOf(from);
    return Buffer.concat([this.#bytes.subarray(0, at), to, this.#bytes.subarray(at + from.length)]);
  }
}

/** See js/viewer/payload.ts: every byte as it is, but for five. */
function encode(bytes: Uint8Array): Buffer {
  const out = Buffer.alloc(bytes.length * 2);
  let length = 0;
  for (const byte of bytes) {
    const special = byte === 0 || byte === 0x0a || byte === 0x0d || byte === 0x3c || byte === 0x3d;
    if (special) out[length++] = 0x3d;
    out[length++] = special ? byte + 64 : byte;
  }
  return out.subarray(0, length);
}

/** A text as the value of an attribute, in ASCII. */
function attribute(text: string): string {
  return text.replace(/[^A-Za-z0-9.\-_/]/gu, (letter) => `&#${letter.codePointAt(0)};`);
}
