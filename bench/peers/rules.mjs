// What completion decides over the story, once, as pure functions over plain data: whose turn it is, what a report must say to be
// taken, what is due on disk, which effects are ordered and by what ids. Every peer uses these in its own style.
//
// Less than the engine does, all in the peers' favour: reports come parsed, answers are looked up by id and nothing more, files and
// effects are names without texts and digests, nothing is spent from a budget, no invariant is checked and no fact table kept.

/**
 * @typedef {{id: string, kind: string, name: string}} Effect
 * @typedef {{id: string, status: string, criteria: {id: string, state: string}[]}} Slice
 * @typedef {{id: string, status: string, basis: string, commit: string | null, review: object | null, audit: object | null}} Active
 * @typedef {object} State
 * @property {number} seq  number of the last event
 * @property {unknown} slices  the plan, in the container that a `Table` knows
 * @property {number} open  slices that are not done
 * @property {number} done
 * @property {Active | null} active  the slice at work
 * @property {{id: string, role: string, said: string} | null} run  the run that is alive
 * @property {object | null} report  what the last run reported, until the repository was looked at
 * @property {Effect[]} outbox  ordered and not yet answered
 * @property {Effect[]} effects  what the last event ordered
 * @property {'continue' | 'blocked' | 'done'} continuation
 */

const [STATE, PLAN, ACTIVE] = ['.agent/state.json', '.agent/plan.json', '.agent/active-slice.json'];
const HISTORY = '.agent/slice-history.jsonl';

/** The dispatch table, as far as the story goes: the first row that applies. */
export function nextRole({ active, open }) {
  if (active === null || active.status === 'done') return open > 0 ? 'completion-regrounder' : 'completion-stop-judge';
  if (active.commit === null) return 'completion-implementer';
  if (active.review === null) return 'completion-reviewer';
  return active.audit === null ? 'completion-auditor' : 'completion-regrounder';
}

/** Whether the mission goes on: there is work, or somebody still has to judge. */
export const goesOn = (state) => (state.outbox.length > 0 || state.run !== null ? 'continue' : 'blocked');

// ── What must hold, by event ──

export const isOrdered = ({ outbox }, { effect }) => outbox.some((one) => one.id === effect);
export const isAlive = ({ run }, { effect }) => run !== null && run.id === effect;
export const succeeded = (state, event) => isAlive(state, event) && event.outcome === 'success' && event.report !== null;
/** Whether this answer is the last that a role waits for. */
export const isLast = (state, event) => state.outbox.length === 1 && isOrdered(state, event) && state.run === null;

/** An implementer's claim: the slice at work, at the head, behind its basis, with evidence for each criterion. */
export function claimHolds({ active, report }, look, slice) {
  const { slice_id, outcome, commit_sha, claims } = report;
  if (active.commit !== null || slice_id !== active.id || outcome !== 'implemented') return false;
  const behind = look.basis.from === active.basis && look.basis.descends && look.basis.paths.length > 0;
  const shown = (one) => claims.some((claim) => claim.criterion === one.id && claim.status === 'complete' && claim.evidence.length > 0);
  return behind && commit_sha === look.head && commit_sha !== active.basis && slice.criteria.every(shown);
}

/** A reviewer's or an auditor's verdict: of the claimed commit, and in agreement with itself. */
export function verdictHolds({ active, report }, look, slice) {
  const { slice_id, commit_sha, verdicts, must_fix_findings, docs, acceptable } = report;
  if (slice_id !== active.id || commit_sha !== active.commit || look.head !== active.commit) return false;
  const holds = (one) => verdicts.some((verdict) => verdict.criterion === one.id && verdict.finding === 'holds');
  return acceptable && docs === 'holds' && must_fix_findings.length === 0 && slice.criteria.every(holds);
}

/** A regrounder's decision: clean tree, every criterion verified, and the slice it selects is there and open. */
export function decisionHolds({ active, report }, look, slice, next) {
  const { reconciliation, selected } = report;
  if (reconciliation?.slice_id !== active.id || reconciliation.decision !== 'accepted' || look.dirty.length > 0) return false;
  const shown = active.audit !== null && slice.criteria.every((one) => one.state === 'verified');
  return shown && (selected === null || (next !== undefined && next.status === 'planned'));
}

// ── What becomes of a slice and of the cursor ──

export const withStatus = (slice, status) => ({ ...slice, status });
export const withCriteria = (slice, state) => ({ ...slice, criteria: slice.criteria.map((one) => ({ ...one, state })) });
export const cursor = (id, basis) => ({ id, status: 'selected', basis, commit: null, review: null, audit: null });

// ── What is ordered ──

const write = (name) => ({ kind: 'write_file', name });
/** The files that show what changed: first what happened, then the state it led to. */
export function filesDue({ recorded, plan, active }) {
  const due = recorded ? [{ kind: 'append_history', name: HISTORY }, write(STATE)] : [write(STATE)];
  if (plan) due.push(write(PLAN));
  if (active) due.push(write(ACTIVE));
  return due;
}
export const lookDue = [{ kind: 'observe', name: 'repository' }];
export const roleDue = (state) => [{ kind: 'spawn_role', name: nextRole(state) }];

/** Orders with their ids: the event that caused each, and its place. */
export const numbered = (seq, orders) => orders.map(({ kind, name }, place) => ({ id: `${seq}.${place + 1}`, kind, name }));
export const answered = (outbox, id) => outbox.filter((one) => one.id !== id);
