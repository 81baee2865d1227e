// What if: a copy of the engine from the moment before an event takes another one in its place, or one from the moment
// after it takes one that did not happen, and goes on.
//
// A branch can take what happened afterwards as long as the engine takes it: the first event that is refused
// is where the two part. Everything the branch took is written as journal lines behind those of the
// journal, so that it can be saved and is a journal like any other.
import { momentOf } from './desk';
import type { EngineHandle, EngineModule } from './engine';
import { roleName } from './names';
import { Rehearser } from './rehearsal/index';
import { World } from './rehearsal/world';
import type { Branch, BranchStep, Event, Line, Outstanding, Picture, Rehearsal, Scene, WayOn } from './wire';

/** How far back the world before the branch is looked for. */
const MOST_BACK = 5_000;

interface Journal {
  engineAt(seq: number): Promise<EngineHandle>;
  line(seq: number): Promise<Line>;
  /** The lines before an event; nothing where there are none, as of a snapshot. */
  before(seq: number): Promise<Uint8Array | undefined>;
  /** What the mission was started with. */
  settings(): Promise<Record<string, unknown>>;
  known(): number;
}

export class Branches {
  #journal: Journal;
  #engine: EngineHandle | undefined;
  #seq = 0;
  #next = 0;
  #left: string | undefined;
  #steps: BranchStep[] = [];
  #lines: (string | undefined)[] = [];
  #rehearsal: Rehearsal | undefined;

  constructor(_module: EngineModule, journal: Journal) {
    this.#journal = journal;
  }

  /** A branch in which `event` happens in the place of event `seq`, or `after` it. A refusal is thrown and changes nothing. */
  async begin(seq: number, event: Event, after: boolean): Promise<Branch> {
    if (seq < 1 && !after) throw new Error('the start itself cannot be replaced');
    const engine = (await this.#journal.engineAt(after ? seq : seq - 1)).fork();
    try {
      const first = (JSON.parse(engine.picture()) as Picture).seq + 1;
      const { decided, line } = engine.apply(event);
      this.#engine?.free();
      this.#engine = engine;
      this.#lines = [line];
      this.#rehearsal = undefined;
      this.#steps = [{ seq: first, event, decided }];
      [this.#seq, this.#next, this.#left] = [first, seq + 1, undefined];
    } catch (error) {
      engine.free();
      throw error;
    }
    return this.look();
  }

  /** One more event of the reader's. */
  async add(event: Event): Promise<Branch> {
    this.#take(event);
    return this.look();
  }

  /** Takes what happened behind the replaced event, up to the first event that the branch refuses. */
  async follow(most = Infinity): Promise<Branch> {
    const engine = this.#open();
    const before = this.#steps.length;
    while (this.#next < this.#journal.known() && this.#steps.length - before < most) {
      const line = await this.#journal.line(this.#next);
      try {
        this.#take(line.event!, this.#next);
      } catch (error) {
        this.#left = `event ${this.#next} is refused here: ${error instanceof Error ? error.message : String(error)}`;
        break;
      }
      this.#next += 1;
      if (engine.continuation() === 'done') break;
    }
    return this.look();
  }

  look(): Branch {
    const engine = this.#open();
    const moment = momentOf(engine);
    const [picture, scene] = [JSON.parse(moment.picture) as Picture, JSON.parse(moment.scene!) as Scene];
    const pending = engine.pending();
    const branch: Branch = {
      seq: this.#seq, whole: this.#lines[0] !== undefined, steps: this.#steps, picture, scene, why: engine.why(), pending, next: this.#next,
      way: wayOn(picture, scene, pending),
    };
    return this.#left === undefined ? branch : { ...branch, left: this.#left };
  }

  /** The shortest way to done from where the branch is. The branch stays where it is. */
  async rehearse(): Promise<Rehearsal> {
    const engine = this.#open().fork();
    try {
      const world = await World.after(this.#back());
      this.#rehearsal = new Rehearser(engine, world, this.#steps.at(-1)!.event.at, await this.#journal.settings()).run();
      return this.#rehearsal;
    } finally {
      engine.free();
    }
  }

  /** Takes the way that was rehearsed into the branch. */
  async takeWay(): Promise<Branch> {
    for (const event of this.#rehearsal?.events ?? []) this.#take(event);
    return this.look();
  }

  /** What was before, the newest first. */
  async *#back(): AsyncGenerator<Pick<Line, 'event'>> {
    yield* this.#steps.toReversed();
    for (let seq = Math.min(this.#seq, this.#journal.known()) - 1; seq > 0 && seq > this.#seq - MOST_BACK; seq -= 1) yield await this.#journal.line(seq);
  }

  /** The branch as a journal of its own. */
  async journal(): Promise<Uint8Array> {
    this.#open();
    const before = await this.#journal.before(this.#seq);
    if (!before || this.#lines.includes(undefined)) throw new Error('a snapshot has no lines before it: its branch is no whole journal');
    const after = new TextEncoder().encode(this.#lines.map((line) => `${line}\n`).join(''));
    const whole = new Uint8Array(before.length + after.length);
    whole.set(before);
    whole.set(after, before.length);
    return whole;
  }

  close(): void {
    this.#engine?.free();
    this.#engine = undefined;
    this.#steps = [];
  }

  #open(): EngineHandle {
    if (!this.#engine) throw new Error('there is no branch');
    return this.#engine;
  }

  #take(event: Event, repeats?: number): void {
    const { decided, line } = this.#open().apply(event);
    this.#lines.push(line);
    this.#rehearsal = undefined;
    const step = { seq: this.#seq + this.#steps.length, event, decided };
    this.#steps.push(repeats === undefined ? step : { ...step, repeats });
  }
}

/** The least that is left: every open item once, in an order that its dependencies allow. */
export function wayOn(picture: Branch['picture'], scene: Scene, pending: Outstanding[]): WayOn {
  const closed = new Set(['done', 'waived', 'deferred']);
  const open = (at: number): boolean => !closed.has(picture.nodes[at]![0]);
  const items = scene.nodes
    .map((node, at) => ({ node, row: picture.nodes[at]!, at }))
    .filter(({ at }) => open(at))
    .sort((a, b) => a.node.lane - b.node.lane || a.at - b.at)
    .map(({ node, row }) => ({ id: node.id, label: node.label, state: row[0], open: row[3] - row[2] }));
  const first = pending.map(({ effect }) => {
    const data = effect.order.data ?? {};
    switch (effect.order.type) {
      case 'ask_user': return `you answer question ${effect.id}`;
      case 'spawn_role': return `${roleName(String(data['role']))} reports${data['item'] ? ` on ${String(data['item'])}` : ''}`;
      default: return `the host performs ${effect.order.type.replaceAll('_', ' ')}`;
    }
  });
  return {
    items,
    criteria: items.reduce((sum, item) => sum + item.open, 0),
    chain: picture.critical.map((at) => scene.nodes[at]!.id),
    first,
  };
}
