// A scripted model that plays every role of the completion protocol, from the first plan to the agreed
// stop, with files that are really written and commits that are really made by the agent's own shell.
//
// It has no memory: what it says follows from the prompt of the run and from what the tools said in it,
// so it may play with any agent, be interrupted anywhere, and play many missions at once.
//
//   serve({ script: completion() })     the two slices below, in a repository with the files of PROJECT
//   serve({ script: completion({ slices, check: 'make test' }) })
import { commitFiles, report } from './words.mjs';

/** A project whose check passes before anything is done. */
export const PROJECT = {
  'README.md': '# greet\n\nA small program that greets.\n',
  'Makefile': 'test:\n\t@sh tests/run.sh\n.PHONY: test\n',
  'tests/run.sh': 'set -eu\ncd "$(dirname "$0")/.."\nfor one in tests/*_test.sh; do\n  [ -e "$one" ] || continue\n  sh "$one"\ndone\n',
};

/** What the team makes of it. */
export const SLICES = [
  {
    id: 'S1', goal: 'Greet by name', contract: 'C-GREET', priority: 2,
    criteria: ['`sh greet.sh Ada` prints `Hello, Ada`', 'A test shows it'],
    files: {
      'greet.sh': 'set -eu\necho "Hello, $1"\n',
      'tests/greet_test.sh': '[ "$(sh greet.sh Ada)" = "Hello, Ada" ]\n',
    },
  },
  {
    id: 'S2', goal: 'Say how it is used', contract: 'C-DOCS', priority: 5, after: ['S1'],
    criteria: ['README.md says how it is used'],
    files: { 'README.md': '# greet\n\nA small program that greets: `sh greet.sh NAME`.\n' },
  },
];

/** The script. `check` is the command that reviewers run. */
export function completion({ slices = SLICES, check = 'make test' } = {}) {
  const roles = {
    regrounder: (heard) => regrounder(heard, slices, check),
    implementer: (heard) => implementer(heard, slices, check),
    reviewer: (heard) => verifier(heard, check, {}),
    auditor: (heard) => verifier(heard, check, { release_blocker_count: 0, high_value_gap_count: 0 }),
    'stop-judge': (heard) => judge(heard, check),
  };
  return (heard) => {
    const role = heard.prompt.match(/You are the completion-([a-z-]+) of this mission/)?.[1];
    return roles[role]?.(heard) ?? { say: 'I do not know this role.' };
  };
}

const proof = (check) => [{ kind: 'command', command: check, exit_status: 0 }];
const contracts = (slices) => slices.map((slice) => slice.contract).join(', ') || 'none';

function regrounder({ prompt, results }, slices, check) {
  if (results.length === 0) return { bash: `${check} && git rev-parse HEAD` };
  const begun = !prompt.includes('The plan has 0 slices');
  // The prompt lists the slices that are open.
  const listed = [...prompt.matchAll(/^- (\S+) \[\w+, rank \d+\]/gm)].map((hit) => hit[1]);
  const closed = new Set(slices.map(({ id }) => id).filter((id) => begun && !listed.includes(id)));
  const base = { plan_basis: `read the repository, ran ${check}`, remaining_release_blockers: 0 };
  if (prompt.includes('All judges agree')) {
    return report(prompt, 'none', { ...base, remaining_high_value_gaps: 0, can_stop: true });
  }
  const latest = prompt.match(/The slice (\S+) is committed as/)?.[1];
  const reconciles = prompt.includes('Decide: accepted or reopened');
  if (reconciles) closed.add(latest);
  const open = slices.filter((slice) => !closed.has(slice.id));
  const next = open.find((slice) => (slice.after ?? []).every((id) => closed.has(id)));
  return report(prompt, contracts(open), {
    ...base,
    remaining_high_value_gaps: open.length,
    ...(begun ? {} : { slices: slices.map(planned) }),
    ...(reconciles ? { reconciliation: { slice_id: latest, decision: 'accepted' } } : {}),
    ...(next ? { selected: { slice_id: next.id } } : {}),
  });
}

const planned = ({ id, goal, criteria, contract, priority, after }) => ({
  slice_id: id, goal, acceptance_criteria: criteria, contract_ids: [contract], priority,
  why_now: 'the next thing of value', blocked_on: after ?? [],
});

function implementer({ prompt, results }, slices, check) {
  const id = prompt.match(/^Slice (\S+):/m)?.[1];
  const slice = slices.find((one) => one.id === id);
  if (!slice) return { say: `I know no slice ${id}.` };
  if (results.length === 0) return { bash: commitFiles(slice.files, slice.goal, check) };
  const criteria = [...prompt.matchAll(/^- (AC-\d+):/gm)].map((hit) => hit[1]);
  const claims = [...new Set(criteria)].map((criterion) => ({ criterion, status: 'complete', evidence: proof(check) }));
  return report(prompt, slice.contract, { slice_id: id, outcome: 'implemented', commit_sha: '${head}', claims });
}

function verifier({ prompt, results }, check, more) {
  if (results.length === 0) return { bash: `${check} && git rev-parse HEAD` };
  const id = prompt.match(/^Slice (\S+):/m)?.[1];
  const criteria = new Set([...prompt.matchAll(/^- (AC-\d+):/gm)].map((hit) => hit[1]));
  const verdicts = [...criteria].map((criterion) => (
    { criterion, finding: 'holds', method: `ran ${check} at this commit`, evidence: proof(check) }));
  const block = { slice_id: id, commit_sha: '${head}', verdicts, docs: 'holds', must_fix_findings: [], acceptable: true };
  return report(prompt, 'none', { ...block, ...more });
}

function judge({ prompt, results }, check) {
  if (results.length === 0) return { bash: `${check} && git rev-parse HEAD` };
  const stale = [...prompt.matchAll(/^- slice (\S+), criterion (\S+):/gm)];
  return report(prompt, 'none', {
    head_sha: '${head}', can_stop: true, blocker_count: 0, high_value_gap_count: 0,
    stale_verdicts: stale.map(([, slice_id, criterion]) => (
      { slice_id, criterion, finding: 'holds', method: `ran ${check} at this head`, evidence: proof(check) })),
    reasons: [`ran ${check} at this head`],
  });
}

export default completion();
