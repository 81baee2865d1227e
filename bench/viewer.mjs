// Measures the viewer with a journal of 10,000 slices and 100,000 events, in real Chromium, through the real server.
//
//   cargo run --release --no-default-features --example viewer_data    (writes the journal, some minutes)
//   ENDSTATE_PROFILE=release node bench/viewer.mjs [JOURNAL]
import * as fs from 'node:fs';
import * as path from 'node:path';
import { browser, root, serve } from '../js/tests/viewer/common.mjs';

const journal = path.resolve(process.argv[2] ?? path.join(root, 'target', 'viewer-bench', 'journal.jsonl'));
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const at = (numbers, share) => numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) * share)];
const ms = (number) => `${number.toFixed(0)} ms`;

const chromium = await browser();
const server = serve(root, journal);
try {
  const page = await chromium.newPage({ viewport: { width: 1400, height: 860 } });
  page.on('pageerror', (error) => console.error(error));
  const began = Date.now();
  await page.goto(await server.url);
  const plan = () => /^Plan of 10000 items/.test(globalThis.endstateViewer?.parts.plan.canvas.getAttribute('aria-label') ?? '');
  const bad = page.locator('.seal[data-tone=bad]');
  const refused = bad.waitFor({ timeout: 600_000 }).then(async () => {
    throw new Error(`${await bad.textContent()} A journal of another engine is no measure: write it anew, as said at the head of this file.`);
  });
  refused.catch(() => undefined);
  await Promise.race([page.waitForFunction(plan, undefined, { timeout: 60_000 }), refused]);
  const first = Date.now() - began;
  await Promise.race([page.waitForSelector('.seal[data-tone=good]', { timeout: 600_000 }), refused]);
  const whole = Date.now() - began;
  const seal = await page.locator('.seal').textContent();
  console.log(`${fs.statSync(journal).size} bytes; ${seal}`);
  console.log(`first picture ${ms(first)}; all verified ${ms(whole)}`);
  await page.waitForTimeout(3000);

  const scrubs = await page.evaluate(async () => {
    const viewer = globalThis.endstateViewer;
    const last = Number(viewer.root.querySelector('.slider').max);
    const painted = () => new Promise((resume) => requestAnimationFrame(() => requestAnimationFrame(resume)));
    const times = [];
    let seed = 12345;
    for (let turn = 0; turn < 60; turn += 1) {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      const began = performance.now();
      await viewer.go(seed % (last + 1));
      times.push(performance.now() - began);
      await painted();
      await new Promise((resume) => setTimeout(resume, 600));
    }
    return times;
  });
  console.log(`scrubbing to a random event: median ${ms(median(scrubs))}, 95 % under ${ms(at(scrubs, 0.95))}, worst ${ms(Math.max(...scrubs))}`);

  for (const [name, zoom] of [['all in sight', 0], ['boxes', 6], ['cards', 11]]) {
    const frames = await page.evaluate(async (steps) => {
      const { plan } = globalThis.endstateViewer.parts;
      plan.fit();
      for (let step = 0; step < steps; step += 1) plan.zoom(1.3);
      const frame = () => new Promise((resume) => requestAnimationFrame(resume));
      for (let turn = 0; turn < 5; turn += 1) await frame();
      const times = [];
      let last = await frame();
      for (let turn = 0; turn < 180; turn += 1) {
        plan.pan(turn < 90 ? 9 : -9, turn % 60 < 30 ? 5 : -5);
        const now = await frame();
        times.push(now - last);
        last = now;
      }
      return times;
    }, zoom);
    console.log(`panning, ${name}: median frame ${frames && median(frames).toFixed(1)} ms, 95 % under ${at(frames, 0.95).toFixed(1)} ms, worst ${Math.max(...frames).toFixed(1)} ms`);
  }
} finally {
  server.end();
  await chromium.close();
}
