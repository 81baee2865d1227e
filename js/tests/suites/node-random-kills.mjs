// Drivers for Node and their agents are ended by SIGKILL at moments that a seed tells, and driven on: each mission ends
// done, no work was committed twice, and of no run that ended well the report was lost. Twin of tests/program/random_kills.rs, with
// the same missions and the same agent. By default one mission of each protocol; ENDSTATE_KILL_ALL=1 plays five.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { facts, git, journalOf, killRoles, repository, roles, rust } from '../projects.mjs';
import { root as project } from '../package.mjs';

const DRIVE = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'drive.mjs');
const KIT = path.join(project, 'tests', 'random_kills');
/** How each is begun, and the items whose work is done once. */
const MISSIONS = [
  ['completion', ['Two files say which they are'], ['S1', 'S2']],
  ['promise', ['--protocol', 'promise', 'tasks/feature.yaml', '--test', 'true'], ['T1', 'T2']],
  ['sprint', ['--protocol', 'sprint', '--trust', '--poll', '1'], ['plan/1', 'plan/2']],
  ['grid', ['--protocol', 'grid', 'plans'], ['01-01', '01-02', '01-03']],
  ['iteration', ['--protocol', 'iteration', 'agent.json'], ['one', 'two']],
];
const ANSWERS = ['retry', 'again', 'more', 'accept'];
const MANY = process.env.ENDSTATE_KILL_ALL === undefined ? 5 : 25;

export default function randomKills(pkg) {
  for (let seed = 0; seed < MANY; seed += 1) {
    const [protocol, begin, items] = MISSIONS[seed % MISSIONS.length];
    test(`${protocol}, killed at random (seed ${seed}): done, no work twice, no report lost`, async (t) => {
      let [root, argv, kills] = ['', [], 0];
      // One that came to its end before the first blow was not disturbed: another one is.
      for (let round = 0; kills === 0 && round < 5; round += 1) {
        root = repository(kit(protocol));
        const begun = rust(root, 'run', ...begin, '--begin', '--json');
        assert.equal(begun.status, 0, begun.stdout + begun.stderr);
        argv = [DRIVE, pkg.home, root, '-', 'sh', path.join(KIT, 'agent.sh')];
        kills = await disturb(root, argv, dice(seed + 1_000 * round));
      }
      t.diagnostic(`${kills} processes killed`);
      assert.ok(kills > 0);
      finish(root, argv);
      check(root, items);
    });
  }
}

/** The files of a mission. */
function kit(protocol) {
  const from = path.join(KIT, protocol);
  const names = fs.readdirSync(from, { recursive: true }).filter((name) => fs.statSync(path.join(from, name)).isFile());
  return Object.fromEntries(names.map((name) => [name, fs.readFileSync(path.join(from, name), 'utf8')]));
}

/** Numbers below a bound that a seed tells. */
function dice(seed) {
  let state = BigInt(seed);
  return (most) => {
    state = BigInt.asUintN(64, state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n);
    return Number((state >> 33n) % BigInt(most));
  };
}

const nap = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Ends agents, the driver, or both, again and again. Answers with how often. */
async function disturb(root, argv, below) {
  let kills = 0;
  const rounds = 3 + below(3);
  for (let round = 0; round < rounds; round += 1) {
    const driver = spawn(process.execPath, argv, { stdio: 'ignore' });
    const gone = new Promise((resolve) => driver.once('exit', resolve));
    await nap(180 + below(400));
    const what = below(3);
    if (what > 0) kills += killRoles(root);
    if (what === 1) await nap(below(300));
    if (driver.kill('SIGKILL')) kills += 1;
    await gone;
  }
  return kills;
}

/** Drives to the end, and answers what lost runs lead to. */
function finish(root, argv) {
  for (let turn = 0; turn < 8; turn += 1) {
    const said = spawnSync(process.execPath, argv, { encoding: 'utf8', timeout: 60_000 });
    const { continuation } = JSON.parse(said.stdout.trim().split('\n').at(-1) || '{}');
    if (continuation === 'done') return;
    assert.equal(continuation, 'await_user_input', JSON.stringify(said));
    assert.ok(ANSWERS.some((word) => rust(root, 'answer', word).status === 0), `nobody knows an answer: ${said.stdout}`);
  }
  assert.fail('asked again and again');
}

function check(root, items) {
  const log = git(root, 'log', '--format=%s').split('\n');
  for (const item of items) assert.equal(log.filter((line) => line === `work ${item}`).length, 1, `${item} in ${log.join(', ')}`);
  const ended = facts(root).filter((fact) => fact.type === 'run_ended').map(({ data }) => [data.effect, data.outcome]);
  const outcomes = new Map(ended);
  assert.equal(outcomes.size, ended.length, 'no run ends twice');
  const runs = path.join(path.dirname(journalOf(root)), 'runs');
  for (const run of fs.readdirSync(runs)) {
    const status = path.join(runs, run, 'status');
    if (fs.existsSync(status) && fs.readFileSync(status, 'utf8') === '0\n') assert.equal(outcomes.get(run), 'success', run);
  }
  assert.deepEqual(roles(root), []);
}
