// The memory host, and the examples of the docs as they stand there.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'node:test';
import { root as source } from '../package.mjs';
import { git, repository, smallConfig } from '../projects.mjs';

export default function memory(pkg) {
  const { createMission, memoryHost, openMission, peekMission, replay } = pkg.imported;
  const run = (text, args = []) => {
    const file = path.join(pkg.folder, `example-${Date.now()}-${Math.round(performance.now())}.mjs`);
    fs.writeFileSync(file, text);
    return spawnSync(process.execPath, [file, ...args], { encoding: 'utf8', cwd: pkg.folder });
  };

  test('the example of a mission in memory comes to its end, as it stands', () => {
    const { stdout, stderr } = run(fs.readFileSync(path.join(source, 'examples', 'memory.mjs'), 'utf8'));
    assert.match(stdout.trim().split('\n').at(-1), /^done after iteration 3/, stderr);
  });

  test('the example of a mission on this machine comes to its end, as it stands', () => {
    const agent = { name: 'agent', displayName: 'Agent', description: 'Does it', behavior: { completionType: 'iterate', completionConfig: { maxIterations: 2 } } };
    const root = repository({ 'README.md': 'x\n', 'agent.json': JSON.stringify(agent) });
    const text = fs.readFileSync(path.join(source, 'examples', 'node.mjs'), 'utf8');
    for (let again = 0; again < 2; again += 1) {
      const { stdout, stderr } = run(text, [root, 'sh', '-c', 'echo done']);
      assert.match(stdout.trim().split('\n').at(-1), /^done after iteration 2/, stderr);
    }
    assert.equal(git(root, 'status', '--porcelain'), '');
  });

  test('the code of the page on the Node host runs as it is printed', () => {
    const page = fs.readFileSync(path.join(source, 'docs', 'host-node.md'), 'utf8');
    const [code] = [...page.matchAll(/```js\n([^]*?)```/g)].map((hit) => hit[1]);
    assert.ok(code.trimEnd().split('\n').length <= 20, 'twenty lines');
    const { stdout, stderr } = run(code);
    assert.match(stdout.trim().split('\n').at(-1), /^done /, stderr);
  });

  test('all of it works from the entry for browsers, with nothing of Node', async () => {
    const web = await import(pathToFileURL(path.join(pkg.home, 'index.mjs')));
    const host = web.memoryHost({ agent: () => ({ report: 'Fine.' }) });
    const mission = await web.createMission({ host, config: smallConfig(2) });
    assert.equal((await mission.run()).continuation, 'done');
    assert.equal(web.replay(new TextEncoder().encode(host.journal())).divergence, null);
    assert.doesNotMatch(fs.readFileSync(path.join(pkg.home, 'index.mjs'), 'utf8'), /from ["']node:|require\(/);
  });

  test('a mission in memory is paused, looked at beside its driver, closed and opened again', async () => {
    const host = memoryHost({ agent: () => ({ report: 'Fine.' }) });
    const mission = await createMission({ host, config: smallConfig(3) });
    await assert.rejects(openMission({ host }), { code: 'locked' });
    let runs = 0;
    const ended = await mission.run({ on: ({ type, event }) => type === 'event' && event.fact.type === 'run_ended' && (runs += 1) === 1 && void mission.pause() });
    assert.equal(ended.continuation, 'paused');
    assert.equal((await peekMission(host)).continuation, 'paused');
    assert.equal((await mission.why()).continuation ?? 'paused', 'paused');
    await mission.close();
    const again = await openMission({ host });
    await again.resume();
    assert.equal((await again.run()).continuation, 'done');
    assert.equal(runs, 1);
    assert.equal(replay(new TextEncoder().encode(host.journal())).divergence, null);
    await again.close();
  });

  test('the journal of a mission in memory costs what it is long, however many events there are', async () => {
    const hold = await memoryHost().hold('create');
    const line = 'x'.repeat(99);
    const { set, slice } = Uint8Array.prototype;
    let copied = 0;
    const counts = (work, size) => function counted(...given) {
      const answer = work.apply(this, given);
      copied += size(given, answer);
      return answer;
    };
    Uint8Array.prototype.set = counts(set, ([from]) => from.length);
    Uint8Array.prototype.slice = counts(slice, (_, answer) => answer.length);
    try {
      await hold.create(line);
      for (let at = 1; at < 20_000; at += 1) await hold.append(line);
    } finally {
      Object.assign(Uint8Array.prototype, { set, slice });
    }
    assert.equal(await hold.size(), 2_000_000);
    assert.ok(copied < 4 * 2_000_000, `${copied} bytes copied`);
    assert.equal((await hold.read(1_999_900, 1_000)).length, 100);
    await hold.truncate(150);
    await hold.append('y');
    assert.equal(new TextDecoder().decode(await hold.read(100, 1_000)), `${'x'.repeat(50)}y\n`);
  });

  test('an agent that throws, or answers with no result, is told to the caller at once', async () => {
    const thrown = new TypeError('no such model');
    const bad = [
      [() => { throw thrown; }, 'run_failed', 'agent memory', 'no such model'],
      [async () => { throw thrown; }, 'run_failed', 'agent memory', 'no such model'],
      [() => undefined, 'usage', 'agent memory', 'undefined'],
      [() => 'Fine.', 'usage', 'agent memory', 'the text "Fine."'],
      [() => ({ text: 'Fine.' }), 'usage', 'agent memory.report', 'undefined'],
      [() => ({ report: 'Fine.', outcome: 'done' }), 'usage', 'agent memory.outcome', 'the text "done"'],
      [() => ({ report: 'Fine.', usage: { tokens: '3' } }), 'usage', 'agent memory.usage.tokens', 'the text "3"'],
      [() => ({ report: '', problem: 'none' }), 'usage', 'agent memory.problem', 'the text "none"'],
    ];
    for (const [wrong, code, at, got] of bad) {
      let agent = wrong;
      const host = memoryHost({ agent: (...given) => agent(...given) });
      const mission = await createMission({ host, config: smallConfig(3) });
      const error = await mission.run().catch((one) => one);
      assert.deepEqual([error.name, error.code, error.at, error.got], ['HostError', code, at, got]);
      if (code === 'run_failed') assert.equal(error.cause, thrown);
      // One run was paid, it is in the journal as failed, and the next drive goes on behind it.
      const ended = () => host.journal().match(/"type":"run_ended"/g).length;
      assert.equal(ended(), 1, String(wrong));
      assert.match(host.journal(), /"outcome":"failed"/);
      agent = () => ({ report: 'Fine.' });
      assert.equal((await mission.run()).continuation, 'done');
      await mission.close();
    }
    assert.throws(() => memoryHost({ agent: 'pi' }), { code: 'usage', got: 'the text "pi"' });
    assert.throws(() => memoryHost({ agent: { name: 'none' } }), { code: 'usage' });
  });

  test('an agent that throws because its run is to end is no fault', async () => {
    const agent = (_, { session, windUp }) => new Promise((_resolve, reject) => {
      windUp.addEventListener('abort', () => reject(windUp.reason));
      session('one');
    });
    const mission = await createMission({ host: memoryHost({ agent }), config: smallConfig(3) });
    const begun = ({ type, event }) => type === 'event' && event.fact.type === 'run_started' && void mission.stop('wait');
    assert.equal((await mission.run({ on: begun })).continuation, 'paused');
    await mission.close();
  });

  test('a journal in memory is not what its snapshot says: it was put back', async () => {
    const host = memoryHost({ agent: () => ({ report: 'Fine.' }) });
    const mission = await createMission({ host, config: smallConfig(2) });
    await mission.run();
    await mission.close();
    const hold = await host.hold('open');
    const ends = [...host.journal().matchAll(/\n/g)].map((hit) => hit.index + 1);
    await hold.truncate(ends.at(-3));
    await hold.release();
    await assert.rejects(peekMission(host), { code: 'journal_damaged', at: 'the journal in memory', got: `${ends.length - 2}: it was rolled back` });
  });
}
