// What a reader can open: files, a folder, bytes, a running mission. Whatever it is called, it is told by what
// is in it.
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

/** Finds what is to be shown among files. A state directory is known by its journal. */
export async function openFiles(files: File[], read: Documents): Promise<{ opened: Opened; name: string }> {
  const path = (file: File): string => file.webkitRelativePath || file.name;
  const journal = files.find((file) => /(^|\/)journal\.jsonl$/.test(path(file)));
  if (journal) return { opened: asJournal(journal), name: path(journal) };
  const snapshots = files.filter((file) => /(^|\/)snapshot-\d+\.json$/.test(path(file)))
    .sort((a, b) => Number(b.name.match(/\d+/)?.[0]) - Number(a.name.match(/\d+/)?.[0]));
  const plans = files.filter((file) => CLUSTER.test(file.name)).sort((a, b) => (path(a) < path(b) ? -1 : 1));
  if (!snapshots[0] && plans[0]) return { opened: await cluster(plans, read), name: path(plans[0]) };
  const one = snapshots[0] ?? (files.length === 1 ? files[0] : files.find((file) => /\.(ya?ml)$/.test(file.name)));
  if (!one) throw new NotShown(files.length === 0 ? 'No file was given.' : 'Among these files is no journal, snapshot or plan. A state directory has a file journal.jsonl.');
  return { opened: await openOne(one, files, read), name: path(one) };
}

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
    const definition = await read.readDocument('agent', text);
    const mission = String(definition['displayName'] ?? definition['display_name'] ?? definition['name'] ?? file.name);
    return config({ protocol: 'iteration', settings: { mission, definition } }, 'an agent definition');
  }
  if (/\.(ya?ml)$/.test(file.name)) return feature(text, all, read);
  if (SPRINTS.test(text)) return plan(text, file.name, read);
  if (/\.(md|markdown)$/.test(file.name) || head.startsWith('---')) {
    const task = await readTask(text, file.name, read);
    return config({ protocol: 'promise', settings: { mission: `${task.id}: ${task.title}`, tasks: [task] } }, 'a task document');
  }
  throw new NotShown(`${file.name} is neither a journal, nor a snapshot, nor a plan: it begins with ${JSON.stringify(head.slice(0, 60))}.`);
}

const config = (mission: unknown, note: string): Extract<Opened, { kind: 'config' }> => ({ kind: 'config', config: { mission }, note: `This is ${note}: the plan as it would begin. Nothing has happened yet.` });

/** What only a plan of sprints has: a heading of its units, or of a sprint. */
const SPRINTS = /^#{1,6}\s+(?:work units?|sprint|sortie)\b/im;
const MOST_REMARKS = 8;

/** A plan of sprints, with what its author should know. One that cannot run is refused with its first fault. */
async function plan(text: string, name: string, read: Documents): Promise<Opened> {
  const settings = await read.readDocument('sprint', text, name);
  const remarks = await read.planRemarks(text);
  const said = remarks.slice(0, MOST_REMARKS).map(({ line, expected, got }) => `line ${line}: expected ${expected}, got ${got}`);
  const more = remarks.length > said.length ? `; and ${remarks.length - said.length} more` : '';
  const count = remarks.length === 1 ? 'One remark' : `${remarks.length} remarks`;
  const opened = config({ protocol: 'sprint', settings }, 'a plan of sprints');
  return said.length === 0 ? opened : { ...opened, note: `${opened.note} ${count}: ${said.join('; ')}${more}.` };
}

/** A plan of one block of a cluster is known by its name. */
const CLUSTER = /-PLAN\.md$/;

/** An id or a number without its zeros: `01-02` and `1-2` are one plan. */
const plain = (id: string): string => id.trim().replace(/\b0+(?=\d)/g, '');

interface Block { id: string; phase: string; objective: string; depends_on: string[] }

/** The plans of a cluster: each a block. What a block waits for and was not opened with it is told. */
async function cluster(files: File[], read: Documents): Promise<Opened> {
  const plans: Block[] = [];
  for (const file of files) {
    const { plan } = await read.readDocument('plan', await file.text(), file.name);
    plans.push(plan as unknown as Block);
  }
  const known = (wanted: string): boolean => plans.some(({ id }) => `-${plain(id)}`.endsWith(`-${plain(wanted)}`));
  const missing = plans.flatMap(({ depends_on: all }) => all.filter((one) => !known(one)));
  for (const plan of plans) plan.depends_on = plan.depends_on.filter(known);
  const mission = plans.length === 1 ? plans[0]!.objective : `Phase ${plans[0]!.phase}`;
  const note = `${plans.length === 1 ? 'a plan' : `${plans.length} plans`} of a cluster`;
  return config({ protocol: 'grid', settings: { mission, plans } }, missing.length === 0 ? note : `${note} (${missing.join(', ')} it waits for, too, ${missing.length === 1 ? 'was' : 'were'} not opened)`);
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value as Record<string, unknown> : undefined;
  } catch {
    return undefined;
  }
}

interface Task { id: string; title: string; criteria: unknown[]; document?: string; dependencies?: string[]; status?: string }

async function readTask(text: string, name: string, read: Documents, id?: string): Promise<Task> {
  const task = await read.readDocument('task', text);
  const known = id ?? String(task['id'] ?? name.replace(/^.*\//, '').replace(/\.\w+$/, ''));
  return { id: known, title: String(task['title'] ?? known), criteria: task['criteria'] as unknown[], document: name };
}

async function feature(text: string, all: File[], read: Documents): Promise<Opened> {
  const value = await read.readDocument('feature', text);
  const tasks: Task[] = [];
  let missing = 0;
  for (const one of value['tasks'] as Record<string, unknown>[]) {
    const wanted = one['file_path'] as string | null;
    const name = wanted?.replace(/^.*\//, '');
    const file = all.find((each) => each.name === name);
    const common = { dependencies: one['dependencies'] as string[], status: one['status'] as string };
    if (file) tasks.push({ ...await readTask(await file.text(), wanted!, read, String(one['id'])), ...common, ...(one['name'] ? { title: String(one['name']) } : {}) });
    else {
      missing += 1;
      const unread = [{ id: 'AC-001', text: `as its document ${wanted ?? ''} says (it was not opened)`, lines: { first: 1, last: 1 } }];
      tasks.push({ id: String(one['id']), title: String(one['name'] ?? one['id']), criteria: unread, ...common });
    }
  }
  const settings = { mission: `${String(value['id'])}: ${String(value['name'])}`, tasks, waves: value['waves'] };
  return config({ protocol: 'promise', settings }, `a feature file${missing ? ` (${missing} task documents were not opened with it)` : ''}`);
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
