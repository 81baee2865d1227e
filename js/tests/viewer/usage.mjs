// Tokens and cost, where runs report them: each run, and the sum up to the moment that is shown.
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { demo, html, journalOf, shots, stage, temporary } from './common.mjs';
import { accessible, go, last, looked, quiet, seal, settled } from './opened.mjs';

/** The demo of promise, its runs told to have used something; decided anew, so that its chain holds. */
async function spent(tokens, micros) {
  const { Engine } = await import(pathToFileURL(path.join(stage, 'index.node.mjs')));
  const [head, ...rest] = fs.readFileSync(journalOf(demo('promise')), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line).body);
  const engine = Engine.start(head.config, head.at);
  const lines = [engine.started().line];
  const ends = [];
  for (const { event } of rest) {
    if (event.fact.type === 'run_ended' && event.fact.data.usage) {
      Object.assign(event.fact.data.usage, { tokens, cost_micros: micros, turns: 4 });
      ends.push(lines.length);
    }
    lines.push(engine.apply(event).line);
  }
  const file = path.join(temporary(), 'journal.jsonl');
  fs.writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
  return { file, ends };
}

/** Writes down what is drawn into the chart outside of its canvas. */
const WATCH = () => {
  globalThis.clipped = [];
  globalThis.drawn = new Set();
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function watched(text, x, y, ...rest) {
    const { a, b, e } = this.getTransform();
    if (b === 0 && this.canvas.closest('.u-wrap') !== null || !this.canvas.isConnected) {
      const wide = this.measureText(text).width * a;
      const left = x * a + e - ({ right: wide, end: wide, center: wide / 2 }[this.textAlign] ?? 0);
      globalThis.drawn.add(String(text));
      if (left < -1 || left + wide > this.canvas.width + 1) globalThis.clipped.push(String(text));
    }
    return fillText.call(this, text, x, y, ...rest);
  };
};

export default function usage(shared) {
  test('tokens and cost are told for each run, and their sum up to the moment that is shown', async () => {
    const { file, ends } = await spent(412_345, 81_234);
    const opened = await looked(shared, `${html(file).url}#part=timeline`);
    const { page } = opened;
    await seal(page, 'good');
    const end = await last(page);
    await settled(page, end);
    const label = () => page.locator('.chart').getAttribute('aria-label');
    const wanted = (runs) => `${412_345 * runs} tokens and a cost of ${(0.081234 * runs).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 6 })} reported so far, by ${runs} ${runs === 1 ? 'run' : 'runs'}`;
    await page.waitForSelector('.chart canvas');
    assert.equal(await label(), wanted(ends.length));
    assert.match(await page.locator('.timeline .row', { hasText: 'tokens' }).first().textContent(), /412,345 tokens · cost 0\.081234/);
    await page.screenshot({ path: path.join(shots, 'usage-light.png') });
    await accessible(page, 'tokens and cost');
    for (const [seq, runs] of [[ends[3], 4], [ends[3] - 1, 3], [0, 0], [end, ends.length]]) {
      await go(page, seq);
      await page.waitForFunction((text) => globalThis.endstateViewer.root.querySelector('.chart').getAttribute('aria-label') === text, wanted(runs));
    }
    await quiet(opened);
  });

  test('the numbers beside the chart fit beside it when there are millions', async () => {
    const { file } = await spent(412_345, 81_234);
    for (const width of [1400, 380]) {
      const opened = await looked(shared, 'about:blank', { width });
      const { page } = opened;
      await page.context().addInitScript(WATCH);
      await page.goto(`${html(file).url}#part=timeline`);
      await seal(page, 'good');
      await settled(page, await last(page));
      await page.waitForFunction(() => [...globalThis.drawn].some((text) => /\dM$/.test(text)));
      assert.deepEqual(await page.evaluate(() => globalThis.clipped), []);
      await quiet(opened);
    }
  });

  test('where no run tells what it used there is no chart', async () => {
    const opened = await looked(shared, `${html(journalOf(demo('promise'))).url}#part=timeline`);
    await seal(opened.page, 'good');
    await settled(opened.page, await last(opened.page));
    assert.equal(await opened.page.locator('.chart').isVisible(), false);
    await quiet(opened);
  });
}
