// A Node driver is ended by SIGKILL at durable steps, after them and in the middle of the write, and what it leaves
// is resumed: each time the same end, and every result recorded once. A disk that is full loses nothing either.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { facts, folder, git, journalOf, killRoles, program, repository, roles, rust, scenario, smallConfig } from '../projects.mjs';

const DRIVE = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'drive.mjs');
const RUST = program();

export default function kill(pkg) {
  const team = scenario([
    { when: { missing: 'one.txt' }, do: [{ write: { path: 'one.txt', text: 'one\n' } }, { commit: 'One' }], raw: 'One is there.\n' },
    { when: { missing: 'two.txt' }, do: [{ write: { path: 'two.txt', text: 'two\n' } }, { commit: 'Two' }], raw: 'Two is there.\n' },
    { when: {}, raw: 'Nothing is left.\n' },
  ]);
  const config = path.join(folder(), 'config.json');
  // Enough runs for those that a kill costs: the handler looks for what was done.
  const wanted = { completionType: 'check', completionConfig: { command: ['test', '-f', 'two.txt'], maxIterations: 8 } };
  fs.writeFileSync(config, JSON.stringify(smallConfig(8, {}, wanted)));
  const line = (root) => [DRIVE, pkg.home, root, config, RUST, 'role-script', team];
  const drive = (root, env = {}) => {
    const { status, signal, stdout } = spawnSync(process.execPath, line(root), { encoding: 'utf8', env: { ...process.env, ...env }, timeout: 120_000, killSignal: 'SIGTERM' });
    return { status, signal, said: stdout.trim() ? JSON.parse(stdout.trim().split('\n').at(-1)) : undefined };
  };
  const fresh = () => repository({ 'README.md': 'Small.\n' });
  const end = (root) => ({ tree: git(root, 'rev-parse', 'HEAD^{tree}'), status: git(root, 'status', '--porcelain') });

  // What must hold of every mission that came to its end, however often its driver died.
  const sound = (root, reference) => {
    assert.deepEqual(end(root), reference);
    const { divergence, continuation, torn_bytes: torn } = pkg.imported.replay(fs.readFileSync(journalOf(root)));
    assert.deepEqual([divergence, continuation, torn], [null, 'done', 0]);
    const answered = facts(root).filter((fact) => fact.type === 'run_ended').map((fact) => fact.data.effect);
    assert.equal(new Set(answered).size, answered.length, 'a run was answered twice');
    assert.equal(rust(root, 'check').status, 0);
  };

  test('a driver that is killed at durable steps leaves what the next one finishes', async (t) => {
    const calm = fresh();
    const log = path.join(calm, '.git', 'steps');
    assert.equal(drive(calm, { ENDSTATE_CRASH_LOG: log }).said.continuation, 'done');
    const reference = end(calm);
    sound(calm, reference);
    const steps = fs.readFileSync(log, 'utf8').trimEnd().split('\n');
    assert.ok(steps.length > 30, `${steps.length} steps`);
    // The kinds of step, each at its first and its last moment, and some in between.
    const kinds = new Map();
    steps.forEach((step, at) => {
      const [, what, , name] = step.split(' ');
      const kind = `${what} ${path.basename(name).replace(/[\d.]+/g, '#')}`;
      kinds.set(kind, [...(kinds.get(kind) ?? []), at + 1]);
    });
    const moments = [...kinds.values()].flatMap((places, nth) => [places[(nth * 7) % places.length]]);
    let [killed, halved] = [0, 0];
    for (const [nth, step] of [...new Set(moments)].sort((a, b) => a - b).entries()) {
      const root = fresh();
      const at = nth % 2 === 0 ? `${step}` : `${step}:half`;
      const first = drive(root, { ENDSTATE_CRASH_AT: at });
      if (first.signal === 'SIGKILL') killed += 1;
      if (first.signal === 'SIGKILL' && nth % 2 === 1) halved += 1;
      const second = drive(root);
      assert.equal(second.said?.continuation, 'done', `killed at ${at} (${steps[step - 1]}): ${JSON.stringify(second)}`);
      sound(root, reference);
    }
    t.diagnostic(`${steps.length} steps of ${kinds.size} kinds; killed ${killed} times, ${halved} of them in the middle of a write`);
    assert.ok(killed >= 6 && halved >= 2, `${killed} kills, ${halved} halves`);
  });

  // Who is killed between the lock of the dead and its own leaves none; what was begun is known all the same.
  test('a run that only its record tells of is lost and not ordered anew', () => {
    const calm = fresh();
    const log = path.join(calm, '.git', 'steps');
    drive(calm, { ENDSTATE_CRASH_LOG: log });
    const names = fs.readFileSync(log, 'utf8').trimEnd().split('\n').map((step) => path.basename(step.split(' ')[3]));
    const root = fresh();
    const at = names.indexOf('record.json') + 1;
    assert.equal(drive(root, { ENDSTATE_CRASH_AT: `${at}` }).signal, 'SIGKILL');
    assert.ok(facts(root).every(({ type }) => type !== 'run_started'));
    const engine = path.join(root, '.agent', 'endstate');
    const [run] = fs.readdirSync(path.join(engine, 'runs'));
    fs.rmSync(path.join(engine, 'lock'));
    git(root, 'commit', '-q', '--allow-empty', '-m', 'What the run left');
    assert.equal(drive(root).said.continuation, 'done');
    const outcomes = facts(root).filter(({ type, data }) => type === 'run_ended' && data.effect === run).map(({ data }) => data.outcome);
    assert.deepEqual(outcomes, ['lost']);
  });

  test('a mission that is killed again and again comes to its end', () => {
    const root = fresh();
    let kills = 0;
    for (let step = 4; step < 60; step += 9) {
      const { signal, said } = drive(root, { ENDSTATE_CRASH_AT: `${step}` });
      if (signal === 'SIGKILL') kills += 1;
      if (said?.continuation === 'done') break;
    }
    assert.ok(kills >= 2);
    assert.equal(drive(root).said.continuation, 'done');
    const { divergence } = pkg.imported.replay(fs.readFileSync(journalOf(root)));
    assert.equal(divergence, null);
  });

  // Says that it began, and goes on when it is told to.
  const WAITS = 'echo "$ENDSTATE_RUN" >>.git/starts; until [ -e .git/go ]; do sleep 0.02; done; echo two >two.txt; git add two.txt; '
    + 'git commit -q -m Two; echo Two is there.';
  // A run whose driver was killed, the line that drives on, and the run's record.
  const orphan = async () => {
    const root = fresh();
    const argv = [...line(root).slice(0, -3), 'sh', '-c', WAITS];
    const driver = spawn(process.execPath, argv, { stdio: 'ignore' });
    const gone = new Promise((resolve) => driver.once('exit', resolve));
    const starts = path.join(root, '.git', 'starts');
    await until(() => fs.existsSync(starts) && facts(root).some((fact) => fact.type === 'run_started'));
    driver.kill('SIGKILL');
    await gone;
    const run = fs.readFileSync(starts, 'utf8').trim();
    assert.ok(roles(root).length > 0, 'the role outlives its host');
    return { root, argv, run, record: path.join(root, '.agent', 'endstate', 'runs', run, 'record.json') };
  };
  const go = (root) => fs.writeFileSync(path.join(root, '.git', 'go'), '');
  const driven = (argv, env = {}) => new Promise((resolve) => {
    const driver = spawn(process.execPath, argv, { stdio: 'ignore', timeout: 60_000, env: { ...process.env, ...env } });
    driver.once('exit', (status) => resolve(status));
  });
  const endOf = (root, run) => facts(root).find((fact) => fact.type === 'run_ended' && fact.data.effect === run)?.data;

  test('a role that outlives its driver is taken up by the next, and its report is read', async () => {
    const { root, argv, run } = await orphan();
    const on = driven(argv);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    assert.equal(endOf(root, run), undefined, 'it is waited for');
    go(root);
    assert.equal(await on, 0);
    const ended = endOf(root, run);
    assert.deepEqual([ended.outcome, ended.report], ['success', 'Two is there.\n']);
    assert.ok(ended.usage.duration_ms >= 1_500, JSON.stringify(ended.usage));
    assert.equal(fs.readFileSync(path.join(root, '.git', 'starts'), 'utf8'), `${run}\n`);
    assert.deepEqual(roles(root), []);
  });

  test('the report of a role that ended while no driver looked is read', async () => {
    const { root, argv, run } = await orphan();
    go(root);
    await until(() => roles(root).length === 0);
    assert.equal(await driven(argv), 0);
    assert.deepEqual([endOf(root, run).outcome, endOf(root, run).report], ['success', 'Two is there.\n']);
    assert.equal(fs.readFileSync(path.join(root, '.git', 'starts'), 'utf8'), `${run}\n`);
  });

  test('a role that is killed with its driver counts as lost, and is never started twice', async () => {
    const { root, argv, run } = await orphan();
    killRoles(root);
    // As a git leaves it that is killed in the middle of a commit.
    const lock = path.join(root, '.git', 'index.lock');
    fs.writeFileSync(lock, '');
    go(root);
    assert.equal(await driven(argv), 0);
    assert.equal(endOf(root, run).outcome, 'lost');
    const starts = fs.readFileSync(path.join(root, '.git', 'starts'), 'utf8').trimEnd().split('\n');
    assert.equal(new Set(starts).size, starts.length);
    assert.ok(!fs.existsSync(lock), 'the lock that nobody holds is still there');
    assert.match(JSON.stringify(facts(root)), /taken away, for no git holds them: index\.lock/);
  });

  test('a process that has the id and the start of a record, but not its output, is not the role and is left alone', async () => {
    const { root, argv, run, record } = await orphan();
    const ours = JSON.parse(fs.readFileSync(record, 'utf8'));
    const other = spawn('sleep', ['300'], { stdio: 'ignore' });
    const start = fs.readFileSync(`/proc/${other.pid}/stat`, 'utf8').split(') ')[1].split(' ')[19];
    fs.writeFileSync(record, JSON.stringify({ ...ours, pid: other.pid, start }));
    const on = driven(argv);
    await until(() => endOf(root, run) !== undefined);
    go(root);
    assert.equal(await on, 0);
    assert.equal(endOf(root, run).outcome, 'lost');
    assert.equal(other.exitCode ?? other.signalCode, null, "another's process was ended");
    assert.ok(!roles(root).includes(ours.pid), 'the mark of the role was overlooked');
    other.kill('SIGKILL');
  });

  test('a disk that is full in the middle of an append loses nothing', () => {
    const calm = fresh();
    drive(calm);
    const size = fs.statSync(journalOf(calm)).size;
    const root = fresh();
    const begin = drive(root, { ENDSTATE_CRASH_AT: '3' });
    assert.equal(begin.signal, 'SIGKILL');
    // No file may grow beyond this: the journal is the one that does.
    const blocks = Math.floor((size * 0.6) / 1024);
    const limited = spawnSync('bash', ['-c', `ulimit -f ${blocks}; exec "$0" "$@"`, process.execPath, ...line(root)], { encoding: 'utf8' });
    assert.deepEqual([limited.status, JSON.parse(limited.stdout)], [1, { code: 'io' }], limited.stderr);
    const left = fs.readFileSync(journalOf(root));
    assert.ok(left.length <= blocks * 1024);
    assert.equal(pkg.imported.replay(left).torn_bytes, 0, 'the part that was written was cut off again');
    assert.deepEqual(roles(root), [], 'what was started was ended');
    assert.equal(drive(root).said.continuation, 'done');
    sound(root, end(calm));
  });

  // A git of a driver that was killed goes on writing into the room that it was to make: the next one needs it.
  test('a room is made anew whoever works in it yet', async () => {
    const behavior = { completionType: 'check', completionConfig: { command: ['test', '-f', 'two.txt'], maxIterations: 2 } };
    const definition = { name: 'a', displayName: 'A', description: 'Answers', behavior };
    const root = fs.realpathSync(repository({ 'agent.json': JSON.stringify(definition) }));
    const rooms = path.join(os.tmpdir(), `endstate-room-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`);
    const place = path.join(rooms, '1');
    fs.mkdirSync(place, { recursive: true });
    const writes = `while :; do mkdir -p ${place}/deep; : >${place}/deep/$((n += 1)); done`;
    const left = spawn('sh', ['-c', writes], { detached: true, stdio: 'ignore', env: { ...process.env, ENDSTATE_ROOM: place } });
    const ended = new Promise((resolve) => left.once('exit', resolve));
    const { createMission } = pkg.imported;
    const { execAgent, iterationConfig, nodeHost } = pkg.host;
    const agent = execAgent(['sh', '-c', 'echo two > two.txt; git add .; git commit -qm two; echo I did it']);
    const mission = await createMission({ host: nodeHost({ root, agent }), config: iterationConfig(root, 'agent.json') });
    await mission.run();
    const { end: { shown } } = await mission.status();
    await mission.close();
    assert.deepEqual(shown.map(({ how }) => how), ['observed'], JSON.stringify(shown));
    await ended;
  });
}

async function until(holds) {
  const began = Date.now();
  while (!holds()) {
    if (Date.now() - began > 20_000) throw new Error('it never came');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
