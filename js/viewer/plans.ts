// Plan documents as what a mission of their protocol would be started with: the plan as it would begin.
import { reviewOf } from './review';
import { NotShown, type Documents } from './source';
import type { Opened } from './wire';

type Json = Record<string, unknown>;

export const config = (mission: unknown, note: string): Extract<Opened, { kind: 'config' }> => ({ kind: 'config', config: { mission }, note: `This is ${note}: the plan as it would begin. Nothing has happened yet.` });

/** What only a plan of sprints has: its format, or a heading of its units, or of a sprint. */
const SPRINTS = /^plan:\s*["']?endstate\/|^#{1,6}\s+(?:work units?|sprint|sortie)\b/im;
const MOST_REMARKS = 8;

/** Whether a document is a plan of sprints, of whatever family. A bare check list may be a task document. */
export async function isPlan(text: string, name: string, read: Documents): Promise<boolean> {
  if (SPRINTS.test(text)) return true;
  const known = await read.planParse(text, name).catch(() => undefined);
  return known !== undefined && known.family !== 'checklist';
}

/** A plan of sprints, with what its author should know. One that cannot run is refused with its first fault. */
export async function plan(text: string, file: File, all: File[], read: Documents): Promise<Opened> {
  const settings = await read.readDocument('sprint', text, file.name);
  const parsed = await read.planParse(text, file.name);
  const { remarks } = parsed;
  const said = remarks.slice(0, MOST_REMARKS).map(({ line, expected, got }) => `line ${line}: expected ${expected}, got ${got}`);
  const more = remarks.length > said.length ? `; and ${remarks.length - said.length} more` : '';
  const count = remarks.length === 1 ? 'One remark' : `${remarks.length} remarks`;
  const review = await reviewOf(parsed, all);
  const opened = { ...config({ protocol: 'sprint', settings }, 'a plan of sprints'), ...(review && { review }) };
  return said.length === 0 ? opened : { ...opened, note: `${opened.note} ${count}: ${said.join('; ')}${more}.` };
}

/** A plan of one block of a cluster is known by its name. */
export const CLUSTER = /-PLAN\.md$/;

/** An id or a number without its zeros: `01-02` and `1-2` are one plan. */
const plain = (id: string): string => id.trim().replace(/\b0+(?=\d)/g, '');

interface Block { id: string; phase: string; objective: string; depends_on: string[] }

/** The plans of a cluster: each a block. What a block waits for and was not opened with it is told. */
export async function cluster(files: File[], read: Documents): Promise<Opened> {
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

interface Task { id: string; title: string; criteria: unknown[]; document?: string; dependencies?: string[]; status?: string }

async function readTask(text: string, name: string, read: Documents, id?: string): Promise<Task> {
  const task = await read.readDocument('task', text);
  const known = id ?? String(task['id'] ?? name.replace(/^.*\//, '').replace(/\.\w+$/, ''));
  return { id: known, title: String(task['title'] ?? known), criteria: task['criteria'] as unknown[], document: name };
}

export async function feature(text: string, all: File[], read: Documents): Promise<Opened> {
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

/** Task documents, each by itself or several as one mission. */
export async function tasks(files: File[], read: Documents): Promise<Opened> {
  const all: Task[] = [];
  for (const file of files) all.push(await readTask(await file.text(), file.name, read));
  const mission = all.length === 1 ? `${all[0]!.id}: ${all[0]!.title}` : `${all.length} tasks`;
  return config({ protocol: 'promise', settings: { mission, tasks: all } }, all.length === 1 ? 'a task document' : `${all.length} task documents`);
}

export async function agent(text: string, name: string, read: Documents): Promise<Opened> {
  const definition = await read.readDocument('agent', text);
  const mission = String(definition['displayName'] ?? definition['display_name'] ?? definition['name'] ?? name);
  return config({ protocol: 'iteration', settings: { mission, definition } }, 'an agent definition');
}

const SLICE = { slice_id: '', goal: '', acceptance_criteria: [], contract_ids: [], priority: 8, status: 'planned', why_now: '', blocked_on: [], evidence: [], extra: [] };
/** A file with nothing in it. */
const EMPTY = {
  lines: 0, records: 0, length: 0, unterminated: false, faults: [], faults_total: 0,
  digest: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
};

/** The plan of a completion mission, taken over as one of another engine would be. Histories are not looked at. */
export function slices(value: Json): Opened {
  const mission = String(value['mission_anchor'] ?? '');
  const known = (entry: Json): Json => Object.fromEntries(Object.entries(SLICE).map(([name, none]) => [name, entry[name] ?? none]));
  const entries = value['candidate_slices'];
  if (!Array.isArray(entries)) throw new NotShown('This plan has no list of slices.');
  const plan = {
    mission_anchor: mission, last_reground_at: null, plan_basis: String(value['plan_basis'] ?? ''), extra: [],
    candidate_slices: entries.map((entry) => known((typeof entry === 'object' && entry !== null ? entry : {}) as Json)),
  };
  const directory = {
    layout: 'seed', mode: 'lenient', mission, profile: null, state: null, plan, active: null, brief: null, verification_evidence: null,
    history: { extent: EMPTY, slices: [] }, judgements: { extent: EMPTY, waves: [], waves_total: 0 }, missing: [], notes: [], faults: [],
  };
  const settings = { mission, project_name: 'project', adopted: { directory, files: [], ancestors: [] } };
  return config({ protocol: 'completion', settings }, 'a plan of slices, without its histories');
}
