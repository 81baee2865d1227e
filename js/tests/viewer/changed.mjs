// What is changed under the viewer's hands: the file on disk, the page itself, what lies in it.
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'node:test';
import { demo, html, journalOf, page as built, root, stage, temporary, until } from './common.mjs';
import { choose, open, quiet, seal, settled } from './opened.mjs';

const put = (name, content) => {
  const file = path.join(temporary(), name);
  fs.writeFileSync(file, content);
  return file;
};

/** The single file of a journal with one byte changed. */
function with1(file, place, byte) {
  const bytes = fs.readFileSync(file);
  const at = place(bytes);
  // What stands there depends on what was built; a letter of base64 may be the one that was to replace it.
  bytes[at] = bytes[at] === byte ? byte + 1 : byte;
  return pathToFileURL(put('changed.html', bytes)).href;
}

export default function changed(shared) {
  test('a file that is changed after it was opened is told in words', async () => {
    const file = put('journal.jsonl', fs.readFileSync(journalOf(demo('completion'))));
    const opened = await open(shared.browser, pathToFileURL(built()).href);
    const { page } = opened;
    await choose(page, [file]);
    await seal(page, 'good');
    fs.appendFileSync(file, 'x');
    // The system's clock tells files apart by their time of change, too.
    fs.utimesSync(file, new Date(), new Date(Date.now() + 5000));
    await page.getByRole('button', { name: 'One event back' }).click();
    assert.match(await seal(page, 'bad'), /^✖ The file was changed, moved or removed since it was opened\. Open it again\.$/);
    await quiet(opened);
  });

  test('a file that is taken away while it is read does not leave the banner waiting', async () => {
    const file = put('journal.jsonl', Buffer.alloc(120_000_000, 0x61));
    const opened = await open(shared.browser, pathToFileURL(built()).href);
    const { page } = opened;
    await choose(page, [file]);
    await page.waitForFunction(() => /Checking the chain/.test(globalThis.endstateViewer?.root.querySelector('.seal').textContent));
    fs.rmSync(file);
    assert.match(await seal(page, 'bad'), /changed, moved or removed|no whole line/);
    assert.match(await page.locator('.seal').textContent(), /were read\. Nothing of it can be shown/);
    await quiet(opened);
  });

  test('text that is dropped closes nothing, and who has opened the welcome page can go back', async () => {
    const opened = await open(shared.browser, html(journalOf(demo('promise'))).url);
    const { page } = opened;
    await seal(page, 'good');
    await page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.setData('text/plain', 'a selection');
      dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
      return new Promise((resolve) => setTimeout(resolve, 0));
    });
    assert.equal(await page.locator('.welcome').count(), 0);
    await page.getByRole('button', { name: 'Open…' }).click();
    await page.getByRole('button', { name: 'Back to what was open' }).click();
    await seal(page, 'good');
    await quiet(opened);
  });

  test('what is packed into the page stands there with its licence, in every file made of it', () => {
    const both = ['fzstd', 'uplot'];
    const files = [[built(), both], [html(journalOf(demo('iteration'))).file, both], [path.join(stage, 'viewer.mjs'), ['uplot']], [path.join(stage, 'engine_packed.mjs'), ['fzstd']]];
    for (const [file, names] of files) {
      const text = fs.readFileSync(file, 'latin1');
      for (const name of names) {
        const packed = path.join(root, 'js', 'node_modules', name);
        const { version } = JSON.parse(fs.readFileSync(path.join(packed, 'package.json'), 'utf8'));
        const licence = fs.readFileSync(path.join(packed, 'LICENSE'), 'utf8').trim();
        assert.match(licence, /^Copyright \(c\)[^]*permission notice shall be included/m);
        assert.ok(text.includes(`With ${name} ${version}:\n\n${licence}\n`), `${name} in ${path.basename(file)}`);
      }
    }
  });

  test('a changed byte of the script or of the engine is told, and nothing is green', async () => {
    const { file } = html(journalOf(demo('iteration')));
    const script = await open(shared.browser, with1(file, (bytes) => bytes.lastIndexOf('attachShadow'), 0x20));
    assert.match(await script.page.locator('#viewer').textContent(), /If this stays, its script was changed/);
    await script.close();
    const engine = await open(shared.browser, with1(file, (bytes) => bytes.indexOf('id="endstate-engine">') + 600_000, 0x41));
    assert.match(await seal(engine.page, 'bad'), /the engine of this page could not be started/);
    assert.equal(await engine.page.locator('.seal[data-tone=good]').count(), 0);
    await engine.close();
  });

  test('a byte that the reader of the page cannot know does not pass for another', async () => {
    const journal = fs.readFileSync(journalOf(demo('iteration')));
    // NUL reads as U+FFFD; its low byte must not be taken for what was there.
    const tricky = Buffer.concat([journal, Buffer.from([0xfd, 0x0a])]);
    const { file } = html(put('journal.jsonl', tricky));
    const whole = await open(shared.browser, pathToFileURL(file).href);
    const as = await seal(whole.page, 'bad');
    await whole.close();
    // The end of the line before it is two bytes there.
    const at = fs.readFileSync(file).indexOf(tricky.subarray(-60, -3)) + 57 + 2;
    const other = await open(shared.browser, with1(file, () => at, 0));
    assert.notEqual(await seal(other.page, 'bad'), as);
    await other.close();
  });

  test('a verdict stays short whatever a report writes into it', async () => {
    const { Engine } = await import(pathToFileURL(path.join(stage, 'index.node.mjs')));
    const [first, ...rest] = fs.readFileSync(journalOf(demo('grid')), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line).body);
    const engine = Engine.start(first.config, first.at);
    const lines = [engine.started().line];
    // As it happened, up to the first verdict; that one is as long as it is wrong, and asked for again.
    for (const { event } of rest) {
      const report = event.fact.data.report;
      const hostile = /"verdict": ?"GAPS_FOUND"/.test(report ?? '');
      if (hostile) event.fact.data.report = report.replace('GAPS_FOUND', '<b>x</b>\u202e'.repeat(20_000));
      lines.push(engine.apply(event).line);
      if (hostile) break;
    }
    const opened = await open(shared.browser, `${html(put('journal.jsonl', lines.map((line) => `${line}\n`).join(''))).url}#part=timeline`);
    await seal(opened.page, 'good');
    const mark = opened.page.locator('.timeline .row .grow .mark.blocked').first();
    await mark.waitFor();
    const text = await mark.textContent();
    assert.ok(text.startsWith('✖ <b>x</b>\\u202e') && text.length < 120, text.slice(0, 200));
    await quiet(opened);
  });

  test('a banner stays short whatever a journal writes into it', async () => {
    const lines = fs.readFileSync(journalOf(demo('promise')), 'utf8').trimEnd().split('\n');
    const { createHash } = await import('node:crypto');
    let chain = '';
    const whole = lines.map((line, at) => {
      let front = line.replace(/,"chain":"[0-9a-f]+"\}$/, '');
      if (at === 9) front = front.replace(/"rule":"\w+"/, `"rule":"${'x'.repeat(200_000)}"`);
      chain = createHash('sha256').update(chain).update(front).digest('hex');
      return `${front},"chain":"${chain}"}\n`;
    }).join('');
    const opened = await open(shared.browser, html(put('journal.jsonl', whole)).url);
    const text = await seal(opened.page, 'bad');
    assert.match(text, /event 9 is decided otherwise/);
    assert.ok(text.length < 1500, `${text.length} letters`);
    await settled(opened.page, 8);
    await until('no event behind it is shown', async () => (await opened.page.locator('.slider').getAttribute('max')) === '8');
    await quiet(opened);
  });
}
