// What a reader does with a journal: asks why, looks for verdicts, searches, follows links, keeps the place.
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { test } from 'node:test';
import { demo, html, journalOf, PROTOCOLS, until } from './common.mjs';
import { go, last, open, quiet, seal, settled, tab } from './opened.mjs';

const bodies = (protocol) => fs.readFileSync(journalOf(demo(protocol)), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line).body);
const words = (name) => name.replaceAll('_', ' ');

async function opened(shared, protocol, hash = '', options = {}) {
  const one = await open(shared.browser, `${html(journalOf(demo(protocol))).url}${hash}`, options);
  await seal(one.page, 'good');
  await settled(one.page, hash ? Number(/event=(\d+)/.exec(hash)[1]) : await last(one.page));
  return one;
}

export default function reading(shared) {
  for (const protocol of PROTOCOLS) {
    test(`${protocol}: which rule decided an event that ordered a run, and what spoke against every other`, async () => {
      const lines = bodies(protocol);
      const seqs = lines.map((body, seq) => seq).filter((seq) => lines[seq].decided.effects.some(({ order }) => order === 'spawn_role'));
      const one = await opened(shared, protocol);
      const { page } = one;
      await tab(page, 'why');
      for (const seq of [seqs[0], seqs[Math.floor(seqs.length / 2)], seqs.at(-1)]) {
        await go(page, seq);
        const rule = words(lines[seq].decided.rule);
        const title = page.locator('.inspector h3', { hasText: `Event ${seq} was decided by` });
        await title.waitFor();
        assert.match(await title.textContent(), new RegExp(`decided by rule \\d+: ${rule}$`));
        const rows = await page.locator('.inspector .rules tbody tr').allTextContents();
        const at = rows.findIndex((row) => row.includes('▶ decided'));
        assert.match(rows[at], new RegExp(`^\\d+ ${rule}`));
        for (const row of rows.slice(0, at)) assert.match(row, /holds|does not hold/, row);
        assert.equal(rows.filter((row) => row.includes('▶ decided')).length, 1);
        assert.equal(await page.locator('.inspector h4', { hasText: 'What comes next' }).count(), 1);
      }
      await quiet(one);
    });
  }

  test('a verdict stands with its run: what a reviewer, a coach, a recognizer and a verifier found', async () => {
    for (const [protocol, role, no] of [
      ['completion', 'reviewer', 'not acceptable, 0 of 2 hold'], ['promise', 'coach', 'feedback'],
      ['grid', 'recognizer', 'GAPS FOUND'], ['sprint', 'verifier', '0 of 1 hold'],
    ]) {
      const one = await opened(shared, protocol);
      const { page } = one;
      await tab(page, 'timeline');
      const rows = page.locator('.timeline .row', { hasText: `${role} ·` });
      await rows.locator('.grow .mark.blocked').first().waitFor();
      assert.ok((await rows.locator('.grow .mark.blocked').allTextContents()).some((text) => text.startsWith(`✖ ${no}`)), protocol);
      assert.ok(await rows.locator('.grow .mark.done').count() > 0, `${protocol}: a verdict that is yes`);
      await quiet(one);
    }
  });

  test('a search by state follows the moment, Enter goes from one to the next', async () => {
    const one = await opened(shared, 'sprint');
    const { page } = one;
    const states = async () => page.evaluate(async () => {
      const { seq } = globalThis.endstateViewer.root.querySelector('.viewer').dataset;
      const { picture } = await globalThis.endstateViewer.parts.client.ask.moment(Number(seq));
      return JSON.parse(picture).nodes.map(([state]) => state);
    });
    await page.locator('.side input').fill('done');
    // The plan of sprints stays the same; what is done does not.
    for (const seq of [0, 60, await last(page), 90]) {
      await go(page, seq);
      const done = (await states()).filter((state) => state === 'done').length;
      await until(`${done} found`, async () => await page.locator('.side .row').count() === done);
    }
    await page.locator('.side input').fill('release');
    await page.locator('.side input').press('Enter');
    const title = () => page.evaluate(() => globalThis.endstateViewer.root.querySelector('.inspector h3')?.textContent);
    await until('the first', async () => await title() === 'release/1');
    await page.locator('.side input').press('Enter');
    await until('the next', async () => await title() === 'release/2');
    await page.locator('.side input').press('Enter');
    await until('around the end', async () => await title() === 'release/1');
    await quiet(one);
  });

  test('keys work before anything has the focus, and the place of the focus is kept', async () => {
    const one = await opened(shared, 'completion');
    const { page } = one;
    const end = await last(page);
    await page.keyboard.press(',');
    await settled(page, end - 1);
    await tab(page, 'why');
    await page.locator('.inspector .link').first().focus();
    const before = await page.evaluate(() => globalThis.endstateViewer.root.activeElement.className);
    await page.keyboard.press(',');
    await settled(page, end - 2);
    assert.equal(before, 'link');
    assert.ok(await page.evaluate(() => globalThis.endstateViewer.root.querySelector('.inspector').contains(globalThis.endstateViewer.root.activeElement)));
    await quiet(one);
  });

  test('a link that names another item shows it', async () => {
    const one = await opened(shared, 'completion', '#event=131&part=plan');
    const { page } = one;
    await page.evaluate(() => { location.hash = '#event=131&item=S2&part=plan'; });
    await page.waitForFunction(() => globalThis.endstateViewer.root.querySelector('.inspector h3')?.textContent === 'S2');
    await quiet(one);
  });

  test('who has zoomed in stays there when the plan changes', async () => {
    const one = await opened(shared, 'completion');
    const { page } = one;
    const where = () => page.evaluate(() => globalThis.endstateViewer.parts.plan.where('S1'));
    await go(page, 131);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    const before = await where();
    const key = () => page.evaluate(async () => JSON.parse((await globalThis.endstateViewer.parts.client.ask.moment(Number(globalThis.endstateViewer.root.querySelector('.viewer').dataset.seq))).picture).key);
    const plan = await key();
    await go(page, 230);
    assert.notEqual(await key(), plan, 'the plan has changed');
    assert.deepEqual(await where(), before);
    await page.getByRole('button', { name: 'Show all' }).click();
    assert.notDeepEqual(await where(), before);
    await quiet(one);
  });

  test('edges meet their items whatever becomes of the window', async () => {
    const one = await opened(shared, 'promise');
    const { page } = one;
    await page.setViewportSize({ width: 1400, height: 700 });
    const differs = () => page.evaluate(async () => {
      const { plan } = globalThis.endstateViewer.parts;
      const shot = () => { plan.paint(); return plan.canvas.toDataURL(); };
      await new Promise(requestAnimationFrame);
      const was = shot();
      plan.repaint();
      return was !== shot();
    });
    await until('the canvas has the new height', () => page.evaluate(() => {
      const { canvas } = globalThis.endstateViewer.parts.plan;
      return canvas.height === canvas.clientHeight;
    }));
    assert.equal(await differs(), false, 'a drawing from scratch is the same');
    await quiet(one);
  });

  test('at 200 % and in a narrow window the slider is in sight, and rows tell how runs ended', async () => {
    for (const [width, height] of [[700, 430], [390, 800]]) {
      const one = await opened(shared, 'sprint', '#event=79&part=timeline', { width, height });
      const { page } = one;
      const box = await page.locator('.slider').boundingBox();
      assert.ok(box.y + box.height <= height, `the slider ends at ${box.y + box.height} of ${height}`);
      const ends = await page.locator('.timeline .row .w7 .mark').evaluateAll((marks) => marks.map((mark) => mark.getBoundingClientRect().right));
      assert.ok(ends.length > 0 && ends.every((right) => right <= width), `${ends} of ${width}`);
      await quiet(one);
    }
  });

  test('an address that names an event which is not there says so', async () => {
    const one = await open(shared.browser, `${html(journalOf(demo('iteration'))).url}#event=9999`);
    const end = bodies('iteration').length - 1;
    await settled(one.page, end);
    const beyond = new RegExp(`The address names event 9999, which is not there: the last that can be shown is ${end}`);
    await until('it is told', async () => beyond.test(await seal(one.page, 'good')));
    await one.page.evaluate(() => { location.hash = '#event=3'; });
    await settled(one.page, 3);
    assert.doesNotMatch(await seal(one.page, 'good'), /names event/);
    await quiet(one);
  });

  test('in a narrow window no verdict is cut, and no name of a rule is broken', async () => {
    const one = await opened(shared, 'sprint', '#event=90&part=timeline', { width: 360, height: 740 });
    const { page } = one;
    const verdicts = page.locator('.timeline .row .grow .mark');
    await verdicts.first().waitFor();
    const cut = await verdicts.evaluateAll((marks) => marks.filter((mark) => mark.scrollWidth > mark.clientWidth || mark.getBoundingClientRect().right > mark.parentElement.getBoundingClientRect().right + 1).map((mark) => mark.textContent));
    assert.deepEqual(cut, []);
    await tab(page, 'why');
    await page.locator('.inspector .rules td').first().waitFor();
    const broken = await page.locator('.inspector .rules td:first-child').evaluateAll((cells) => cells.flatMap((cell) => {
      const text = cell.firstChild;
      return [...text.data.matchAll(/\S+/g)].filter(({ 0: word, index }) => {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        return range.getClientRects().length > 1;
      }).map(([word]) => word);
    }));
    assert.deepEqual(broken, []);
    await quiet(one);
  });
}
