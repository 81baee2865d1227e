// Facts on their way to the engine, in the order they happened.

import type { Fact } from 'endstate-engine';

/** A queue with one reader, that can also be woken without a fact. */
export class Facts {
  readonly #waiting: Fact[] = [];
  #woken = false;
  #wake: (() => void) | undefined;

  /** Whether nothing waits. */
  get empty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Adds a fact. */
  push(fact: Fact): void {
    this.#waiting.push(fact);
    this.wake();
  }

  /** Lets the reader look around. */
  wake(): void {
    this.#woken = true;
    this.#wake?.();
  }

  /** The next fact; nothing after `timeout` milliseconds, or when woken. */
  async next(timeout: number): Promise<Fact | undefined> {
    if (this.#waiting.length === 0 && !this.#woken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeout);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = undefined;
    }
    this.#woken = false;
    return this.#waiting.shift();
  }
}
