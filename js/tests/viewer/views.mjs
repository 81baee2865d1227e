// Every part of the viewer, on the demo journal of every protocol.
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'node:test';
import { demo, html, journalOf, PROTOCOLS, shots, stage } from './common.mjs';
import { accessible, go, last, looked, open, quiet, seal, settled, tab } from './opened.mjs';

const engine = () => import(pathToFileURL(path.join(stage, 'index.node.mjs')));
const shot = (page, name) => page.screenshot({ path: path.join(shots, `${name}.png`) });

/** All parts at one moment, each looked at by axe and kept as a picture. */
async function tour(page, name) {
  await page.locator('.side .row').first().click();
  for (const [part, inspector] of [['plan', 'item'], ['timeline', 'why'], ['events', 'event'], ['whatif', 'changes']]) {
    await tab(page, part);
    await tab(page, inspector);
    if (part === 'whatif') {
      await page.getByRole('button', { name: 'Try it' }).click();
      await page.waitForSelector('.whatif .columns, .whatif .fault:not(:empty)');
    }
    await page.waitForSelector('.inspector .panel');
    await page.waitForTimeout(150);
    await shot(page, `${name}-${part}`);
    await accessible(page, `${name} ${part}`);
  }
  await tab(page, 'mission');
  await accessible(page, `${name} mission`);
}

export default function views(shared) {
  for (const protocol of PROTOCOLS) {
    test(`${protocol}: one file shows all of a run, offline, in light and dark`, async () => {
      const { url, bytes } = html(journalOf(demo(protocol)));
      assert.ok(bytes < 2_000_000, `${bytes} bytes`);
      for (const scheme of ['light', 'dark']) {
        const opened = await looked(shared, url, { scheme, offline: true });
        const { page, requests } = opened;
        assert.match(await seal(page, 'good'), /The chain holds: \d+ lines, and every event was decided again/);
        const end = await last(page);
        await settled(page, end);
        assert.match(await page.locator('.facts').textContent(), /✔ done/);
        await go(page, Math.floor(end / 2));
        await tour(page, `${protocol}-${scheme}`);
        assert.deepEqual(requests.filter((one) => !one.startsWith('file:')), []);
        await quiet(opened);
      }
    });

    test(`${protocol}: every moment is what the engine says it was`, async () => {
      const file = journalOf(demo(protocol));
      const { Tape } = await engine();
      const tape = new Tape();
      const bytes = fs.readFileSync(file);
      tape.push(bytes);
      const decided = bytes.toString().trimEnd().split('\n').map((line) => JSON.parse(line).body.decided.rule);
      const opened = await open(shared.browser, html(file).url);
      const { page } = opened;
      await seal(page, 'good');
      const end = await last(page);
      for (const seq of [0, 1, Math.floor(end / 3), end - 1, end, 2]) {
        await go(page, seq);
        const there = tape.before(seq);
        const offsets = [0];
        for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) offsets.push(at + 1);
        there.applyBatch(bytes.subarray(offsets[there.position().lines], offsets[seq + 1]));
        const picture = JSON.parse(there.picture());
        const shown = await page.evaluate(async (at) => JSON.parse((await globalThis.endstateViewer.parts.client.ask.moment(at)).picture), seq);
        assert.deepEqual(shown, picture, `event ${seq}`);
        await tab(page, 'plan');
        const rows = await page.locator('.side .row').allTextContents();
        assert.equal(rows.length, picture.nodes.length);
        picture.nodes.forEach(([state], at) => assert.ok(rows[at].includes(state), `event ${seq}: ${rows[at]} is ${state}`));
        await tab(page, 'why');
        // What decided the event, and what comes next: the same, where the event ordered nothing.
        const { chosen } = there.why();
        for (const name of [decided[seq], chosen.name]) {
          await page.waitForFunction((wanted) => globalThis.endstateViewer.root.querySelector('.inspector .panel')?.textContent.includes(wanted), name.replaceAll('_', ' '));
        }
      }
      await quiet(opened);
    });
  }

  test('keys reach everything', async () => {
    const opened = await open(shared.browser, html(journalOf(demo('completion'))).url);
    const { page } = opened;
    await seal(page, 'good');
    const end = await last(page);
    await settled(page, end);
    await page.locator('.picture').first().focus();
    await page.keyboard.press(',');
    await page.keyboard.press(',');
    await settled(page, end - 2);
    await page.keyboard.press('.');
    await settled(page, end - 1);
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('.inspector .criterion');
    const first = await page.locator('.inspector h3').textContent();
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction((name) => globalThis.endstateViewer.root.querySelector('.inspector h3')?.textContent !== name, first);
    await page.keyboard.press('c');
    await page.waitForSelector('.lane[aria-expanded=false]');
    assert.equal(await page.locator('.lane[aria-expanded=false]').count(), 1);
    await page.keyboard.press('3');
    assert.equal(await page.locator('[data-tab=events]').getAttribute('aria-selected'), 'true');
    await page.locator('.events .list').focus();
    await page.keyboard.press('Home');
    await settled(page, 0);
    await page.keyboard.press('ArrowDown');
    await settled(page, 1);
    await page.keyboard.press('/');
    await page.keyboard.type('S3');
    await page.waitForFunction(() => globalThis.endstateViewer.root.querySelectorAll('.side .row').length <= 1);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Shift+?');
    await page.waitForSelector('dialog[open]');
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog[open]', { state: 'detached' });
    await quiet(opened);
  });

  test('an address names a moment, an item and a part', async () => {
    const { url } = html(journalOf(demo('completion')));
    const opened = await open(shared.browser, `${url}#event=57&item=S2&part=events`);
    const { page } = opened;
    await seal(page, 'good');
    await settled(page, 57);
    assert.equal(await page.locator('[data-tab=events]').getAttribute('aria-selected'), 'true');
    await page.waitForFunction(() => globalThis.endstateViewer.root.querySelector('.inspector h3')?.textContent === 'S2');
    await go(page, 60);
    await page.waitForFunction(() => location.hash.includes('event=60'));
    await page.evaluate(() => { location.hash = '#event=12&part=plan'; });
    await settled(page, 12);
    await quiet(opened);
  });

  test('a click in the plan chooses, play plays, and runs lead to their moments', async () => {
    const opened = await open(shared.browser, html(journalOf(demo('promise'))).url);
    const { page } = opened;
    await seal(page, 'good');
    await settled(page, await last(page));
    const id = (await page.locator('.side .row strong').nth(1).textContent());
    const spot = await page.evaluate((name) => globalThis.endstateViewer.parts.plan.where(name), id);
    await page.locator('.plan .picture').click({ position: spot });
    await page.waitForFunction((name) => globalThis.endstateViewer.root.querySelector('.inspector h3')?.textContent === name, id);
    assert.ok(await page.locator('.criterion .pairs').count() > 0, 'criteria with who verified them');
    await go(page, 3);
    await page.getByRole('button', { name: 'Play' }).click();
    await page.waitForFunction(() => Number(globalThis.endstateViewer.root.querySelector('.viewer').dataset.seq) >= 5);
    await page.getByRole('button', { name: 'Pause' }).click();
    await tab(page, 'timeline');
    await page.locator('.timeline .row').nth(2).click();
    await page.waitForFunction(() => globalThis.endstateViewer.root.querySelector('.timeline .row[aria-selected=true]'));
    await quiet(opened);
  });

  test('what if a verdict had been another: effects, the way on, and the branch as a journal that holds', async () => {
    const { replay } = await engine();
    const file = journalOf(demo('completion'));
    const lines = fs.readFileSync(file, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line).body);
    const verdict = lines.findIndex((body) => /"finding":"holds"/.test((body.event?.fact.data.report ?? '').replaceAll('\\"', '"')) && body.event.fact.type === 'run_ended');
    assert.ok(verdict > 0);
    const opened = await open(shared.browser, `${html(file).url}#event=${verdict}&part=whatif`);
    const { page } = opened;
    await seal(page, 'good');
    await settled(page, verdict);
    await page.getByRole('button', { name: 'the verdict was no' }).click();
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.waitForSelector('.whatif .columns');
    assert.match(await page.locator('.whatif').textContent(), /shortest way to done/i);
    await page.getByRole('button', { name: /All of what happened/ }).click();
    await page.waitForSelector('.whatif .note:has-text("Here the two part")');
    await page.screenshot({ path: path.join(shots, 'completion-light-branch.png') });
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save the branch as a journal' }).click();
    const saved = fs.readFileSync(await (await download).path());
    const told = replay(new Uint8Array(saved));
    assert.equal(told.divergence, null);
    assert.ok(told.events >= verdict);
    assert.notEqual(saved.toString(), fs.readFileSync(file, 'utf8'));
    await page.locator('.whatif textarea').first().fill('{"at":1,"fact":{"type":"timer_fired","data":{"effect":"9999.1"}}}');
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.waitForSelector('.whatif .fault:not(:empty)');
    assert.match(await page.locator('.whatif .fault').textContent(), /does not take it: .*(unknown_effect|stale_answer)/);
    await quiet(opened);
  });

  for (const protocol of PROTOCOLS) {
    test(`${protocol}: the engine goes the shortest way to done, and the way can be taken into the branch`, async () => {
      const { replay } = await engine();
      const opened = await open(shared.browser, `${html(journalOf(demo(protocol))).url}#event=9&part=whatif`);
      const { page } = opened;
      await seal(page, 'good');
      await settled(page, 9);
      await page.getByRole('button', { name: 'Try it' }).click();
      await page.getByRole('button', { name: 'Let the engine go it' }).click();
      await page.waitForSelector('.rehearsal .outcome');
      assert.match(await page.locator('.rehearsal .outcome').textContent(), /✔ It is done after \d+ events?: \d+ runs?/);
      await shot(page, `${protocol}-light-way`);
      await page.getByRole('button', { name: 'Take this way into the branch' }).click();
      await page.waitForSelector('.whatif .note:has-text("The branch is done")');
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save the branch as a journal' }).click();
      const told = replay(new Uint8Array(fs.readFileSync(await (await download).path())));
      assert.deepEqual([told.divergence, told.continuation], [null, 'done']);
      await quiet(opened);
    });
  }

  test('at 200 % nothing is cut off sideways', async () => {
    const opened = await looked(shared, html(journalOf(demo('completion'))).url, { width: 700, height: 430, scale: 2 });
    const { page } = opened;
    await seal(page, 'good');
    await settled(page, await last(page));
    await page.locator('.side .row').first().click();
    const wide = await page.evaluate(() => {
      const viewer = globalThis.endstateViewer.root.querySelector('.viewer');
      return [viewer.scrollWidth - viewer.clientWidth, document.documentElement.scrollWidth - innerWidth];
    });
    assert.deepEqual(wide.map((over) => over <= 0), [true, true], String(wide));
    await shot(page, 'completion-light-zoomed');
    await accessible(page, '200 %');
    await quiet(opened);
  });
}
