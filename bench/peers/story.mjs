// The story of `bench/story.rs` at one size, as `examples/bench_data.rs` wrote it for the engine, and the same for the peers.
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';

/** The JSON block of a report. The engine reads the report itself, peers are given what it says. */
const block = (report) => JSON.parse(/```json\n([\s\S]*?)\n```/.exec(report)[1]);

/** A fact as a small event of the peers. */
function small({ fact: { type, data } }) {
  const { effect } = data;
  switch (type) {
    case 'run_started': return { type, effect };
    case 'run_progressed': return { type, effect, entries: data.entries };
    case 'run_ended': return { type, effect, outcome: data.outcome, report: block(data.report) };
    case 'effect_performed': return { type: 'file_written', effect };
    case 'repository_observed': {
      const { head, dirty, basis } = data.repository;
      return { type: 'observed', effect, head, dirty, basis };
    }
    default: throw new Error(`the story has an unforeseen ${type}`);
  }
}

/** The slices as the engine's plan file shows them. */
const planOf = (engine) => JSON.parse(engine.render('.agent/plan.json')).candidate_slices;

/** Where the peers begin: what the engine's files say when the story does. */
function beginning(engine) {
  const slices = planOf(engine).map(({ slice_id, status, acceptance_criteria }) => {
    const criteria = acceptance_criteria.map((_, place) => ({ id: `AC-${String(place + 1).padStart(3, '0')}`, state: 'open' }));
    return { id: slice_id, status, criteria };
  });
  const { slice_id, status, basis_commit } = JSON.parse(engine.render('.agent/active-slice.json'));
  const active = { id: slice_id, status, basis: basis_commit, commit: null, review: null, audit: null };
  const outbox = engine.pending().map(({ effect: { id, order } }) => ({ id, kind: order.type, name: nameOf(order) }));
  const done = slices.filter((one) => one.status === 'done').length;
  const plain = { seq: engine.outbox().seq, slices, open: slices.length - done, done, active, run: null, report: null, outbox, effects: [] };
  return { ...plain, continuation: engine.continuation() };
}

export const nameOf = ({ type, data }) => ({ spawn_role: data.role, observe: 'repository' })[type] ?? data.path;

export function statusDigest(slices) {
  const lines = slices.map((one) => `${one.id ?? one.slice_id} ${one.status}`);
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16);
}

/** What the engine, opened once and not measured, says after each event; the whole plan is looked at where `whole` says so. */
function outcomesOf(engine, events, whole) {
  return events.map((event, place) => {
    const { effects, decided } = engine.apply(event);
    const state = JSON.parse(engine.render('.agent/state.json'));
    const active = JSON.parse(engine.render('.agent/active-slice.json'));
    const plan = whole(place) ? planOf(engine) : null;
    return {
      role: state.next_mandatory_role,
      active: `${active.slice_id} ${active.status}`,
      continuation: decided.continuation,
      effects: effects.map(({ id, order }) => `${id} ${order.type} ${nameOf(order)}`).join(', '),
      ...(plan && { done: plan.filter((one) => one.status === 'done').length, statuses: statusDigest(plan) }),
      decided,
    };
  });
}

/** Writes what the peers are given of one size, and what the engine made of it. */
export function writeStory(Engine, folder, items) {
  const read = (name) => fs.readFileSync(path.join(folder, name), 'utf8');
  const events = read(`events-${items}.jsonl`).trimEnd().split('\n').map((line) => JSON.parse(line));
  const engine = Engine.open(read(`snapshot-${items}.json`));
  const initial = beginning(engine);
  // A run's end is the look behind it, when its report is judged. To write a plan of 100,000 slices takes a second.
  const judged = (place) => events[place].fact.type === 'repository_observed';
  const outcomes = outcomesOf(engine, events, items > 1_000 ? judged : () => true);
  engine.free();
  fs.writeFileSync(path.join(folder, `story-${items}.json`), JSON.stringify({ initial, events: events.map(small), outcomes }));
  return outcomes;
}
