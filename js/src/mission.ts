// A mission, as its user holds it: begun or opened on some host, driven, watched, answered, commanded.
//
// Everything goes through one driver (driver.ts). Reading (`status`, `why`) works at any time; commands and
// answers are journaled at once and performed while the mission is being driven.

import { Engine } from 'endstate-engine';
import type { Answer, Applied, Command, Config, Continuation, Question, View, Why } from 'endstate-engine';
import { readAnswer } from './answer.js';
import { Driver } from './driver.js';
import type { DriverOptions, Ended, Happening, Observer } from './driver/happening.js';
import { HostError, isHostError } from './error.js';
import type { Host } from './host.js';
import { open } from './open.js';
import { StopFlag } from './stop.js';

/** How a mission is opened. */
export interface OpenOptions extends DriverOptions {
  /** Where it is. */
  host: Host;
}

/** How a mission is begun. */
export interface CreateOptions extends OpenOptions {
  /** What it is; see `schemas().config`. */
  config: Config;
}

/** How a mission is driven. */
export interface RunOptions {
  /** Told what happens, as it happens. */
  on?: Observer;
  /**
   * Aborting ends what runs, stops the mission and lets the drive come to its end. The mission can be resumed.
   */
  signal?: AbortSignal;
  /** For finer ways to stop: see {@link StopFlag}. */
  stop?: StopFlag;
}

/** An open question. */
export interface MissionQuestion extends Question {
  /** Its effect id, to answer it by. */
  id: string;
}

/** A mission that this process may write. Close it when done. */
export class Mission implements AsyncIterable<Happening> {
  readonly #driver: Driver;
  #starting: Promise<void> | undefined;

  private constructor(driver: Driver) {
    this.#driver = driver;
  }

  /** @internal */
  static of(driver: Driver): Mission {
    return new Mission(driver);
  }

  /**
   * Sets the mission off, if it was not yet, and drives it until it is at rest: done, blocked, paused, or
   * waiting for an answer that the host cannot ask for. Never starts what was paused or stopped: use
   * {@link resume}.
   */
  async run({ on, signal, stop = new StopFlag() }: RunOptions = {}): Promise<Ended> {
    const unwatch = on && this.#driver.observe(on);
    const abort = (): void => {
      stop.raise();
      stop.raise();
    };
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
    try {
      // Two drives at once are one; only one of them starts it.
      this.#starting ??= this.#setOff(stop).finally(() => {
        this.#starting = undefined;
      });
      await this.#starting;
      return await this.#driver.run(stop);
    } finally {
      signal?.removeEventListener('abort', abort);
      unwatch?.();
    }
  }

  async #setOff(stop: StopFlag): Promise<void> {
    const { control } = await this.#driver.ask((engine) => engine.outbox());
    if (control === 'held' && stop.count === 0 && (await this.continuation()) !== 'blocked') await this.start();
  }

  /** Drives, and yields what happens; ends with `rest`. Leaving the loop early stops the mission as an abort does. */
  async *drive(options: RunOptions = {}): AsyncGenerator<Happening, void, undefined> {
    const leave = new AbortController();
    const abort = (): void => leave.abort();
    if (options.signal?.aborted) abort();
    else options.signal?.addEventListener('abort', abort, { once: true });
    const waiting: Happening[] = [];
    let [wake, over] = [(): void => {}, false];
    const on: Observer = (happening) => {
      waiting.push(happening);
      wake();
      return options.on?.(happening);
    };
    const run = this.run({ ...options, on, signal: leave.signal }).finally(() => {
      over = true;
      wake();
    });
    run.catch(() => undefined);
    try {
      for (;;) {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) yield next;
        if (over) break;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      await run;
    } finally {
      options.signal?.removeEventListener('abort', abort);
      leave.abort();
      await run.catch(() => undefined);
    }
  }

  /** As {@link drive} without options. */
  [Symbol.asyncIterator](): AsyncGenerator<Happening, void, undefined> {
    return this.drive();
  }

  /** Adds who is told what happens; answers with what takes it away again. */
  observe(observer: Observer): () => void {
    return this.#driver.observe(observer);
  }

  /** Drives with roles held back: writes and commits what beginning a mission leads to. */
  settle(): Promise<Ended> {
    return this.#driver.run();
  }

  /** The mission as nodes, edges, lanes and progress. */
  status(): Promise<View> {
    return this.#driver.ask((engine) => engine.view());
  }

  /** Why the next step is what it is. */
  why(): Promise<Why> {
    return this.#driver.ask((engine) => engine.why());
  }

  /** Whether and why it goes on. */
  continuation(): Promise<Continuation> {
    return this.#driver.ask((engine) => engine.continuation());
  }

  /** The commit that its end was proved at, if other files are committed now: what is here was not looked at. */
  movedFrom(): Promise<string | undefined> {
    return this.#driver.movedFrom();
  }

  /** Programs that deciding commands start and that its host does not find, each with the first thing it is to show. */
  missingPrograms(): Promise<Record<string, string>> {
    return this.#driver.missingPrograms();
  }

  /** Asks the engine itself, e.g. `engine.render(path)`. It must not be kept, nor given events. */
  ask<T>(question: (engine: Engine) => T): Promise<T> {
    return this.#driver.ask(question);
  }

  /** The open questions. */
  questions(): Promise<MissionQuestion[]> {
    return this.#driver.ask(questionsOf);
  }

  /** Answers a question: by its id, or without one if a single one is open; in words, or typed. */
  async answer(answer: string | Answer, id?: string): Promise<Applied> {
    const question = chosen(await this.questions(), id);
    const typed = typeof answer === 'string' ? readAnswer(question.kind, answer) : answer;
    return this.#driver.answer(question.id, typed);
  }

  /** Any command of the user. `id` makes it taken once, however often it is given. */
  command(command: Command, id?: string): Promise<Applied> {
    return this.#driver.command(command, id ?? null);
  }

  /** Begin to dispatch roles. */
  start(): Promise<Applied> {
    return this.command({ command: 'start' });
  }

  /** Dispatch nothing until resumed; what runs goes on. */
  pause(): Promise<Applied> {
    return this.command({ command: 'pause' });
  }

  /** Go on after a pause, a stop or a block. */
  resume(): Promise<Applied> {
    return this.command({ command: 'resume' });
  }

  /** Come to rest: let live runs end, ask them to wind up, or end them. */
  stop(mode: 'drain' | 'wait' | 'kill' = 'drain'): Promise<Applied> {
    return this.command({ command: 'stop', mode });
  }

  /** End everything that runs, at once. */
  kill(): Promise<Applied> {
    return this.command({ command: 'kill' });
  }

  /** Raise a limit. */
  grant(counter: Extract<Command, { command: 'grant' }>['counter'], amount: number): Promise<Applied> {
    return this.command({ command: 'grant', counter, amount });
  }

  /** Let an item go: it counts as waived and satisfies its dependants. */
  skip(item: string, reason: string): Promise<Applied> {
    return this.command({ command: 'skip', item, reason });
  }

  /** Put an item off: it does not satisfy its dependants. */
  defer(item: string, reason: string): Promise<Applied> {
    return this.command({ command: 'defer', item, reason });
  }

  /** Open a closed item again; the reason goes to the next implementer. */
  reopen(item: string, reason: string): Promise<Applied> {
    return this.command({ command: 'reopen', item, reason });
  }

  /** Change the plan; all changes or none. */
  amend(changes: Extract<Command, { command: 'amend' }>['changes']): Promise<Applied> {
    return this.command({ command: 'amend', changes });
  }

  /** Ends what runs, and gives the mission back. It can be opened again where it is. */
  close(): Promise<void> {
    return this.#driver.close();
  }

  /** As {@link close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Begins a mission. Nothing is performed before {@link Mission.run}. */
export async function createMission({ host, config, ...options }: CreateOptions = {} as CreateOptions): Promise<Mission> {
  return Mission.of(await Driver.create(host, config, options));
}

/** Opens a mission that was begun, by this process or another, and takes up what was left. */
export async function openMission({ host, ...options }: OpenOptions = {} as OpenOptions): Promise<Mission> {
  return Mission.of(await Driver.open(host, options));
}

/** A look at a mission without taking it: also beside a live driver. */
export interface Glance {
  view: View;
  why: Why;
  continuation: Continuation;
  questions: MissionQuestion[];
  /** Where the journal stands. */
  position: { lines: number; chain: string };
}

/** Looks at a mission without taking it. Throws `no_mission`, `journal_damaged`. */
export async function peekMission(host: Host): Promise<Glance> {
  const { engine } = await open(await host.records());
  try {
    return {
      view: engine.view(),
      why: engine.why(),
      continuation: engine.continuation(),
      questions: questionsOf(engine),
      position: engine.position() ?? { lines: 0, chain: '' },
    };
  } finally {
    engine.free();
  }
}

/**
 * Gives a command to a mission, whoever drives it: through the inbox of a live driver, or by taking the
 * mission, letting host work settle, and giving it back.
 */
export async function commandMission(host: Host, command: Command): Promise<void> {
  const here = (mission: Mission): Promise<Applied> => mission.command(command);
  await deliver(host, { type: 'user_commanded', data: { id: null, command } }, here);
}

/** Answers a question of a mission, whoever drives it; see {@link Mission.answer}. */
export async function answerMission(host: Host, answer: string | Answer, id?: string): Promise<void> {
  const { questions } = await peekMission(host);
  const question = chosen(questions, id);
  const typed = typeof answer === 'string' ? readAnswer(question.kind, answer) : answer;
  const fact = { type: 'question_answered', data: { effect: question.id, answer: typed } } as const;
  await deliver(host, fact, (mission) => mission.answer(typed, question.id));
}

async function deliver(host: Host, fact: Parameters<NonNullable<Host['send']>>[0], here: (mission: Mission) => Promise<Applied>): Promise<void> {
  let mission: Mission;
  try {
    mission = await openMission({ host, holdRoles: true });
  } catch (error) {
    if (isHostError(error) && error.code === 'locked' && host.send) return host.send(fact);
    throw error;
  }
  try {
    await here(mission);
    await mission.settle();
  } finally {
    await mission.close();
  }
}

function questionsOf(engine: Engine): MissionQuestion[] {
  const ids = engine.outbox().waiting.filter((one) => one.order === 'ask_user').map((one) => one.id);
  return ids.flatMap((id) => {
    const order = engine.find(id)?.effect.order;
    return order?.type === 'ask_user' ? [{ id, ...order.data }] : [];
  });
}

function chosen(open: MissionQuestion[], id: string | undefined): MissionQuestion {
  const found = id === undefined && open.length === 1 ? open[0] : open.find((one) => one.id === id);
  if (found !== undefined) return found;
  const ids = open.map((one) => one.id).join(', ');
  throw new HostError('unknown_effect', 'question', open.length === 0 ? 'an open question' : `one of ${ids}`, id ?? 'no id');
}
