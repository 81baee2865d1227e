// `endstate plan import` with real agents, played by a scripted model that knows the labels of a document: from the
// document to the first run of the plan that was made of it. `node --test js/tests/import.test.mjs`; agents as in
// agents.test.mjs.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { after, describe, test } from 'node:test';
import { labelled, labels, WRONG } from '../../tests/model/labels.mjs';
import { serve } from '../../tests/model/server.mjs';
import { carrying, place, removeAll, root, run, skipped, until } from './agents/kit.mjs';

after(removeAll);

// Each agent labels another document. What some say at first is wrong, and a rule sends it back.
const PLAYS = [
  { agent: 'claude', document: 'german', first: WRONG.edge, breach: /sent back: I5 at \d+:\d+: expected `77` in this line/ },
  { agent: 'codex', document: 'japanese' },
  { agent: 'pi', document: 'prose', first: WRONG.prose, breach: /sent back: Form at 1:1: expected / },
  { agent: 'opencode', document: 'table' },
];
// Looks around and tries to leave something beside the document, before it answers.
const steps = (repo) => [
  { bash: 'ls -A && cat source.md' },
  { write: { path: path.join(repo, 'evil.txt'), text: 'x' } },
];
// Plays the first sprint: leaves its prompt where the test looks, and works on until it is ended.
const PLAYER = '[ "$ENDSTATE_ROLE" = plan-namer ] && exit 1\ncat > "$0.tmp" && mv "$0.tmp" "$0.$ENDSTATE_ROLE"\nexec sleep 600\n';

/** Everything in a folder but what git keeps. */
const names = (folder) => fs.readdirSync(folder).filter((name) => name !== '.git').sort();

/** The plan can be begun: the first run is ordered and told of the first task. Then it is ended. */
async function begins(there, task) {
  const player = path.join(there.repo, '..', 'player.sh');
  fs.writeFileSync(player, PLAYER);
  const ran = run(there, ['run', '--protocol', 'sprint', 'EXECUTION_PLAN.md', '--trust', '--agent', `exec:sh ${player}`, '--accept', 'observed']);
  let ended;
  ran.then((end) => { ended = end; });
  const told = () => names(path.dirname(player)).find((name) => /^player\.sh\.(?!tmp)/.test(name));
  await until(() => told() || ended);
  assert.equal(ended, undefined, ended?.words);
  const prompt = fs.readFileSync(path.join(path.dirname(player), told()), 'utf8');
  await run(there, ['kill']);
  const { words } = await ran;
  assert.match(words, /is DISPATCHED$/m);
  assert.ok(prompt.includes(task), prompt);
  assert.deepEqual(carrying(there.repo), []);
}

describe('a document becomes a plan', () => {
  for (const { agent, document, first, breach } of PLAYS) {
    test(`${agent}: ${document}, ${first ? 'wrong at first' : 'right at once'}`, { skip: skipped(agent) }, async () => {
      const marked = fs.readFileSync(path.join(root, 'tests', 'plan', 'import', `${document}.md`), 'utf8');
      const { text, spans } = labelled(marked);
      let script;
      const model = await serve({ script: (heard) => script(heard) });
      const there = place(agent, { 'NOTES.md': text }, model.url);
      script = labels({ spans, steps: steps(there.repo), first });
      const ran = await run(there, ['plan', 'import', 'NOTES.md', '--agent', agent]);
      await model.close();
      assert.equal(ran.status, 0, ran.words);
      assert.equal(ran.words.match(/attempt \d/g).length, first ? 2 : 1, ran.words);
      if (breach) assert.match(ran.words, breach);
      // The document is as it was, the plan lies beside it, and nothing else came.
      assert.equal(fs.readFileSync(path.join(there.repo, 'NOTES.md'), 'utf8'), text);
      assert.deepEqual(names(there.repo), ['EXECUTION_PLAN.md', 'NOTES.md']);
      assert.equal(there.git('status', '--porcelain'), '?? EXECUTION_PLAN.md');
      // The agent was in a folder with a copy and nothing else, and it did try to write beside the document.
      const looked = model.requests.filter(({ results }) => results.length === 1).map(({ results }) => results[0]);
      assert.equal(looked.length, first ? 2 : 1);
      for (const words of looked) assert.ok(words.includes('source.md') && words.includes(text.trim().split('\n').at(-1)), words);
      assert.ok(!looked.some((words) => words.includes('NOTES.md')), looked.join('\n'));
      const tried = model.requests.filter(({ answer }) => JSON.stringify(answer?.calls ?? []).includes('evil.txt'));
      assert.equal(tried.length, looked.length);
      for (const command of [['lint'], ['fmt', '--check']]) {
        const { status, words } = await run(there, ['plan', ...command]);
        assert.equal(status, 0, words);
      }
      const plan = fs.readFileSync(path.join(there.repo, 'EXECUTION_PLAN.md'), 'utf8');
      const sprints = spans.filter(({ kind }) => kind === 'sprint');
      assert.equal(plan.match(/^### Sprint /gm).length, sprints.length, plan);
      await begins(there, marked.match(/⟦k:([^⟦⟧\n]+)/)[1]);
    });
  }
});
