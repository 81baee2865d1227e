// The facts a driver makes: what became of an effect.

import type { Diagnostic, Fact, Outcome, RunEnded, RunStarted } from 'endstate-engine';

export function performed(effect: string, outcome: Outcome): Fact {
  return { type: 'effect_performed', data: { effect, outcome } };
}

export function failed(effect: string, found: Diagnostic): Fact {
  return { type: 'effect_failed', data: { effect, problem: found } };
}

export function lost(effect: string, found: Diagnostic): Fact {
  return { type: 'run_ended', data: lostRun(effect, found) };
}

export function unknownExit(effect: string, found: Diagnostic): Fact {
  return { type: 'command_exited', data: { effect, status: null, output: '', problem: found } };
}

/** The fact of a run that started. */
export function startedRun(effect: string, session: string | null, confined = false): { type: 'run_started'; data: RunStarted } {
  return { type: 'run_started', data: { effect, session, ...(confined && { confined }) } };
}

/** The fact of a run that left no result. */
export function lostRun(effect: string, found: Diagnostic): RunEnded {
  const usage = { turns: 0, duration_ms: 0, tokens: 0, cost_micros: 0, turns_exhausted: false, context_exhausted: false };
  return { effect, outcome: 'lost', report: null, problem: found, usage };
}

/** The effect a fact speaks of, if any. */
export function effectOf(fact: Fact): string | undefined {
  return fact.type === 'user_commanded' || fact.type === 'host_recovered' ? undefined : fact.data.effect;
}

/** Whether two facts say the same. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length
    && names.every((name) => sameJson(a[name as keyof typeof a], b[name as keyof typeof b]));
}
