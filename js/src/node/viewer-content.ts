// Whether there is anything in a file that its page could show. A page that only says it cannot is not worth
// writing: it is said here, in the words of the reader that refused. Twin of src/cli/view/content.rs; how the page
// tells what a file is stands in js/viewer/source.ts.

import { Engine, HostError, isEngineError, isHostError, replay } from 'endstate-core';
import { readDocument } from 'endstate-plan';

const EXPECTED = 'a journal, a snapshot, a plan or an agent definition';
/** What only a plan of sprints has: a heading of its units, or of a sprint. */
const SPRINTS = /^#{1,6}\s+(?:work units?|sprint|sortie)(?![\p{L}\p{N}_])/imu;

type Named = [name: string, bytes: Buffer];

/** Refuses files of which nothing could be shown; `source` is how they are called. */
export function checkContent(source: string, files: Named[]): void {
  const [first] = files;
  if (first) told(source, () => read(source, first, files));
}

function read(source: string, [name, bytes]: Named, files: Named[]): unknown {
  const text = bytes.toString().replace(/^\ufeff/, '');
  if (text.startsWith('{"seq":') || name.endsWith('.jsonl')) return journal(source, bytes);
  if (name.endsWith('-PLAN.md')) return files.map(([plan, content]) => readDocument('plan', content.toString(), plan));
  if (/^\s*\{/.test(text)) return object(source, text);
  if (/\.ya?ml$/.test(name)) return readDocument('feature', text);
  if (SPRINTS.test(text)) return readDocument('sprint', text, name);
  if (/\.(md|markdown)$/.test(name) || text.startsWith('---')) return readDocument('task', text);
  throw foreign(source, text);
}

/** A journal of which the first line does not hold has no moment; what is wrong further on, the page tells. */
function journal(source: string, bytes: Buffer): void {
  const end = bytes.indexOf(10);
  if (end < 0) throw new HostError('journal_damaged', source, 'a journal', bytes.length === 0 ? 'an empty file' : 'no whole line');
  replay(bytes.subarray(0, end + 1));
}

function object(source: string, text: string): unknown {
  let value: object;
  try {
    value = JSON.parse(text) as object;
  } catch {
    throw foreign(source, text);
  }
  if ('head' in value && 'mission' in value) return Engine.open(text).free();
  // As it lies in a state directory: with its place in the journal before it.
  if ('position' in value && 'snapshot' in value) return Engine.open(text.slice(text.indexOf('"snapshot":') + 11, text.lastIndexOf('}'))).free();
  if ('candidate_slices' in value) return value;
  if ('behavior' in value || 'runner' in value) return readDocument('agent', text);
  throw new HostError('invalid_value', source, EXPECTED, 'JSON of something else');
}

const foreign = (source: string, text: string): HostError =>
  new HostError('invalid_value', source, EXPECTED, text.trim() === '' ? 'an empty file' : JSON.stringify([...text.slice(0, 80)].slice(0, 40).join('')));

/** A fault of a reader, with the file it is in. */
function told(source: string, look: () => unknown): void {
  try {
    look();
  } catch (error) {
    if (isHostError(error) || !isEngineError(error)) throw error;
    throw new HostError(error.code, error.at ? `${source}: ${error.at}` : source, error.expected, error.got);
  }
}
