// A world in which all goes well: it performs what the engine orders without a machine. Files are what the engine
// says they hold, commands exit with zero, the tree is clean, and every run that may write makes one commit.
import type { EngineHandle } from '../engine';
import type { Effect, Event, Fact, Line } from '../wire';

interface Seen { head: string | null; branch: string | null; refs: string | null; beside?: unknown[] }
interface Commit { id: string; paths: string[] }

/** What an order asks for, as far as the world needs it. */
type Data = Record<string, unknown>;

export class World {
  #seen: Seen;
  /** Since the moment the rehearsal began at; the first is where it began. */
  #commits: Commit[];

  constructor(seen: Seen) {
    this.#seen = seen;
    this.#commits = [{ id: seen.head ?? '0'.repeat(40), paths: [] }];
  }

  /** The world as the lines of a journal left it, the newest line first. */
  static async after(lines: AsyncIterable<Pick<Line, 'event'>>): Promise<World> {
    let [head, branch, refs]: [string | null, string | null, string | null] = [null, null, null];
    let beside: unknown[] | undefined;
    for await (const { event } of lines) {
      if (!event) continue;
      head ??= headOf(event);
      if (event.fact.type !== 'repository_observed') continue;
      const seen = event.fact.data['repository'] as unknown as Seen;
      [branch, refs, beside] = [seen.branch, seen.refs, seen.beside];
      break;
    }
    return new World({ head, branch: branch ?? 'main', refs: refs ?? 'refs', ...(beside && { beside }) });
  }

  get head(): string {
    return this.#commits.at(-1)!.id;
  }

  commit(paths: string[], why: string): string {
    const id = hash(`${this.head} ${why}`);
    this.#commits.push({ id, paths });
    return id;
  }

  /** What comes of an order that is neither a run nor a question; nothing for what only time answers. */
  perform({ id: effect, order: { type, data } }: Effect, engine: EngineHandle): Fact | undefined {
    const performed = (outcome: Data): Fact => ({ type: 'effect_performed', data: { effect, outcome } });
    const path = String(data['path']);
    switch (type) {
      case 'write_file': return performed(fileOf(engine.render(path)));
      case 'append_history': return performed(appended(path, Number(data['offset']), String(data['text'])));
      case 'commit_files': {
        const paths = data['paths'] as string[];
        const files = paths.map((one) => ({ path: one, digest: hash(engine.render(one), 64) }));
        return performed({ type: 'commit', head: this.commit(paths, effect), files });
      }
      case 'stop_role': case 'notify': return performed({ type: 'nothing' });
      case 'run_command': return { type: 'command_exited', data: { effect, ...exit(engine, data['argv'] as string[]), problem: null } };
      case 'consult': return { type: 'consulted', data: { effect, answer: '{"complete":true,"description":"all is shown"}', problem: null } };
      case 'observe': return data['what'] === 'documents'
        ? { type: 'documents_observed', data: { effect, documents: (data['paths'] as string[]).map((one) => ({ path: one, seen: seenAt(one, engine) })) } }
        : { type: 'repository_observed', data: { effect, repository: this.#observe(data, engine) } };
      default: return undefined;
    }
  }

  #observe({ since, basis }: Data, engine: EngineHandle): Data {
    const { head, branch, refs, beside = [] } = { ...this.#seen, head: this.head };
    const [from, of] = [since as string | null, basis as string | null];
    // Where all goes well the branch is checked out that is worked on.
    return { head, branch: branchOf(engine) ?? branch, refs, problem: null, dirty: [], since: this.#change(from), basis: this.#change(of), files: [], beside };
  }

  #change(from: string | null): Data | null {
    if (from === null) return null;
    const at = this.#commits.findIndex(({ id }) => id === from);
    const behind = this.#commits.slice(at + 1);
    const paths = new Set(behind.flatMap((one) => one.paths));
    const commits = behind.map(({ id }) => id).reverse();
    // What lies before the rehearsal is not known here, but that something was changed.
    if (at < 0 && from !== this.head) paths.add('work/before');
    return { from, descends: true, paths: [...paths].sort(), commits, truncated: false };
  }

}

/** The branch that a mission works on, if it keeps to one. */
function branchOf(engine: EngineHandle): string | null | undefined {
  const { head } = JSON.parse(engine.snapshot()) as { head: { followed?: { branch: string | null } } };
  return head.followed?.branch;
}

/** How a command exits when all goes well: as the plan expects of it, with an issue that is closed where nothing is said. */
function exit(engine: EngineHandle, argv: string[]): { status: number; output: string } {
  const wanted = JSON.stringify(argv);
  let found: { to: string; text?: string; status?: number } | undefined;
  JSON.parse(engine.snapshot(), (_, value: { argv?: unknown; expect?: { to: string; text?: string; status?: number } } | null) => {
    if (value?.expect && JSON.stringify(value.argv) === wanted) found = value.expect;
    return value;
  });
  if (found?.to === 'fail') return { status: 1, output: '' };
  if (found?.to === 'be_silent') return { status: 0, output: '' };
  if (found?.to === 'exit_with') return { status: found.status ?? 0, output: '' };
  return { status: 0, output: found?.to === 'print' || found?.to === 'print_only' ? found.text ?? '' : '{"state":"CLOSED"}' };
}

/** Documents of others are there and not read; our own are as the engine has just been told. */
function seenAt(path: string, engine: EngineHandle): Data {
  try {
    engine.render(path);
    return { type: 'absent' };
  } catch {
    return path.startsWith('.') ? { type: 'absent' } : { type: 'digest', digest: hash(path, 64), length: 1, problem: null };
  }
}

/** The directory that a run works in, as the plan of its mission has it, with a slash behind it. */
export function directoryOf(settings: Data, item: string | null): string {
  const units = (settings['units'] ?? []) as { id: string; directory?: string }[];
  const own = units.filter(({ id }) => item?.startsWith(`${id}/`)).sort((a, b) => b.id.length - a.id.length)[0];
  return own?.directory ? `${own.directory}/` : '';
}

const lengthOf = (text: string): number => new TextEncoder().encode(text).length;
const fileOf = (text: string): Data => ({ type: 'file', digest: hash(text, 64), length: lengthOf(text) });

function appended(path: string, offset: number, text: string): Data {
  const length = offset + lengthOf(text);
  return { type: 'file', digest: hash(`${path} ${length}`, 64), length };
}

/** The commit that an event tells of. */
function headOf({ fact: { type, data } }: Event): string | null {
  if (type === 'repository_observed') return (data['repository'] as { head: string | null }).head;
  if (type === 'effect_performed') return (data['outcome'] as { head?: string }).head ?? null;
  if (type !== 'run_ended') return null;
  return /"commit_sha"\s*:\s*"([0-9a-f]{40})"/.exec(String(data['report']))?.[1] ?? null;
}

/** Something of the shape of a digest: in a rehearsal nothing has to be found again by it. */
export function hash(text: string, length = 40): string {
  let out = '';
  for (let round = 0; out.length < length; round += 1) {
    let value = 0x811c9dc5 ^ round;
    for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
    out += (value >>> 0).toString(16).padStart(8, '0');
  }
  return out.slice(0, length);
}
