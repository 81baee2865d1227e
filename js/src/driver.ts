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
import { consult } from './driver/consult.js';
import type { AskedQuestion, DriverOptions, Ended, Happening, Observer } from './driver/happening.js';
import { Ledger, lineLength } from './driver/ledger.js';
import { effectOf, failed, lost, performed, sameJson, unknownExit } from './driver/made.js';
import { diagnostic, HostError, isEngineError, problem } from './error.js';
import { Facts } from './facts.js';
import type { Hold, Host, Wanted } from './host.js';
import { open } from './open.js';
import type { Report } from './open.js';
import { Stop, StopFlag } from './stop.js';

/** The longest time between two looks at the inbox, in milliseconds. */
const INBOX_EVERY = 150;
/** How long host code has for one answer, in milliseconds, where nothing else is said. */
const CONSULT_TIMEOUT = 60_000;

/** `next`: its answer comes soon, and the next effect waits for it. */
type Performing = 'next' | 'alongside' | 'waiting';

interface Live {
  role: boolean;
  stop: Stop;
  done: Promise<void>;
}

/** Drives one mission. Holds it until {@link close}. */
export class Driver {
  readonly #host: Host;
  readonly #hold: Hold;
  readonly #options: DriverOptions;
  readonly #observers = new Set<Observer>();
  readonly #facts = new Facts();
  readonly #live = new Map<string, Live>();
  /** Started runs without a process: they wait for their report, whoever drives. */
  readonly #hosted = new Set<string>();
  readonly #asking = new Map<string, AbortController>();
  readonly #timers = new Map<string, number>();
  /** Effects that are to be performed, in order. */
  #queue: string[];
  /** The effect whose answer the next one waits for. */
  #busy: string | undefined;
  readonly #ledger: Ledger;
  #reports: Report[] = [];
  /** The last event of the drivers before this one, if there were any. */
  #last = -1;
  #lastLook = -Infinity;
  #heeded = 0;
  #running: Promise<Ended> | undefined;
  #closed = false;

  private constructor(host: Host, hold: Hold, engine: Engine, offset: number, options: DriverOptions) {
    [this.#host, this.#hold, this.#options] = [host, hold, options];
    this.#ledger = new Ledger(host, hold, engine, offset, {
      applied: (event, applied) => {
        this.#queue.push(...applied.effects.map((effect) => effect.id));
        for (const withdrawn of applied.decided.withdrawn) this.#asking.get(withdrawn)?.abort();
        this.#tell({ type: 'event', event, applied });
      },
      reopened: (why) => this.#tell({ type: 'report', report: { type: 'engine_reopened', why } }),
    });
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
      await hold.create(line);
      return new Driver(host, hold, engine, lineLength(line), options);
    } catch (error) {
      engine.free();
      await hold.release();
      throw error;
    }
  }

  /** Opens a mission. If its last driver did not end by itself, `host_recovered` is journaled. */
  static async open(host: Host, options: DriverOptions = {}): Promise<Driver> {
    checkHost(host);
    const hold = await host.hold('open');
    try {
      const opened = await open(hold);
      if (opened.torn > 0) await hold.truncate(opened.offset);
      const driver = new Driver(host, hold, opened.engine, opened.offset, options);
      driver.#reports = opened.reports;
      driver.#last = opened.engine.outbox().seq;
      await driver.#forgetTaken(opened.last);
      if (hold.tookOver) driver.#reports.unshift({ type: 'took_over' });
      const live = opened.engine.outbox().waiting.filter((one) => one.live);
      for (const { id } of live) if ((await host.earlier(id)).found === 'hosted') driver.#hosted.add(id);
      if (hold.tookOver || opened.torn > 0 || live.some((one) => !driver.#hosted.has(one.id))) {
        const locks = await host.endLeftovers();
        await driver.#tellOfEarlierStarts();
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
    if (this.#closed && this.#running === undefined) throw new HostError('usage', 'mission', 'one that is open', 'a closed one');
    return this.#ledger.ask(question);
  }

  /** Gives the engine a command of the user. What it leads to is performed by {@link run}. */
  command(command: Command, id: string | null = null): Promise<Applied> {
    return this.#apply({ type: 'user_commanded', data: { id, command } });
  }

  /** Answers an open question. */
  async answer(effect: string, answer: Answer): Promise<Applied> {
    const applied = await this.#apply({ type: 'question_answered', data: { effect, answer } });
    this.#asking.get(effect)?.abort();
    return applied;
  }

  /**
   * Drives the mission until it is at rest and nothing is left that the host can perform. Throws if the
   * journal cannot be written, or for a bug of the engine, and `journal_damaged` if a mission that seems done is
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
    await this.#endAll();
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
      if (ended.continuation === 'done') await this.#ledger.prove();
      await this.#ledger.rest();
      this.#tell({ type: 'rest', ended });
      return ended;
    } catch (error) {
      await this.#endAll();
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
      await this.#lookIntoInbox();
      this.#fireTimers(this.#host.now());
      if (!leave) await this.#performQueued();
      if (leave || (await this.#atRest())) {
        if (leave) await this.#endAll();
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
    const waits = (one: (typeof waiting)[number]): boolean => {
      switch (one.order) {
        case 'ask_user':
          return this.#asking.has(one.id);
        case 'spawn_role':
          return !this.#options.holdRoles || (one.live && !this.#hosted.has(one.id));
        case 'set_timer':
          return goesOn && !this.#holds(one.order);
        case 'run_command':
        case 'consult':
          return !this.#holds(one.order);
        default:
          return true;
      }
    };
    return this.#live.size === 0 && this.#facts.empty && !waiting.some(waits);
  }

  /**
   * Whether an order of this kind is left to the driver after this one: a word of the user's begins nothing, and
   * waits for nothing.
   */
  #holds(order: string): boolean {
    return this.#options.holdRoles === true && ['spawn_role', 'run_command', 'consult', 'set_timer'].includes(order);
  }

  #pause(): number {
    const due = Math.min(Infinity, ...this.#timers.values()) - this.#host.now();
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
      if (outstanding === undefined || this.#live.has(id)) continue;
      const role = outstanding.effect.order.type === 'spawn_role';
      // One that performs roles gives up what an agent of the user's played, and sends the role again.
      if (this.#options.holdRoles && this.#hosted.has(id)) continue;
      if (outstanding.delivery.phase === 'started') {
        this.#alongside(id, role, async () => void (await this.#takeUpEarlier(id, role, true)));
        continue;
      }
      if (this.#holds(outstanding.effect.order.type)) continue;
      if ((await this.#perform(outstanding)) === 'next') this.#busy = id;
    }
  }

  /** Performs one effect, or sets it on its way. The only place that knows what an order means. */
  async #perform({ effect: { id, order } }: Outstanding): Promise<Performing> {
    const host = this.#host;
    switch (order.type) {
      case 'spawn_role': {
        const mission = await this.ask((engine) => engine.view().title);
        const limits = { ...order.data.limits };
        limits.timeout_ms = Math.min(limits.timeout_ms, this.#options.roleTimeout ?? Infinity);
        const spawn = { ...order.data, limits };
        return this.#alongside(id, true, async (stop) => {
          if (await this.#takeUpEarlier(id, true, false)) return;
          const tell = (fact: Fact): void => this.#facts.push(fact);
          tell({ type: 'run_ended', data: await host.role(id, spawn, { mission, stop, tell }) });
        });
      }
      case 'stop_role': {
        const live = this.#live.get(order.data.run);
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
        return this.#next(id, async () => performed(id, await host.writeFile(order.data, await this.ask(render))));
      }
      case 'commit_files': {
        const render = (engine: Engine): Wanted[] =>
          order.data.paths.map((path) => ({ path, content: engine.render(path) }));
        return this.#next(id, async () => performed(id, await host.commitFiles(id, order.data, await this.ask(render))));
      }
      case 'run_command':
        return this.#alongside(id, false, async (stop) => {
          if (await this.#takeUpEarlier(id, false, false)) return;
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
          this.#tell({ type: 'notice', ...order.data });
          await host.notify(order.data);
          return performed(id, { type: 'nothing' });
        });
    }
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
    this.#tell({ type: 'question', id, question });
    const { ask } = this.#host;
    if (ask === undefined || this.#options.holdRoles || this.#asking.has(id)) return 'waiting';
    const abort = new AbortController();
    this.#asking.set(id, abort);
    void (async () => {
      for (let refused: string | undefined; !abort.signal.aborted; ) {
        const answer = await ask.call(this.#host, id, question, abort.signal, refused);
        if (answer === undefined || abort.signal.aborted) return;
        try {
          await this.#apply({ type: 'question_answered', data: { effect: id, answer } });
          return;
        } catch (error) {
          if (!isEngineError(error) || error.code !== 'answer_type') return;
          refused = error.message;
        }
      }
    })()
      .catch((error) => this.#tell({ type: 'refused', id, why: error }))
      .finally(() => {
        this.#asking.delete(id);
        this.#facts.wake();
      });
    return 'waiting';
  }

  /** Tells of every timer that is due, in the order they are due. */
  #fireTimers(now: number): void {
    const due = [...this.#timers].filter(([, at]) => at <= now).sort(([, a], [, b]) => a - b);
    for (const [effect] of due) {
      this.#timers.delete(effect);
      this.#facts.push({ type: 'timer_fired', data: { effect } });
    }
  }

  /**
   * Looks for what an earlier host left of this effect's process. `true` if its answer is on its way: the
   * process is never started again. What was ordered since by this driver has no earlier host: if something is
   * there all the same, somebody put it there, and it is not believed.
   */
  async #takeUpEarlier(id: string, role: boolean, started: boolean): Promise<boolean> {
    if (Number.parseInt(id, 10) > this.#last) {
      if (await this.#host.clear?.(id)) this.#tell({ type: 'report', report: { type: 'run_foreign', run: id } });
      return false;
    }
    const earlier = await this.#host.earlier(id).catch(() => ({ found: 'lost' }) as const);
    if (earlier.found === 'nothing' && !started) return false;
    const found = earlier.found === 'finished' ? earlier.fact : undefined;
    this.#tell({ type: 'report', report: { type: 'run_recovered', run: id, found: found !== undefined } });
    const why = problem('run_lost', `run ${id}`, 'a result beside its record', 'none');
    const fact = found ?? (role ? lost(id, why) : unknownExit(id, why));
    if (role && !started && fact.type === 'run_ended') {
      this.#facts.push({ type: 'run_started', data: { effect: id, session: null } });
    }
    if (role && fact.type === 'run_ended') {
      const said = await this.#host.unheard?.(id).catch(() => []);
      for (const data of said ?? []) this.#facts.push({ type: 'run_progressed', data });
    }
    this.#facts.push(fact);
    return true;
  }

  /**
   * Takes a fact of our own making. A refusal is no reason to stop: it says that the effect was answered or
   * withdrawn, or that the answer was not fit to be one.
   */
  async #take(fact: Fact): Promise<void> {
    const id = effectOf(fact);
    const starts = fact.type === 'run_started';
    const ends = !starts && fact.type !== 'run_progressed';
    if (id !== undefined && ends) {
      this.#live.delete(id);
      if (this.#busy === id) this.#busy = undefined;
    }
    try {
      await this.#apply(fact);
      return;
    } catch (error) {
      if (!isEngineError(error) || error.kind === 'broken' || this.#ledger.spoilt) throw error;
      const stale = error.code === 'stale_answer' || error.code === 'unknown_effect';
      if (stale && (fact.type === 'run_ended' || fact.type === 'command_exited')) {
        return this.#recovered('stall', `${fact.type} of ${error.got} came too late`);
      }
      if (stale) {
        // Withdrawn in the moment it was started: it must not go on.
        if (starts && id !== undefined) this.#live.get(id)?.stop.kill();
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

  async #recovered(from: 'restart' | 'stall', note: string): Promise<void> {
    await this.#apply({ type: 'host_recovered', data: { from, note } });
  }

  async #apply(fact: Fact): Promise<Applied> {
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
      if (mode === 'kill') this.#kill((live) => !live.role);
      for (const asking of this.#asking.values()) asking.abort();
    }
    return false;
  }

  async #lookIntoInbox(): Promise<void> {
    const now = performance.now();
    if (now - this.#lastLook < INBOX_EVERY) return;
    this.#lastLook = now;
    for (const letter of await this.#hold.letters()) {
      try {
        await this.#apply(await letter.read());
        await letter.remove();
      } catch (why) {
        if (this.#ledger.spoilt || (isEngineError(why) && why.kind === 'broken')) throw why;
        if (isEngineError(why) && why.code === 'duplicate_command') {
          await letter.remove();
          continue;
        }
        await letter.refuse(why);
        this.#tell({ type: 'refused', id: letter.id, why });
      }
    }
  }

  /** Removes a letter whose event was the last thing the driver before this one did. */
  async #forgetTaken(last: Fact | undefined): Promise<void> {
    if (last?.type !== 'question_answered') return;
    for (const letter of await this.#hold.letters()) {
      const same = await letter.read().then((fact) => sameJson(fact, last), () => false);
      if (same) await letter.remove();
    }
  }

  /**
   * Roles whose record says that they were started although the journal does not: that comes first, for the
   * recovery takes back what was never started.
   */
  async #tellOfEarlierStarts(): Promise<void> {
    const { waiting } = await this.ask((engine) => engine.outbox());
    for (const { id, order, live } of waiting) {
      if (order !== 'spawn_role' || live || ['nothing', 'hosted'].includes((await this.#host.earlier(id)).found)) continue;
      await this.#apply({ type: 'run_started', data: { effect: id, session: null } });
    }
  }

  #kill(wanted: (live: Live) => boolean): void {
    for (const live of this.#live.values()) if (wanted(live)) live.stop.kill();
  }

  /** Ends everything that runs, and waits for it. */
  async #endAll(): Promise<void> {
    this.#kill(() => true);
    for (const asking of this.#asking.values()) asking.abort();
    await Promise.all([...this.#live.values()].map((live) => live.done));
    this.#live.clear();
  }

  #tell(happening: Happening): void {
    for (const observer of this.#observers) {
      try {
        observer(happening);
      } catch (error) {
        // Said where a person may find it, and no more.
        console.error('endstate: an observer threw', error);
      }
    }
  }
}

/** What callers without types forget. */
function checkHost(host: Host | undefined): void {
  if (typeof host?.hold === 'function') return;
  throw new HostError('usage', 'host', 'a host, e.g. nodeHost({ root }) or memoryHost()', host === undefined ? 'none' : typeof host);
}
