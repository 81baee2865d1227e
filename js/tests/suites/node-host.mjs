// The Node host drives real missions in real repositories: every demo to its end, the same journals and files as
// the Rust program, which goes on with what Node began and the other way round.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { after, test } from 'node:test';
import { root as home } from '../package.mjs';
import { demo, facts, git, journalOf, program, removeFolders, repository, rust, smallConfig, TALLY } from '../projects.mjs';

export default function nodeHostSuite(pkg) {
  const { createMission, openMission, peekMission } = pkg.imported;
  const { execAgent, nodeHost, scriptAgent } = pkg.host;
  // The Rust program plays the same scenarios, and starts at once.
  const quick = (team) => execAgent([program(), 'role-script', team]);
  after(removeFolders);

  test('what only words show is asked about before the work, and what was taken shows the end', async () => {
    const root = repository({ 'README.md': 'x\n' });
    fs.writeFileSync(path.join(root, '.git/argv'), '["grep", "-q", "hello", "greeting"]');
    const agent = execAgent(['sh', path.join(home, 'tests/cli/proposes.sh')]);
    const config = { ...smallConfig(1), proof: { accept: 'ask' } };
    const mission = await createMission({ host: nodeHost({ root, agent }), config });
    assert.equal((await mission.run()).continuation, 'await_user_input');
    const [asked] = (await mission.status()).questions;
    assert.match(asked.text, /\$ grep -q hello greeting\n {4}it greets/);
    assert.equal(fs.readFileSync(path.join(root, '.git/sent'), 'utf8'), 'check-proposer\n');
    await mission.answer('take');
    assert.equal((await mission.run()).continuation, 'done');
    const { end } = await mission.status();
    await mission.close();
    assert.deepEqual([end.shown[0].how, end.shown[0].enough], ['observed', true], end.shown[0].by);
    assert.match(end.shown[0].by, /before the work it failed/);
  });

  // What the user of a demo answers, in the order of the questions.
  const answers = { grid: ['plain', 'accept'] };
  for (const protocol of ['completion', 'promise', 'iteration', 'grid']) {
    test(`the ${protocol} demo comes to its end, and both engines replay its journal to one chain`, async () => {
      const { root, config, team } = demo(protocol, pkg.host);
      const host = nodeHost({ root, agent: scriptAgent(team) });
      const mission = await createMission({ host, config });
      const types = new Set();
      for await (const happening of mission) types.add(happening.type);
      for (const answer of answers[protocol] ?? []) {
        assert.equal(await mission.continuation(), 'await_user_input');
        await mission.answer(answer);
        for await (const happening of mission) types.add(happening.type);
      }
      assert.equal(await mission.continuation(), 'done', (await mission.status()).reason);
      assert.ok(types.has('event') && types.has('rest'));
      await mission.close();
      assert.ok(!fs.existsSync(path.join(root, '.agent', 'endstate', 'lock')));

      const journal = journalOf(root);
      const ours = pkg.imported.replay(fs.readFileSync(journal));
      const theirs = JSON.parse(rust(root, 'replay', journal, '--json').stdout.trim().split('\n').at(-1));
      assert.equal(ours.divergence, null);
      assert.deepEqual([theirs.events, theirs.chain], [ours.events, ours.chain]);
      const check = rust(root, 'check', '--json');
      assert.equal(check.status, 0, check.stdout);
      const glance = await peekMission(host);
      assert.deepEqual([glance.continuation, glance.position.chain], ['done', ours.chain]);
    });
  }

  test('the sprint demo of the Rust program is replayed here to the same chain', () => {
    const root = repository({ 'README.md': 'Beside the demo.\n' });
    const said = rust(root, 'demo', '--protocol', 'sprint', '--dir', 'demo', '--json');
    // The mirror that a sprint waits for is in no commit.
    assert.equal(said.status, 4, said.stderr + said.stdout.slice(-2_000));
    const { chain } = JSON.parse(said.stdout.trim().split('\n').at(-1));
    const ours = pkg.imported.replay(fs.readFileSync(journalOf(path.join(root, 'demo'))));
    assert.deepEqual([ours.divergence, ours.continuation, ours.chain], [null, 'done', chain]);
  });

  test('Node plays the sprint demo; a fatal sprint waits for the user', async () => {
    const { root, config, team } = demo('sprint', pkg.host);
    const mission = await createMission({ host: nodeHost({ root, agent: quick(team) }), config });
    assert.equal((await mission.run()).continuation, 'blocked');
    await mission.resume();
    const asked = await mission.run();
    assert.equal(asked.continuation, 'await_user_input');
    await mission.answer({ type: 'manual_step', done: true, note: 'seen' });
    assert.equal((await mission.run()).continuation, 'done');
    await mission.close();
    assert.equal(rust(root, 'check').status, 0);
  });

  test('what a mission writes by itself is not in the way of git', async () => {
    const root = repository({ 'README.md': 'Hidden.\n' });
    const exclude = path.join(root, '.git', 'info', 'exclude');
    fs.mkdirSync(path.dirname(exclude), { recursive: true });
    fs.writeFileSync(exclude, 'mine');
    const own = ['SUPERVISOR_STATE.md', 'a [b]/COMPLETE_X*.md'];
    const order = (at) => ({ path: at, revision: 1, expected: null, aside: null, executable: false });
    for (let round = 0; round < 2; round += 1) {
      const host = nodeHost({ root });
      for (const at of own) await host.writeFile(order(at), 'state\n');
    }
    assert.equal(git(root, 'status', '--porcelain', '--untracked-files=all').trim(), '');
    const rules = fs.readFileSync(exclude, 'utf8');
    assert.match(rules, /^mine\n# endstate: .*\n\/a\\ \\\[b\\\]\/COMPLETE_X\\\*\.md\n\/SUPERVISOR_STATE\.md\n$/);

    // Nor is it in the way of a look, which sees through every other private rule.
    const look = { since: null, basis: null, known: [], within: [], without: [] };
    const dirty = async () => (await nodeHost({ root }).observeRepository(look)).dirty.map((one) => one.path);
    assert.deepEqual(await dirty(), []);
    fs.writeFileSync(exclude, `${rules.replace('/SUPERVISOR', 'SUPERVISOR')}COMPLETE_*.md\n`);
    fs.writeFileSync(path.join(root, 'COMPLETE_Y.md'), "another's\n");
    assert.equal(git(root, 'status', '--porcelain', '--untracked-files=all').trim(), '');
    assert.deepEqual(await dirty(), ['COMPLETE_Y.md', 'SUPERVISOR_STATE.md']);

    // What is tracked stays in sight, and rules that cannot be written are a notice.
    const tracked = repository({ 'SUPERVISOR_STATE.md': 'state\n' });
    const before = path.join(tracked, '.git', 'info', 'exclude');
    await nodeHost({ root: tracked }).writeFile(order(own[0]), 'state\n');
    assert.ok(!fs.existsSync(before) || !fs.readFileSync(before, 'utf8').includes('SUPERVISOR_STATE'));
    fs.rmSync(before, { force: true });
    fs.mkdirSync(path.join(before, 'a folder'), { recursive: true });
    const notices = [];
    const host = nodeHost({ root: tracked, notify: ({ text }) => { notices.push(text); } });
    for (let round = 0; round < 2; round += 1) await host.writeFile({ ...order(own[1]) }, 'state\n');
    assert.equal(notices.length, 1);
    assert.match(notices[0], /could not be hidden from git/);

    // So is a rule of the user's that shows the file all the same.
    const shown = repository({ '.gitignore': '/*\n!*.md\n!.gitignore\n' });
    const told = [];
    const other = nodeHost({ root: shown, notify: ({ text }) => { told.push(text); } });
    for (let round = 0; round < 2; round += 1) await other.writeFile(order(own[0]), 'state\n');
    assert.equal(told.length, 1);
    assert.match(told[0], /name it at the end of \.gitignore/);
  });

  test('what git was told to look away from is seen', async () => {
    const root = repository({ away: 'one\n', out: 'one\n', same: 'one\n' });
    git(root, 'update-index', '--assume-unchanged', 'away', 'same');
    git(root, 'update-index', '--skip-worktree', 'out');
    for (const name of ['away', 'out', 'private']) fs.writeFileSync(path.join(root, name), 'two\n');
    fs.writeFileSync(path.join(root, '.git', 'info', 'exclude'), '.agent/\nprivate\n');
    assert.equal(git(root, 'status', '--porcelain'), '');
    const known = ['away', 'nowhere'].map((name) => ({ path: name, digest: 'present' }));
    const look = { since: null, basis: null, known, within: [], without: [] };
    const seen = await nodeHost({ root }).observeRepository(look);
    assert.deepEqual(seen.dirty.map((one) => one.path), ['away', 'out', 'private']);
    assert.deepEqual(seen.files, [{ path: 'nowhere', seen: { type: 'absent' } }]);
  });

  // What a run does to the history of the user, and the command that takes it back.
  const strays = [
    ['git reset -q --hard HEAD~1', 'git reset --keep '],
    ['git checkout -q -b other && git commit -q --allow-empty -m there', 'git switch main'],
    ['git checkout -q --orphan empty', 'git switch main'],
    ['git branch -m renamed', 'git switch -c main ', 1],
  ];
  const definition = { name: 'counter', behavior: { completionType: 'iterate', completionConfig: { maxIterations: 1 } } };
  const missions = {
    iteration: [{ 'agent.json': JSON.stringify(definition) }, (root) => pkg.host.iterationConfig(root, 'agent.json')],
    promise: [
      { 'TASK-SLUG-001.md': fs.readFileSync(path.join(home, 'src/cli/demo/promise/TASK-SLUG-001.md'), 'utf8') },
      (root) => pkg.host.promiseConfig(root, 'TASK-SLUG-001.md'),
    ],
  };

  for (const [protocol, [files, configOf]] of Object.entries(missions)) {
    test(`what a run of ${protocol} does to the history is asked about and taken back`, async () => {
      for (const [does, named, place = 0] of strays) {
        const root = repository({ 'a.py': 'one\n', ...files });
        git(root, 'branch', '-M', 'main');
        git(root, 'commit', '-q', '--allow-empty', '-m', 'of the user');
        const users = git(root, 'rev-parse', 'HEAD').trim();
        const host = nodeHost({ root, agent: execAgent(['sh', '-c', `${does}; echo done`]) });
        const mission = await createMission({ host, config: configOf(root) });
        assert.equal((await mission.run()).continuation, 'await_user_input', does);
        const [{ topic, text }] = await mission.questions();
        assert.equal(topic, 'other_head');
        const command = text.split('`')[2 * place + 1];
        assert.ok(command.startsWith(named), text);
        assert.ok(text.includes(users.slice(0, 12)), text);
        git(root, ...command.split(' ').slice(1));
        assert.equal(git(root, 'rev-parse', 'main').trim(), users);
        if (protocol === 'iteration') {
          await mission.answer('restored');
          assert.equal((await mission.run()).continuation, 'done', does);
        }
        await mission.close();
      }
    });
  }

  test('a commit of the user made while a question was open is missed when the next run drops it', async () => {
    const root = repository({ 'a.py': 'one\n', ...missions.iteration[0] });
    const failing = { ...definition, behavior: { completionType: 'manual', completionConfig: { completionKeyword: 'READY', maxIterations: 1 } } };
    fs.writeFileSync(path.join(root, 'agent.json'), JSON.stringify(failing));
    git(root, 'commit', '-q', '-am', 'another agent');
    const does = 'if [ -e .git/second ]; then git reset -q --hard HEAD~1; echo READY; else touch .git/second; echo not yet; fi';
    const host = nodeHost({ root, agent: execAgent(['sh', '-c', does]) });
    const mission = await createMission({ host, config: pkg.host.iterationConfig(root, 'agent.json') });
    await mission.run();
    assert.equal((await mission.questions())[0].topic, 'ceiling');
    git(root, 'commit', '-q', '--allow-empty', '-m', 'of the user');
    const users = git(root, 'rev-parse', 'HEAD').trim();
    await mission.answer('more');
    assert.equal((await mission.run()).continuation, 'await_user_input');
    const [{ topic, text }] = await mission.questions();
    assert.deepEqual([topic, text.includes(users.slice(0, 12))], ['other_head', true], text);
    await mission.close();
  });

  test('each of several commits is seen with its paths', async () => {
    const root = repository({ 'a.py': 'one\n' });
    const first = git(root, 'rev-parse', 'HEAD').trim();
    const commit = (...names) => {
      for (const name of names) fs.appendFileSync(path.join(root, name), 'more\n');
      git(root, 'add', ...names);
      git(root, 'commit', '-q', '-m', 'more');
      return git(root, 'rev-parse', 'HEAD').trim();
    };
    const look = async (since) => (await nodeHost({ root }).observeRepository({ since, basis: first, known: [], within: [], without: [] }));
    const one = commit('b ü', 'a.py');
    assert.equal((await look(first)).since.touched, undefined, 'the change has the paths of one');
    const two = commit('c.py');
    const seen = await look(first);
    assert.deepEqual(seen.since.touched, [{ id: two, paths: ['c.py'] }, { id: one, paths: ['a.py', 'b ü'] }]);
    assert.equal(seen.basis.touched, undefined);
  });

  test('places in files are looked at', async () => {
    const root = repository({ 'a.py': 'one\ntwo', '.gitignore': '*.log\n' });
    fs.symlinkSync('a.py', path.join(root, 'link'));
    fs.mkdirSync(path.join(root, 'src'));
    git(root, 'add', '.');
    git(root, 'commit', '-q', '-m', 'a link');
    fs.writeFileSync(path.join(root, 'ign.log'), 'one\n');
    const places = [['a.py', 2], ['a.py', 3], ['link', 1], ['src', 1], ['ign.log', 1], ['nowhere', 1]];
    const known = places.map(([name, line]) => ({ path: name, digest: `present:${line}` }));
    const look = { since: null, basis: null, known, within: [], without: [] };
    const seen = await nodeHost({ root }).observeRepository(look);
    const found = seen.files.map((one) => [one.path, one.seen.problem?.got]);
    const other = 'something else';
    assert.deepEqual(found, [['a.py', '2'], ['link', other], ['src', other], ['ign.log', 'one it does not see'], ['nowhere', undefined]]);
  });

  test('the Rust program begins, Node goes on, and the Rust program finishes', async () => {
    const { root, team } = demo('completion', pkg.host);
    assert.equal(rust(root, 'init', TALLY, '--name', 'tally').status, 0);
    const begun = facts(root).length;
    const mission = await openMission({ host: nodeHost({ root, agent: quick(team) }) });
    let runs = 0;
    const pause = ({ type, event }) => {
      if (type === 'event' && event.fact.type === 'run_ended' && (runs += 1) === 5) void mission.pause();
    };
    assert.equal((await mission.run({ on: pause })).continuation, 'paused');
    await mission.close();
    const middle = facts(root).length;
    assert.ok(middle > begun + 20);
    const finished = rust(root, 'run', TALLY, '--accept', 'judged', '--agent', `script:${team}`, '--resume', '--json');
    assert.equal(finished.status, 0, finished.stderr + finished.stdout.slice(-2_000));
    const { chain, divergence, continuation } = pkg.imported.replay(fs.readFileSync(journalOf(root)));
    assert.deepEqual([divergence, continuation], [null, 'done']);
    assert.equal(JSON.parse(finished.stdout.trim().split('\n').at(-1)).chain, chain);
    assert.ok(facts(root).length > middle);
    assert.equal(facts(root).filter((fact) => fact.type === 'host_recovered').length, 0);
    assert.equal(git(root, 'status', '--porcelain'), '');
  });

  test('Node takes over from a Rust driver that was killed, and ends what it left', async () => {
    const { root, config, team } = demo('promise', pkg.host);
    const begun = await createMission({ host: nodeHost({ root }), config });
    await begun.close();
    const driver = spawn(program(), ['run', '--agent', `script:${team}`], { cwd: root, stdio: 'ignore' });
    const gone = new Promise((resolve) => driver.once('exit', resolve));
    await until(() => facts(root).some((fact) => fact.type === 'run_started'));
    driver.kill('SIGKILL');
    await gone;
    const mission = await openMission({ host: nodeHost({ root, agent: quick(team) }) });
    const reports = [];
    await mission.run({ on: ({ type, report }) => type === 'report' && reports.push(report.type) });
    assert.equal(await mission.continuation(), 'done');
    assert.ok(reports.includes('took_over'), reports.join());
    await mission.close();
    assert.equal(rust(root, 'check').status, 0);
  });

  test('the bin drives a mission, says where it stands and why, and checks its files', () => {
    const root = repository({ 'README.md': 'Small.\n' });
    const config = path.join(pkg.folder, 'mission.json');
    fs.writeFileSync(config, JSON.stringify(smallConfig(2)));
    const bin = (...words) => spawnSync(pkg.bin, words, { cwd: root, encoding: 'utf8' });
    assert.equal(bin('status').status, 13, 'no mission yet');
    assert.equal(bin('run', config).status, 2);
    const missing = bin('run', config, '--agent', 'exec:no-such-agent');
    assert.match(missing.stdout, /question .*no-such-agent|no-such-agent/s, missing.stderr);
    assert.equal(missing.status, 10);
    assert.match(bin('why', '--json').stdout, /"chosen"/);
    assert.equal(bin('answer', 'no such words').status, 13);
    const glance = JSON.parse(bin('status', '--json').stdout);
    assert.equal(glance.questions.length, 1);
    assert.equal(bin('answer', glance.questions[0].kind.options[0].id).status, 0);
    const run = bin('run', '--agent', `exec:sh -c 'echo "two words"'`, '--resume', '--json');
    assert.equal(run.status, 4, run.stderr + run.stdout.slice(-500));
    assert.match(bin('status').stdout, /^done|after iteration 2/);
    assert.deepEqual([bin('check', '--level', 'files').status, rust(root, 'check', '--level', 'files').status], [0, 0]);
    fs.appendFileSync(path.join(root, '.agent/iteration/summaries.jsonl'), 'no record\n');
    assert.deepEqual([bin('check', '--level', 'files').status, rust(root, 'check', '--level', 'files').status], [13, 13]);
  });

  test('commands and answers reach a live driver of the other kind through the inbox', async () => {
    const { root, config, team } = demo('iteration', pkg.host);
    const mission = await createMission({ host: nodeHost({ root, agent: scriptAgent(team) }), config });
    let answer;
    const said = new Promise((resolve) => {
      answer = resolve;
    });
    const on = ({ type, event }) => {
      if (type !== 'event' || event.fact.type !== 'run_started' || answer === undefined) return;
      // Not waited for here: the driver must be free to take the letter.
      const pausing = spawn(path.join(pkg.host.ownProgram()), ['pause'], { cwd: root });
      pausing.once('exit', answer);
      answer = undefined;
    };
    const ended = await mission.run({ on });
    assert.equal(await said, 0);
    assert.equal(ended.continuation, 'paused');
    assert.deepEqual(fs.readdirSync(path.join(root, '.agent', 'endstate', 'inbox')).filter((name) => name.endsWith('.json')), []);
    await mission.close();
    const resumed = rust(root, 'resume');
    assert.equal(resumed.status, 0, resumed.stderr);
    const again = await openMission({ host: nodeHost({ root, agent: scriptAgent(team) }) });
    assert.equal((await again.run()).continuation, 'done');
    await again.close();
  });

  test('a program that a deciding command starts and that is not here is named before the work', async () => {
    for (const [command, missing] of [[['nowhere-to-be-found', 'x'], ['nowhere-to-be-found']], [['sh', '-c', 'cd .'], []]]) {
      const behavior = { completionType: 'check', completionConfig: { command, maxIterations: 1 } };
      const host = nodeHost({ root: repository({ 'README.md': 'Small.\n' }), agent: execAgent(['true']) });
      const mission = await createMission({ host, config: smallConfig(1, {}, behavior) });
      const found = await mission.missingPrograms();
      await mission.close();
      assert.deepEqual(Object.keys(found), missing);
      Object.values(found).forEach((shows) => assert.notEqual(shows.trim(), ''));
    }
  });
}

async function until(holds) {
  const began = Date.now();
  while (!holds()) {
    if (Date.now() - began > 20_000) throw new Error('it never came');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
