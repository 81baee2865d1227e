// Whole missions through the extension, each way once; used by the tests and by the repetitions.
import assert from 'node:assert/strict';
import { serve } from '../../../tests/model/server.mjs';
import { completion, SLICES } from '../../../tests/model/completion.mjs';
import { assertDone, begun, carrying, facts, MISSION, place, rpc, team, terminal, until } from './kit.mjs';

/** The team of a mission of so many slices; `base` is told to nobody else. */
export const teamOf = (slices, more = {}) => team({ base: completion({ slices: SLICES.slice(0, slices) }), ...more });

/** The end of a mission of so many slices: done, with its commits, on one chain. */
export function assertEnd(there, slices) {
  const end = assertDone(there, SLICES.slice(0, slices).map(({ goal }) => goal).reverse());
  const lost = facts(there, 'run_ended').filter(({ outcome }) => outcome !== 'success');
  return { ...end, lost: lost.length };
}

/** In RPC mode, from the first word to the end. */
export async function byRpc({ slices = 1, ...more } = {}) {
  const model = await serve({ script: teamOf(slices, more) });
  const there = place(model.url);
  const pi = rpc(there);
  try {
    await pi.prompt(`/endstate ${MISSION}`);
    await pi.noted(/^endstate: (done|blocked|paused|await_user_input):/, 400_000);
    const end = assertEnd(there, slices);
    assert.equal(end.lost, 0, pi.words());
    return { there, pi, model, end };
  } finally {
    await pi.close();
    await model.close();
  }
}

/** In a pseudo-terminal, typed by a person. */
export async function byTerminal({ slices = 1 } = {}) {
  const model = await serve({ script: teamOf(slices) });
  const there = place(model.url);
  const pi = terminal(there);
  try {
    await pi.seen(/scripted-1/);
    await pi.type(`/endstate ${MISSION}`);
    await pi.seen(/endstate: (done|blocked|paused|await_user_input): /, 400_000);
    const end = assertEnd(there, slices);
    assert.equal(end.lost, 0);
    return { there, pi, end, screen: pi.plain() };
  } finally {
    await pi.close();
    await model.close();
  }
}

/** Killed with all signals there are once the implementer works, started again, and told to go on. */
export async function killed({ slices = 1 } = {}) {
  const model = await serve({ script: teamOf(slices) });
  const there = place(model.url);
  let pi = rpc(there);
  try {
    await pi.prompt(`/endstate ${MISSION}`);
    const working = () => model.requests.some(({ prompt }) => /You are the completion-implementer/.test(prompt));
    await until(working, 'the implementer', 200_000);
    await pi.kill();
    assert.ok(begun(there) && carrying(there).length > 0, 'the role outlives its driver');
    const events = facts(there).length;
    pi = rpc(there);
    await pi.noted(/a mission waits here/);
    assert.ok(facts(there).length === events, 'nothing is gone on with unasked');
    await pi.prompt('/endstate');
    await pi.noted(/^endstate: (done|blocked|paused|await_user_input):/, 400_000);
    const end = assertEnd(there, slices);
    assert.deepEqual(carrying(there), []);
    assert.equal(facts(there, 'host_recovered').length, 1);
    return { there, pi, end };
  } finally {
    await pi.close();
    await model.close();
  }
}
