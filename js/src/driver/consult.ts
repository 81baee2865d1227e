// Host code that is asked, and may be late, throw, or never answer.

import type { Consult, Diagnostic, Fact } from 'endstate-engine';
import { diagnostic, isHostError, problem, words } from '../error.js';
import type { Host } from '../host.js';
import type { Stop } from '../stop.js';

type Consulted = Extract<Fact, { type: 'consulted' }>;

/** Asks host code, for as long as it has: `timeout`, in milliseconds. */
export async function consult(host: Host, effect: string, order: Consult, stop: Stop, timeout: number): Promise<Consulted> {
  const none = (found: Diagnostic): Consulted => ({ type: 'consulted', data: { effect, answer: null, problem: found } });
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeout);
  const signal = AbortSignal.any([late.signal, stop.windingUp]);
  // Not waited for: host code that never answers must not keep the mission.
  const given = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal), { once: true }));
  try {
    const answer = await Promise.race([host.consult(order.handler, order.input, signal), given]);
    return { type: 'consulted', data: { effect, answer, problem: null } };
  } catch (error) {
    if (late.signal.aborted) return none(problem('run_timed_out', order.handler, `an answer within ${timeout} ms`, 'none'));
    if (stop.level > 0) return none(problem('run_lost', order.handler, 'an answer', 'stopped'));
    if (isHostError(error)) return none(diagnostic(error, 'host_failed', order.handler));
    return none(problem('host_failed', order.handler, 'an answer', words(error)));
  } finally {
    clearTimeout(timer);
  }
}
