// The hands of the driver: what each order means to the host, and what runs alongside. Twin of
// src/native/driver/performer.rs.
//
// What the host answers goes to the facts, never to the engine itself; only the answer of a person is given at once,
// for a refused one must be asked for again.

import type { Applied, Engine, Fact, Outbox, Outstanding } from 'endstate-engine';
import { diagnostic, isEngineError, problem } from '../error.js';
import type { HostError } from '../error.js';
import type { Facts } from '../facts.js';
import type { Host, Wanted } from '../host.js';
import type { Report } from '../open.js';
import { Stop } from '../stop.js';
import { consult } from './consult.js';
import type { AskedQuestion, DriverOptions, Happening } from './happening.js';
import { failed, lost, performed, startedRun, unknownExit } from './made.js';

/** How many answers to one question may be refused before it is left open for somebody else to answer. */
const MOST_REFUSED = 100;
/** How long host code has for one answer, in milliseconds, where nothing else is said. */
const CONSULT_TIMEOUT = 60_000;

/** `next`: its answer comes soon, and the next effect waits for it. */
export type Performing = 'next' | 'alongside' | 'waiting';

interface Live {
  role: boolean;
  stop: Stop;
  done: Promise<void>;
}

/** What the hands may ask of the driver. */
export interface Desk {
  /** Asks the engine. */
  ask<T>(question: (engine: Engine) => T): Promise<T>;
  /** Gives the engine a fact that cannot wait for its turn. */
  apply(fact: Fact): Promise<Applied>;
  /** Tells who looks on. */
  tell(happening: Happening): void;
}

/** Performs effects, and knows what is on its way. */
export class Performer {
  /** Started runs without a process: they wait for their report, whoever drives. */
  readonly hosted = new Set<string>();
  /** Runs of an earlier driver that live and are left to the driver after this one; `false` once they are to end. */
  readonly #left = new Map<string, boolean>();
  /** The last event of the drivers before this one, if there were any. */
  last = -1;
  readonly #host: Host;
  readonly #options: DriverOptions;
  readonly #facts: Facts;
  readonly #desk: Desk;
  readonly #live = new Map<string, Live>();
  readonly #asking = new Map<string, AbortController>();
  readonly #timers = new Map<string, number>();
  /** Runs whose agent is wrong, by what is to be said of it. */
  readonly #faults = new Map<string, HostError>();

  constructor(host: Host, options: DriverOptions, facts: Facts, desk: Desk) {
    [this.#host, this.#options, this.#facts, this.#desk] = [host, options, facts, desk];
  }

  /** Whether nothing runs alongside. */
  get idle(): boolean {
    return this.#live.size === 0;
  }

  /** Whether a role is played. */
  get atWork(): boolean {
    return [...this.#live.values()].some((live) => live.role);
  }

  /** When the next timer is due, in milliseconds since 1970. */
  get due(): number {
    return Math.min(Infinity, ...this.#timers.values());
  }

  /** Whether this effect runs alongside. */
  runs(id: string): boolean {
    return this.#live.has(id);
  }

  /** Whether somebody may still answer this order of the outbox while this driver waits. */
  waits({ id, order, live }: Outbox['waiting'][number], goesOn: boolean): boolean {
    switch (order) {
      case 'ask_user':
        return this.#asking.has(id);
      case 'spawn_role':
        return !this.#options.holdRoles || (live && !this.hosted.has(id) && !this.#left.get(id));
      case 'set_timer':
        return goesOn && !this.holds(order);
      case 'run_command':
      case 'consult':
        return !this.holds(order);
      default:
        return true;
    }
  }

  /**
   * Whether an order of this kind is left to the driver after this one: a word of the user's begins nothing, and
   * waits for nothing.
   */
  holds(order: string): boolean {
    return this.#options.holdRoles === true && ['spawn_role', 'run_command', 'consult', 'set_timer'].includes(order);
  }

  /** Performs one effect, or sets it on its way. The only place that knows what an order means. */
  async perform({ effect: { id, order }, delivery }: Outstanding): Promise<Performing> {
    const host = this.#host;
    const started = delivery.phase === 'started';
    switch (order.type) {
      case 'spawn_role': {
        const mission = await this.#desk.ask((engine) => engine.view().title);
        const limits = { ...order.data.limits };
        limits.timeout_ms = Math.min(limits.timeout_ms, this.#options.roleTimeout ?? Infinity);
        const spawn = { ...order.data, limits };
        return this.#alongside(id, true, async (stop) => {
          if (await this.#earlier(id, true, started)) return;
          const tell = (fact: Fact): void => this.#facts.push(fact);
          const fault = (error: HostError): void => void this.#faults.set(id, error);
          tell({ type: 'run_ended', data: await host.role(id, spawn, { mission, stop, tell, fault }) });
        });
      }
      case 'stop_role': {
        const { run } = order.data;
        if (this.#left.get(run)) {
          this.#left.set(run, false);
          const left = await this.#desk.ask((engine) => engine.find(run));
          if (left !== undefined) await this.perform(left);
        }
        const live = this.#live.get(run);
        if (order.data.kill) live?.stop.kill();
        else live?.stop.windUp();
        return this.#next(id, async () => performed(id, { type: 'nothing' }));
      }
      case 'ask_user':
        return this.#askUser(id, order.data);
      case 'append_history':
        return this.#next(id, async () => performed(id, await host.appendHistory(order.data)));
      case 'write_file': {
        const render = (engine: Engine): string => engine.render(order.data.path);
        return this.#next(id, async () => performed(id, await host.writeFile(order.data, await this.#desk.ask(render))));
      }
      case 'commit_files': {
        const render = (engine: Engine): Wanted[] =>
          order.data.paths.map((path) => ({ path, content: engine.render(path) }));
        return this.#next(id, async () => performed(id, await host.commitFiles(id, order.data, await this.#desk.ask(render))));
      }
      case 'run_command':
        return this.#alongside(id, false, async (stop) => {
          if (await this.#earlier(id, false, false)) return;
          this.#facts.push({ type: 'command_exited', data: await host.command(id, order.data, stop) });
        });
      case 'observe':
        return this.#next(id, async () => {
          if (order.data.what === 'documents') {
            const documents = await host.observeDocuments(order.data.paths, order.data.tracked ?? false);
            return { type: 'documents_observed', data: { effect: id, documents } };
          }
          const repository = await host.observeRepository(order.data);
          return { type: 'repository_observed', data: { effect: id, repository } };
        });
      case 'set_timer':
        this.#timers.set(id, order.data.due_at);
        return 'waiting';
      case 'consult':
        return this.#alongside(id, false, async (stop) => {
          const timeout = this.#options.consultTimeout ?? CONSULT_TIMEOUT;
          this.#facts.push(await consult(host, id, order.data, stop, timeout));
        });
      case 'notify':
        return this.#next(id, async () => {
          this.#desk.tell({ type: 'notice', ...order.data });
          await host.notify(order.data);
          return performed(id, { type: 'nothing' });
        });
    }
  }

  /** Tells of every timer that is due, in the order they are due. */
  fireTimers(now: number): void {
    const due = [...this.#timers].filter(([, at]) => at <= now).sort(([, a], [, b]) => a - b);
    for (const [effect] of due) {
      this.#timers.delete(effect);
      this.#facts.push({ type: 'timer_fired', data: { effect } });
    }
  }

  /** This effect has its answer. Gives the fault of the code that was to play it, if it had one. */
  answered(id: string): HostError | undefined {
    this.#live.delete(id);
    const fault = this.#faults.get(id);
    this.#faults.delete(id);
    return fault;
  }

  /** Ends one run, if it is on its way. */
  kill(id: string): void {
    this.#live.get(id)?.stop.kill();
  }

  /** Ends every command. */
  killCommands(): void {
    this.#kill((live) => !live.role);
  }

  /** Takes one question back. */
  withdraw(id: string): void {
    this.#asking.get(id)?.abort();
  }

  /** Takes every question back. */
  withdrawAll(): void {
    for (const asking of this.#asking.values()) asking.abort();
  }

  /** Ends everything that runs, and waits for it. */
  async endAll(): Promise<void> {
    this.#kill(() => true);
    this.withdrawAll();
    await Promise.all([...this.#live.values()].map((live) => live.done));
    this.#live.clear();
  }

  /** Sets on its way what is answered soon. A throw is the answer, too. */
  #next(id: string, work: () => Promise<Fact>): Performing {
    void (async () => {
      let fact: Fact;
      try {
        fact = await work();
      } catch (error) {
        fact = failed(id, diagnostic(error, 'host_failed', `effect ${id}`));
      }
      this.#facts.push(fact);
    })();
    return 'next';
  }

  /** Sets on its way what runs alongside. A throw must be told, or the mission would wait for ever. */
  #alongside(id: string, role: boolean, work: (stop: Stop) => Promise<void>): Performing {
    const stop = new Stop();
    const done = (async () => {
      try {
        await work(stop);
      } catch (error) {
        this.#facts.push(failed(id, diagnostic(error, 'host_failed', `effect ${id}`)));
      }
    })();
    this.#live.set(id, { role, stop, done });
    return 'alongside';
  }

  /** Shows a question; a refused answer is told, and asked for again. */
  #askUser(id: string, question: AskedQuestion): Performing {
    this.#desk.tell({ type: 'question', id, question });
    const { ask } = this.#host;
    if (ask === undefined || this.#options.holdRoles || this.#asking.has(id)) return 'waiting';
    const abort = new AbortController();
    this.#asking.set(id, abort);
    void (async () => {
      let refused: string | undefined;
      for (let count = 1; !abort.signal.aborted; count += 1) {
        const answer = await ask.call(this.#host, id, question, abort.signal, refused);
        if (answer === undefined || abort.signal.aborted) return;
        try {
          await this.#desk.apply({ type: 'question_answered', data: { effect: id, answer } });
          return;
        } catch (error) {
          if (!isEngineError(error) || error.code !== 'answer_type') return;
          refused = error.message;
          if (count === MOST_REFUSED) throw error;
          // Host code that answers at once must not keep timers and signals from their turn.
          await new Promise((resolve) => setTimeout(resolve));
        }
      }
    })()
      .catch((error) => this.#desk.tell({ type: 'refused', id, why: error }))
      .finally(() => {
        this.#asking.delete(id);
        this.#facts.wake();
      });
    return 'waiting';
  }

  /**
   * Looks for what an earlier host left of this effect's process. `true` if its answer is on its way: the
   * process is never started again. What was ordered since by this driver has no earlier host: if something is
   * there all the same, somebody put it there, and it is not believed.
   */
  async #earlier(id: string, role: boolean, started: boolean): Promise<boolean> {
    if (Number.parseInt(id, 10) > this.last) {
      if (await this.#host.clear?.(id)) this.#desk.tell({ type: 'report', report: { type: 'run_foreign', run: id } });
      return false;
    }
    const earlier = await this.#host.earlier(id).catch(() => ({ found: 'lost' }) as const);
    if (earlier.found === 'nothing' && !started) return false;
    if (role && !started) this.#facts.push(startedRun(id, null, 'confined' in earlier && earlier.confined));
    if (role && earlier.found === 'begun') return this.#begun(id, earlier);
    if (earlier.found === 'begun') await this.#host.end?.(id);
    const found = earlier.found === 'finished' ? earlier.fact : undefined;
    this.#desk.tell({ type: 'report', report: { type: 'run_recovered', run: id, found: found !== undefined } });
    const why = problem('run_lost', `run ${id}`, 'a result beside its record', 'none');
    const fact = found ?? (role ? lost(id, why) : unknownExit(id, why));
    if (role && fact.type === 'run_ended') {
      const said = await this.#host.unheard?.(id).catch(() => []);
      for (const data of said ?? []) this.#facts.push({ type: 'run_progressed', data });
    }
    this.#facts.push(fact);
    return true;
  }

  /** A role that an earlier driver began is looked on at, or left to the driver after this one (`true`). */
  #begun(run: string, { lives, ended }: { lives: boolean; ended: boolean }): boolean {
    const report: Report = lives ? { type: 'run_taken_up', run } : { type: 'run_recovered', run, found: ended };
    this.#desk.tell({ type: 'report', report });
    if (!lives || this.#options.holdRoles !== true || this.#left.get(run) === false) return false;
    this.#left.set(run, true);
    this.#live.delete(run);
    this.#facts.wake();
    return true;
  }

  #kill(wanted: (live: Live) => boolean): void {
    for (const live of this.#live.values()) if (wanted(live)) live.stop.kill();
  }
}
