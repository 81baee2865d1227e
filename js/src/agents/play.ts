// Plays a run of an in-process agent: limits by signals, signs of life at most once a second.

import type { Diagnostic, RunEnded, SpawnRole, Usage } from 'endstate-engine';
import { diagnostic, HostError, isHostError, problem, words } from '../error.js';
import type { RoleContext } from '../host.js';
import { Stop } from '../stop.js';
import { clip } from '../text.js';
import type { InProcessAgent, RunRequest, RunResult } from './agent.js';
import { Signs } from './signs.js';

/** The shortest time between two progress events of a run. */
export const PROGRESS_EVERY = 1_000;

/** Where a run takes place. */
export interface Place {
  root: string;
  promptFile: string;
}

/** Everything an agent is told of a run. */
export function requestOf(run: string, order: SpawnRole, mission: string, place: Place): RunRequest {
  const { role, item, visit, prompt, report_schema: reportSchema, tier, access, limits, corrects } = order;
  return { run, mission, role, item, visit, prompt, reportSchema, tier, access, limits, corrects, ...place };
}

/**
 * Plays one run to its end, whatever the agent does. What it throws, and an answer that is none, is a failed run, and a
 * fault of the code that was given: told as one, unless the run was being ended.
 */
export async function playInProcess(
  agent: InProcessAgent, run: string, order: SpawnRole, context: RoleContext & Place,
): Promise<RunEnded> {
  const began = Date.now();
  const teller = new Teller(run, context);
  // The user's stop and the time limit end a run alike.
  const [ends, late] = [new Stop(), new AbortController()];
  const timer = setTimeout(() => late.abort(), Math.min(order.limits.timeout_ms, 2 ** 31 - 1));
  context.stop.windingUp.addEventListener('abort', () => ends.windUp(), { once: true });
  const over = new Promise<'over'>((resolve) => {
    for (const signal of [late.signal, context.stop.killed]) {
      const end = (): void => {
        ends.kill();
        resolve('over');
      };
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
    }
  });
  const usage = (more: Partial<Usage> = {}): Usage => ({
    turns: 0, tokens: 0, cost_micros: 0, turns_exhausted: false, context_exhausted: false,
    ...more, duration_ms: more.duration_ms ?? Math.max(0, Date.now() - began),
  });
  const ended = (outcome: RunEnded['outcome'], report: string | null, found: Diagnostic | null, used?: Partial<Usage>): RunEnded =>
    ({ effect: run, outcome, report, problem: found, usage: usage(used) });
  try {
    const request = requestOf(run, order, context.mission, { root: context.root, promptFile: context.promptFile });
    const played = (async () => agent.play(request, {
      windUp: ends.windingUp,
      kill: ends.killed,
      session: (id) => teller.session(id),
      progress: (text, kind = 'progress') => teller.hear(kind, text),
    }))();
    const given = await Promise.race([played, over]);
    if (given === 'over') {
      const at = `run ${run}`;
      if (!late.signal.aborted) return ended('lost', null, problem('run_lost', at, 'to end by itself', 'stopped'));
      return ended('lost', null, problem('run_timed_out', at, `at most ${order.limits.timeout_ms} ms`, 'more'));
    }
    const result = resultOf(given, agent.name);
    if (new TextEncoder().encode(result.report).length > order.limits.output_bytes) {
      return ended('lost', null, problem('run_flooded', `run ${run}`, `at most ${order.limits.output_bytes} bytes of output`, 'more'));
    }
    if (result.report.trim() === '') {
      return ended('failed', null, result.problem ?? problem('run_silent', `run ${run}`, 'a report', 'nothing'), result.usage);
    }
    return ended(result.outcome ?? 'success', result.report, result.problem ?? null, result.usage);
  } catch (error) {
    const fault = isHostError(error) ? error : new HostError('run_failed', `agent ${agent.name}`, 'to play its run', words(error), error);
    if (!ends.windingUp.aborted) context.fault(fault);
    return ended('failed', null, diagnostic(fault, 'run_failed', `run ${run}`));
  } finally {
    clearTimeout(timer);
    ends.kill();
    teller.finish();
  }
}

const OUTCOMES = ['success', 'partial', 'checkpoint', 'failed', 'lost'];
const whole = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const text = (value: unknown): boolean => typeof value === 'string';
const told = (value: unknown): boolean => typeof value === 'boolean';
const USAGE = { turns: whole, duration_ms: whole, tokens: whole, cost_micros: whole, turns_exhausted: told, context_exhausted: told };
const PROBLEM = { code: text, at: text, expected: text, got: text };

/** What an agent answered, if it is the result of a run. Throws `usage` with the field that is not. */
function resultOf(given: RunResult, name: string): RunResult {
  const wrong = (field: string, expected: string, got: unknown): never => {
    throw new HostError('usage', `agent ${name}${field}`, expected, kindOf(got));
  };
  const fits = (field: string, value: object | undefined, kinds: Record<string, (one: unknown) => boolean>, all: boolean): void => {
    if (value === undefined) return;
    if (typeof value !== 'object' || value === null) wrong(field, 'an object', value);
    for (const [key, is] of Object.entries(kinds)) {
      const one = (value as Record<string, unknown>)[key];
      if (!is(one) && (all || one !== undefined)) wrong(`${field}.${key}`, `as RunResult has it`, one);
    }
  };
  if (typeof given !== 'object' || given === null) wrong('', 'a result, { report: "…" }', given);
  if (!text(given.report)) wrong('.report', 'the report as text', given.report);
  if (given.outcome !== undefined && !OUTCOMES.includes(given.outcome)) wrong('.outcome', `one of ${OUTCOMES.join(', ')}`, given.outcome);
  fits('.usage', given.usage, USAGE, false);
  fits('.problem', given.problem, PROBLEM, true);
  return given;
}

/** A value in a few words, for who gave it. */
export function kindOf(value: unknown): string {
  if (typeof value === 'string') return `the text ${JSON.stringify(clip(value, 80))}`;
  if (typeof value !== 'object' || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : `an object with ${Object.keys(value).join(', ') || 'nothing'}`;
}

/** Turns signs of life into facts. */
class Teller {
  readonly #run: string;
  readonly #context: RoleContext;
  readonly #signs = new Signs();
  #over = false;
  #told = Date.now();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(run: string, context: RoleContext) {
    [this.#run, this.#context] = [run, context];
    context.tell({ type: 'run_started', data: { effect: run, session: null } });
  }

  /** It is held to every session that it names. */
  session(name: string): void {
    this.#hear(() => this.#signs.session(name));
  }

  hear(kind: string, text: string): void {
    this.#hear(() => (kind === 'activity' ? this.#signs.line(text) : this.#signs.structured(kind, text)));
  }

  #hear(sign: () => void): void {
    if (this.#over) return;
    sign();
    this.#timer ??= setTimeout(() => this.#progress(), Math.max(0, PROGRESS_EVERY - (Date.now() - this.#told)));
  }

  finish(): void {
    this.#progress();
    this.#over = true;
    clearTimeout(this.#timer);
  }

  #progress(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#over) return;
    while (this.#signs.any) {
      this.#told = Date.now();
      this.#context.tell({ type: 'run_progressed', data: { effect: this.#run, entries: this.#signs.take() } });
    }
  }
}
