// Plays a run of an in-process agent: limits by signals, signs of life at most once a second.

import type { Diagnostic, RunEnded, SpawnRole, Usage } from 'endstate-engine';
import { diagnostic, problem } from '../error.js';
import type { RoleContext } from '../host.js';
import { Stop } from '../stop.js';
import type { InProcessAgent, RunRequest } from './agent.js';
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

/** Plays one run to its end, whatever the agent does. */
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
    // Begun a moment later, so that the session can be named first.
    const played = (async () => agent.play(request, {
      windUp: ends.windingUp,
      kill: ends.killed,
      session: (id) => teller.start(id),
      progress: (text, kind = 'progress') => teller.hear(kind, text),
    }))();
    const result = await Promise.race([played, over]);
    if (result === 'over') {
      const at = `run ${run}`;
      if (!late.signal.aborted) return ended('lost', null, problem('run_lost', at, 'to end by itself', 'stopped'));
      return ended('lost', null, problem('run_timed_out', at, `at most ${order.limits.timeout_ms} ms`, 'more'));
    }
    if (new TextEncoder().encode(result.report).length > order.limits.output_bytes) {
      return ended('lost', null, problem('run_flooded', `run ${run}`, `at most ${order.limits.output_bytes} bytes of output`, 'more'));
    }
    if (result.report.trim() === '') {
      return ended('failed', null, result.problem ?? problem('run_silent', `run ${run}`, 'a report', 'nothing'), result.usage);
    }
    return ended(result.outcome ?? 'success', result.report, result.problem ?? null, result.usage);
  } catch (error) {
    return ended('failed', null, diagnostic(error, 'run_failed', `run ${run}`));
  } finally {
    clearTimeout(timer);
    ends.kill();
    teller.finish();
  }
}

/** Turns signs of life into facts. */
class Teller {
  readonly #run: string;
  readonly #context: RoleContext;
  readonly #signs = new Signs();
  #started = false;
  /** The session it started in. */
  #session: string | null = null;
  #over = false;
  #told = Date.now();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(run: string, context: RoleContext) {
    [this.#run, this.#context] = [run, context];
  }

  start(session: string | null): void {
    if (this.#over) return;
    if (!this.#started) {
      this.#started = true;
      this.#session = session;
      this.#context.tell({ type: 'run_started', data: { effect: this.#run, session } });
    } else if (session !== null && session !== this.#session) {
      // Named late, or another one: it is held to every one it named.
      this.#signs.session(session);
      this.#timer ??= setTimeout(() => this.#progress(), Math.max(0, PROGRESS_EVERY - (Date.now() - this.#told)));
    }
  }

  hear(kind: string, text: string): void {
    if (this.#over) return;
    if (kind === 'activity') this.#signs.line(text);
    else this.#signs.structured(kind, text);
    this.#timer ??= setTimeout(() => this.#progress(), Math.max(0, PROGRESS_EVERY - (Date.now() - this.#told)));
  }

  finish(): void {
    this.start(null);
    this.#progress();
    this.#over = true;
    clearTimeout(this.#timer);
  }

  #progress(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#over) return;
    while (this.#signs.any) {
      this.start(null);
      this.#told = Date.now();
      this.#context.tell({ type: 'run_progressed', data: { effect: this.#run, entries: this.#signs.take() } });
    }
  }
}
