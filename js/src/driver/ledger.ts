// The engine of a mission and the journal behind it: the one place where an event becomes durable.
//
// One event at a time: redact, apply, journal; only then is anybody told. If the journal cannot be written, the
// engine in memory is ahead of it and worth nothing. An engine that is lost to a trap is opened again from
// snapshot and journal, and asked once more.

import type { Applied, Engine, Event, Fact } from 'endstate-engine';
import { words } from '../error.js';
import { snapshotText } from '../host.js';
import type { Hold, Host } from '../host.js';
import { open, prove } from '../open.js';

/** How many events lie between two snapshots. */
const EVENTS_PER_SNAPSHOT = 64;

/** Who is told what becomes of the engine. */
export interface Listener {
  /** An event is durable; called before the next one is taken. */
  applied(event: Event, applied: Applied): void;
  /** The engine was lost, for this reason, and opened again. */
  reopened(why: string): void;
}

/** Owns engine and journal. */
export class Ledger {
  readonly #host: Host;
  readonly #hold: Hold;
  readonly #listener: Listener;
  #engine: Engine;
  /** Length of the journal in bytes. */
  #offset: number;
  #sinceSnapshot = 0;
  /** Why the journal could not be written. */
  #spoilt: Error | undefined;
  /** The end that stands was decided once more when it was reached. */
  #proven = false;
  /** One at a time: what the driver's loop does, and what the user does. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(host: Host, hold: Hold, engine: Engine, offset: number, listener: Listener) {
    [this.#host, this.#hold, this.#engine, this.#offset, this.#listener] = [host, hold, engine, offset, listener];
  }

  /** Whether the journal could not be written. */
  get spoilt(): boolean {
    return this.#spoilt !== undefined;
  }

  /** Asks the engine. */
  ask<T>(question: (engine: Engine) => T): Promise<T> {
    return this.#exclusive(() => this.#surviving(question));
  }

  /** Redact, apply, journal, and only then tell. Throws what the engine refuses, or that the journal cannot be written. */
  apply(given: Fact): Promise<Applied> {
    return this.#exclusive(async () => {
      if (this.#spoilt !== undefined) throw this.#spoilt;
      const event = { at: this.#host.now(), fact: this.#host.redact(given) };
      const applied = await this.#surviving((engine) => engine.apply(event));
      const line = applied.line ?? '';
      try {
        await this.#hold.append(line);
      } catch (error) {
        this.#spoilt = error instanceof Error ? error : new Error(String(error));
        throw error;
      }
      this.#offset += lineLength(line);
      this.#sinceSnapshot += 1;
      await this.#first();
      this.#listener.applied(event, applied);
      if (this.#sinceSnapshot >= EVENTS_PER_SNAPSHOT) await this.#keep();
      return applied;
    });
  }

  /** Leaves a snapshot at the end of the journal. */
  async rest(): Promise<void> {
    await this.#exclusive(async () => {
      if (this.#spoilt === undefined && this.#sinceSnapshot > 0) await this.#keep();
    });
  }

  /**
   * Nothing is called done before its whole journal has been decided once more. If that comes to another end, the
   * snapshots go, so that whoever opens the mission next is told the same.
   */
  async prove(): Promise<void> {
    await this.#exclusive(() => this.#prove());
  }

  /** Nor is it told or written down that it is: what an end orders is taken up only if its journal leads to it. */
  async proveFirst(): Promise<void> {
    await this.#exclusive(() => this.#first());
  }

  async #first(): Promise<void> {
    const over = await this.#surviving((engine) => engine.isOver());
    if (over && !this.#proven) await this.#prove();
    this.#proven = over;
  }

  async #prove(): Promise<void> {
    try {
      await this.#surviving((engine) => prove(this.#hold, engine));
    } catch (error) {
      this.#spoilt = error instanceof Error ? error : new Error(String(error));
      await this.#hold.forget();
      throw error;
    }
  }

  /** Gives the engine's memory back. */
  free(): void {
    this.#engine.free();
  }

  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** Work on the engine. A trap takes the instance with it: it is opened again from disk, and asked once more. */
  async #surviving<T>(work: (engine: Engine) => T | Promise<T>): Promise<T> {
    try {
      return await work(this.#engine);
    } catch (error) {
      if (!isLost(error)) throw error;
      const { engine } = await open(this.#hold);
      this.#engine = engine;
      this.#listener.reopened(words(error));
      return await work(engine);
    }
  }

  /** The journal has everything; a snapshot only makes opening cheap, so one that cannot be written is no matter. */
  async #keep(): Promise<void> {
    try {
      const text = await this.#surviving((engine) => {
        const position = engine.position();
        return position && { seq: engine.outbox().seq, text: snapshotText(position, this.#offset, engine.snapshot()) };
      });
      if (text !== undefined) await this.#hold.keep(text.seq, text.text);
      this.#sinceSnapshot = 0;
    } catch {
      // The next driver replays a little more.
    }
  }
}

/** Whether the engine is gone: to a trap of its own, or to that of another mission in this process. */
function isLost(error: unknown): boolean {
  return error instanceof WebAssembly.RuntimeError || (error instanceof Error && error.name === 'EngineLost');
}

/** What a line takes in the journal, in bytes, its end included. */
export function lineLength(line: string): number {
  return new TextEncoder().encode(line).length + 1;
}
