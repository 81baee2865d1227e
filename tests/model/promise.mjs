// A scripted model that plays player and coach of the promise protocol, for a task of any criteria. What
// the player commits is one file, `done/<task>.txt`, unless other files are given.
//
//   serve({ script: promise() })
//   serve({ script: promise({ files: { 'a.txt': 'a\n' }, check: 'make test' }) })
import { commitFiles, report } from './words.mjs';

/** The smallest task there is. */
export const TASK = `---
id: TASK-1
title: Leave a note
---
# Task: Leave a note

## Acceptance Criteria

- [ ] A note lies in the repository
`;

/** The script. `check` is the command both run as proof. */
export function promise({ files, check = 'git status' } = {}) {
  const evidence = [{ kind: 'command', command: check, exit_status: 0 }];
  return ({ prompt, results }) => {
    const [, role, task] = prompt.match(/You are the promise-(player|coach) of task (\S+)/) ?? [];
    if (!role) return { say: 'I do not know this role.' };
    const turn = Number(prompt.match(/: turn (\d+) of at most/)?.[1] ?? 0);
    const about = turn > 0 ? { task_id: task, turn } : { task_id: task };
    const list = prompt.slice(prompt.indexOf('## Acceptance criteria'), prompt.indexOf('## What to do'));
    const criteria = [...list.matchAll(/^- (\S+?)(?: \(lines [\d-]+\))?:/gm)].map((hit) => hit[1]);
    if (role === 'player') {
      const made = files ?? { [`done/${task}.txt`]: 'done\n' };
      if (results.length === 0) return { bash: commitFiles(made, `Do ${task}`, check) };
      const rows = criteria.map((criterion_id) => ({ criterion_id, status: 'verified', evidence }));
      const completion_promise = { statement: 'every criterion is met', all_verified: true, criteria: rows };
      return report(prompt, 'none', { ...about, tests_run: true, tests_passed: true, completion_promise });
    }
    if (results.length === 0) return { bash: `${check} && git rev-parse HEAD` };
    const rows = criteria.map((criterion_id) => ({
      criterion_id, player_status: 'verified', coach_verified: true, verification_method: `ran ${check}`, evidence,
      discrepancy: null, blocked: false,
    }));
    return report(prompt, 'none', {
      ...about, decision: 'approve', feedback: '', blocking_issues: [], tests_run: true, tests_passed: true,
      criteria_verification: rows,
    });
  };
}

export default promise();
