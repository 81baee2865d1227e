// What is damaged, foreign, newer or hostile: it is said, what can be shown is, and nothing of it is obeyed.
import * as assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as http from 'node:http';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'node:test';
import { demo, html, journalOf, page as built, root, run, shots, stage, temporary } from './common.mjs';
import { choose, go, last, open, quiet, seal, settled, tab } from './opened.mjs';

const put = (name, content) => {
  const file = path.join(temporary(), name);
  fs.writeFileSync(file, content);
  return file;
};

/** The seal of a file that is opened, and how many moments can be shown. */
const sealed = async (shared, file, tone) => sealOf(await open(shared.browser, html(file).url), tone);

/** The same of one of which nothing can be shown: that is written into no page, but can be chosen in one. */
async function chosen(shared, file, tone) {
  const opened = await open(shared.browser, pathToFileURL(built()).href);
  await choose(opened.page, [file]);
  return sealOf(opened, tone);
}

async function sealOf(opened, tone) {
  const text = await seal(opened.page, tone);
  const moments = await last(opened.page);
  const green = await opened.page.locator('.seal[data-tone=good]').count();
  await quiet(opened);
  return { text, moments, green };
}

// Every one of these would leave a mark if anything took it for more than text.
const HOSTILE = [
  '<img src=x onerror="globalThis.hacked=1">', '<script>globalThis.hacked=2</script>', '</script><script>globalThis.hacked=3</script>',
  '"><svg onload=globalThis.hacked=4>', 'javascript:globalThis.hacked=5', '\u202eevil\u2066', '\u0000\u0007\u001b[31m', '${globalThis.hacked=6}',
  '<iframe src="http://127.0.0.1:9/"></iframe>', '<style>*{display:none}</style>', '=<=|=@',
];
const nasty = (name) => `${name} ${HOSTILE.join(' ')}`;

async function hostileJournal() {
  const { Engine } = await import(pathToFileURL(path.join(stage, 'index.node.mjs')));
  const settings = {
    mission: nasty('mission'),
    tasks: HOSTILE.slice(0, 5).map((text, at) => ({
      id: `T${at}`, title: nasty(text), document: `tasks/${at}.md`, dependencies: at ? [`T${at - 1}`] : [],
      criteria: [{ id: `AC-00${at}`, text: nasty('criterion'), lines: { first: 1, last: 1 } }],
    })),
  };
  const engine = Engine.start({ mission: { protocol: 'promise', settings } }, 1_800_000_000_000);
  const lines = [engine.started().line];
  let at = 1_800_000_000_000;
  const take = (fact) => { at += 1000; lines.push(engine.apply({ at, fact }).line); };
  take({ type: 'user_commanded', data: { id: null, command: { command: 'start' } } });
  take({ type: 'host_recovered', data: { from: 'stall', note: nasty('note') } });
  for (const { effect } of engine.pending().filter((one) => one.effect.order.type === 'observe')) {
    take({ type: 'effect_failed', data: { effect: effect.id, problem: { code: 'host_failed', at: nasty('at'), expected: nasty('expected'), got: nasty('got') } } });
  }
  take({ type: 'user_commanded', data: { id: nasty('id').slice(0, 60), command: { command: 'skip', item: 'T1', reason: nasty('reason') } } });
  return put('journal.jsonl', lines.map((line) => `${line}\n`).join(''));
}

export default function badInput(shared) {
  test('one changed byte: a red banner that names the line, and what came before it', async () => {
    const whole = fs.readFileSync(journalOf(demo('completion')));
    const at = whole.indexOf('run_ended', whole.length / 2);
    const line = whole.subarray(0, at).toString().split('\n').length;
    const { file, url } = html(put('journal.jsonl', whole));
    const bytes = fs.readFileSync(file);
    const place = bytes.indexOf(whole.subarray(at, at + 60));
    assert.ok(place > 0, 'the journal lies in the file as it is');
    bytes[place] ^= 1;
    fs.writeFileSync(file, bytes);
    const opened = await open(shared.browser, url, { offline: true });
    const { page } = opened;
    const text = await seal(page, 'bad');
    assert.match(text, new RegExp(`The chain does not hold: line ${line} is damaged`));
    assert.match(text, /got [0-9a-f]{64}\. What came before/);
    assert.match(text, new RegExp(`What came before it is shown: ${line - 1} lines`));
    await settled(page, line - 2);
    await tab(page, 'events');
    await page.screenshot({ path: path.join(shots, 'damaged.png') });
    assert.equal(await page.locator('.seal[data-tone=good]').count(), 0);
    await quiet(opened);
  });

  test('a torn line, another format, other rules, and what is no journal', async () => {
    const whole = fs.readFileSync(journalOf(demo('promise')));
    const torn = await sealed(shared, put('journal.jsonl', whole.subarray(0, -20)), 'warn');
    assert.match(torn.text, /last line has no end: its \d+ bytes are left out/);
    const text = whole.toString();
    const format = await chosen(shared, put('journal.jsonl', chained(text.split('\n')[0].replace('"format":1', '"format":9'))), 'bad');
    assert.match(format.text, /format 9; this viewer reads format 1/);
    const rules = await chosen(shared, put('journal.jsonl', chained(text.split('\n')[0].replace(/"rules":\d+/, '"rules":77'))), 'bad');
    assert.match(rules.text, /rules 77/);
    for (const [name, content, expected] of [
      ['journal.jsonl', 'hello\n', /line 1 is damaged/], ['journal.jsonl', '', /empty/], ['notes.txt', 'hello', /neither a journal/],
      ['x.json', '{"a":1}', /JSON, but neither a journal/], ['x.json', '{', /no JSON, and neither a journal/], ['x.json', '{"behavior":{}}', /cannot be shown/], ['plan.yaml', 'a: [', /cannot be shown/],
      ['journal.jsonl', Buffer.from([0xff, 0xfe, 10]), /UTF-8/],
    ]) {
      const told = await chosen(shared, put(name, content), 'bad');
      assert.match(told.text, expected, name);
    }
    for (const one of [torn, format, rules]) assert.equal(one.green, 0);
  });

  test('an event that this engine decides otherwise is told, however well it is chained', async () => {
    const lines = fs.readFileSync(journalOf(demo('promise')), 'utf8').trimEnd().split('\n');
    const bodies = lines.map((line) => line.replace(/,"chain":"[0-9a-f]+"\}$/, ''));
    bodies[9] = bodies[9].replace(/"rule":"\w+"/, '"rule":"another_rule"');
    const { text, moments } = await sealed(shared, put('journal.jsonl', bodies.reduce(chainOn, { chain: '', text: '' }).text), 'bad');
    assert.match(text, /event 9 is decided otherwise by this engine/);
    assert.equal(moments, 8);
  });

  test('a snapshot, an agent definition, a task and a feature with its tasks', async () => {
    const folder = path.join(demo('completion'), '.agent', 'endstate');
    const snapshot = fs.readdirSync(folder).find((name) => name.startsWith('snapshot-'));
    const promise = demo('promise');
    const grid = path.join(root, 'src', 'cli', 'demo', 'grid');
    const { Engine } = await import(pathToFileURL(path.join(stage, 'index.node.mjs')));
    const items = Engine.open(JSON.parse(fs.readFileSync(path.join(folder, snapshot), 'utf8')).snapshot).view().nodes.length;
    for (const [file, cwd, rows, note] of [
      [path.join(folder, snapshot), undefined, items, /A snapshot is one moment/],
      [find(demo('iteration'), 'greeter.json'), undefined, 1, /an agent definition/],
      [path.join(promise, 'tasks', 'TASK-SLUG-001.md'), undefined, 1, /a task document/],
      [find(promise, 'feature.yaml'), promise, 3, /a feature file: the plan/],
      [path.join(grid, '01-02-PLAN.md'), undefined, 1, /a plan of a cluster/],
      [grid, undefined, 3, /3 plans of a cluster: the plan as it would begin/],
      [path.join(demo('sprint'), 'EXECUTION_PLAN.md'), undefined, 6, /a plan of sprints: the plan as it would begin/],
    ]) {
      const out = path.join(temporary(), 'out.html');
      run(['view', file, '--html', out, '--page', built()], cwd ? { cwd } : {});
      const opened = await open(shared.browser, `file://${out}`);
      const { page } = opened;
      await page.waitForFunction((count) => globalThis.endstateViewer?.root.querySelectorAll('.side .row').length === count, rows);
      assert.match(await page.locator('.seal').textContent(), note, file);
      assert.equal(await page.locator('.seal').getAttribute('data-tone'), 'plain');
      await quiet(opened);
    }
  });

  test('hostile strings in every field are shown and nothing of them is obeyed', async () => {
    const { url } = html(await hostileJournal());
    const opened = await open(shared.browser, url);
    const { page, requests } = opened;
    await seal(page, 'good');
    const end = await last(page);
    for (let seq = end; seq >= 0; seq -= 1) {
      await go(page, seq);
      for (const part of ['plan', 'timeline', 'events', 'whatif']) await tab(page, part);
      for (const part of ['event', 'why', 'changes', 'mission', 'item']) {
        await tab(page, part);
        await page.waitForSelector('.inspector .tab-body > *');
      }
    }
    await go(page, end);
    await tab(page, 'plan');
    await page.locator('.side .row').nth(1).click();
    await page.waitForSelector('.criterion');
    assert.match(await page.locator('.criterion').first().textContent(), /<img src=x onerror=/);
    await page.screenshot({ path: path.join(shots, 'hostile.png') });
    const found = await page.evaluate(() => {
      const { root } = globalThis.endstateViewer;
      const wrong = 'img, iframe, svg, script, style, link, object, embed, [onerror], [onload], [srcdoc]';
      return { hacked: globalThis.hacked, elements: root.querySelectorAll(wrong).length, reversed: /[\u202a-\u202e\u2066-\u2069]/.test(root.querySelector('.viewer').textContent) };
    });
    assert.deepEqual(found, { hacked: undefined, elements: 0, reversed: false });
    assert.deepEqual(requests.filter((one) => !one.startsWith('file:')), []);
    const policy = fs.readFileSync(built(), 'latin1').match(/Content-Security-Policy" content="([^"]+)"/)[1];
    assert.match(policy, /^default-src 'none'; script-src 'wasm-unsafe-eval' 'sha256-[^']+'; worker-src blob:; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'$/);
    await quiet(opened);
  });

  test('a browser whose language is no tag shows it all the same', async () => {
    const opened = await open(shared.browser, 'about:blank');
    await opened.page.context().addInitScript(() => Object.defineProperty(navigator, 'language', { value: 'en-US@posix' }));
    await opened.page.goto(html(journalOf(demo('promise'))).url);
    assert.match(await seal(opened.page, 'good'), /The chain holds/);
    await quiet(opened);
  });

  test('files and folders can be chosen in the page itself', async () => {
    const opened = await open(shared.browser, pathToFileURL(built()).href);
    const { page } = opened;
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Open files…' }).click();
    await (await chooser).setFiles(journalOf(demo('iteration')));
    await seal(page, 'good');
    await page.getByRole('button', { name: 'Open…' }).click();
    const folder = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Open a folder…' }).click();
    await (await folder).setFiles(path.join(demo('promise'), '.agent', 'endstate'));
    await seal(page, 'good');
    assert.match(await page.locator('.facts').textContent(), /promise/);
    await quiet(opened);
  });

  test('another page mounts the component', async () => {
    const journal = fs.readFileSync(journalOf(demo('promise')));
    const body = `<!doctype html><meta charset=utf-8><link rel=icon href=data:,><div id=here style="height:700px"></div>
      <script type=module>import { mount } from '/viewer.mjs';
      const bytes = new Uint8Array(await (await fetch('/journal')).arrayBuffer());
      globalThis.one = await mount(document.getElementById('here'), { journal: bytes }, { theme: 'dark' });</script>`;
    const script = (name) => [`/${name}`, ['text/javascript', fs.readFileSync(path.join(stage, name))]];
    const files = { '/': ['text/html', body], ...Object.fromEntries(['viewer.mjs', 'engine_packed.mjs'].map(script)), '/journal': ['application/octet-stream', journal] };
    const policy = "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:; connect-src 'self'; img-src data:; style-src 'unsafe-inline'";
    const server = http.createServer(({ url }, answer) => {
      const [type, content] = files[url] ?? ['text/plain', ''];
      answer.writeHead(200, { 'content-type': type, 'content-security-policy': policy }).end(content);
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const opened = await open(shared.browser, `http://127.0.0.1:${server.address().port}/`);
      const { page } = opened;
      await seal(page, 'good');
      await page.evaluate(() => globalThis.one.go(7));
      await settled(page, 7);
      assert.equal(await page.evaluate(() => location.hash), '');
      await page.evaluate(() => globalThis.one.close());
      assert.equal(await page.evaluate(() => document.getElementById('here').shadowRoot.childElementCount), 0);
      await quiet(opened);
    } finally {
      server.close();
    }
    const manifest = JSON.parse(fs.readFileSync(path.join(stage, 'package.json'), 'utf8'));
    for (const name of ['./viewer', './viewer.html']) assert.ok(manifest.exports[name], name);
  });
}

function find(folder, name) {
  return path.join(folder, fs.readdirSync(folder, { recursive: true }).find((one) => path.basename(one) === name));
}

/** Lines chained anew, as somebody who changed a journal might do it. */
function chainOn({ chain, text }, front) {
  const next = createHash('sha256').update(chain).update(front).digest('hex');
  return { chain: next, text: `${text}${front},"chain":"${next}"}\n` };
}
const chained = (line) => chainOn({ chain: '', text: '' }, line.replace(/,"chain":"[0-9a-f]+"\}$/, '')).text;
