// The face of a session: where a mission shows itself, and where it asks. A mission outlives turns, compactions
// and sessions, and what pi hands to a handler does not: after a compaction or with another session it is stale for
// good. So nobody here keeps it. Every handler shows the newest to the face, the face forgets it when its session is
// over or when pi says that it is stale, and a question that was open then is asked again on the next one.

import type { Context, Ui } from './api.js';

/** What a person sees of one session, as long as it lasts. */
export class Face {
  #context: Context | undefined;
  #gone = new AbortController();
  readonly #waiting = new Set<() => void>();

  /** A handler was called: this is the newest. */
  show(context: Context): void {
    this.#context = context;
    for (const wake of [...this.#waiting]) wake();
  }

  /** The session is over, or what we have of it is stale. */
  leave(): void {
    this.#context = undefined;
    this.#gone.abort();
    this.#gone = new AbortController();
  }

  /** Shows something, if there is anything to show it on. */
  draw(work: (ui: Ui) => void): void {
    try {
      if (this.#context?.hasUI === true) work(this.#context.ui);
    } catch {
      this.leave();
    }
  }

  /**
   * Asks, and asks again on the next session if this one ends before there is an answer. Nothing once `signal` is
   * aborted, or if nobody can be asked.
   */
  async ask<T>(signal: AbortSignal, work: (ui: Ui, signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    while (!signal.aborted) {
      const ui = await this.#ui(signal);
      if (ui === undefined) return undefined;
      const gone = this.#gone.signal;
      const over = new Promise<'over'>((resolve) => gone.addEventListener('abort', () => resolve('over'), { once: true }));
      try {
        // A dialog of a session that is gone may never answer.
        const asked = await Promise.race([work(ui, AbortSignal.any([signal, gone])), over]);
        if (!gone.aborted) return asked as T;
      } catch {
        if (!gone.aborted) this.leave();
      }
    }
    return undefined;
  }

  async #ui(signal: AbortSignal): Promise<Ui | undefined> {
    for (;;) {
      if (signal.aborted) return undefined;
      try {
        if (this.#context !== undefined) return this.#context.hasUI ? this.#context.ui : undefined;
      } catch {
        this.leave();
      }
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
        signal.addEventListener('abort', wake, { once: true });
      });
    }
  }
}
