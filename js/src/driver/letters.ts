// The inbox of a running mission: what a person, or another program, sends to whoever drives. Twin of
// src/native/driver/letters.rs.

import type { Applied, Fact } from 'endstate-engine';
import { isEngineError } from '../error.js';
import type { Hold } from '../host.js';
import type { Happening } from './happening.js';
import type { Ledger } from './ledger.js';
import { sameJson } from './made.js';

/** The longest time between two looks at the inbox, in milliseconds. */
export const INBOX_EVERY = 150;

/** Takes letters to the engine. One is removed when its event is durable, or when it is refused. */
export class Letters {
  #lastLook = -Infinity;

  constructor(
    private readonly hold: Hold,
    private readonly ledger: Ledger,
    private readonly apply: (fact: Fact) => Promise<Applied>,
    private readonly tell: (happening: Happening) => void,
  ) {}

  /** Takes what waits, if it is time to look. Throws if the journal cannot be written, or for a bug of the engine. */
  async take(): Promise<void> {
    const now = performance.now();
    if (now - this.#lastLook < INBOX_EVERY) return;
    this.#lastLook = now;
    for (const letter of await this.hold.letters()) {
      try {
        await this.apply(await letter.read());
        await letter.remove();
      } catch (why) {
        if (this.ledger.spoilt || (isEngineError(why) && why.kind === 'broken')) throw why;
        if (isEngineError(why) && why.code === 'duplicate_command') {
          await letter.remove();
          continue;
        }
        await letter.refuse(why);
        this.tell({ type: 'refused', id: letter.id, why });
      }
    }
  }

  /** Removes a letter whose event was the last thing the driver before this one did. */
  async forget(last: Fact | undefined): Promise<void> {
    if (last?.type !== 'question_answered') return;
    for (const letter of await this.hold.letters()) {
      const same = await letter.read().then((fact) => sameJson(fact, last), () => false);
      if (same) await letter.remove();
    }
  }
}
