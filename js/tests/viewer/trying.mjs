// What if, beyond the place of an event that happened: after it, from a plan, from a snapshot.
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'node:test';
import { demo, html, journalOf, page as built, root, shots, stage, temporary, until } from './common.mjs';
import { choose, open, quiet, seal, settled, tab } from './opened.mjs';

const engine = () => import(pathToFileURL(path.join(stage, 'index.node.mjs')));

/** The branch as the reader saves it. */
async function saved(page) {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save the branch as a journal' }).click();
  return fs.readFileSync(await (await download).path());
}

async function wayToDone(page) {
  await page.getByRole('button', { name: 'Let the engine go it' }).click();
  await page.waitForSelector('.rehearsal .outcome');
  assert.match(await page.locator('.rehearsal .outcome').textContent(), /✔ It is done after/);
  await page.getByRole('button', { name: 'Take this way into the branch' }).click();
  await page.waitForSelector('.whatif .note:has-text("The branch is done")');
}

/** The journal of the demo up to its open question. */
function asking() {
  const lines = fs.readFileSync(journalOf(demo('grid')), 'utf8').split('\n');
  const at = lines.findIndex((line) => line.includes('"order":"ask_user"'));
  const file = path.join(temporary(), 'journal.jsonl');
  fs.writeFileSync(file, lines.slice(0, at + 1).map((line) => `${line}\n`).join(''));
  return { file, at };
}

/** What the engine holds against reports on a way: a new trouble, or one more report that counts as malformed, by the time the tree was looked at. */
function refusedOn(mission, events) {
  const refused = [];
  const standing = () => {
    const { problem, budget } = JSON.parse(mission.picture());
    return { problem: JSON.stringify(problem), malformed: budget.find(({ counter }) => counter === 'malformed_reports')?.spent };
  };
  let before;
  for (const event of events) {
    if (event.fact.type === 'run_ended') before = standing();
    else if (event.fact.type !== 'repository_observed') before = undefined;
    mission.apply(event);
    if (!before) continue;
    const { problem, malformed } = standing();
    if (malformed !== before.malformed || (problem !== 'null' && problem !== before.problem)) refused.push(problem);
  }
  return refused;
}

export default function trying(shared) {
  test('the open question at the end of a journal can be answered in a branch, which opens again with its chain', async () => {
    const { file, at } = asking();
    const opened = await open(shared.browser, `${html(file).url}#part=whatif`);
    const { page } = opened;
    await seal(page, 'good');
    await settled(page, at);
    await page.waitForFunction((seq) => globalThis.endstateViewer.root.querySelector('.whatif h3').textContent === `What if another event came after event ${seq}?`, at);
    await page.locator('.whatif .choices button', { hasText: 'you answer' }).first().click();
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.waitForSelector('.whatif .columns');
    assert.match(await page.locator('.whatif .steps').last().textContent(), /question answered/);
    await wayToDone(page);
    const branch = await saved(page);
    assert.ok(branch.toString().startsWith(fs.readFileSync(file, 'utf8')), 'all of what happened is in it');
    const again = path.join(temporary(), 'branch.jsonl');
    fs.writeFileSync(again, branch);
    await quiet(opened);
    const other = await open(shared.browser, html(again).url);
    assert.match(await seal(other.page, 'good'), /The chain holds/);
    assert.match(await other.page.locator('.facts').textContent(), /✔ done/);
    await quiet(other);
  });

  for (const protocol of ['completion', 'promise']) test(`${protocol}: from every moment there is a way to done on which no report is refused`, async () => {
    const { Engine } = await engine();
    const file = journalOf(demo(protocol));
    const [{ config, at }, ...events] = fs.readFileSync(file, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line).body);
    const opened = await open(shared.browser, html(file).url);
    const { page } = opened;
    await seal(page, 'good');
    const mission = Engine.start(config, at);
    for (const [before, { event }] of events.slice(0, -1).entries()) {
      mission.apply(event);
      const seq = before + 1;
      const tried = { at: event.at + 1, fact: { type: 'host_recovered', data: { from: 'restart', note: 'to see what comes' } } };
      const told = await page.evaluate(async ([from, first]) => {
        const { ask } = globalThis.endstateViewer.parts.client;
        await ask.branchBegin(from, first, true);
        return ask.branchRehearse();
      }, [seq, tried]);
      assert.equal(told.end, 'done', `event ${seq}: ${told.why}`);
      const way = mission.fork();
      way.apply(tried);
      assert.deepEqual(refusedOn(way, told.events), [], `event ${seq}`);
      assert.equal(way.continuation(), 'done');
      way.free();
    }
    await quiet(opened);
  });

  test('an event can come after any other, and the rest of what happened is followed as far as it is taken', async () => {
    const opened = await open(shared.browser, `${html(journalOf(demo('promise'))).url}#event=20&part=whatif`);
    const { page } = opened;
    await seal(page, 'good');
    await settled(page, 20);
    await page.getByRole('combobox', { name: 'Where the other event comes' }).selectOption('after');
    await page.getByRole('button', { name: 'you pause' }).first().click();
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.waitForSelector('.whatif .columns');
    assert.match(await page.locator('.whatif .standing').last().textContent(), /paused/);
    assert.match(await page.locator('.whatif .steps').last().textContent(), /^21/);
    await page.getByRole('button', { name: 'One more of what happened' }).click();
    await page.waitForFunction(() => /22/.test([...globalThis.endstateViewer.root.querySelectorAll('.whatif .steps')].at(-1).textContent) || globalThis.endstateViewer.root.querySelector('.whatif .note:not(:empty)')?.textContent.includes('Here the two part'));
    await quiet(opened);
  });

  test('in a small window what came of a try is brought into sight', async () => {
    for (const [width, height] of [[700, 430], [390, 800]]) {
      const opened = await open(shared.browser, `${html(journalOf(demo('sprint'))).url}#event=79&part=whatif`, { width, height });
      const { page } = opened;
      await seal(page, 'good');
      await settled(page, 79);
      await page.getByRole('button', { name: 'Try it' }).click();
      await page.waitForSelector('.whatif .columns');
      const inSight = () => page.evaluate(() => {
        const { root } = globalThis.endstateViewer;
        const [result, scrubber] = ['.whatif .columns', '.scrubber'].map((name) => root.querySelector(name).getBoundingClientRect());
        return result.top >= 0 && result.top < scrubber.top;
      });
      await until('the result is in sight', inSight);
      const cut = await page.evaluate(() => {
        const part = globalThis.endstateViewer.root.querySelector('.stage .tab-body');
        return part.scrollHeight - part.clientHeight;
      });
      assert.ok(cut <= 0, `${cut} pixels are to be scrolled inside of what scrolls`);
      await quiet(opened);
    }
  });

  const plans = () => [
    ['completion', [path.join(demo('completion'), '.agent', 'plan.json')], /a plan of slices/, 5],
    ['promise', [1, 2, 3].map((at) => path.join(demo('promise'), 'tasks', `TASK-SLUG-00${at}.md`)), /3 task documents/, 3],
    ['iteration', [find(demo('iteration'), 'greeter.json')], /an agent definition/, 1],
    ['grid', ['01', '02', '03'].map((at) => path.join(root, 'src', 'cli', 'demo', 'grid', `01-${at}-PLAN.md`)), /3 plans of a cluster/, 3],
    ['sprint', [path.join(demo('sprint'), 'EXECUTION_PLAN.md')], /a plan of sprints/, 6],
  ];
  for (const protocol of ['completion', 'promise', 'iteration', 'grid', 'sprint']) {
    test(`${protocol}: from its plan document the mission can be begun in a branch, led to its end and saved`, async () => {
      const { replay } = await engine();
      const [, files, note, rows] = plans().find(([name]) => name === protocol);
      const opened = await open(shared.browser, pathToFileURL(built()).href);
      const { page } = opened;
      await choose(page, files);
      await page.waitForFunction((count) => globalThis.endstateViewer?.root.querySelectorAll('.side .row').length === count, rows);
      assert.match(await page.locator('.seal').textContent(), note);
      assert.match(await page.locator('.facts').textContent(), /○ not started/);
      assert.equal(await page.locator('.place').textContent(), 'before the first event');
      await tab(page, 'event');
      assert.doesNotMatch(await page.locator('.inspector .panel').textContent(), /NaN/);
      await tab(page, 'whatif');
      await page.getByRole('button', { name: 'Try it' }).click();
      await page.waitForSelector('.whatif .columns');
      await wayToDone(page);
      await page.screenshot({ path: path.join(shots, `${protocol}-light-plan-way.png`) });
      const told = replay(new Uint8Array(await saved(page)));
      assert.deepEqual([told.divergence, told.continuation], [null, 'done']);
      await quiet(opened);
    });
  }

  test('from a snapshot an event can be tried, and its branch is no journal', async () => {
    const folder = path.join(demo('sprint'), '.agent', 'endstate');
    const snapshot = fs.readdirSync(folder).find((name) => name.startsWith('snapshot-'));
    const opened = await open(shared.browser, html(path.join(folder, snapshot)).url);
    const { page } = opened;
    await page.waitForFunction(() => globalThis.endstateViewer?.root.querySelectorAll('.side .row').length > 0);
    const seq = Number(/\d+/.exec(snapshot)[0]);
    assert.match(await page.locator('.place').textContent(), new RegExp(`a snapshot of event ${seq} `));
    await tab(page, 'event');
    await page.locator('.inspector h3', { hasText: `A snapshot, taken after event ${seq}` }).waitFor();
    await tab(page, 'whatif');
    await page.locator('.whatif textarea').first().fill('{"at":1,"fact":{"type":"host_recovered","data":{"from":"restart","note":"x"}}}');
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.waitForSelector('.whatif .columns, .whatif .fault:not(:empty)');
    assert.equal(await page.locator('.whatif .fault').textContent(), '');
    assert.match(await page.locator('.whatif .steps').last().textContent(), new RegExp(`^${seq + 1}`));
    assert.equal(await page.getByRole('button', { name: 'Save the branch' }).count(), 0);
    await quiet(opened);
  });
}

const find = (folder, name) => path.join(folder, fs.readdirSync(folder, { recursive: true }).find((one) => path.basename(one) === name));
