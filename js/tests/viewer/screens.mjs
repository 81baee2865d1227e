// What a reader sees where no mission can be shown whole: the welcome, with and without a fault, a file that is
// refused, a damaged journal. Each in light and dark, looked at by axe.
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { demo, journalOf, page as built, shots, temporary } from './common.mjs';
import { accessible, choose, looked, quiet, seal } from './opened.mjs';

const put = (name, content) => {
  const file = path.join(temporary(), name);
  fs.writeFileSync(file, content);
  return file;
};

/** How bright what is behind the text of the page is: 0 is black, 1 is white. */
const brightness = (page, selector) => page.locator(selector).first().evaluate((element) => {
  const pen = new OffscreenCanvas(1, 1).getContext('2d');
  pen.fillStyle = getComputedStyle(element).backgroundColor;
  pen.fillRect(0, 0, 1, 1);
  const [red, green, blue] = pen.getImageData(0, 0, 1, 1).data;
  return (red + green + blue) / 765;
});

/** The colour in the middle of the picture of the plan, and that of the paper it should lie on. */
const painted = (page) => page.locator('.plan .picture').evaluate((canvas) => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
  const pen = new OffscreenCanvas(1, 1).getContext('2d');
  pen.fillStyle = getComputedStyle(canvas.closest('.viewer')).backgroundColor;
  pen.fillRect(0, 0, 1, 1);
  const { width, height } = canvas;
  resolve([[...canvas.getContext('2d').getImageData(width >> 1, height >> 1, 1, 1).data], [...pen.getImageData(0, 0, 1, 1).data]]);
}))));

/** A folder of which nothing can be shown. */
function strange() {
  const folder = temporary();
  for (const name of ['notes.txt', 'picture.svg']) fs.writeFileSync(path.join(folder, name), 'hello');
  return folder;
}

/**
 * The choice of an empty folder as the page is told of it: its input changes, and has no files. Whether a chooser that is
 * handed such a folder answers at all is another matter from one Chromium to the next.
 */
async function chooseNothing(page) {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Open a folder…' }).click();
  await (await chooser).element().evaluate((input) => input.dispatchEvent(new Event('change')));
}

/** A journal with a changed byte in the middle of it. */
function damaged() {
  const bytes = Buffer.from(fs.readFileSync(journalOf(demo('promise'))));
  bytes[bytes.indexOf('run_ended', bytes.length / 2)] ^= 1;
  return put('journal.jsonl', bytes);
}

export default function screens(shared) {
  for (const scheme of ['light', 'dark']) {
    const dark = scheme === 'dark';
    const fits = (bright) => (dark ? bright < 0.3 : bright > 0.7);

    test(`${scheme}: the welcome, and what it says of what cannot be opened`, async () => {
      const opened = await looked(shared, pathToFileURL(built()).href, { scheme });
      const { page } = opened;
      await page.waitForSelector('.welcome');
      await accessible(page, `${scheme} welcome`);
      assert.ok(fits(await brightness(page, 'body')), 'the page is as bright as the system wants it');
      await chooseNothing(page);
      const told = () => page.locator('.welcome [role=alert]').textContent();
      assert.match(await told(), /^There is no file that could be a journal, a snapshot or a plan/);
      await choose(page, strange());
      await page.getByText('Among these files is no journal, snapshot or plan.').waitFor();
      await page.screenshot({ path: path.join(shots, `welcome-${scheme}.png`) });
      await accessible(page, `${scheme} welcome with a fault`);
      await quiet(opened);
    });

    test(`${scheme}: a file that is refused, and a damaged journal`, async () => {
      for (const [name, file] of [['refused', put('notes.txt', 'hello')], ['damaged', damaged()]]) {
        const opened = await looked(shared, pathToFileURL(built()).href, { scheme });
        const { page } = opened;
        await page.waitForSelector('.welcome');
        await choose(page, [file]);
        await seal(page, 'bad');
        await page.screenshot({ path: path.join(shots, `${name}-${scheme}.png`) });
        await accessible(page, `${scheme} ${name}`);
        if (name === 'refused') {
          const [canvas, paper] = await painted(page);
          assert.deepEqual(canvas, paper, 'an empty plan is paper');
        }
        await quiet(opened);
      }
    });
  }
}
