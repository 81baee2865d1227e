// Every trace of tests/traces/<protocol>/ through the package: the same bytes as natively.
//
// Line 0 of a trace holds a config and a time, every further line an event; each says what must be
// decided, or how it must be refused, and the SHA-256 of the snapshot's JSON text.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';
import { fields, root, thrownBy } from '../package.mjs';

const TRACES = path.join(root, 'tests', 'traces');
const digest = (text) => createHash('sha256').update(text).digest('hex');

export default function traces(pkg) {
  const files = fs.existsSync(TRACES)
    ? fs.readdirSync(TRACES, { recursive: true }).filter((name) => name.endsWith('.jsonl')).sort()
    : [];
  test('there are traces of every protocol', () => {
    assert.ok(files.length > 0, 'tests/traces holds no trace, so nothing was compared');
    for (const protocol of ['completion', 'grid', 'iteration', 'promise', 'sprint']) {
      const count = files.filter((name) => path.dirname(name) === protocol).length;
      assert.ok(count >= 60, `only ${count} traces of ${protocol}`);
    }
  });
  for (const name of files) {
    const lines = fs.readFileSync(path.join(TRACES, name), 'utf8').split('\n').filter((line) => line !== '');
    test(`trace ${name}: ${JSON.parse(lines[0]).title}`, () => replayTrace(pkg.imported, lines));
  }
}

function replayTrace({ Engine, replay, start, step }, [first, ...rest]) {
  const { at, expect } = JSON.parse(first);
  const config = rawField(first, 'config');
  const engine = Engine.start(config, at);
  assert.deepEqual(engine.started().decided, expect.decided);
  assert.equal(digest(engine.snapshot()), expect.snapshot, 'the snapshot of the start');
  assert.deepEqual(start(config, at).snapshot, JSON.parse(engine.snapshot()));

  const opening = { snapshot: engine.snapshot(), position: engine.position() };
  const journal = [engine.started().line];
  for (const [number, line] of rest.entries()) {
    const story = JSON.parse(line);
    const event = typeof story.event === 'string' ? story.event : rawField(line, 'event');
    const before = engine.snapshot();
    const place = `line ${number + 2}`;
    if (story.refused) {
      assert.deepEqual(fields(thrownBy(() => engine.apply(event))), story.refused, place);
      assert.equal(engine.snapshot(), before, `${place}: a refused event changed the snapshot`);
      assert.deepEqual(fields(thrownBy(() => step(before, event))), story.refused, place);
    } else {
      const applied = engine.apply(event);
      assert.deepEqual(applied.decided, story.expect.decided, place);
      assert.equal(digest(engine.snapshot()), story.expect.snapshot, `${place}: the snapshot`);
      journal.push(applied.line);
      const stepped = step(before, event);
      assert.deepEqual(stepped.snapshot, JSON.parse(engine.snapshot()), place);
      assert.deepEqual(stepped.effects, applied.effects, place);
      assert.equal(stepped.continuation, engine.continuation(), place);
    }
    looks(engine);
  }

  const bytes = Buffer.from(journal.map((line) => `${line}\n`).join(''));
  assert.deepEqual(replay(bytes), {
    events: journal.length - 1,
    chain: engine.position().chain,
    torn_bytes: 0,
    older_lines: 0,
    continuation: engine.continuation(),
    divergence: null,
  });
  const follower = Engine.open(opening.snapshot, opening.position);
  const batch = follower.applyBatch(bytes.subarray(Buffer.byteLength(journal[0]) + 1));
  assert.deepEqual(batch.position, engine.position());
  assert.equal(follower.snapshot(), engine.snapshot());
  assert.equal(Engine.open(engine.snapshot()).snapshot(), engine.snapshot());
  engine.free();
  follower.free();
}

// What is computed on request can be had at every moment, and agrees with itself.
function looks(engine) {
  assert.equal(engine.view().continuation, engine.continuation());
  assert.equal(typeof engine.why().chosen.name, 'string');
  assert.ok(Array.isArray(engine.pending()));
}

/** The text of a field of a JSON object, as it stands there: a parsed number may have been rounded. */
function rawField(text, name) {
  let [depth, quoted, start] = [0, -1, -1];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text[at];
    if (quoted >= 0) {
      if (unit === '\\') at += 1;
      else if (unit === '"') {
        const key = depth === 1 && start < 0 && text[at + 1] === ':' && text.slice(quoted + 1, at) === name;
        quoted = -1;
        if (key) start = at + 2;
      }
    } else if (unit === '"') quoted = at;
    else if (unit === '{' || unit === '[') depth += 1;
    else if (unit === '}' || unit === ']' || unit === ',') {
      if (start >= 0 && depth === 1) return text.slice(start, at);
      if (unit !== ',') depth -= 1;
    }
  }
  throw new Error(`no field ${name} in ${text.slice(0, 80)}`);
}
