// A mission that is done makes room for the next, from Node as from the Rust program: the same folders, the same words,
// the same refusals, and either goes on with the numbers of the other.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';
import { demo, facts, folder, git, journalOf, program, repository, rust, smallConfig } from '../projects.mjs';

/** What the user of a demo answers, in the order of the questions. */
const ANSWERS = { completion: [], grid: ['plain', 'accept'], sprint: [] };

export default function archiveSuite(pkg) {
  const { createMission, Engine, openMission } = pkg.imported;
  const { archivedWords, archiveMission, execAgent, nodeHost, parseAgent } = pkg.host;
  const bin = path.join(pkg.home, 'bin', 'endstate.mjs');
  const npm = (cwd, ...words) => spawnSync(process.execPath, [bin, ...words], { cwd, encoding: 'utf8' });
  const said = ({ status, stdout }) => ({ status, ...JSON.parse(stdout.trim().split('\n').at(-1)) });
  const agent = () => execAgent(['echo', 'Worked.']);
  const place = () => repository({ 'README.md': 'A project\n' });
  const record = (root, number) => path.join(root, '.agent', 'archive', String(number).padStart(3, '0'));
  const there = (name) => fs.lstatSync(name, { throwIfNoEntry: false }) !== undefined;
  const DEFINITION = JSON.stringify({ name: 'worker', displayName: 'Worker', behavior: { completionType: 'iterate', completionConfig: { maxIterations: 1 } } });

  async function begin(root, runs = 1) {
    return createMission({ host: nodeHost({ root, agent: agent() }), config: smallConfig(runs) });
  }
  async function finish(root) {
    const mission = await begin(root);
    assert.equal((await mission.run()).continuation, 'done');
    await mission.close();
  }
  async function leave(root) {
    await (await begin(root, 3)).close();
  }
  /** The files of a record, without what differs from one time to the next. */
  const shape = (folder) => fs.readdirSync(folder, { recursive: true }).map(String)
    .filter((name) => !/tmp\/|inbox\/|lock|snapshot-|runs\/.*\//.test(name)).sort();

  test('what Node drove is archived by Node and by Rust alike, and the numbers go on', async () => {
    const root = place();
    await finish(root);
    const refused = await begin(root).catch((error) => error);
    assert.equal(refused.code, 'mission_exists');
    assert.match(refused.message, /`endstate archive`/);
    assert.deepEqual(await archiveMission(root), { mission: 'Something small is done', path: '.agent/archive/001', tracked: 0 });
    assert.equal(there(path.join(root, '.agent', 'endstate')), false);
    assert.equal(there(path.join(record(root, 1), 'endstate', 'lock')), false);
    assert.equal(git(root, 'status', '--porcelain'), '');
    // Rust takes the next number, and sees the record that Node made.
    await finish(root);
    const second = rust(root, 'archive', '--json');
    assert.equal(second.status, 0, second.stderr);
    assert.deepEqual(JSON.parse(second.stdout), { result: 'archive', mission: 'Something small is done', path: '.agent/archive/002', tracked: 0 });
    assert.deepEqual(shape(record(root, 1)), shape(record(root, 2)));
    for (const number of [1, 2]) {
      const journal = path.join(record(root, number), 'endstate', 'journal.jsonl');
      assert.equal(JSON.parse(rust(root, 'replay', journal, '--json').stdout).continuation, 'done');
      assert.equal(JSON.parse(npm(root, 'replay', journal, '--json').stdout).continuation, 'done');
    }
    await finish(root);
    assert.equal((await archiveMission(root)).path, '.agent/archive/003');
  });

  test('what Rust drove is archived by the npm program, with the same words and exit statuses', async () => {
    const both = [repository({ 'agent.json': DEFINITION }), repository({ 'agent.json': DEFINITION })];
    const ways = [npm, rust];
    const each = (...words) => both.map((root, at) => ways[at](root, ...words));
    const line = ['run', '--protocol', 'iteration', 'agent.json', '--agent', 'exec:echo Worked.', '--json'];
    const alike = (words, status) => {
      const [ours, theirs] = each(...words);
      assert.deepEqual([ours.status, theirs.status], [status, status], ours.stderr + theirs.stderr);
      return [ours, theirs];
    };
    for (const one of alike(['archive', '--json'], 13)) assert.equal(said(one).error.code, 'no_mission');
    for (const root of both) assert.equal(rust(root, ...line, '--begin').status, 0);
    const [ours, theirs] = alike(['archive', '--json'], 13).map((one) => said(one).error);
    for (const name of ['code', 'at', 'expected', 'got']) assert.equal(ours[name], theirs[name], name);
    assert.equal(ours.code, 'mission_exists');
    // A count of runs is a claim.
    for (const root of both) assert.equal(rust(root, ...line).status, 4);
    const [a, b] = alike(['archive'], 0);
    assert.equal(a.stdout, b.stdout);
    assert.match(a.stdout, /^archived: Worker is in \.agent\/archive\/001; see it with `endstate view/);
    alike(['archive', 'now'], 2);
    // Nothing was made where nothing is, and the next mission begins.
    for (const root of both) {
      assert.equal(there(path.join(root, '.agent', 'endstate')), false);
      assert.equal(rust(root, ...line).status, 4);
    }
    assert.deepEqual(said(npm(both[0], 'archive', '--json')), { status: 0, result: 'archive', mission: 'Worker', path: '.agent/archive/002', tracked: 0 });
  });

  test('the files of a whole mission, shown and tracked ones, are moved as Rust moves them', async () => {
    for (const [protocol, answers] of Object.entries(ANSWERS)) {
      const { root: ours, config, team } = demo(protocol, pkg.host);
      const mission = await createMission({ host: nodeHost({ root: ours, agent: parseAgent(`script:${team}`) }), config });
      let { continuation } = await mission.run();
      for (const answer of answers) {
        assert.equal(continuation, 'await_user_input', protocol);
        await mission.answer(answer);
        ({ continuation } = await mission.run());
      }
      // That of the sprint rests on its way.
      const unfinished = protocol === 'sprint';
      assert.equal(continuation, unfinished ? 'blocked' : 'done', protocol);
      await mission.close();
      const theirs = path.join(folder(), 'copy');
      fs.cpSync(ours, theirs, { recursive: true, verbatimSymlinks: true });
      const archived = await archiveMission(ours, { unfinished });
      const told = JSON.parse(rust(theirs, 'archive', ...(unfinished ? ['--unfinished'] : []), '--json').stdout);
      assert.deepEqual([archived.path, archived.tracked, archived.mission], [told.path, told.tracked, told.mission], protocol);
      assert.deepEqual(shape(record(ours, 1)), shape(record(theirs, 1)), protocol);
      assert.equal(git(ours, 'status', '--porcelain'), git(theirs, 'status', '--porcelain'), protocol);
      if (protocol === 'completion') {
        assert.ok(archived.tracked > 0);
        assert.match(archivedWords(archived)[1], /^\d+ files of it are tracked by git: `git commit/);
      }
      if (protocol === 'grid') {
        assert.ok(there(path.join(record(ours, 1), '.grid', 'VERIFICATION.md')) && !there(path.join(ours, '.grid', 'VERIFICATION.md')));
        assert.ok(there(path.join(ours, '.grid', 'LEARNINGS.md')));
      }
    }
  });

  test('one that is not done is left alone, unless it is said; then another can be begun', async () => {
    const root = place();
    await leave(root);
    const before = fs.readFileSync(journalOf(root));
    await assert.rejects(archiveMission(root), { code: 'mission_exists', at: 'MISSION' });
    assert.deepEqual(fs.readFileSync(journalOf(root)), before);
    assert.equal(there(path.join(root, '.agent', 'archive')), false);
    assert.equal((await archiveMission(root, { unfinished: true })).path, '.agent/archive/001');
    await finish(root);
    assert.equal(facts(root).filter(({ type }) => type === 'run_ended').length, 1);
  });

  test('a mission that somebody drives is not moved', async () => {
    const root = place();
    const mission = await begin(root, 3);
    for (const unfinished of [false, true]) await assert.rejects(archiveMission(root, { unfinished }), { code: 'locked' });
    assert.equal(npm(root, 'archive', '--unfinished').status, 14);
    await mission.close();
    // Nor from under the Rust program.
    const other = repository({ 'agent.json': DEFINITION });
    const line = ['run', '--protocol', 'iteration', 'agent.json', '--agent', 'exec:sleep 600', '--accept', 'observed'];
    const driver = spawn(program(), line, { cwd: other, stdio: 'ignore' });
    const ended = new Promise((done) => driver.once('close', done));
    for (let look = 0; look < 200 && !there(path.join(other, '.agent', 'endstate', 'runs')); look += 1) await new Promise((go) => setTimeout(go, 50));
    await assert.rejects(archiveMission(other, { unfinished: true }), { code: 'locked' });
    rust(other, 'kill');
    await ended;
    assert.equal((await archiveMission(other, { unfinished: true })).mission, 'Worker');
  });

  test('a damaged journal, a lost one, and what stands in its place, as in Rust', async () => {
    const spoil = {
      damaged: (root) => {
        for (const name of fs.readdirSync(path.dirname(journalOf(root)))) {
          if (name.startsWith('snapshot-')) fs.rmSync(path.join(path.dirname(journalOf(root)), name));
        }
        const bytes = fs.readFileSync(journalOf(root));
        bytes[bytes.indexOf(10) + 20] ^= 1;
        fs.writeFileSync(journalOf(root), bytes);
      },
      'cut down to nothing': (root) => fs.truncateSync(journalOf(root), 0),
      removed: (root) => fs.rmSync(journalOf(root)),
      'a folder': (root) => { fs.rmSync(journalOf(root)); fs.mkdirSync(journalOf(root)); },
      'a link': (root) => {
        fs.renameSync(journalOf(root), path.join(root, 'moved.jsonl'));
        fs.symlinkSync(path.join(root, 'moved.jsonl'), journalOf(root));
      },
    };
    for (const [name, work] of Object.entries(spoil)) {
      const roots = [];
      for (let at = 0; at < 2; at += 1) {
        const root = place();
        await finish(root);
        work(root);
        fs.mkdirSync(path.join(root, '.agent', 'archive'));
        fs.writeFileSync(path.join(root, '.agent', 'archive', '001'), "somebody's");
        roots.push(root);
      }
      const [ours, theirs] = roots;
      const refused = [npm(ours, 'archive', '--json'), rust(theirs, 'archive', '--json')].map(said);
      assert.deepEqual(refused.map(({ status, error }) => [status, error.code]), Array(2).fill([13, refused[1].error.code]), name);
      const [a, b] = [npm(ours, 'archive', '--unfinished'), rust(theirs, 'archive', '--unfinished')];
      assert.deepEqual([a.status, a.stdout], [0, b.stdout], name + a.stderr);
      assert.match(a.stdout, /^archived: what was left with.* is in \.agent\/archive\/002$/m);
      assert.deepEqual(shape(record(ours, 2)), shape(record(theirs, 2)), name);
      assert.equal(fs.readFileSync(record(ours, 1), 'utf8'), "somebody's");
      await finish(ours);
    }
  });

  test('a mission that is done by a changed snapshot only is refused, and is not done afterwards', async () => {
    const root = place();
    const begun = await begin(root, 3);
    await begun.settle();
    await begun.close();
    const done = place();
    await finish(done);
    const newest = (at) => {
      const folder = path.dirname(journalOf(at));
      const names = fs.readdirSync(folder).filter((one) => one.startsWith('snapshot-'));
      return path.join(folder, names.sort((a, b) => parseInt(b.slice(9), 10) - parseInt(a.slice(9), 10))[0]);
    };
    const text = fs.readFileSync(newest(root), 'utf8');
    const { head: { seq } } = JSON.parse(text).snapshot;
    const grafted = JSON.parse(fs.readFileSync(newest(done), 'utf8')).snapshot;
    grafted.head.seq = seq;
    fs.writeFileSync(newest(root), `${text.slice(0, text.indexOf('"snapshot":'))}"snapshot":${JSON.stringify(grafted)}}\n`);
    await assert.rejects(archiveMission(root), { code: 'journal_damaged' });
    await assert.rejects(archiveMission(root), { code: 'mission_exists' });
    const mission = await openMission({ host: nodeHost({ root, agent: agent() }) });
    assert.notEqual(await mission.continuation(), 'done');
    await mission.close();
  });

  test('an engine says which files are its own', () => {
    const engine = Engine.start(smallConfig(), 1_000);
    assert.ok(Array.isArray(engine.projections()));
    engine.free();
  });
}
