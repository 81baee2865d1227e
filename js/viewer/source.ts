// What a reader can open: files, a folder, bytes, a running mission. Whatever it is called, it is told by what
// is in it.
import { agent, cluster, CLUSTER, feature, isPlan, plan, slices, tasks } from './plans';
import type { Opened, ReadPlan } from './wire';

/** What `mount` is given. */
export type Source =
  | { journal: Blob | Uint8Array | string }
  | { snapshot: string }
  | { files: File[]; remark?: string }
  | { live: string; snapshot?: number }
  | { config: unknown };

export interface Documents {
  readDocument(kind: string, text: string, path?: string): Promise<Record<string, unknown>>;
  planParse(text: string, name: string): Promise<ReadPlan>;
}

/** Why a file cannot be shown, in words for people. */
export class NotShown extends Error {}

const HEAD = 4096;
/** How a line of a journal begins. */
const BEGINS = /^\{"seq":/;
/** The front matter of a canonical plan. */
const CANONICAL = /^\ufeff?---\r?\n(?:(?!---)[^\n]*\n)*plan:\s*["']?endstate\//;
/** Into so many files of another name we look for a journal. */
const MOST_LOOKED_AT = 64;
const MOST_TEXT = 64 * 1024 * 1024;

/** What the desk is to open. */
export async function openedOf(source: Exclude<Source, { live: string }>, read: Documents): Promise<Opened> {
  if ('files' in source) return openFiles(source.files, source.remark, read);
  if ('snapshot' in source) return { kind: 'snapshot', text: source.snapshot };
  if ('config' in source) return { kind: 'config', config: source.config, note: 'The plan as it would begin.' };
  return { kind: 'journal', blob: source.journal instanceof Blob ? source.journal : new Blob([source.journal as BlobPart]), whole: true };
}

/** What is to be shown among files, with what was left aside. */
async function openFiles(files: File[], remark: string | undefined, read: Documents): Promise<Opened> {
  try {
    const opened = await openAmong(files, read);
    const said = [opened.remark, remark].filter(Boolean).join(' ');
    return said ? { ...opened, remark: said } : opened;
  } catch (error) {
    throw error instanceof NotShown && remark ? new NotShown(`${error.message} ${remark}`) : error;
  }
}

/** A state directory is known by its journal. */
async function openAmong(files: File[], read: Documents): Promise<Opened> {
  const [journal, ...others] = await journals(files);
  const snapshots = files.filter((file) => SNAPSHOT.test(pathOf(file))).sort((a, b) => eventOf(b) - eventOf(a));
  if (journal) return journalAmong(journal, others, snapshots);
  const plans = files.filter((file) => CLUSTER.test(file.name)).sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
  if (!snapshots[0] && plans[0]) return cluster(plans, read);
  const one = snapshots[0] ?? (files.length === 1 ? files[0] : planAmong(files) ?? await canonicalAmong(files));
  if (!one && files.length > 1 && files.every(({ name }) => /\.(md|markdown)$/.test(name))) return tasks(files, read);
  if (!one) throw new NotShown(files.length === 0 ? 'There is no file that could be a journal, a snapshot or a plan.' : 'Among these files is no journal, snapshot or plan. A state directory has a file journal.jsonl.');
  return openOne(one, files, read);
}

const SNAPSHOT = /(^|\/)snapshot-(\d{1,15})\.json$/;
const eventOf = (file: File): number => Number(SNAPSHOT.exec(pathOf(file))?.[2]);
const folderOf = (file: File): string => pathOf(file).replace(/[^/]*$/, '');
const deep = (file: File): number => pathOf(file).split('/').length;
const nearest = (a: File, b: File): number => deep(a) - deep(b) || (pathOf(a) < pathOf(b) ? -1 : 1);

/** All journals: that of the mission first, then by how near to the root they lie. */
async function journals(files: File[]): Promise<File[]> {
  const named = files.filter((file) => /(^|\/)journal\.jsonl$/.test(pathOf(file)));
  const mission = (file: File): number => (/(^|\/)\.agent\/endstate\/journal\.jsonl$/.test(pathOf(file)) ? 0 : 1);
  if (named.length > 0 || files.length < 2) return named.sort((a, b) => mission(a) - mission(b) || nearest(a, b));
  const lines = files.filter(({ name }) => name.endsWith('.jsonl')).sort(nearest).slice(0, MOST_LOOKED_AT);
  const begin = await Promise.all(lines.map((file) => file.slice(0, HEAD).text()));
  return lines.filter((_, at) => BEGINS.test(begin[at]!));
}

function journalAmong(journal: File, others: File[], snapshots: File[]): Opened {
  const beside = snapshots.find((file) => folderOf(file) === folderOf(journal));
  const left = others.slice(0, 3).map(pathOf).join(', ');
  const more = others.length > 3 ? ` and ${others.length - 3} more` : '';
  const remark = `One journal is shown at a time: this is ${pathOf(journal)}; not shown: ${left}${more}.`;
  return { ...asJournal(journal), ...(beside && { beside: eventOf(beside) }), ...(others.length > 0 && { remark }) };
}

/** The plan of a repository or of a folder: the one whose name says so, and of several the one nearest to its root. */
function planAmong(files: File[]): File | undefined {
  const sorted = [...files].sort(nearest);
  const named = [/(^|\/)EXECUTION_PLAN\.md$/, /(^|\/)\.agent\/plan\.json$/, /(^|\/)plan\.json$/, /feature[^/]*\.ya?ml$|(^|\/)features\/[^/]*\.ya?ml$/i, /\.ya?ml$/];
  return named.map((name) => sorted.find((file) => name.test(pathOf(file)))).find((file) => file !== undefined);
}

/** A canonical plan says so, whatever it is called. */
async function canonicalAmong(files: File[]): Promise<File | undefined> {
  for (const file of files.filter(({ name }) => /\.md$/.test(name)).slice(0, MOST_LOOKED_AT)) {
    if (CANONICAL.test(await file.slice(0, HEAD).text())) return file;
  }
  return undefined;
}

/** Where files lay in a folder that was dropped: they do not know it themselves. */
const paths = new WeakMap<File, string>();
export const setPath = (file: File, path: string): void => void paths.set(file, path);
const pathOf = (file: File): string => paths.get(file) ?? (file.webkitRelativePath || file.name);

const asJournal = (blob: Blob): Extract<Opened, { kind: 'journal' }> => ({ kind: 'journal', blob, whole: true });

async function openOne(file: File, all: File[], read: Documents): Promise<Opened> {
  const head = await file.slice(0, HEAD).text();
  if (head.trim() === '') throw new NotShown(`${file.name} is empty.`);
  if (BEGINS.test(head) || /\.jsonl$/.test(file.name)) return asJournal(file);
  if (file.size > MOST_TEXT) throw new NotShown(`${file.name} is no journal, and too large for a plan: ${file.size} bytes.`);
  const text = await file.text();
  if (/^\s*\{/.test(head)) {
    const value = parsed(text);
    if (value && 'head' in value && 'mission' in value) return { kind: 'snapshot', text };
    // As it lies in a state directory: with its place in the journal before it.
    if (value && 'position' in value && 'snapshot' in value) {
      return { kind: 'snapshot', text: text.slice(text.indexOf('"snapshot":') + 11, text.lastIndexOf('}')) };
    }
    if (value && 'candidate_slices' in value) return slices(value);
    if (value && ('behavior' in value || 'runner' in value)) return agent(text, file.name, read);
    if (value && await isPlan(text, file.name, read)) return plan(text, file, all, read);
    throw new NotShown(`${file.name} is ${value ? 'JSON, but' : 'no JSON, and'} neither a journal, nor a snapshot, nor a plan, nor an agent definition.`);
  }
  if (/\.(ya?ml)$/.test(file.name)) return feature(text, all, read);
  if (await isPlan(text, file.name, read)) return plan(text, file, all, read);
  if (/\.(md|markdown)$/.test(file.name) || head.startsWith('---')) {
    return tasks([file], read);
  }
  throw new NotShown(`${file.name} is neither a journal, nor a snapshot, nor a plan: it begins with ${JSON.stringify(head.slice(0, 60))}.`);
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value as Record<string, unknown> : undefined;
  } catch {
    return undefined;
  }
}
