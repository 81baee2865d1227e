// The installed bin: replay and schema, with their exit codes and words.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';
import { root } from '../package.mjs';

export default function cli(pkg) {
  const { Engine } = pkg.imported;
  const endstate = (args, input) =>
    spawnSync(pkg.bin, args, { encoding: 'utf8', input, cwd: pkg.folder, maxBuffer: 1 << 26, shell: process.platform === 'win32' });
  const file = path.join(pkg.folder, 'journal.jsonl');
  const config = fs.readFileSync(path.join(root, 'tests', 'bad_input_config.json'), 'utf8');

  // A journal whose lines are as long as wished.
  const journalOf = (events, note) => {
    const engine = Engine.start(config, 1_000);
    const lines = [engine.started().line];
    for (let at = 1; at <= events; at += 1) {
      const fact = { type: 'host_recovered', data: { from: 'restart', note: `${at} ${note}` } };
      lines.push(engine.apply({ at: 1_000 + at, fact }).line);
    }
    return { bytes: Buffer.from(lines.map((line) => `${line}\n`).join('')), chain: engine.position().chain };
  };

  test('replay answers with one object of JSON', () => {
    const { bytes, chain } = journalOf(5, 'Grüße 🚀');
    fs.writeFileSync(file, bytes);
    const { status, stdout, stderr } = endstate(['replay', file, '--json']);
    assert.deepEqual([status, stderr], [0, '']);
    const summary = JSON.parse(stdout.trim().split('\n').at(-1));
    assert.deepEqual(Object.keys(summary), ['events', 'chain', 'torn_bytes', 'older_lines', 'continuation', 'divergence']);
    assert.deepEqual([summary.events, summary.chain, summary.torn_bytes, summary.divergence], [5, chain, 0, null]);
    assert.equal(endstate(['replay', '-', '--json'], bytes).stdout, stdout);
    const words = endstate(['replay', file]);
    assert.equal(words.status, 0);
    assert.match(words.stdout, new RegExp(`5 events, ends at: \\w+\\nchain ${chain}\\nevery event is decided as recorded\\n`));
  });

  test('a torn last line is left out and reported', () => {
    const { bytes } = journalOf(3, 'torn');
    fs.writeFileSync(file, bytes.subarray(0, bytes.length - 1));
    const summary = JSON.parse(endstate(['replay', file, '--json']).stdout);
    const length = bytes.toString().trimEnd().split('\n').at(-1).length;
    assert.deepEqual([summary.events, summary.torn_bytes], [2, length]);
    assert.match(endstate(['replay', file]).stdout, new RegExp(`torn: ${length} bytes`));
  });

  test('any other byte names its line', () => {
    const { bytes } = journalOf(4, 'flip');
    const ends = [...bytes].flatMap((byte, at) => (byte === 10 ? [at] : []));
    let tried = 0;
    // Every byte but the last newline, in the process; each exit code through the bin for a few.
    for (let at = 0; at < bytes.length - 1; at += 1) {
      const other = Buffer.from(bytes);
      other[at] ^= 1;
      const line = ends.findIndex((end) => at <= end) + 1;
      let code;
      try {
        pkg.imported.replay(other);
      } catch (error) {
        code = [error.code, error.at];
      }
      assert.ok(code, `byte ${at} was not missed`);
      assert.equal(code[1].match(/^line (\d+)/)?.[1], String(line), `byte ${at}: ${code}`);
      if (at % 397 === 0) {
        fs.writeFileSync(file, other);
        const { status, stdout, stderr } = endstate(['replay', file, '--json']);
        assert.equal(status, 13);
        const { error } = JSON.parse(stdout);
        assert.deepEqual(Object.keys(error), ['kind', 'code', 'at', 'expected', 'got']);
        assert.equal(error.at, code[1]);
        assert.match(stderr, new RegExp(`${error.code}[^]*at: line ${line}[^]*expected: [^]*got: `));
        assert.doesNotMatch(stderr, /[\u0000-\u0009\u000b-\u001f]/);
        tried += 1;
      }
    }
    assert.ok(tried >= 3);
  });

  test('a decision that was recorded otherwise is named', () => {
    const { bytes } = journalOf(2, 'otherwise');
    const lines = bytes.toString().trimEnd().split('\n').map((line) => JSON.parse(line));
    lines[2].body.decided.rule = 'some_other_rule';
    fs.writeFileSync(file, rechained(lines));
    const { status, stdout } = endstate(['replay', file, '--json']);
    assert.equal(status, 13);
    const { divergence } = JSON.parse(stdout);
    assert.deepEqual([divergence.seq, divergence.path, divergence.recorded], [2, 'decided.rule', '"some_other_rule"']);
    assert.match(endstate(['replay', file]).stdout, /event 2 would be decided otherwise[^]*decided\.rule/);

    const engine = Engine.start(config, 1_000);
    const batch = engine.applyBatch(fs.readFileSync(file).subarray(bytes.indexOf(10) + 1));
    assert.equal(batch.divergence.seq, 2);
    assert.throws(() => engine.apply('{"at":1,"fact":{"type":"timer_fired","data":{"effect":"1.1"}}}'), { code: 'other_rules' });
  });

  test('a batch stops at the first bad line and keeps those before it', () => {
    const { bytes } = journalOf(4, 'batch');
    const lines = bytes.toString().trimEnd().split('\n');
    const engine = Engine.start(config, 1_000);
    const bad = [lines[1], lines[2], lines[3].replace('batch', 'botch'), lines[4], ''].join('\n');
    assert.throws(() => engine.applyBatch(Buffer.from(bad)), { code: 'journal_damaged', at: 'line 4' });
    assert.equal(engine.position().lines, 3);
    const { events, torn_bytes } = engine.applyBatch(Buffer.from(`${lines[3]}\n${lines[4]}`));
    assert.deepEqual([events, torn_bytes], [1, lines[4].length]);
    engine.applyBatch(Buffer.from(`${lines[4]}\n`));
    assert.equal(engine.position().chain, JSON.parse(lines[4]).chain);
  });

  test('a journal of many pieces gives the same answer as one piece', () => {
    const { bytes, chain } = journalOf(40, 'x'.repeat(100_000));
    assert.ok(bytes.length > 3 << 20);
    fs.writeFileSync(file, bytes);
    assert.equal(JSON.parse(endstate(['replay', file, '--json']).stdout).chain, chain);
    for (const size of [1, 7, 4_096]) {
      const replayer = new pkg.imported.Replayer();
      const small = journalOf(3, 'pieces');
      for (let at = 0; at < small.bytes.length; at += size) replayer.push(small.bytes.subarray(at, at + size));
      assert.equal(replayer.finish().chain, small.chain);
    }
  });

  test('files that are no journal are refused', () => {
    const cases = [
      ['', 'empty', 13], ['no newline', 'empty', 13], ['\n', 'journal_damaged', 13], ['[]\n', 'journal_damaged', 13],
      ['\ufeff{}\n', 'journal_damaged', 13], [Buffer.from([0xff, 0xfe, 10]), 'journal_damaged', 13],
      [`${'['.repeat(100_000)}\n`, 'journal_damaged', 13],
    ];
    for (const [content, code, exit] of cases) {
      fs.writeFileSync(file, content);
      const { status, stdout } = endstate(['replay', file, '--json']);
      assert.deepEqual([status, JSON.parse(stdout).error.code], [exit, code]);
    }
    const absent = endstate(['replay', path.join(pkg.folder, 'absent'), '--json']);
    assert.deepEqual([absent.status, JSON.parse(absent.stdout).error.code], [1, 'host_failed']);
    assert.equal(endstate(['replay', pkg.folder]).status, 1);
  });

  test('schema writes one file each', () => {
    const out = path.join(pkg.folder, 'schemas');
    assert.equal(endstate(['schema', '--out', out]).status, 0);
    const schemas = pkg.imported.schemas();
    assert.deepEqual(fs.readdirSync(out).sort(), Object.keys(schemas).map((name) => `${name}.schema.json`).sort());
    assert.deepEqual(JSON.parse(fs.readFileSync(path.join(out, 'event.schema.json'), 'utf8')), schemas.event);
  });

  test('wrong use exits with 2 and shows how', () => {
    for (const args of [[], ['replay'], ['replay', 'a', 'b'], ['replay', '--jsn', 'a'], ['schema'], ['schema', '--out'], ['fly']]) {
      const { status, stderr } = endstate(args);
      assert.equal(status, 2, args.join(' '));
      assert.match(stderr, /Usage:/);
    }
    // What a page or the server names of the Rust program is told apart from what nobody has.
    for (const args of [['init', 'A mission'], ['run', '--agent', 'pi', '--hosted', 'implementer'], ['mcp', '--agent', 'pi'], ['amend']]) {
      const { status, stderr } = endstate(args);
      assert.equal(status, 2, args.join(' '));
      assert.match(stderr, /Rust program/, args.join(' '));
    }
    assert.equal(endstate(['--help']).status, 0);
    assert.match(endstate(['--version']).stdout, /^endstate \d+\.\d+\.\d+\+[0-9a-f]{10}(\.dirty)?\n$/);
  });
}

// The lines with a chain that holds, whatever their bodies say.
function rechained(lines) {
  let chain = '';
  return lines
    .map(({ seq, body }) => {
      const front = `{"seq":${seq},"body":${JSON.stringify(body)}`;
      chain = createHash('sha256').update(chain).update(front).digest('hex');
      return `${front},"chain":"${chain}"}\n`;
    })
    .join('');
}
