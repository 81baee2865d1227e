// Files and folders that are really dropped, as the browser does it: on a page that was served and on one from disk.
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as http from 'node:http';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'node:test';
import { demo, html, journalOf, page as built, temporary } from './common.mjs';
import { open, quiet, seal } from './opened.mjs';

async function drop({ page }, ...files) {
  const cdp = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop']) await cdp.send('Input.dispatchDragEvent', { type, x: 400, y: 300, data });
  await cdp.detach();
}

/** The page as a server gives it. */
async function served(use) {
  const server = http.createServer((_, answer) => answer.setHeader('content-type', 'text/html').end(fs.readFileSync(built())));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`http://127.0.0.1:${server.address().port}/`);
  } finally {
    server.close();
  }
}

const facts = ({ page }, words) => page.waitForFunction((text) =>
  globalThis.endstateViewer?.root.querySelector('.facts')?.textContent.includes(text), words);

/** A folder in which what matters comes last. */
function crowded() {
  const folder = path.join(temporary(), 'repository');
  for (let at = 0; at < 260; at += 1) {
    fs.mkdirSync(path.join(folder, 'aaa', `d${at}`), { recursive: true });
    for (const name of ['notes.md', 'package.json']) fs.writeFileSync(path.join(folder, 'aaa', `d${at}`, name), '{}');
    fs.writeFileSync(path.join(folder, `a${at}.txt`), '');
  }
  return folder;
}

export default function dropping(shared) {
  test('a file that is dropped is opened, from a server and from disk', async () => {
    const drops = async (url) => {
      const opened = await open(shared.browser, url);
      await opened.page.locator('#viewer > *').first().waitFor();
      await drop(opened, journalOf(demo('promise')));
      await facts(opened, 'promise');
      assert.match(await seal(opened.page, 'good'), /The chain holds/);
      await quiet(opened);
    };
    await served(drops);
    await drops(pathToFileURL(built()).href);
    await drops(html(journalOf(demo('iteration'))).url);
  });

  test('of a folder that is dropped all is looked at; from disk it is said that it cannot be', async () => {
    const folder = crowded();
    fs.cpSync(path.join(demo('promise'), '.agent'), path.join(folder, 'zzz', '.agent'), { recursive: true });
    await served(async (url) => {
      const opened = await open(shared.browser, url);
      await opened.page.locator('.welcome').waitFor();
      await drop(opened, folder);
      await facts(opened, 'promise');
      await seal(opened.page, 'good');
      await quiet(opened);
    });
    const opened = await open(shared.browser, pathToFileURL(built()).href);
    await opened.page.locator('.welcome').waitFor();
    await drop(opened, folder);
    assert.match(await opened.page.locator('.welcome [role=alert]').textContent(), /from disk.*“Open a folder…”/);
    await quiet(opened);
  });

  test('a bound that keeps a part of a folder from being looked at is said, and the mission is found before', async () => {
    const folder = crowded();
    for (let at = 0; at < 2100; at += 1) for (const name of ['a.md', 'b.md']) {
      fs.mkdirSync(path.join(folder, 'big', `d${at % 300}`), { recursive: true });
      fs.writeFileSync(path.join(folder, 'big', `d${at % 300}`, `${at}${name}`), '');
    }
    fs.cpSync(path.join(demo('iteration'), '.agent'), path.join(folder, '.agent'), { recursive: true });
    await served(async (url) => {
      const opened = await open(shared.browser, url);
      await opened.page.locator('.welcome').waitFor();
      await drop(opened, folder);
      await facts(opened, 'iteration');
      assert.match(await seal(opened.page, 'good'), /Only a part of the folder was looked through: \d+ names; \d+ of its folders/);
      await quiet(opened);
    });
  });

  test('of two journals that are opened the second is named', async () => {
    const folder = temporary();
    for (const protocol of ['promise', 'grid']) fs.copyFileSync(journalOf(demo(protocol)), path.join(folder, `${protocol}.jsonl`));
    await served(async (url) => {
      const opened = await open(shared.browser, url);
      await opened.page.locator('.welcome').waitFor();
      await drop(opened, path.join(folder, 'promise.jsonl'), path.join(folder, 'grid.jsonl'));
      assert.match(await seal(opened.page, 'good'), /One journal is shown at a time: this is grid.jsonl; not shown: promise.jsonl/);
      await quiet(opened);
    });
  });

  test('a journal that ends before its snapshots is not green', async () => {
    const folder = path.join(temporary(), 'state');
    fs.cpSync(path.join(demo('completion'), '.agent', 'endstate'), folder, { recursive: true });
    const journal = path.join(folder, 'journal.jsonl');
    const lines = fs.readFileSync(journal, 'utf8').split('\n');
    fs.writeFileSync(journal, lines.slice(0, 60).map((line) => `${line}\n`).join(''));
    await served(async (url) => {
      const opened = await open(shared.browser, url);
      await opened.page.locator('.welcome').waitFor();
      await drop(opened, folder);
      assert.match(await seal(opened.page, 'warn'), /journal was cut, or is that of another run: beside it lies a snapshot of event \d+, and it ends with event 59/);
      await quiet(opened);
    });
  });
}
