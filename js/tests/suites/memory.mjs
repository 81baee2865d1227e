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
    const mission = await web.createMission({ host, config: smallConfig(web, 2) });
    assert.equal((await mission.run()).continuation, 'done');
    assert.equal(web.replay(new TextEncoder().encode(host.journal())).divergence, null);
    assert.doesNotMatch(fs.readFileSync(path.join(pkg.home, 'index.mjs'), 'utf8'), /from ["']node:|require\(/);
  });

  test('a mission in memory is paused, looked at beside its driver, closed and opened again', async () => {
    const host = memoryHost({ agent: () => ({ report: 'Fine.' }) });
    const mission = await createMission({ host, config: smallConfig(pkg.imported, 3) });
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
}
