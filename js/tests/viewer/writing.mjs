// Where `view --html` writes its page, and what it does not write: alike in the program and in the npm package.
import * as assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';
import { demo, journalOf, page as built, serveBy, temporary, VIEWERS } from './common.mjs';
import { open, quiet, seal } from './opened.mjs';

/** `view --html`, by one of the two. */
function write([command, ...words], cwd, source, out) {
  const args = [...words, 'view', source, '--html', out, '--page', built(), '--json'];
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  const said = stdout.trim().split('\n').at(-1);
  return { status, said: said ? JSON.parse(said) : {}, stderr };
}

/** A mission that was played, to be spoilt. */
function copied(protocol = 'iteration') {
  const folder = path.join(temporary(), 'repository');
  fs.cpSync(demo(protocol), folder, { recursive: true });
  return folder;
}

/** All that lies in a folder, with its bytes. */
const state = (folder) => fs.readdirSync(folder, { recursive: true }).filter((name) => !name.startsWith('.git/')).sort().map((name) => {
  const file = path.join(folder, name);
  const found = fs.lstatSync(file);
  return [name, found.isFile() ? fs.readFileSync(file, 'latin1') : found.mode];
});

export default function writing(shared) {
  for (const [who, program] of Object.entries(VIEWERS)) {
    test(`${who} writes a page over a page of its own and over nothing else`, () => {
      const folder = copied();
      const journal = path.join('.agent', 'endstate', 'journal.jsonl');
      fs.writeFileSync(path.join(folder, 'mine.html'), '<!doctype html>\n<html lang="en"><p>mine</p>');
      fs.copyFileSync(path.join(folder, journal), path.join(folder, 'copy.jsonl'));
      fs.symlinkSync(journal, path.join(folder, 'link.html'));
      fs.mkdirSync(path.join(folder, 'folder.html'));
      fs.mkdirSync(path.join(folder, '.grid'));
      execFileSync('mkfifo', [path.join(folder, 'pipe.html')]);
      fs.copyFileSync(built(), path.join(folder, 'viewer.html'));
      const before = state(folder);
      for (const [source, out, got] of [
        ['.', journal, 'a file in .agent'], [journal, journal, 'a file in .agent'], ['.', '.agent/new.html', 'a file in .agent'],
        ['.', '.grid/new.html', 'a file in .grid'], ['.', 'link.html', 'a symbolic link'], ['.', 'folder.html', 'a folder'],
        ['.', 'pipe.html', 'neither a file nor a folder'], ['.', 'mine.html', 'another file'], ['.', 'viewer.html', 'another file'],
        ['copy.jsonl', 'copy.jsonl', 'the very file that is to be shown'], ['.', 'copy.jsonl', 'a file whose name does not end in .html'],
      ]) {
        const { status, said } = write(program(), folder, source, out);
        assert.deepEqual([status, said.error.code, said.error.got], [2, 'usage', got], out);
        assert.equal(said.error.at, `--html ${path.join(folder, out)}`);
        assert.ok(said.error.expected);
      }
      assert.deepEqual(state(folder), before);
      const names = fs.readdirSync(folder).length;
      for (const time of [1, 2]) assert.equal(write(program(), folder, '.', 'run.html').status, 0, `time ${time}`);
      assert.equal(fs.readdirSync(folder).length, names + 1);
    });

    test(`${who} says of what can not be shown why, and writes nothing`, () => {
      const folder = temporary();
      for (const [name, content, code, got] of [
        ['text.txt', 'hello\n', 'invalid_value', /hello/], ['null.json', 'null\n', 'invalid_value', /null/], ['empty.jsonl', '', 'journal_damaged', /an empty file/],
        ['empty.md', '', undefined, /./], ['random.bin', Buffer.from([0xff, 0, 1, 0x1b, 10, 7]), 'invalid_value', /./], ['hello.jsonl', 'hello\n', 'journal_damaged', /./],
        ['package.json', '{"name":"x","version":"1.0.0"}', 'invalid_value', /JSON of something else/], ['half.json', '{', 'invalid_value', /\{/],
        ['plan.yaml', 'a: [', undefined, /./], ['torn.jsonl', '{"seq":0', 'journal_damaged', /no whole line/],
      ]) {
        const file = path.join(folder, name);
        fs.writeFileSync(file, content);
        const { status, said } = write(program(), folder, name, `${name}.html`);
        assert.equal(status, 13, name);
        if (code) assert.equal(said.error.code, code, name);
        assert.match(said.error.got, got, name);
        assert.ok(said.error.at.startsWith(file), `${name}: ${said.error.at}`);
        assert.equal(fs.existsSync(`${file}.html`), false, name);
      }
    });

    test(`${who} tells the page of a journal that ends before its snapshots`, async () => {
      const folder = copied('completion');
      const whole = write(program(), folder, '.', 'whole.html');
      assert.equal(whole.status, 0);
      assert.ok(!fs.readFileSync(path.join(folder, 'whole.html'), 'latin1').includes('data-file="snapshot-'));
      const lines = fs.readFileSync(journalOf(folder), 'utf8').split('\n');
      fs.writeFileSync(journalOf(folder), lines.slice(0, 60).map((line) => `${line}\n`).join(''));
      assert.equal(write(program(), folder, '.', 'cut.html').status, 0);
      const opened = await open(shared.browser, `file://${path.join(folder, 'cut.html')}`);
      const longer = /beside it lies a snapshot of event \d+, and it ends with event 59/;
      assert.match(await seal(opened.page, 'warn'), longer);
      await quiet(opened);
      const server = serveBy(program(), folder);
      try {
        const live = await open(shared.browser, await server.url);
        assert.match(await seal(live.page, 'warn'), longer);
        await quiet(live);
      } finally {
        server.end();
      }
    });
  }
}
