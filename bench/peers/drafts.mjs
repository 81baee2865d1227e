// immer: the same moves, written into a draft. A draft of a list reads as the list itself, so the plan is the array in its order;
// the index from id to place lies beside the state, as in `listTable`. Questions are put to what was there before, which costs no
// proxies, as immer's documentation advises. Frozen states are its default and stay.
import { freeze, original, produce } from 'immer';
import * as rules from './rules.mjs';

export function immer({ initial }) {
  const places = new Map(initial.slices.map((slice, place) => [slice.id, place]));
  const slice = (state, id) => state.slices[places.get(id)];
  const statuses = (one, state) => { for (const criterion of one.criteria) criterion.state = state; };
  const answer = (draft, id) => draft.outbox.splice(draft.outbox.findIndex((one) => one.id === id), 1);
  function order(draft, orders) {
    draft.effects = rules.numbered(draft.seq, orders);
    draft.outbox.push(...draft.effects);
  }

  function started(draft, { effect }) {
    const role = rules.nextRole(draft);
    answer(draft, effect);
    draft.run = { id: effect, role, said: '' };
    if (role !== 'completion-implementer' || draft.active.status !== 'selected') return order(draft, []);
    slice(draft, draft.active.id).status = 'in_progress';
    draft.active.status = 'in_progress';
    order(draft, rules.filesDue({ recorded: false, plan: true, active: true }));
  }

  function ended(draft, { report }) {
    draft.report = { ...report, role: draft.run.role };
    draft.run = null;
    order(draft, rules.lookDue);
  }

  /** The judgement of a report by its role; each answers with the files that show it. */
  const judges = {
    'completion-implementer'(draft, was, look) {
      if (!rules.claimHolds(was, look, slice(was, was.active.id))) return null;
      statuses(slice(draft, was.active.id), 'claimed');
      draft.active.status = 'committed';
      draft.active.commit = was.report.commit_sha;
      return { plan: true, active: true };
    },
    'completion-reviewer'(draft, was, look) {
      if (!rules.verdictHolds(was, look, slice(was, was.active.id))) return null;
      draft.active.review = was.report;
      return { plan: false, active: false };
    },
    'completion-auditor'(draft, was, look) {
      if (!rules.verdictHolds(was, look, slice(was, was.active.id))) return null;
      draft.active.audit = was.report;
      statuses(slice(draft, was.active.id), 'verified');
      return { plan: true, active: false };
    },
    'completion-regrounder'(draft, was, look) {
      const { selected } = was.report;
      const next = selected && slice(was, selected.slice_id);
      if (!rules.decisionHolds(was, look, slice(was, was.active.id), next)) return null;
      slice(draft, was.active.id).status = 'done';
      draft.open -= 1;
      draft.done += 1;
      if (next) slice(draft, next.id).status = 'selected';
      if (next) draft.active = rules.cursor(next.id, look.head);
      else draft.active.status = 'done';
      return { plan: true, active: true };
    },
  };

  function observed(draft, event) {
    const was = original(draft);
    const due = judges[was.report.role](draft, was, event);
    if (due === null) throw new Error(`a report that does not hold: ${event.effect}`);
    answer(draft, event.effect);
    draft.report = null;
    order(draft, rules.filesDue({ recorded: true, ...due }));
  }

  function written(draft, event) {
    const last = rules.isLast(original(draft), event);
    answer(draft, event.effect);
    order(draft, last ? rules.roleDue(draft) : []);
  }

  const handlers = {
    run_started: [rules.isOrdered, started],
    run_progressed: [rules.isAlive, (draft, { entries }) => { draft.run.said = entries.at(-1).text; order(draft, []); }],
    run_ended: [rules.succeeded, ended],
    observed: [rules.isOrdered, observed],
    file_written: [rules.isOrdered, written],
  };
  const step = produce((draft, event) => {
    const [holds, handle] = handlers[event.type];
    if (!holds(original(draft), event)) throw new Error(`${event.type} ${event.effect} answers to nothing`);
    draft.seq += 1;
    handle(draft, event);
    draft.continuation = rules.goesOn(draft);
  });
  const first = freeze(initial, true);
  return {
    open: () => ({ state: first }),
    feed: (held, events) => { for (const event of events) held.state = step(held.state, event); },
    now: (held) => held.state,
  };
}
