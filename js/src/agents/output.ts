// What a program says: signs of life while it runs, and report, usage and outcome when it has ended. Twin of
// the lower half of src/native/agent.

import { lastOf, printable, problem, Signs } from 'endstate-core';
import type { Diagnostic, Limits, ProgressEntry, RunEnded, RunOutcome, Usage } from 'endstate-core';
import type { End } from '../node/process.js';

/** The longest line that is looked at, in bytes; the rest of it is left out of progress. */
const MOST_LINE = 64 * 1024;
const NEWLINE = 10;

interface Said {
  session?: string | null;
  tokens?: number | null;
  cost_micros?: number | null;
  turns?: number | null;
  turns_exhausted?: boolean | null;
  context_exhausted?: boolean | null;
  outcome?: RunOutcome | null;
}

type Aside = { kind: string; text: string } | { said: Said };

const OUTCOMES = ['success', 'partial', 'checkpoint', 'failed', 'lost'];
const whole = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const FIELDS: Record<keyof Said, (value: unknown) => boolean> = {
  session: (value) => typeof value === 'string',
  tokens: whole,
  cost_micros: whole,
  turns: (value) => whole(value) && Number(value) < 2 ** 32,
  turns_exhausted: (value) => typeof value === 'boolean',
  context_exhausted: (value) => typeof value === 'boolean',
  outcome: (value) => OUTCOMES.includes(value as string),
};

/** Reads a line for the host; nothing if it is one of the report's. */
function aside(given: string): Aside | undefined {
  const line = given.trim();
  if (!line.startsWith('{') || !line.includes('"endstate"')) return undefined;
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(line) as typeof value;
  } catch {
    return undefined;
  }
  if (value['endstate'] === 'progress') {
    const { kind = null, text = '' } = value;
    if (typeof text !== 'string' || (kind !== null && typeof kind !== 'string')) return undefined;
    return { kind: kind ?? 'progress', text };
  }
  if (value['endstate'] !== 'result') return undefined;
  const said: Said = {};
  for (const [name, fits] of Object.entries(FIELDS)) {
    const field = value[name] ?? null;
    if (field !== null && !fits(field)) return undefined;
    if (field !== null) Object.assign(said, { [name]: field });
  }
  return { said };
}

/** Listens to a run while it runs. */
export class Listener {
  readonly #partial: [Uint8Array[], Uint8Array[]] = [[], []];
  readonly #signs = new Signs();

  /** Takes a piece of output; `stdout` tells which of the two it is from. */
  hear(stdout: boolean, bytes: Uint8Array): void {
    const partial = this.#partial[stdout ? 1 : 0];
    for (let at = 0; at < bytes.length; ) {
      const end = bytes.indexOf(NEWLINE, at);
      const to = end < 0 ? bytes.length : end + 1;
      const room = MOST_LINE - partial.reduce((sum, piece) => sum + piece.length, 0);
      partial.push(bytes.slice(at, Math.min(to, at + Math.max(0, room))));
      // Letters are put together line by line, so one that was cut in two by a pipe is whole again.
      if (end >= 0) this.#end(partial);
      at = to;
    }
  }

  #end(partial: Uint8Array[]): void {
    const bytes = Buffer.concat(partial.splice(0));
    this.#line(new TextDecoder().decode(bytes), bytes.length >= MOST_LINE);
  }

  #line(line: string, long: boolean): void {
    const found = aside(line);
    if (found !== undefined && 'said' in found) {
      if (found.said.session != null) this.#signs.session(found.said.session);
      return;
    }
    if (found !== undefined) this.#signs.structured(found.kind, found.text);
    // Too long to be read whole, so nobody knows what it would have said.
    else if (long && line.includes('"endstate"')) this.#signs.refuse();
    else this.#signs.line(line);
  }

  /** The signs of life since the last time, as many as one event holds. */
  entries(): ProgressEntry[] {
    return this.#signs.take();
  }

  /** Whether anything was heard that has not been passed on. */
  get hasEntries(): boolean {
    return this.#signs.any;
  }

  /** The last line of a stream needs no end. */
  close(): void {
    for (const partial of this.#partial) if (partial.length > 0) this.#end(partial);
  }
}

/** Takes the lines for the host out of the whole output: what is left is the report. */
function reportOf(output: Uint8Array): { text: string; said: Said } {
  const said: Said = {};
  const lines = new TextDecoder('utf-8', { ignoreBOM: true }).decode(output).split(/(?<=\n)/);
  const kept = lines.filter((line) => {
    const found = aside(line);
    if (found !== undefined && 'said' in found) Object.assign(said, found.said);
    return found === undefined;
  });
  return { text: kept.join(''), said };
}

/** The variables of a run that corrects one with this output: its session, if it named one, and what that had used. */
export function corrected(output: Uint8Array): { [name: string]: string } {
  const { session, tokens, cost_micros: cost } = reportOf(output).said;
  if (session == null) return {};
  const used = { SESSION: session.replaceAll('\0', ''), TOKENS: String(tokens ?? 0), COST_MICROS: String(cost ?? 0) };
  return Object.fromEntries(Object.entries(used).map(([name, value]) => [`ENDSTATE_CORRECTS_${name}`, value]));
}

/** What a run's end means. `stdout` and `stderr` are what it said, whole. */
export function ended(run: string, end: End, stdout: Uint8Array, stderr: Uint8Array, duration: number, limits: Limits): RunEnded {
  const { text, said } = reportOf(stdout);
  // A result line may stand on either stream.
  Object.assign(said, reportOf(stderr).said);
  const silent = text.trim() === '';
  const words = printable(new TextDecoder().decode(stderr.slice(-4_000)).trim());
  const tail = lastOf(words, 1_500);
  const exhausted = said.turns_exhausted === true || said.context_exhausted === true;
  const { outcome, problem: found } = judged(run, end, silent, exhausted, tail === '' ? '' : `; ${tail}`, limits);
  const usage: Usage = {
    turns: said.turns ?? 0,
    duration_ms: duration,
    tokens: said.tokens ?? 0,
    cost_micros: said.cost_micros ?? 0,
    turns_exhausted: said.turns_exhausted ?? false,
    context_exhausted: said.context_exhausted ?? false,
  };
  // A run that was ended half-way has left no report, whatever it has said.
  const report = !silent && end.how === 'exited' ? text : null;
  return { effect: run, outcome: found === null ? (said.outcome ?? outcome) : outcome, report, problem: found, usage };
}

function judged(run: string, end: End, silent: boolean, exhausted: boolean, lastWords: string, limits: Limits): { outcome: RunOutcome; problem: Diagnostic | null } {
  const at = `run ${run}`;
  switch (end.how) {
    case 'exited':
      if (end.status !== 0) {
        const code = exhausted ? 'run_exhausted' : 'run_failed';
        return { outcome: 'failed', problem: problem(code, at, 'exit status 0', `status ${end.status}${lastWords}`) };
      }
      return silent
        ? { outcome: 'failed', problem: problem('run_silent', at, 'a report', `nothing${lastWords}`) }
        : { outcome: 'success', problem: null };
    case 'signalled':
      return { outcome: 'lost', problem: problem('run_lost', at, 'to end by itself', `ended by signal ${end.signal}${lastWords}`) };
    case 'stopped':
      return { outcome: 'lost', problem: problem('run_lost', at, 'to end by itself', 'stopped') };
    case 'timed_out':
      return { outcome: 'lost', problem: problem('run_timed_out', at, `at most ${limits.timeout_ms} ms`, 'more') };
    case 'flooded':
      return { outcome: 'lost', problem: problem('run_flooded', at, `at most ${limits.output_bytes} bytes of output`, 'more') };
  }
}
