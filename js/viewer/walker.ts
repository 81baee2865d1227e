// From moment to moment: the newest wish counts, and whoever moves on before it is there goes straight on.

/** Whoever stays so long at a moment wants to know more of it; longer while it is played. */
const [REST, REST_PLAYED] = [90, 400];

interface Hooks {
  /** The last event that can be shown; nothing while nothing can. */
  last(): number | undefined;
  /** All that there is was read. */
  idle(): boolean;
  live(): boolean;
  playing(): boolean;
  show(seq: number): Promise<void>;
  /** The reader has come to rest. */
  rested(): void;
  fault(why: string): void;
}

export class Walker {
  /** The event that was asked for last. */
  wanted = 0;
  /** The newest moment is wanted, whichever that is. */
  following = true;
  #hooks: Hooks;
  #busy: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(hooks: Hooks) {
    this.#hooks = hooks;
  }

  get busy(): boolean {
    return this.#busy !== undefined;
  }

  /** To the moment after an event. */
  go(seq: number, following = false): Promise<void> {
    const { last, idle, live } = this.#hooks;
    const known = last();
    this.wanted = Math.max(0, idle() ? Math.min(seq, known ?? 0) : seq);
    this.following = following || (idle() && this.wanted === known && live());
    if (known === undefined) return Promise.resolve();
    this.#busy ??= this.#catchUp().finally(() => { this.#busy = undefined; });
    return this.#busy;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  async #catchUp(): Promise<void> {
    const { show, playing, rested, fault } = this.#hooks;
    const next = (): number => Math.min(this.wanted, this.#hooks.last() ?? 0);
    try {
      for (let wanted = next(); ; wanted = next()) {
        await show(wanted);
        if (wanted === next()) break;
      }
    } catch (error) {
      fault(error instanceof Error ? error.message : String(error));
    }
    this.stop();
    this.#timer = setTimeout(rested, playing() ? REST_PLAYED : REST);
  }
}
