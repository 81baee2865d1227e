// A journal that is too long to be read at once: its plan is seen before all of it was checked. What is measured by
// bench/viewer.mjs in time is held here by the order of what page and worker say to each other.
import * as assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { before, test } from 'node:test';
import { demo, journalOf, page as built, root, stage, temporary } from './common.mjs';
import { choose, go, last, open, quiet, seal, settled, tab } from './opened.mjs';

const SLICES = 3000;
const SIGNS = 5000;

/** Where the demo's plan is reported. */
const planned = (event) => /"slices": ?\[/.test(event.fact.data.report ?? '');

function report(text) {
  const slice = (n) => ({
    slice_id: `S${n}`, goal: `Make part ${n} and show that it turns`, acceptance_criteria: [`Part ${n} turns`, 'A test shows it'],
    contract_ids: ['C-COUNT'], priority: 5, why_now: 'it is next', blocked_on: n > 50 ? [`S${n - 50}`] : [],
  });
  const slices = Array.from({ length: SLICES }, (_, at) => slice(at + 1));
  return text.replace(/```json\n([\s\S]*)\n```/, (_, block) => `\`\`\`json\n${JSON.stringify({ ...JSON.parse(block), slices })}\n\`\`\``);
}

const engineOf = () => import(pathToFileURL(path.join(stage, 'index.node.mjs')));

/** The demo's mission as it happened up to its plan, with a plan of thousands, and an implementer who talks a lot. */
async function journal() {
  const { Engine } = await engineOf();
  const [first, ...rest] = fs.readFileSync(journalOf(demo('completion')), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line).body);
  const engine = Engine.start(first.config, first.at);
  const lines = [engine.started().line];
  let at = first.at;
  const take = (type, data) => {
    const { line, effects } = engine.apply({ at, fact: { type, data } });
    lines.push(line);
    return effects;
  };
  const end = rest.findLastIndex(({ event }, place) => place < 30 && planned(event));
  for (const { event } of rest.slice(0, end)) {
    at = event.at;
    take(event.fact.type, event.fact.data);
  }
  const said = rest[end].event.fact.data;
  take('run_ended', { ...said, report: report(said.report) });
  const waiting = take(rest[end + 1].event.fact.type, rest[end + 1].event.fact.data);
  let run;
  for (let effect = waiting.shift(); effect; effect = waiting.shift()) {
    const { id, order } = effect;
    if (order.type === 'spawn_role') {
      run = id;
      waiting.push(...take('run_started', { effect: id, session: null }));
      continue;
    }
    const text = engine.render(order.data.path);
    const digest = createHash('sha256').update(text).digest('hex');
    waiting.push(...take('effect_performed', { effect: id, outcome: { type: 'file', digest, length: Buffer.byteLength(text) } }));
  }
  for (let sign = 0; sign < SIGNS; sign += 1) take('run_progressed', { effect: run, entries: [{ kind: 'activity', text: `step ${sign}: ${'looking at the parts '.repeat(8)}` }] });
  const file = path.join(temporary(), 'journal.jsonl');
  fs.writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
  return { file, count: lines.length };
}

/** What page and worker say to each other, in order. */
const overhear = (page) => page.addInitScript(() => {
  const said = globalThis.said = [];
  globalThis.Worker = class extends Worker {
    constructor(url) {
      super(url);
      this.addEventListener('message', ({ data: { progress, value } }) => {
        if (progress) said.push({ lines: progress.state.lines, idle: progress.idle });
        else if (value?.picture) said.push({ items: JSON.parse(value.picture).nodes.length });
      });
    }

    postMessage(message, ...rest) {
      if (message.name) said.push({ asked: message.name });
      super.postMessage(message, ...rest);
    }
  };
});

/** The worker's desk, as it runs in Node. */
async function deskClass() {
  const js = path.join(root, 'js');
  const outfile = path.join(temporary(), 'desk.mjs');
  const { build } = createRequire(path.join(js, 'package.json'))('esbuild');
  await build({ entryPoints: [path.join(js, 'viewer', 'desk.ts')], bundle: true, format: 'esm', outfile });
  return (await import(pathToFileURL(outfile))).Desk;
}

/** The engine, telling how many bytes of the journal it decides again to find a moment. */
function counted(engine, bytes) {
  class Tape extends engine.Tape {
    before(seq) {
      const kept = super.before(seq);
      const apply = kept.applyBatch.bind(kept);
      kept.applyBatch = (lines) => {
        bytes.push(lines.length);
        return apply(lines);
      };
      return kept;
    }
  }
  return { ...engine, Tape };
}

export default function large(shared) {
  const made = {};
  before(async () => Object.assign(made, await journal()));

  test('while a journal is read its newest moment is at hand: a plan is not decided again to be shown', async () => {
    const Desk = await deskClass();
    const bytes = [];
    const items = [];
    const desk = new Desk(counted(await engineOf(), bytes), async ({ state: { lines }, idle }) => {
      void desk.moment(lines - 1).then(({ picture }) => items.push(JSON.parse(picture).nodes.length));
      if (idle) done();
    });
    let done;
    const idle = new Promise((resume) => { done = resume; });
    const text = fs.readFileSync(made.file);
    assert.ok(text.indexOf('S3000') > 0 && Math.max(...text.toString().split('\n').map((line) => line.length)) > 600_000);
    assert.equal(await desk.open({ kind: 'journal', blob: new Blob([text]), whole: true }), null);
    await idle;
    assert.match((await desk.moment(made.count - 1)).picture, /"nodes":\[\[/);
    assert.equal(items[0], 0);
    assert.equal(items.at(-1), SLICES);
    assert.ok(Math.max(0, ...bytes) <= 1 << 18, `${bytes} bytes were decided again`);
    desk.close();
  });

  test('a journal of thousands of items and events shows its plan before it is checked to its end', async () => {
    const { file, count } = made;
    const opened = await open(shared.browser, pathToFileURL(built()).href);
    const { page } = opened;
    await overhear(page);
    await page.reload();
    await choose(page, [file]);
    const label = page.locator(`canvas[aria-label^="Plan of ${SLICES} items"]`);
    await label.waitFor();
    assert.match(await seal(page, 'good'), new RegExp(`^✔ The chain holds: ${count} lines`));
    await settled(page, count - 1);
    const said = await page.evaluate(() => globalThis.said);
    const [known, shown, whole] = [(one) => one.lines > 30, (one) => one.items === SLICES, (one) => one.idle].map((what) => said.findIndex(what));
    assert.ok(known >= 0 && known < shown && shown < whole, `${known}, ${shown}, ${whole}`);
    assert.ok(said.slice(shown, whole).filter((one) => one.lines).length > 2, 'the journal is long enough for this');
    assert.deepEqual(said.slice(known + 1, shown).filter((one) => one.lines), [], 'nothing is read on before the plan is shown');
    assert.deepEqual(said.filter((one) => one.asked === 'lines'), [], 'what is not in sight is not asked for');
    await tab(page, 'events');
    await page.locator('.events .row', { hasText: 'run progressed' }).first().waitFor();
    await tab(page, 'plan');
    assert.equal(await last(page), count - 1);
    for (const seq of [40, 10, count - 200]) {
      await go(page, seq);
      assert.match(await page.locator('.plan canvas').first().getAttribute('aria-label'), seq === 10 ? /^Plan of 0 items/ : new RegExp(`^Plan of ${SLICES} items`));
    }
    await quiet(opened);
  });
}
