// The sixth protocol in WebAssembly, and in the viewer: its journal, written by the engine in Node, is opened in Chromium.
//
//   ENDSTATE_FEATURES=sixth node js/build.mjs && node --test tests/sixth/sixth.test.mjs
//
// It builds the package once more, with this protocol in it; `node js/build.mjs` builds the ordinary one again.
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { browser, stage, temporary } from '../../js/tests/viewer/common.mjs';
import { choose, open, quiet, seal } from '../../js/tests/viewer/opened.mjs';

const MISSION = 'Choose the colour of the door.';
const REPOSITORY = { head: 'aa', branch: 'main', refs: 'r', dirty: [], since: null, files: [], problem: null };

/** Plays a vote to its end; answers with its journal. */
function vote(Engine) {
  const engine = Engine.start({ mission: { protocol: 'sixth', settings: { mission: MISSION } } }, 0);
  const lines = [engine.started().line];
  let at = 0;
  const take = (type, data) => lines.push(engine.apply({ at: (at += 1000), fact: { type, data } }).line);
  take('user_commanded', { id: null, command: { command: 'start' } });
  while (engine.continuation() === 'continue') {
    const { id, order } = engine.pending()[0].effect;
    if (order.type === 'observe') {
      take('repository_observed', { effect: id, repository: REPOSITORY });
      continue;
    }
    const block = order.data.role === 'vote-proposer' ? { proposal: 'green' } : { accept: order.data.role !== 'vote-third', why: 'it is calm' };
    const report = `MISSION ANCHOR: ${MISSION}\n\n\`\`\`json\n${JSON.stringify(block)}\n\`\`\`\n`;
    take('run_started', { effect: id, session: null });
    take('run_ended', { effect: id, outcome: 'success', report, problem: null, usage: {} });
  }
  return { engine, journal: lines.map((line) => `${line}\n`).join('') };
}

test('a vote runs in WebAssembly, is replayed, and is seen in the viewer', async () => {
  const { Engine, replay } = await import(pathToFileURL(path.join(stage, 'index.node.mjs')));
  const { engine, journal } = vote(Engine);
  assert.equal(engine.continuation(), 'done');
  assert.equal(engine.view().nodes[0].status, '2 of 3 accept');
  assert.equal(replay(Buffer.from(journal)).continuation, 'done');
  const file = path.join(temporary(), 'journal.jsonl');
  fs.writeFileSync(file, journal);
  const chromium = await browser();
  const opened = await open(chromium, pathToFileURL(path.join(stage, 'viewer.html')).href);
  await choose(opened.page, [file]);
  assert.match(await seal(opened.page, 'good'), /every event was decided again/);
  assert.match(await opened.page.locator('.side .row').first().textContent(), /green/);
  await quiet(opened);
  await chromium.close();
});
