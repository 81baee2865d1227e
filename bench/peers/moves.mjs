// The moves of a state that is never changed in place: each answers with the fields that it changes, and nothing else. For the
// reducer, robot3 and XState, which put them into the state their own way; immer has its own, which write.
import * as rules from './rules.mjs';

/** Moves over a plan that is kept in this table. */
export function makeMoves(table) {
  const slice = (state) => table.get(state.slices, state.active.id);
  const next = (state) => state.report.selected && table.get(state.slices, state.report.selected.slice_id);
  /** A look that was ordered, after a run of this role. */
  const answers = (state, look, role) => state.report.role === role && rules.isOrdered(state, look);
  /** Orders on top of what is open; whether it goes on follows. */
  const order = (state, changes, orders) => {
    const seq = state.seq + 1;
    const effects = rules.numbered(seq, orders);
    const run = changes.run === undefined ? state.run : changes.run;
    const outbox = effects.length === 0 ? changes.outbox ?? state.outbox : [...(changes.outbox ?? state.outbox), ...effects];
    return { ...changes, seq, effects, outbox, continuation: rules.goesOn({ run, outbox }) };
  };
  const files = (state, event, changes) => {
    const due = { recorded: true, plan: changes.slices !== undefined, active: changes.active.status !== state.active.status || changes.active.id !== state.active.id };
    return order(state, { ...changes, report: null, outbox: rules.answered(state.outbox, event.effect) }, rules.filesDue(due));
  };
  return {
    isClaim: (state, look) => answers(state, look, 'completion-implementer') && rules.claimHolds(state, look, slice(state)),
    isReview: (state, look) => answers(state, look, 'completion-reviewer') && rules.verdictHolds(state, look, slice(state)),
    isAudit: (state, look) => answers(state, look, 'completion-auditor') && rules.verdictHolds(state, look, slice(state)),
    isDecision: (state, look) => answers(state, look, 'completion-regrounder') && rules.decisionHolds(state, look, slice(state), next(state)),

    started(state, { effect }) {
      const outbox = rules.answered(state.outbox, effect);
      const role = rules.nextRole(state);
      const run = { id: effect, role, said: '' };
      if (role !== 'completion-implementer' || state.active.status !== 'selected') return order(state, { run, outbox }, []);
      const slices = table.change(state.slices, state.active.id, (one) => rules.withStatus(one, 'in_progress'));
      const changes = { run, outbox, slices, active: { ...state.active, status: 'in_progress' } };
      return order(state, changes, rules.filesDue({ recorded: false, plan: true, active: true }));
    },
    progressed: (state, { entries }) => order(state, { run: { ...state.run, said: entries.at(-1).text } }, []),
    ended: (state, { report }) => order(state, { run: null, report: { ...report, role: state.run.role } }, rules.lookDue),
    written: (state, { effect }) => order(state, { outbox: rules.answered(state.outbox, effect) }, []),
    writtenLast: (state, { effect }) => order(state, { outbox: rules.answered(state.outbox, effect) }, rules.roleDue(state)),

    claimed(state, event) {
      const slices = table.change(state.slices, state.active.id, (one) => rules.withCriteria(one, 'claimed'));
      return files(state, event, { slices, active: { ...state.active, status: 'committed', commit: state.report.commit_sha } });
    },
    reviewed: (state, event) => files(state, event, { active: { ...state.active, review: state.report } }),
    audited(state, event) {
      const slices = table.change(state.slices, state.active.id, (one) => rules.withCriteria(one, 'verified'));
      return files(state, event, { slices, active: { ...state.active, audit: state.report } });
    },
    accepted(state, event) {
      const { selected } = state.report;
      let slices = table.change(state.slices, state.active.id, (one) => rules.withStatus(one, 'done'));
      if (selected) slices = table.change(slices, selected.slice_id, (one) => rules.withStatus(one, 'selected'));
      const active = selected ? rules.cursor(selected.slice_id, event.head) : { ...state.active, status: 'done' };
      return files(state, event, { slices, active, open: state.open - 1, done: state.done + 1 });
    },
  };
}
