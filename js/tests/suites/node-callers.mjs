// What the code around a mission does to it: callbacks that answer nonsense or reject, drives at once, two copies of
// the package, signals, a flood. None of it costs the mission more than its own effect.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { facts, folder, journalOf, repository, smallConfig } from '../projects.mjs';

const FAILS = ['sh', '-c', 'exit 3'];

export default function callers(pkg) {
  const { commandMission, createMission, HostError, isHostError, peekMission, replay } = pkg.imported;
  const { execAgent, nodeHost } = pkg.host;
  const small = smallConfig;
  const fresh = () => repository({ 'README.md': 'Small.\n' });

  test('host code that answers nonsense at once leaves the question open, and timers their turn', async () => {
    const root = fresh();
    let asked = 0;
    const ask = async () => {
      asked += 1;
      return { type: 'choice', option: 'zzz' };
    };
    const mission = await createMission({ host: nodeHost({ root, agent: execAgent(FAILS), ask }), config: small(9, { attempts_per_step: 2 }) });
    let turns = 0;
    const timer = setInterval(() => { turns += 1; }, 1);
    const told = [];
    const ended = await mission.run({ on: (happening) => void told.push(happening) });
    clearInterval(timer);
    assert.equal(ended.continuation, 'await_user_input');
    assert.equal(asked, 100);
    assert.ok(turns > 10, `${turns} turns of a timer`);
    assert.equal(told.find((one) => one.type === 'refused')?.why.code, 'answer_type');
    assert.equal((await mission.questions()).length, 1);
    await mission.close();
  });

  test('an observer and a notice that reject harm nothing', async () => {
    const script = path.join(folder(), 'rejects.mjs');
    const root = fresh();
    fs.writeFileSync(script, `import { createMission } from ${JSON.stringify(pathToFileURL(path.join(pkg.home, 'index.node.mjs')))};
      import { execAgent, nodeHost } from ${JSON.stringify(pathToFileURL(path.join(pkg.home, 'node.mjs')))};
      const later = async () => { throw new Error('later'); };
      const host = nodeHost({ root: ${JSON.stringify(root)}, agent: execAgent(['echo', 'fine']), notify: later });
      const mission = await createMission({ host, config: ${JSON.stringify(small(1))} });
      const ended = await mission.run({ on: later });
      for await (const one of mission.drive({ on: later })) void one;
      await mission.close();
      console.log(ended.continuation);`);
    const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
    assert.deepEqual([status, stdout], [0, 'done\n'], stderr);
    assert.match(stderr, /an observer threw/);
    assert.equal(replay(fs.readFileSync(journalOf(root))).divergence, null);
  });

  test('two drives at once are one; a mission that was given back says so', async () => {
    const root = fresh();
    const mission = await createMission({ host: nodeHost({ root, agent: execAgent(['echo', 'fine']) }), config: small(1) });
    const ended = await Promise.all([mission.run(), mission.run()]);
    assert.deepEqual(ended.map((one) => one.continuation), ['done', 'done']);
    await mission.close();
    for (const late of [() => mission.pause(), () => mission.status(), () => mission.answer('x')]) {
      await assert.rejects(late, (error) => isHostError(error) && error.code === 'usage');
    }
  });

  test('two copies of the package understand each other', async () => {
    const copy = path.join(folder(), 'endstate');
    fs.cpSync(pkg.home, copy, { recursive: true });
    const other = await import(pathToFileURL(path.join(copy, 'index.node.mjs')));
    assert.notEqual(other.HostError, HostError);
    const root = fresh();
    const host = nodeHost({ root, agent: execAgent(['sh', '-c', 'echo begun; sleep 1; echo fine']) });
    const mission = await createMission({ host, config: small(2) });
    const run = mission.run();
    while (!facts(root).some((fact) => fact.type === 'run_started')) await sleep(20);
    await other.commandMission(nodeHost({ root }), { command: 'pause' });
    assert.equal((await run).continuation, 'paused');
    await mission.close();
    await commandMission(host, { command: 'resume' });
    // A fault of a host of one copy is told by the driver of the other under its own code.
    fs.rmSync(path.join(root, '.agent/iteration'), { recursive: true });
    fs.symlinkSync('/tmp', path.join(root, '.agent/iteration'));
    const taken = await other.openMission({ host });
    await taken.run();
    await taken.close();
    const failed = facts(root).filter((fact) => fact.type === 'effect_failed').map((fact) => fact.data.problem.code);
    assert.deepEqual([...new Set(failed)], ['unsafe_state_directory']);
  });

  for (const signal of ['SIGTERM', 'SIGHUP']) {
    test(`${signal} ends what runs and gives the mission back`, async () => {
      const root = fresh();
      const config = path.join(folder(), 'mission.json');
      fs.writeFileSync(config, JSON.stringify(small(2)));
      const words = [path.join(pkg.home, 'bin/endstate.mjs'), 'run', config, '--agent', "exec:sh -c 'echo begun; sleep 300'"];
      const child = spawn(process.execPath, words, { cwd: root, stdio: 'ignore' });
      const exited = new Promise((resolve) => child.once('exit', (code, by) => resolve([code, by])));
      while (!fs.existsSync(journalOf(root)) || !facts(root).some((fact) => fact.type === 'run_started')) await sleep(20);
      child.kill(signal);
      await sleep(200);
      child.kill(signal);
      assert.deepEqual(await exited, [12, null]);
      assert.ok(!fs.existsSync(path.join(root, '.agent/endstate/lock')));
      assert.equal((await peekMission(nodeHost({ root }))).continuation, 'paused');
    });
  }

  test('a lock of another machine says how to get out', async () => {
    const root = fresh();
    const host = nodeHost({ root, agent: execAgent(['echo', 'fine']) });
    await (await createMission({ host, config: small(1) })).close();
    fs.writeFileSync(path.join(root, '.agent/endstate/lock'), JSON.stringify({ pid: 7, start: '1', host: 'a-container', token: 'abc' }));
    await assert.rejects(pkg.imported.openMission({ host }), (error) => error.code === 'locked' && /a-container is gone for good, remove/.test(error.got));
  });

  test('a flood is ended before it fills the disk', async () => {
    const root = fresh();
    const limits = { max_turns: 5, timeout_ms: 60_000, output_bytes: 1 << 20 };
    const agent = execAgent(['sh', '-c', 'trap "" TERM; yes | head -c 3000000000; sleep 20']);
    const mission = await createMission({ host: nodeHost({ root, agent }), config: small(1, { role: { limits } }) });
    const run = mission.run();
    let most = 0;
    const timer = setInterval(() => {
      const [one] = facts(root).filter((fact) => fact.type === 'run_started');
      const said = one && fs.statSync(path.join(root, '.agent/endstate/runs', one.data.effect, 'stdout'), { throwIfNoEntry: false });
      most = Math.max(most, said?.size ?? 0);
    }, 5);
    await run;
    clearInterval(timer);
    await mission.close();
    assert.equal(facts(root).find((fact) => fact.type === 'run_ended').data.problem.code, 'run_flooded');
    assert.ok(most < 1_000_000_000, `${most} bytes`);
  });

  test('a package without its engine is told as what it is, and holds no agent', () => {
    const copy = path.join(folder(), 'endstate');
    fs.cpSync(pkg.home, copy, { recursive: true });
    for (const name of ['engine_packed.mjs', 'engine_bg.wasm']) fs.rmSync(path.join(copy, name));
    const bin = (...words) => spawnSync(process.execPath, [path.join(copy, 'bin/endstate.mjs'), ...words], { cwd: fresh(), encoding: 'utf8', input: '{}' });
    const status = bin('status');
    assert.equal(status.status, 1);
    assert.match(status.stderr, /^endstate: engine_lost\n {2}at: the package\n {2}expected: .*npm install endstate.*\n {2}got: .*\n$/);
    const hook = bin('hook', 'stop');
    assert.deepEqual([hook.status, hook.stdout], [0, '']);
  });
}
