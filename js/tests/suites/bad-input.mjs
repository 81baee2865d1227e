// What cannot be read is an Error with the words of the native engine; the handle works on.
// `tests/bad_input.jsonl` is given to the native engine by `tests/parts/bad_input.rs`.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { fields, root, thrownBy } from '../package.mjs';

const read = (name) => fs.readFileSync(path.join(root, 'tests', name), 'utf8');
const cases = read('bad_input.jsonl').trim().split('\n').map((line) => JSON.parse(line));
const textOf = ({ text, repeat }) => text ?? repeat[0].repeat(repeat[1]);

export default function badInput(pkg) {
  const { Engine, Replayer, checkReport, replay, start, step } = pkg.imported;
  const config = read('bad_input_config.json');
  const event = { at: 2_000, fact: { type: 'host_recovered', data: { from: 'restart', note: 'still here' } } };

  // The handle is as it was, and takes a good event still.
  const works = (engine, before) => {
    assert.equal(engine.snapshot(), before);
    const position = engine.position();
    engine.apply(event);
    assert.equal(engine.position().lines, position.lines + 1);
  };

  test('bad events are refused in the words of the native engine', () => {
    assert.ok(cases.length >= 30);
    const engine = Engine.start(config, 1_000);
    const before = engine.snapshot();
    for (const one of cases) {
      const error = thrownBy(() => engine.apply(textOf(one)));
      assert.ok(error instanceof Error, one.name);
      assert.equal(error.name, 'EndstateError', one.name);
      assert.deepEqual(fields(error), one.error, one.name);
      assert.deepEqual(fields(thrownBy(() => step(before, textOf(one)))), one.error, one.name);
    }
    works(engine, before);
  });

  test('bad snapshots and configs are refused everywhere alike', () => {
    const texts = [...cases.filter((one) => one.error.kind === 'malformed'), { name: 'an event', text: JSON.stringify(event) }];
    for (const one of texts) {
      const text = textOf(one);
      const error = thrownBy(() => Engine.open(text));
      assert.equal(error.kind, 'malformed', one.name);
      assert.deepEqual(fields(thrownBy(() => step(text, event))), fields(error), one.name);
      assert.deepEqual(fields(thrownBy(() => checkReport(text, '1.1', 'report'))), fields(error), one.name);
      const other = thrownBy(() => start(text, 1));
      assert.equal(other.kind, 'malformed', one.name);
      assert.deepEqual(fields(thrownBy(() => Engine.start(text, 1))), fields(other), one.name);
    }
  });

  test('a lone surrogate is refused, the replacement character is not', () => {
    const engine = Engine.start(config, 1_000);
    const before = engine.snapshot();
    for (const unit of ['\ud800', '\udc00', '\udc00\ud800']) {
      const text = JSON.stringify(event).replace('still', unit);
      const error = thrownBy(() => engine.apply(text));
      assert.deepEqual([error.kind, error.code, error.got], ['malformed', 'not_utf8', 'a lone surrogate']);
    }
    works(engine, before);
    engine.apply(JSON.stringify(event).replace('still', '\ufffd \ud83d\ude80'));
  });

  test('a wrong type is refused, whatever it is', () => {
    const engine = Engine.start(config, 1_000);
    const before = engine.snapshot();
    for (const wrong of [undefined, null, 1, NaN, true, 1n, Symbol('event'), () => 1]) {
      const got = wrong === null ? 'null' : typeof wrong;
      const told = (at, expected) => ({ kind: 'malformed', code: 'wrong_type', at, expected, got });
      assert.deepEqual(fields(thrownBy(() => engine.apply(wrong))), told('event', 'text'));
      assert.deepEqual(fields(thrownBy(() => engine.render(wrong))), told('path', 'text'));
      assert.deepEqual(fields(thrownBy(() => engine.checkReport(wrong, ''))), told('run', 'text'));
      assert.deepEqual(fields(thrownBy(() => engine.checkReport('1.1', wrong))), told('report', 'text'));
      assert.deepEqual(fields(thrownBy(() => engine.applyBatch(wrong))), told('lines', 'a Uint8Array'));
      assert.deepEqual(fields(thrownBy(() => replay(wrong))), told('journal', 'a Uint8Array'));
      assert.deepEqual(fields(thrownBy(() => Engine.open(wrong))), told('snapshot', 'text'));
      assert.deepEqual(fields(thrownBy(() => start(wrong, 1))), told('config', 'text'));
    }
    for (const wrong of [new DataView(new ArrayBuffer(8)), new Float64Array(1), [1, 2], 'text', new ArrayBuffer(8)]) {
      assert.equal(thrownBy(() => replay(wrong)).code, 'wrong_type');
      assert.equal(thrownBy(() => engine.applyBatch(wrong)).code, 'wrong_type');
    }
    works(engine, before);
  });

  test('values that JSON cannot write, or that throw, do no harm', () => {
    const engine = Engine.start(config, 1_000);
    const before = engine.snapshot();
    const circle = {};
    circle.circle = circle;
    const thrower = { get at() { throw new Error('a getter'); } };
    const reentrant = { get at() { return engine.apply(thrower); } };
    for (const wrong of [circle, thrower, reentrant, { at: 1n }, new Proxy({}, { get() { throw new Error('a trap'); } })]) {
      assert.deepEqual([thrownBy(() => engine.apply(wrong))].map(({ code, at }) => [code, at]), [['invalid_value', 'event']]);
    }
    for (const wrong of [{}, new Map(), new String('{}'), [], Object.create(null)]) {
      assert.equal(thrownBy(() => engine.apply(wrong)).kind, 'malformed');
    }
    const shadowed = new Uint8Array(8);
    Object.defineProperty(shadowed, 'length', { get() { throw new Error('a getter'); } });
    assert.equal(engine.applyBatch(shadowed).torn_bytes, 8);
    works(engine, before);
  });

  test('a time must be a whole number in range', () => {
    for (const at of [-1, 0.5, NaN, Infinity, -Infinity, 2 ** 53, 253_402_300_800_000]) {
      const error = thrownBy(() => start(config, at));
      assert.deepEqual([error.code, error.at], ['number_out_of_range', 'at'], String(at));
    }
    for (const at of ['1', undefined, null, {}, 1n]) {
      assert.equal(thrownBy(() => start(config, at)).code, 'wrong_type');
    }
    start(config, 0);
    start(config, 253_402_300_799_999);
  });

  test('a bad position and a batch without one are refused', () => {
    const snapshot = Engine.start(config, 1_000).snapshot();
    const bad = [['', 'empty'], ['{}', 'missing_field'], ['{"lines"', 'truncated'], ['[', 'not_an_object'], ['{"lines":9007199254740993,"chain":""}', 'number_out_of_range'], [{ lines: -1, chain: '' }, 'number_out_of_range'], [7, 'wrong_type']];
    for (const [position, code] of bad) assert.equal(thrownBy(() => Engine.open(snapshot, position)).code, code);
    const engine = Engine.open(snapshot);
    assert.equal(engine.position(), undefined);
    assert.equal('line' in engine.apply(event), false);
    assert.equal(thrownBy(() => engine.applyBatch(new Uint8Array(0))).at, 'position');
  });

  test('handles that were freed say so', () => {
    const engine = Engine.start(config, 1_000);
    engine.free();
    engine.free();
    assert.throws(() => engine.snapshot(), /was freed/);
    const replayer = new Replayer();
    replayer.free();
    replayer.free();
    assert.throws(() => replayer.finish(), /was freed/);
    assert.throws(() => new Engine(), /use Engine.start/);
  });

  test('10,000 bad inputs neither trap nor grow', async () => {
    const { copy, memory } = await instrumented(pkg);
    const engine = copy.Engine.start(config, 1_000);
    const before = engine.snapshot();
    const round = (count) => {
      for (let at = 0; at < count; at += 1) {
        const one = cases[at % cases.length];
        const text = textOf(one);
        assert.equal(thrownBy(() => engine.apply(text)).code, one.error.code);
        thrownBy(() => copy.replay(new TextEncoder().encode(`${text}\n`)));
        thrownBy(() => copy.Engine.open(text));
        thrownBy(() => engine.apply(at));
      }
    };
    round(cases.length * 2);
    const settled = memory();
    assert.ok(settled > 0);
    round(10_000);
    assert.equal(memory(), settled);
    works(engine, before);
  });
}

// A second copy of the package whose memory can be looked at.
async function instrumented(pkg) {
  const { Instance } = WebAssembly;
  const made = [];
  WebAssembly.Instance = class extends Instance {
    constructor(...args) {
      super(...args);
      made.push(this);
    }
  };
  try {
    const copy = await import(`${pathToFileURL(path.join(pkg.home, 'index.mjs'))}?instrumented`);
    copy.version();
    assert.equal(made.length, 1);
    return { copy, memory: () => made[0].exports.memory.buffer.byteLength };
  } finally {
    WebAssembly.Instance = Instance;
  }
}
