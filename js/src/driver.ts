// The driver: the one loop of a mission, and the only place that interprets effects; engine and journal are its
// ledger's. It is the twin of src/native/driver: the same moves in the same order, on the same files.
//
// It takes facts one at a time: redact, apply, journal, then perform what was ordered, in order, each after
// one more look at the outbox. Files, observations and commits are done one after the other, the next only
// when the answer of the last is journaled; roles, commands and host code run alongside and send their facts
// when they have them. If the journal cannot be written, the engine in memory is worth nothing: the driver
// ends everything it started and gives up, and the next one opens what is there. An engine that is lost to a
// trap is opened again from snapshot and journal, and the mission goes on.

import { Engine } from 'endstate-engine';
import type { Answer, Applied, Command, Config, Diagnostic, Fact, Outstanding } from 'endstate-engine';
import type { DriverOptions, Ended, Happening, Observer } from './driver/happening.js';
import { Ledger, lineLength } from './driver/ledger.js';
import { INBOX_EVERY, Letters } from './driver/letters.js';
import { effectOf, failed, lost, startedRun } from './driver/made.js';
import { Performer } from './driver/performer.js';
import { HostError, isEngineError, problem } from './error.js';
import { Facts } from './facts.js';
import type { Hold, Host } from './host.js';
import { open, prove } from './open.js';
import type { Report } from './open.js';
import { StopFlag } from './stop.js';

/** Drives one mission. Holds it until {@link close}. */
export class Driver {
  readonly #host: Host;
  readonly #hold: Hold;
  readonly #options: DriverOptions;
  readonly #observers = new Set<Observer>();
  readonly #facts = new Facts();
  readonly #performer: Performer;
  readonly #letters: Letters;
  /** Effects that are to be performed, in order. */
  #queue: string[];
  /** The effect whose answer the next one waits for. */
  #busy: string | undefined;
  readonly #ledger: Ledger;
  #reports: Report[] = [];
  #heeded = 0;
  #running: Promise<Ended> | undefined;
  #closed = false;

  private constructor(host: Host, hold: Hold, engine: Engine, offset: number, options: DriverOptions) {
    [this.#host, this.#hold, this.#options] = [host, hold, options];
    this.#ledger = new Ledger(host, hold, engine, offset, {
      applied: (event, applied) => {
        this.#queue.push(...applied.effects.map((effect) => effect.id));
        for (const withdrawn of applied.decided.withdrawn) this.#performer.withdraw(withdrawn);
        this.#tell({ type: 'event', event, applied });
      },
      reopened: (why) => this.#tell({ type: 'report', report: { type: 'engine_reopened', why } }),
    });
    const tell = (happening: Happening): void => this.#tell(happening);
    const apply = (fact: Fact): Promise<Applied> => this.#apply(fact);
    this.#performer = new Performer(host, options, this.#facts, { ask: (question) => this.ask(question), apply, tell });
    this.#letters = new Letters(hold, this.#ledger, apply, tell);
    this.#queue = engine.outbox().waiting.map((one) => one.id);
  }

  /** Begins a mission. Throws `mission_exists`, `locked`, what is wrong with the config, `io`. */
  static async create(host: Host, config: Config, options: DriverOptions = {}): Promise<Driver> {
    checkHost(host);
    // A config that makes no sense leaves nothing behind.
    const engine = Engine.start(config, host.now());
    const hold = await host.hold('create').catch((error: unknown) => {
      engine.free();
      throw error;
    });
    try {
      const line = engine.started()?.line ?? '';
      await hold.create(line, config);
      return new Driver(host, hold, engine, lineLength(line), options);
    } catch (error) {
      engine.free();
      await hold.release();
      throw error;
    }
  }

  /** Opens a mission. If its last driver did not end by itself, or had older rules, `host_recovered` is journaled. */
  static async open(host: Host, options: DriverOptions = {}): Promise<Driver> {
    checkHost(host);
    const hold = await host.hold('open');
    try {
      const opened = await open(hold);
      if (opened.torn > 0) await hold.truncate(opened.offset);
      const last = opened.engine.outbox().seq;
      const offset = opened.offset + (await upgrade(host, hold, opened.engine));
      const driver = new Driver(host, hold, opened.engine, offset, options);
      driver.#reports = opened.reports;
      driver.#performer.last = last;
      await driver.#letters.forget(opened.last);
      if (hold.tookOver) driver.#reports.unshift({ type: 'took_over' });
      await driver.#tellOfEarlierStarts();
      const live = opened.engine.outbox().waiting.filter((one) => one.live);
      for (const { id } of live) if ((await host.earlier(id)).found === 'hosted') driver.#performer.hosted.add(id);
      if (hold.tookOver || opened.torn > 0 || live.some((one) => !driver.#performer.hosted.has(one.id))) {
        const roles = opened.engine.outbox().waiting.filter(({ order }) => order === 'spawn_role');
        const locks = await host.endLeftovers(new Set(roles.map(({ id }) => id)));
        const taken = locks.length === 0 ? '' : `; taken away, for no git holds them: ${locks.join(', ')}`;
        await driver.#recovered('restart', `the driver before this one did not end by itself${taken}`);
      }
      return driver;
    } catch (error) {
      await hold.release();
      throw error;
    }
  }

  /** Adds who is told what happens; answers with what takes it away again. */
  observe(observer: Observer): () => void {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  }

  /** Asks the engine. One that was lost to a trap is opened again first. */
  async ask<T>(question: (engine: Engine) => T): Promise<T> {
    this.#checkOpen();
    return this.#ledger.ask(question);
  }

  /** See `Mission.missingPrograms`. */
  async missingPrograms(): Promise<Record<string, string>> {
    const all = Object.entries(await this.ask((engine) => engine.programs()));
    const known = await Promise.all(all.map(([name]) => this.#host.knows?.(name) ?? true));
    return Object.fromEntries(all.filter((_, place) => !known[place]));
  }

  /** See `Mission.movedFrom`. */
  async movedFrom(): Promise<string | undefined> {
    const proved = (await this.ask((engine) => engine.view())).end?.proved_at ?? undefined;
    return proved === undefined || ((await this.#host.isAsAt?.(proved)) ?? true) ? undefined : proved;
  }

  /** Gives the engine a command of the user. What it leads to is performed by {@link run}. */
  command(command: Command, id: string | null = null): Promise<Applied> {
    return this.#apply({ type: 'user_commanded', data: { id, command } });
  }

  /** Answers an open question. */
  async answer(effect: string, answer: Answer): Promise<Applied> {
    const applied = await this.#apply({ type: 'question_answered', data: { effect, answer } });
    this.#performer.withdraw(effect);
    return applied;
  }

  /**
   * Drives the mission until it is at rest and nothing is left that the host can perform. Throws if the
   * journal cannot be written, for a bug of the engine, and for one of an agent in this process, whose run is journaled
   * as failed (the next drive goes on behind it); and `journal_damaged` if a mission that seems done is
   * not by its journal; everything that was started has been ended then.
   */
  run(stop = new StopFlag()): Promise<Ended> {
    if (this.#closed) throw new HostError('usage', 'run', 'a driver that is open', 'a closed one');
    this.#running ??= this.#run(stop).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Ends what runs, leaves a snapshot, and gives the mission back. May be called twice. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#performer.endAll();
    this.#facts.wake();
    await this.#running?.catch(() => undefined);
    await this.#ledger.rest();
    this.#ledger.free();
    await this.#hold.release();
  }

  async #run(stop: StopFlag): Promise<Ended> {
    this.#heeded = 0;
    for (const report of this.#reports.splice(0)) this.#tell({ type: 'report', report });
    const unhear = stop.onRaise(() => this.#facts.wake());
    try {
      const ended = await this.#turns(stop);
      if (ended.continuation === 'done') {
        await this.#ledger.prove();
        this.#host.leaveRooms?.();
      }
      await this.#ledger.rest();
      this.#tell({ type: 'rest', ended });
      return ended;
    } catch (error) {
      await this.#performer.endAll();
      await this.#ledger.rest();
      throw error;
    } finally {
      unhear();
    }
  }

  async #turns(stop: StopFlag): Promise<Ended> {
    await this.#ledger.proveFirst();
    for (;;) {
      const leave = (await this.#heed(stop)) || this.#closed;
      await this.#letters.take();
      this.#performer.fireTimers(this.#host.now());
      if (!leave) await this.#performQueued();
      if (leave || (await this.#atRest())) {
        if (leave) await this.#performer.endAll();
        const continuation = await this.ask((engine) => engine.continuation());
        return { continuation, interrupted: this.#heeded > 0 };
      }
      const fact = await this.#facts.next(this.#pause());
      if (fact !== undefined) await this.#take(fact);
    }
  }

  /** Whether nothing is left that the host can perform. Timers are waited for only while the mission goes on. */
  async #atRest(): Promise<boolean> {
    const [goesOn, waiting] = await this.ask((engine) => [engine.continuation() === 'continue', engine.outbox().waiting]);
    return this.#performer.idle && this.#facts.empty && !waiting.some((one) => this.#performer.waits(one, goesOn));
  }

  #pause(): number {
    const due = this.#performer.due - this.#host.now();
    return Math.max(0, Math.min(INBOX_EVERY, due));
  }

  /**
   * Performs what is queued, as far as nothing must be waited for. Each is looked up in the outbox once more,
   * since it may have been withdrawn.
   */
  async #performQueued(): Promise<void> {
    for (;;) {
      const id = this.#busy === undefined ? this.#queue.shift() : undefined;
      if (id === undefined) return;
      const outstanding = await this.ask((engine) => engine.find(id));
      if (outstanding === undefined || this.#performer.runs(id)) continue;
      // One that performs roles gives up what an agent of the user's played, and sends the role again.
      if (this.#options.holdRoles && this.#performer.hosted.has(id)) continue;
      if (outstanding.delivery.phase !== 'started' && this.#performer.holds(outstanding.effect.order.type)) continue;
      if (await this.#moved(outstanding)) continue;
      if ((await this.#performer.perform(outstanding)) === 'next') this.#busy = id;
    }
  }

  /**
   * Whether a run would begin at a head that the engine has not seen, while no role is played. If that run dropped
   * commits, nobody would be told.
   */
  async #moved({ effect, delivery }: Outstanding): Promise<boolean> {
    const begins = effect.order.type === 'spawn_role' && delivery.phase !== 'started';
    if (!begins || this.#performer.atWork || this.#host.head === undefined) return false;
    const { head, waiting } = await this.ask((engine) => engine.outbox());
    if (head === null || waiting.some((one) => one.live)) return false;
    const now = await this.#host.head().catch(() => head);
    if (now === head) return false;
    await this.#recovered('moved', `the head moved from ${head} to ${now ?? 'no commit'} before a run`);
    return true;
  }

  /**
   * Takes a fact of our own making. A refusal is no reason to stop: it says that the effect was answered or
   * withdrawn, or that the answer was not fit to be one.
   */
  async #take(fact: Fact): Promise<void> {
    const id = effectOf(fact);
    const ends = fact.type !== 'run_started' && fact.type !== 'run_progressed';
    const fault = id !== undefined && ends ? this.#performer.answered(id) : undefined;
    if (id !== undefined && ends && this.#busy === id) this.#busy = undefined;
    await this.#offer(fact, id, ends);
    if (fault !== undefined) throw fault;
  }

  async #offer(fact: Fact, id: string | undefined, ends: boolean): Promise<void> {
    try {
      await this.#apply(fact);
    } catch (error) {
      if (!isEngineError(error) || error.kind === 'broken' || this.#ledger.spoilt) throw error;
      const stale = error.code === 'stale_answer' || error.code === 'unknown_effect';
      if (stale && (fact.type === 'run_ended' || fact.type === 'command_exited')) {
        return this.#recovered('stall', `${fact.type} of ${error.got} came too late`);
      }
      if (stale) {
        // Withdrawn in the moment it was started: it must not go on.
        if (fact.type === 'run_started') this.#performer.kill(fact.data.effect);
        return;
      }
      if (id !== undefined && ends) await this.#unfit(id, problem('host_failed', error.at, error.expected, error.got));
    }
  }

  /** An answer of ours that the engine cannot take (too long, say) is told as what it is. */
  async #unfit(id: string, why: Diagnostic): Promise<void> {
    const outstanding = await this.ask((engine) => engine.find(id));
    await this.#apply(outstanding?.delivery.phase === 'started' ? lost(id, why) : failed(id, why));
  }

  async #recovered(from: 'restart' | 'stall' | 'moved', note: string): Promise<void> {
    await this.#apply({ type: 'host_recovered', data: { from, note } });
  }

  #checkOpen(): void {
    if (this.#closed && this.#running === undefined) throw new HostError('usage', 'mission', 'one that is open', 'a closed one');
  }

  async #apply(fact: Fact): Promise<Applied> {
    this.#checkOpen();
    const applied = await this.#ledger.apply(fact);
    this.#facts.wake();
    return applied;
  }

  /** Turns what the user asked for into commands. `true` if everything is to be left at once. */
  async #heed(stop: StopFlag): Promise<boolean> {
    while (this.#heeded < Math.min(stop.count, 3)) {
      this.#heeded += 1;
      if (this.#heeded === 3) return true;
      const mode = this.#heeded === 1 ? 'drain' : 'kill';
      try {
        await this.#apply({ type: 'user_commanded', data: { id: null, command: { command: 'stop', mode } } });
      } catch (error) {
        if (!isEngineError(error) || error.kind !== 'refused') throw error;
      }
      if (mode === 'kill') this.#performer.killCommands();
      this.#performer.withdrawAll();
    }
    return false;
  }

  /**
   * Roles whose record says that they were started although the journal does not: that comes first, for the
   * recovery takes back what was never started.
   */
  /** The record alone tells: who was killed while it took the mission over has left no lock. */
  async #tellOfEarlierStarts(): Promise<void> {
    const { waiting } = await this.ask((engine) => engine.outbox());
    for (const { id, order, live } of waiting) {
      if (order !== 'spawn_role' || live) continue;
      const earlier = await this.#host.earlier(id);
      if (earlier.found === 'nothing' || earlier.found === 'hosted') continue;
      await this.#apply(startedRun(id, null, 'confined' in earlier && earlier.confined));
    }
  }

  #tell(happening: Happening): void {
    // Said where a person may find it, and no more.
    const harmless = (error: unknown): void => console.error('endstate: an observer threw', error);
    for (const observer of this.#observers) {
      try {
        void Promise.resolve(observer(happening)).catch(harmless);
      } catch (error) {
        harmless(error);
      }
    }
  }
}

/**
 * Upgrades a journal of older rules; answers with what that took in bytes. Every line is looked at first: behind the
 * line of the upgrade nobody decides it any more.
 */
async function upgrade(host: Host, hold: Hold, engine: Engine): Promise<number> {
  if (engine.older() === undefined) return 0;
  await prove(hold, engine).catch(async (error: unknown) => {
    await hold.forget();
    throw error;
  });
  const line = engine.upgrade(host.now()) ?? '';
  await hold.append(line);
  return lineLength(line);
}

/** What callers without types forget. */
function checkHost(host: Host | undefined): void {
  if (typeof host?.hold === 'function') return;
  throw new HostError('usage', 'host', 'a host, e.g. nodeHost({ root }) or memoryHost()', host === undefined ? 'none' : typeof host);
}
