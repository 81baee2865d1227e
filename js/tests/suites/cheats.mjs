// Ways to be called done that are none, beside the honest work under the same settings: what Node's host sees of each.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';
import { git, repository, rust } from '../projects.mjs';
import { root as project } from '../package.mjs';

const read = (name) => JSON.parse(fs.readFileSync(path.join(project, 'tests/cheats', name), 'utf8'));
const cases = read('checks.json');
const roles = read('roles.json');
const AGENT = path.join(project, 'tests/random_kills/agent.sh');

export default function cheatsSuite(pkg) {
  const { createMission, openMission } = pkg.imported;
  const { execAgent, iterationConfig, nodeHost, roomFiles } = pkg.host;

  /** What the end of a mission rests on whose agent does one thing. */
  async function shown({ check, does, setup, files = [] }, accept) {
    const behavior = { completionType: 'check', completionConfig: { command: check, maxIterations: 2 } };
    const agent = { name: 'a', displayName: 'A', description: 'Answers', behavior };
    const root = repository({ ...cases.files, 'agent.json': JSON.stringify(agent) });
    fs.writeFileSync(path.join(root, '.git/does.sh'), does);
    // The caches of the user and of the agents: one folder, which is nobody else's; and programs of the repository before all others.
    const { XDG_CACHE_HOME, PATH } = process.env;
    process.env.XDG_CACHE_HOME = path.join(root, '.git/user-cache');
    process.env.PATH = `${path.join(root, '.shims')}:${PATH}`;
    const proof = { accept, protect: cases.protect, setup: setup ? [setup] : [], files: await roomFiles(root, files) };
    const config = { ...iterationConfig(root, 'agent.json'), proof };
    // What judges a changed check is the agent of the other protocols.
    const says = 'case $ENDSTATE_ROLE in check-judge) exec sh "$0";; esac; sh .git/does.sh; echo I did it';
    const mission = await createMission({ host: nodeHost({ root, agent: execAgent(['sh', '-c', says, AGENT]) }), config });
    await mission.run();
    assert.equal(await mission.continuation(), 'done');
    const { end } = await mission.status();
    await mission.close();
    if (XDG_CACHE_HOME === undefined) delete process.env.XDG_CACHE_HOME;
    else process.env.XDG_CACHE_HOME = XDG_CACHE_HOME;
    process.env.PATH = PATH;
    fs.rmSync(root, { recursive: true, force: true });
    return end.shown[0];
  }

  test('who changes what decides is not done', async () => {
    for (const one of cases.cheats) {
      // What is too little where judges are accepted is too little where they are not; the Rust host is asked both.
      const { how, enough, by } = await shown(one, 'judged');
      assert.deepEqual([how, enough], ['claimed', false], `${one.name}: ${by}`);
      assert.ok(by.includes(one.told), `${one.name}: ${by}`);
    }
  });

  test('a mission that was done is not done where other files are committed', async () => {
    const behavior = { completionType: 'check', completionConfig: { command: ['sh', 'check.sh'], maxIterations: 1 } };
    const agent = { name: 'a', displayName: 'A', description: 'Answers', behavior };
    const root = repository({ ...cases.files, 'agent.json': JSON.stringify(agent) });
    const host = () => nodeHost({ root, agent: execAgent(['sh', '-c', 'echo 42 > answer; git commit -qam work; echo I did it']) });
    const mission = await createMission({ host: host(), config: iterationConfig(root, 'agent.json') });
    await mission.run();
    const { end } = await mission.status();
    assert.equal(end.proved_at, git(root, 'rev-parse', 'HEAD'));
    assert.equal(await mission.movedFrom(), undefined);
    await mission.close();
    git(root, 'revert', '--no-edit', 'HEAD');
    const again = await openMission({ host: host() });
    assert.equal(await again.movedFrom(), end.proved_at);
    await again.close();
    fs.rmSync(root, { recursive: true, force: true });
  });

  test('a check that was to be changed is judged', async () => {
    const { check, does } = cases.asked;
    for (const [finds, accept, ...expected] of [
      ['sound', 'judged', 'judged', true, ': looked at it'], ['sound', 'observed', 'judged', false, ': looked at it'],
      ['weakened', 'judged', 'claimed', false, 'calls weaker: looked at it'], ['fine', 'judged', 'claimed', false, 'has judged that: unknown_value'],
    ]) {
      for (const one of does) {
        const { how, enough, by } = await shown({ check, does: `${one}; echo ${finds} > .git/finds` }, accept);
        assert.deepEqual([how, enough], expected.slice(0, 2), by);
        assert.ok(by.includes(expected[2]), by);
      }
    }
  });

  test('honest work under the same settings is done', async () => {
    for (const one of cases.honest) {
      const { how, enough, by } = await shown(one, 'observed');
      assert.deepEqual([how, enough], ['observed', true], by);
    }
  });

  /** What a mission of a protocol with judges comes to, whose agents do one thing more and whose judges cite what they are told. */
  async function judged(protocol, { does = roles.honest, cites, finds, accept = 'judged' }) {
    const { files, begin } = roles.missions[protocol];
    const root = repository({ ...roles.files, ...files });
    fs.writeFileSync(path.join(root, '.git/does.sh'), does);
    if (cites !== undefined) fs.writeFileSync(path.join(root, '.git/cites'), cites);
    if (finds !== undefined) fs.writeFileSync(path.join(root, '.git/finds'), finds);
    const begun = rust(root, 'run', ...begin, '--protect', 'check.sh', '--accept', accept, '--begin', '--json');
    assert.equal(begun.status, 0, begun.stdout + begun.stderr);
    const mission = await openMission({ host: nodeHost({ root, agent: execAgent(['sh', AGENT]) }) });
    await mission.run();
    const done = (await mission.continuation()) === 'done';
    const { end, reason } = await mission.status();
    // What was said of it at the end, to the user and to the runs that were to correct it.
    const runs = path.join(root, '.agent/endstate/runs');
    const prompts = fs.readdirSync(runs).map((run) => path.join(runs, run, 'prompt.md')).filter((file) => fs.existsSync(file));
    const words = [JSON.stringify([end, reason]), ...prompts.map((file) => fs.readFileSync(file, 'utf8'))].join('\n');
    await mission.close();
    fs.rmSync(root, { recursive: true, force: true });
    return { enough: done && end.shown.every((one) => one.enough), words };
  }

  for (const protocol of Object.keys(roles.missions)) {
    test(`${protocol} is not cheated`, async () => {
      for (const one of roles.cheats.filter((cheat) => cheat.in.includes(protocol))) {
        const { enough, words } = await judged(protocol, one);
        assert.equal(enough, false, `${one.name}: ${words.slice(0, 2000)}`);
        assert.ok(words.includes(one.told), `${one.name}: ${words.slice(0, 2000)}`);
      }
      const { enough, words } = await judged(protocol, {});
      assert.equal(enough, true, words.slice(0, 2000));
      for (const one of roles.judged.filter((row) => row.in.includes(protocol))) {
        const { enough, words } = await judged(protocol, { ...one, does: roles.asked });
        assert.equal(enough, one.enough, `${JSON.stringify(one)}: ${words.slice(0, 2000)}`);
        assert.ok(words.includes(one.told), `${JSON.stringify(one)}: ${words.slice(0, 2000)}`);
      }
    });
  }

  test('what is enough is not lowered by who works, and a promise not cheated so', async () => {
    const does = roles.lowers + roles.honest;
    for (const accept of ['observed', 'judged']) {
      const { enough, words } = await judged('promise', { does, accept });
      assert.equal(enough, accept === 'judged', words.slice(0, 2000));
    }
  });
}
