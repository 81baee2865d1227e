// Asking something that runs to wind up, or ending it; never taken back.

/** What a run is asked. Cheap to poll (`level`), or to listen to (the signals). */
export class Stop {
  readonly #windUp = new AbortController();
  readonly #kill = new AbortController();

  /** Aborted when the run is asked to wind up, or ended; it may still finish in its own way. */
  get windingUp(): AbortSignal {
    return this.#windUp.signal;
  }

  /** Aborted when the run must end at once. */
  get killed(): AbortSignal {
    return this.#kill.signal;
  }

  /** 0: go on, 1: wind up, 2: end. */
  get level(): 0 | 1 | 2 {
    return this.killed.aborted ? 2 : this.windingUp.aborted ? 1 : 0;
  }

  /** Asks it to wind up. */
  windUp(): void {
    this.#windUp.abort();
  }

  /** Ends it. */
  kill(): void {
    this.#windUp.abort();
    this.#kill.abort();
  }
}

/**
 * Counts how often the user asked to stop: once to drain (what runs goes on to its end), twice to end
 * what runs, three times to leave at once. A signal handler raises it.
 */
export class StopFlag {
  #count = 0;
  readonly #heard = new Set<() => void>();

  /** Asks once more. */
  raise(): void {
    this.#count += 1;
    this.#heard.forEach((hear) => hear());
  }

  /** How often it was asked. */
  get count(): number {
    return this.#count;
  }

  /** Calls `hear` whenever it is raised, until the answer is called. */
  onRaise(hear: () => void): () => void {
    this.#heard.add(hear);
    return () => this.#heard.delete(hear);
  }
}
