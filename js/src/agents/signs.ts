// Signs of life of a run, within their bounds: structured ones are taken whole and never lost, of plain lines the
// newest are kept. Twin of the Listener's half in src/native/agent.

import type { ProgressEntry } from 'endstate-engine';
import { clip, printable } from '../text.js';

/** The most characters of one sign of life that is nothing but a line. */
const MOST_ENTRY = 400;
/** The most lines between two events; the newest are kept. */
const MOST_LINES = 20;
/** The most bytes of a structured sign of life. It is taken whole or not at all: half of one says nothing. */
const MOST_STRUCTURED = 4 * 1024;
/** The most structured signs of life of one run. */
const MOST_OF_RUN = 2_000;
/** The most signs of life of one event. */
const MOST_OF_EVENT = 100;
/** The kind of a plain line. */
const ACTIVITY = 'activity';
/** The kind of a word on what was not taken. */
const REFUSED = 'refused';

const shown = (text: string): string => printable(text).trim();

/** Whether a sign of life is more than a line, or a count of what was refused. */
export const isStructured = ({ kind }: ProgressEntry): boolean => kind !== ACTIVITY && kind !== REFUSED;

/** The kind of an entry that names a session of the run. */
export const SESSION = 'session';
/** The most sessions of one run that are told. */
const MOST_SESSIONS = 100;

/** The signs of life that have not been told yet. */
export class Signs {
  #entries: ProgressEntry[] = [];
  #structured = 0;
  #refused = 0;
  readonly #sessions = new Set<string>();

  line(text: string): void {
    this.#add(ACTIVITY, clip(shown(text), MOST_ENTRY));
  }

  structured(kind: string, given: string): void {
    const text = shown(given);
    if (this.#structured >= MOST_OF_RUN || new TextEncoder().encode(text).length > MOST_STRUCTURED) return this.refuse();
    this.#structured += 1;
    // What calls itself a line is throttled like one.
    this.#add(clip(shown(kind), MOST_ENTRY), kind === ACTIVITY ? clip(text, MOST_ENTRY) : text);
  }

  /** Each session that is named is a sign of life of its own, once, whatever else the run said. */
  session(name: string): void {
    const fits = new TextEncoder().encode(name).length <= MOST_STRUCTURED && this.#sessions.size < MOST_SESSIONS;
    if (!fits || this.#sessions.has(name)) return;
    this.#sessions.add(name);
    this.#add(SESSION, name);
  }

  /** One more that was not taken. */
  refuse(): void {
    this.#refused += 1;
  }

  /** Whether anything has not been told. */
  get any(): boolean {
    return this.#entries.length > 0 || this.#refused > 0;
  }

  /** As many as one event holds, in order: all structured ones, the newest lines, and in the end how many were refused. */
  take(): ProgressEntry[] {
    let surplus = this.#entries.filter(({ kind }) => kind === ACTIVITY).length - MOST_LINES;
    const all = this.#entries.splice(0).filter(({ kind }) => {
      const old = surplus > 0 && kind === ACTIVITY;
      if (old) surplus -= 1;
      return !old;
    });
    this.#entries = all.splice(MOST_OF_EVENT);
    if (this.#entries.length === 0 && this.#refused > 0) {
      const text = `${this.#refused} signs of life were not taken: at most ${MOST_OF_RUN} of ${MOST_STRUCTURED} bytes`;
      this.#refused = 0;
      all.push({ kind: REFUSED, text });
    }
    return all;
  }

  #add(kind: string, text: string): void {
    if (text !== '') this.#entries.push({ kind, text });
  }
}
