// What a reader can open: files, a folder, bytes, a running mission. Whatever it is called, it is told by what
// is in it.
import { agent, cluster, CLUSTER, feature, plan, slices, SPRINTS, tasks } from './plans';
import type { Opened, Remark } from './wire';

/** What `mount` is given. */
export type Source =
  | { journal: Blob | Uint8Array | string }
  | { snapshot: string }
  | { files: File[] }
  | { live: string }
  | { config: unknown };

export interface Documents {
  readDocument(kind: string, text: string, path?: string): Promise<Record<string, unknown>>;
  planRemarks(text: string): Promise<Remark[]>;
}

/** Why a file cannot be shown, in words for people. */
export class NotShown extends Error {}

const HEAD = 4096;
const MOST_TEXT = 64 * 1024 * 1024;

/** What the desk is to open. */
export async function openedOf(source: Exclude<Source, { live: string }>, read: Documents): Promise<Opened> {
  if ('files' in source) return (await openFiles(source.files, read)).opened;
  if ('snapshot' in source) return { kind: 'snapshot', text: source.snapshot };
  if ('config' in source) return { kind: 'config', config: source.config, note: 'The plan as it would begin.' };
  return { kind: 'journal', blob: source.journal instanceof Blob ? source.journal : new Blob([source.journal as BlobPart]), whole: true };
}

/** Finds what is to be shown among files. A state directory is known by its journal. */
export async function openFiles(files: File[], read: Documents): Promise<{ opened: Opened; name: string }> {
  const path = pathOf;
  const journal = files.find((file) => /(^|\/)journal\.jsonl$/.test(path(file)));
  if (journal) return { opened: asJournal(journal), name: path(journal) };
  const snapshots = files.filter((file) => /(^|\/)snapshot-\d+\.json$/.test(path(file)))
    .sort((a, b) => Number(b.name.match(/\d+/)?.[0]) - Number(a.name.match(/\d+/)?.[0]));
  const plans = files.filter((file) => CLUSTER.test(file.name)).sort((a, b) => (path(a) < path(b) ? -1 : 1));
  if (!snapshots[0] && plans[0]) return { opened: await cluster(plans, read), name: path(plans[0]) };
  const one = snapshots[0] ?? (files.length === 1 ? files[0] : planAmong(files));
  if (!one && files.length > 1 && files.every(({ name }) => /\.(md|markdown)$/.test(name))) return { opened: await tasks(files, read), name: path(files[0]!) };
  if (!one) throw new NotShown(files.length === 0 ? 'No file was given.' : 'Among these files is no journal, snapshot or plan. A state directory has a file journal.jsonl.');
  return { opened: await openOne(one, files, read), name: path(one) };
}

/** The plan of a repository or of a folder: the one whose name says so, and of several the one nearest to its root. */
function planAmong(files: File[]): File | undefined {
  const deep = (file: File): number => pathOf(file).split('/').length;
  const sorted = [...files].sort((a, b) => deep(a) - deep(b) || (pathOf(a) < pathOf(b) ? -1 : 1));
  const named = [/(^|\/)EXECUTION_PLAN\.md$/, /(^|\/)\.agent\/plan\.json$/, /(^|\/)plan\.json$/, /feature[^/]*\.ya?ml$|(^|\/)features\/[^/]*\.ya?ml$/i, /\.ya?ml$/];
  return named.map((name) => sorted.find((file) => name.test(pathOf(file)))).find((file) => file !== undefined);
}

const pathOf = (file: File): string => file.webkitRelativePath || file.name;

const asJournal = (blob: Blob): Opened => ({ kind: 'journal', blob, whole: true });

async function openOne(file: File, all: File[], read: Documents): Promise<Opened> {
  const head = await file.slice(0, HEAD).text();
  if (head.trim() === '') throw new NotShown(`${file.name} is empty.`);
  if (/^\{"seq":/.test(head) || /\.jsonl$/.test(file.name)) return asJournal(file);
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
    return agent(text, file.name, read);
  }
  if (/\.(ya?ml)$/.test(file.name)) return feature(text, all, read);
  if (SPRINTS.test(text)) return plan(text, file.name, read);
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

/** All files of what was dropped, folders and all, within reason. */
export async function dropped(items: DataTransferItemList): Promise<File[]> {
  const files: File[] = [];
  const visit = async (entry: FileSystemEntry, deep: number): Promise<void> => {
    if (files.length > 400 || deep > 6) return;
    if (entry.isFile) {
      const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
      files.push(file);
      return;
    }
    if (/^(node_modules|\.git|target|runs|tmp)$/.test(entry.name)) return;
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    for (const one of entries) await visit(one, deep + 1);
  };
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  for (const entry of entries) await visit(entry, 0);
  return files;
}
