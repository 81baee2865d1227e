// The shortest way to done, rehearsed: from a moment on, the engine is given whatever goes well (runs that report
// success, verdicts that hold, answers that let the mission go on) until it is done. The engine decides every step,
// so what it would refuse is not on the way. The search is greedy and bounded; where it ends otherwise, that is said.
import type { EngineHandle } from '../engine';
import { roleName } from '../names';
import type { Effect, Event, Fact, Item, Outstanding, Picture, Rehearsal, Scene } from '../wire';
import { directoryOf, hash, World } from './world';
import { ROLES } from './roles';

/** The most events and milliseconds of a rehearsal. */
const MOST_EVENTS = 4_000;
const MOST_MS = 5_000;
/** How often in a row one role may be asked for the same at the same head: several judges are. */
const MOST_AGAIN = 12;
/** How often the tree is looked at, at most, until a report is taken or refused. */
const MOST_LOOKS = 4;
/** The options of a choice that let a mission go on, the better first; another question's first option else. */
const GOOD = [
  'grant', 'trust', 'retry', 'mended', 'accept', 'keep', 'confirm', 'wait', 'again', 'more', 'go_on', 'continue', 'waive', 'skip', 'defer',
];
const USAGE = { turns: 0, duration_ms: 0, tokens: 0, cost_micros: 0, turns_exhausted: false, context_exhausted: false };

export class Rehearser {
  readonly #engine: EngineHandle;
  readonly #world: World;
  readonly #settings: Record<string, unknown>;
  #at: number;
  #spoken = 0;
  /** The role, item and head of the last run, and how often it was asked for in a row. */
  #last = '';
  #again = 0;
  readonly #told: Rehearsal = { end: 'done', events: [], runs: [], said: [], commands: 0 };

  /** The engine is changed; give a fork. */
  constructor(engine: EngineHandle, world: World, at: number, settings: Record<string, unknown>) {
    [this.#engine, this.#world, this.#at, this.#settings] = [engine, world, at, settings];
  }

  run(): Rehearsal {
    const until = Date.now() + MOST_MS;
    for (;;) {
      if (this.#engine.continuation() === 'done') return this.#told;
      if (this.#told.events.length >= MOST_EVENTS || Date.now() > until) return this.#ended('bound', `the bound of ${MOST_EVENTS} events or ${MOST_MS / 1000} s was met`);
      const why = this.#step();
      if (why !== undefined) return this.#ended('stuck', why);
    }
  }

  #ended(end: Rehearsal['end'], why: string): Rehearsal {
    return { ...this.#told, end, why };
  }

  /** One more answer; or why there is none. */
  #step(): string | undefined {
    const pending = this.#engine.pending();
    const spawn = pending.find(({ effect }) => effect.order.type === 'spawn_role');
    try {
      for (const { effect } of pending) {
        const fact = this.#world.perform(effect, this.#engine);
        if (!fact) continue;
        if (fact.type === 'command_exited') this.#told.commands += 1;
        return this.#take(fact);
      }
      const question = pending.find(({ effect }) => effect.order.type === 'ask_user');
      if (question) return this.#answer(question.effect);
      if (spawn) return this.#play(spawn);
      return this.#push(pending);
    } catch (error) {
      return `the engine does not take the next step: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  #take(fact: Fact): undefined {
    this.#at += 1000;
    const event: Event = { at: this.#at, fact };
    this.#engine.apply(event);
    this.#told.events.push(event);
    if (fact.type !== 'user_commanded') this.#spoken = 0;
  }

  #play({ effect, delivery }: Outstanding): string | undefined {
    const { role, item, access } = effect.order.data as { role: string; item: string | null; access: string };
    const writer = ROLES[role];
    const asked = `${role} ${item} ${this.#world.head}`;
    this.#again = this.#last === asked ? this.#again + 1 : 0;
    this.#last = asked;
    if (this.#again >= MOST_AGAIN) return `${roleName(role)} is asked again and again: ${this.#picture().reason}`;
    if (!writer) return `what ${roleName(role)} would report is not known here`;
    if (delivery.phase === 'ordered') this.#take({ type: 'run_started', data: { effect: effect.id, session: hash(effect.id) } });
    const wrote = access === 'write' ? [`${directoryOf(this.#settings, item)}work/${effect.id}`] : [];
    if (wrote.length > 0) this.#world.commit(wrote, effect.id);
    const reports = writer({ prompt: String(effect.order.data['prompt']), item: this.#item(item), look: (id) => this.#item(id), head: this.#world.head, wrote, ...this.#look(), settings: this.#settings });
    // Who is asked again had the first one refused, perhaps in the same words.
    const from = this.#again % Math.max(reports.length, 1);
    const facts = [...reports.slice(from), ...reports.slice(0, from)].map((report): Fact => (
      { type: 'run_ended', data: { effect: effect.id, outcome: 'success', report, problem: null, usage: USAGE } }));
    const before = JSON.stringify(this.#picture().problem);
    let why = '';
    // A trouble that was there before may stay although a report is taken: only where none takes it away, it is borne.
    for (const borne of before === 'null' ? ['null'] : ['null', before]) {
      for (const fact of facts) {
        why = this.#tried(fact, borne) ?? '';
        if (why) continue;
        this.#told.runs.push({ role, item });
        return this.#take(fact);
      }
    }
    return `no report of ${roleName(role)} is taken: ${why}`;
  }

  /**
   * Why a report is not taken: it is thrown, or told by a later picture. Many reports are judged only when the tree
   * was looked at behind their run, so it is looked at first.
   */
  #tried(fact: Fact, borne: string): string | undefined {
    const fork = this.#engine.fork();
    try {
      for (let [next, looks]: [Fact | undefined, number] = [fact, 0]; next && looks <= MOST_LOOKS; looks += 1) {
        fork.apply({ at: this.#at + 1000 * (looks + 1), fact: next });
        next = this.#looked(fork);
      }
      const { problem } = JSON.parse(fork.picture()) as Picture;
      if (problem === null || JSON.stringify(problem) === borne) return undefined;
      return `${problem.code}: at ${problem.at}: expected ${problem.expected}, got ${problem.got}`;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      fork.free();
    }
  }

  /** What the next look at the world shows, if the engine waits for one. */
  #looked(engine: EngineHandle): Fact | undefined {
    const look = engine.pending().find(({ effect }) => effect.order.type === 'observe');
    return look && this.#world.perform(look.effect, engine);
  }

  #answer({ id, order: { data } }: Effect): undefined {
    const kind = data['kind'] as { type: string; options?: { id: string }[] };
    const options = kind.options?.map((one) => one.id) ?? [];
    const option = GOOD.find((one) => options.includes(one)) ?? options[0];
    const answer = {
      choice: { type: 'choice', option }, confirmation: { type: 'confirmation', yes: true },
      manual_step: { type: 'manual_step', done: true, note: 'done' },
    }[kind.type] ?? { type: 'text', text: 'As you think best.' };
    this.#take({ type: 'question_answered', data: { effect: id, answer } });
    this.#told.said.push(`${String(data['text'])} You: ${option ?? (kind.type === 'confirmation' ? 'yes' : kind.type === 'manual_step' ? 'done' : 'as you think best')}`);
  }

  /** Nothing is asked for but time, or the user's word. */
  #push(pending: Outstanding[]): string | undefined {
    const control = this.#picture().control;
    if (control !== 'running' || this.#engine.continuation() === 'blocked') {
      if (this.#spoken > 1) return `the mission rests: ${this.#picture().reason}`;
      this.#spoken += 1;
      const command = control === 'held' ? 'start' : 'resume';
      this.#told.said.push(`You: ${command}`);
      return this.#take({ type: 'user_commanded', data: { id: null, command: { command } } });
    }
    const due = ({ effect }: Outstanding): number => Number(effect.order.data['due_at']);
    const [timer] = pending.filter(({ effect }) => effect.order.type === 'set_timer').sort((a, b) => due(a) - due(b));
    if (!timer) return `nothing is asked for: ${this.#picture().reason}`;
    this.#at = Math.max(this.#at, due(timer));
    return this.#take({ type: 'timer_fired', data: { effect: timer.effect.id } });
  }

  #item(id: string | null): Item | undefined {
    try {
      return id === null ? undefined : JSON.parse(this.#engine.item(id)) as Item;
    } catch {
      // A run may be about something that is no item: a round of verification, a person who tries the project.
      return undefined;
    }
  }

  #picture(): Picture {
    return JSON.parse(this.#engine.picture()) as Picture;
  }

  #look(): { picture: Picture; scene: Scene } {
    return { picture: this.#picture(), scene: JSON.parse(this.#engine.scene()) as Scene };
  }
}
