// `endstate view`: the server, a journal that grows, and what the reader says to the mission.
import * as assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as http from 'node:http';
import { hostname } from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';
import { demo, journalOf, page as built, program, root, serve, serveBy, shots, temporary, until, VIEWERS } from './common.mjs';
import { go, last, open, quiet, seal, tab } from './opened.mjs';

const git = (cwd, ...args) => execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd, stdio: 'ignore' });
const TEAM = path.join(root, 'tests', 'cli', 'team.yaml');

/** A repository whose mission was begun and waits for an answer: the tree was dirty. */
function waiting() {
  const folder = path.join(temporary(), 'repository');
  fs.mkdirSync(folder);
  git(folder, 'init', '-b', 'main');
  fs.writeFileSync(path.join(folder, 'README.md'), 'hello\n');
  git(folder, 'add', '-A');
  git(folder, 'commit', '-m', 'begin');
  execFileSync(program(), ['init', 'The greeting is there'], { cwd: folder, stdio: 'ignore' });
  fs.writeFileSync(path.join(folder, 'stray.txt'), 'stray\n');
  try {
    execFileSync(program(), ['run', '--agent', `script:${TEAM}`], { cwd: folder, stdio: 'ignore' });
  } catch (error) {
    assert.equal(error.status, 10, 'it waits for an answer');
  }
  return folder;
}

/** A request with headers of one's own, which a browser would not send. */
function ask(url, { method = 'GET', headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece) => { text += piece; }).on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

export default function live(shared) {
  for (const [who, command] of Object.entries(VIEWERS)) test(`${who}: a question is answered, the mission paused, resumed and granted budget, and the page follows`, async () => {
    const folder = waiting();
    const server = serveBy(command(), folder);
    try {
      const opened = await open(shared.browser, await server.url);
      const { page } = opened;
      await seal(page, 'good');
      await page.waitForSelector('.livebar .question');
      await page.screenshot({ path: path.join(shots, 'live-question.png') });
      const before = await last(page);
      // What is asked for is done; else the mission would ask again.
      fs.rmSync(path.join(folder, 'stray.txt'));
      await page.locator('.livebar .question').getByRole('button', { name: 'done', exact: true }).click();
      await page.waitForSelector('.livebar .question', { state: 'detached' });
      const lines = () => fs.readFileSync(journalOf(folder), 'utf8').trimEnd().split('\n');
      assert.ok(lines().some((line) => line.includes('question_answered')));
      await until('the page has all of the journal', async () => await last(page) === lines().length - 1 && (await last(page)) > before);
      for (const [button, word] of [['Pause', '"command":"pause"'], ['Resume', '"command":"resume"'], ['Grant', '"command":"grant"']]) {
        await page.locator('.livebar').getByRole('button', { name: button }).click();
        await until(`${button} in the journal`, () => lines().some((line) => line.includes(word)));
        await until('the page follows', async () => /^taken/.test(await page.locator('.livebar [role=status]').textContent()) && await last(page) === lines().length - 1);
      }
      await seal(page, 'good');
      await page.locator('.livebar').getByRole('button', { name: 'Resume' }).click();
      await until('a refusal is told', async () => /expected/.test(await page.locator('.livebar [role=status]').textContent()));
      await opened.close();
    } finally {
      server.end();
    }
  });

  test('two pages: who looks at the past hears of questions, too, and what was answered is asked no more', async () => {
    const folder = waiting();
    const server = serve(folder);
    try {
      const url = await server.url;
      const [one, two] = [await open(shared.browser, url), await open(shared.browser, `${url}#event=3`)];
      for (const { page } of [one, two]) await page.waitForSelector('.livebar .question');
      await go(two.page, 3);
      fs.rmSync(path.join(folder, 'stray.txt'));
      await one.page.locator('.livebar .question').getByRole('button', { name: 'done', exact: true }).click();
      for (const { page } of [one, two]) await page.waitForSelector('.livebar .question', { state: 'detached' });
      assert.equal(await two.page.locator('.viewer').getAttribute('data-seq'), '3', 'it stays where it was');
      // The mission asks again while the second page looks at the past.
      fs.writeFileSync(path.join(folder, 'other.txt'), 'other\n');
      assert.throws(() => execFileSync(program(), ['run', '--agent', `script:${TEAM}`], { cwd: folder, stdio: 'ignore' }), ({ status }) => status === 10);
      for (const { page } of [one, two]) await page.waitForSelector('.livebar .question:has-text("other.txt")');
      assert.equal(await two.page.locator('.viewer').getAttribute('data-seq'), '3');
      await quiet(one);
      await two.page.locator('.livebar').getByRole('button', { name: 'Grant' }).click();
      await until('what was granted is told', async () => (await two.page.locator('.livebar [role=status]').textContent()) === 'taken: 10 more role runs');
      server.end();
      await two.page.locator('.livebar .tools .quiet', { hasText: 'the server is gone' }).waitFor();
      await two.page.locator('.livebar').getByRole('button', { name: 'Pause' }).click();
      await until('it is told', async () => (await two.page.locator('.livebar [role=status]').textContent()) === 'it was not sent: the server is gone');
      await two.close();
    } finally {
      server.end();
    }
  });

  for (const [who, command] of Object.entries(VIEWERS)) test(`${who}: the page says when nobody drives the mission, in shape and words, and when somebody does again`, async () => {
    const folder = waiting();
    const server = serveBy(command(), folder);
    try {
      const opened = await open(shared.browser, await server.url);
      const { page } = opened;
      await seal(page, 'good');
      const NOBODY = '■ no driver is alive: `endstate run` goes on';
      const bar = () => page.locator('.livebar .tools').textContent();
      const facts = () => page.locator('.facts').textContent();
      await until('the bar says that nobody drives', async () => (await bar()).includes(NOBODY));
      assert.match(await facts(), /waits for an answer/);
      fs.rmSync(path.join(folder, 'stray.txt'));
      await page.locator('.livebar .question').getByRole('button', { name: 'done', exact: true }).click();
      await page.waitForSelector('.livebar .question', { state: 'detached' });
      await until('what is answered does not go on by itself', async () => (await facts()).includes(NOBODY) && !(await facts()).includes('goes on ·'));
      await page.screenshot({ path: path.join(shots, 'live-nobody.png') });
      // What was is told as it was.
      await go(page, 3);
      assert.doesNotMatch(await facts(), /no driver/);
      await page.locator('.slider').focus();
      await page.keyboard.press('End');
      await until('and at its end as it is', async () => (await facts()).includes(NOBODY));
      // A driver is known by its lock alone: whose process and start it names.
      const [, after] = /^\d+ \(.*\) (.*)$/s.exec(fs.readFileSync(`/proc/${process.pid}/stat`, 'utf8'));
      const lock = path.join(path.dirname(journalOf(folder)), 'lock');
      fs.writeFileSync(lock, JSON.stringify({ pid: process.pid, start: after.split(' ')[19], host: hostname(), token: 'driver' }));
      await until('the bar says that somebody drives', async () => /▶ a driver is alive/.test(await bar()));
      await until('it goes on', async () => /▶ goes on/.test(await facts()));
      fs.rmSync(lock);
      await until('and that nobody does', async () => (await bar()).includes(NOBODY) && (await facts()).includes(NOBODY));
      await quiet(opened);
    } finally {
      server.end();
    }
  });

  test('a running mission is watched to its end', async () => {
    const folder = path.join(temporary(), 'demo');
    const running = spawn(program(), ['demo', '--dir', folder], { stdio: 'ignore' });
    const ended = new Promise((resolve) => running.on('exit', resolve));
    await until('the journal is there', () => fs.existsSync(journalOf(folder)));
    const server = serve(folder);
    try {
      const opened = await open(shared.browser, await server.url);
      const { page } = opened;
      await page.waitForSelector('.seal[data-tone=good]');
      const seen = await last(page);
      await ended;
      const lines = fs.readFileSync(journalOf(folder), 'utf8').trimEnd().split('\n').length;
      await until('all is there', async () => await last(page) === lines - 1);
      await until('the end is shown', async () => /✔ done/.test(await page.locator('.facts').textContent()));
      assert.ok(seen < lines - 1, 'it was opened before its end');
      await tab(page, 'timeline');
      await seal(page, 'good');
      await quiet(opened);
    } finally {
      running.kill();
      server.end();
    }
  });

  for (const [who, command] of Object.entries(VIEWERS)) test(`${who}: the server answers nobody but its own page`, async () => {
    const server = serveBy(command(), demo('iteration'));
    try {
      const url = new URL(await server.url);
      assert.equal(url.hostname, '127.0.0.1');
      assert.match(url.pathname, /^\/[0-9a-f]{32}\/$/);
      const page = await ask(url);
      assert.equal(page.status, 200);
      assert.equal(page.headers['cache-control'], 'no-store');
      assert.equal(page.headers['x-frame-options'], 'DENY');
      assert.equal(page.headers['referrer-policy'], 'no-referrer');
      const status = async (target, options) => (await ask(new URL(target, url), options)).status;
      assert.equal(await status('/'), 404);
      assert.equal(await status(`/${'0'.repeat(32)}/journal`), 404);
      assert.equal(await status('journal'), 200);
      assert.equal(await status('nothing'), 404);
      assert.equal(await status('journal', { headers: { host: 'evil.example' } }), 403);
      assert.equal(await status('journal', { headers: { origin: 'http://evil.example' } }), 403);
      assert.equal(await status('journal', { headers: { origin: 'null' } }), 403);
      const before = fs.readFileSync(journalOf(demo('iteration')), 'utf8');
      const body = JSON.stringify({ type: 'user_commanded', data: { id: null, command: { command: 'grant', counter: 'role_runs', amount: 5 } } });
      const json = { 'content-type': 'application/json' };
      for (const headers of [{}, json, { ...json, origin: 'http://evil.example' }, { 'content-type': 'text/plain', origin: url.origin }]) {
        assert.ok([403, 409].includes(await status('command', { method: 'POST', headers, body })), JSON.stringify(headers));
      }
      const other = await ask(new URL('command', url), { method: 'POST', headers: { ...json, origin: url.origin }, body: JSON.stringify({ type: 'timer_fired', data: { effect: '1.1' } }) });
      assert.deepEqual([other.status, JSON.parse(other.text).error.expected], [409, 'a command or an answer']);
      assert.equal(fs.readFileSync(journalOf(demo('iteration')), 'utf8'), before);
    } finally {
      server.end();
    }
  });

  test('the npm package writes the same file as the program, and has a page of its own', () => {
    const [node, ...words] = VIEWERS['the npm package']();
    const promise = demo('promise');
    const feature = path.join(promise, fs.readdirSync(promise, { recursive: true }).find((name) => path.basename(name) === 'feature.yaml'));
    for (const [what, cwd] of [[journalOf(demo('iteration')), temporary()], [feature, promise]]) {
      const [own, other] = [path.join(temporary(), 'own.html'), path.join(temporary(), 'other.html')];
      const told = JSON.parse(execFileSync(node, [...words, 'view', what, '--html', own, '--json'], { cwd, encoding: 'utf8' }));
      assert.equal(told.bytes, fs.statSync(own).size);
      execFileSync(program(), ['view', what, '--html', other, '--page', built()], { cwd, stdio: 'ignore' });
      assert.ok(fs.readFileSync(own).equals(fs.readFileSync(other)), what);
    }
  });

  test('a page that is not the viewer, and a mission that is not there, are told', () => {
    const said = (args, cwd = temporary()) => {
      try {
        return execFileSync(program(), ['view', '--json', '--no-open', ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
      } catch (error) {
        return JSON.parse(error.stdout);
      }
    };
    const folder = temporary();
    fs.writeFileSync(path.join(folder, 'x.html'), '<p>');
    assert.equal(said([]).error.code, 'no_mission');
    assert.match(said(['--page', path.join(folder, 'x.html')], demo('iteration')).error.expected, /the page of the viewer/);
    assert.match(said(['--page', path.join(folder, 'none.html')], demo('iteration')).error.expected, /run `node '[^']*js\/build\.mjs'`$/);
  });
}
