// Missions that an engine of older rules began (tests/old/<protocol>: rules 1, their driver killed), taken over in Node:
// the same line, the same refusals as natively, and either goes on with what the other upgraded.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { root as here, thrownBy } from '../package.mjs';
import { folder, git, journalOf, program, rust } from '../projects.mjs';

const DRIVE = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'drive.mjs');
const PROTOCOLS = ['completion', 'promise', 'iteration', 'sprint', 'grid'];
const LATER = 1_900_000_000_000;
const from = (protocol) => path.join(here, 'tests', 'old', protocol);
const oldJournal = (protocol) => fs.readFileSync(path.join(from(protocol), 'journal.jsonl'), 'utf8');
const read = (root) => fs.readFileSync(journalOf(root), 'utf8');
const count = (journal) => journal.split('\n').length - 1;
/** The numbers of the lines that are upgrades. */
const upgrades = (journal) => journal.split('\n').flatMap((line, at) => (at > 0 && line.includes(',"body":{"format":') ? [at] : []));
const bodies = (journal) => journal.trimEnd().split('\n').map((line) => line.replace(/^\{"seq":\d+,"body":/, '').replace(/,"chain":"[0-9a-f]*"\}$/, ''));
const chained = (all) => {
  let chain = '';
  return all.map((body, seq) => {
    const front = `{"seq":${seq},"body":${body}`;
    chain = createHash('sha256').update(chain + front).digest('hex');
    return `${front},"chain":"${chain}"}\n`;
  }).join('');
};

/** The repository of an old mission, as the killed driver left it, but for its lock. */
function repository(protocol) {
  const at = folder();
  git(at, 'clone', '-q', '-b', 'main', path.join(from(protocol), 'repository.bundle'), '.');
  git(at, 'remote', 'remove', 'origin');
  git(at, 'config', 'user.name', 'Test');
  git(at, 'config', 'user.email', 'test@example.invalid');
  const files = JSON.parse(fs.readFileSync(path.join(from(protocol), 'files.json'), 'utf8'));
  for (const [name, text] of Object.entries({ ...files, '.agent/endstate/.gitignore': '*\n' })) {
    fs.mkdirSync(path.dirname(path.join(at, name)), { recursive: true });
    fs.writeFileSync(path.join(at, name), text);
  }
  for (const name of fs.readdirSync(from(protocol)).filter((one) => /^(journal|snapshot-)/.test(one))) {
    fs.copyFileSync(path.join(from(protocol), name), path.join(at, '.agent/endstate', name));
  }
  return at;
}

export default function upgrade(pkg) {
  const { Engine, openMission, peekMission, replay } = pkg.imported;
  const { execAgent, nodeHost } = pkg.host;
  const nobody = (root) => nodeHost({ root, agent: execAgent(['false']) });
  const open = async (root) => {
    const mission = await openMission({ host: nobody(root), holdRoles: true });
    await mission.close();
  };
  const sound = (root, lines) => {
    const found = replay(Buffer.from(read(root)));
    assert.deepEqual([found.divergence, found.older_lines], [null, lines]);
  };

  for (const protocol of PROTOCOLS) {
    test(`an old mission of ${protocol} is looked at without a change, and upgraded once`, async () => {
      const root = repository(protocol);
      const old = oldJournal(protocol);
      const glance = await peekMission(nobody(root));
      assert.equal(glance.position.lines, count(old));
      assert.equal(read(root), old);
      await open(root);
      const first = read(root);
      assert.ok(first.startsWith(old));
      assert.deepEqual(upgrades(first), [count(old)]);
      await open(root);
      assert.deepEqual(upgrades(read(root)), [count(old)]);
      sound(root, count(old));
      // The Rust program reads what Node upgraded.
      assert.match(rust(root, 'replay', '.agent/endstate/journal.jsonl').stdout, /were made under older rules: chain verified/);
      assert.equal(rust(root, 'status').status, 0);
    });
  }

  test('an old mission is driven to its end by Node', () => {
    const root = repository('promise');
    const team = path.join(here, 'src', 'cli', 'demo', 'promise', 'team.yaml');
    const { stdout, stderr } = spawnSync(process.execPath, [DRIVE, pkg.home, root, '-', program(), 'role-script', team], { encoding: 'utf8' });
    assert.equal(JSON.parse(stdout.trim().split('\n').at(-1)).continuation, 'done', stdout + stderr);
    sound(root, count(oldJournal('promise')));
    assert.equal(rust(root, 'check').status, 0);
  });

  test('a kill at any byte of the upgrade loses nothing', async () => {
    const old = oldJournal('iteration');
    const engine = Engine.openJournal(Buffer.from(old));
    const line = `${engine.upgrade(LATER)}\n`;
    engine.free();
    for (const cut of [0, 1, line.length >> 1, line.length - 1, line.length]) {
      const root = repository('iteration');
      fs.writeFileSync(journalOf(root), old + line.slice(0, cut));
      await open(root);
      assert.ok(read(root).startsWith(old), `cut at ${cut}`);
      assert.deepEqual(upgrades(read(root)), [count(old)], `cut at ${cut}`);
      sound(root, count(old));
    }
  });

  test('what is refused now is set aside by name; damage, newer rules and a second driver are refused', async () => {
    const root = repository('sprint');
    const old = bodies(oldJournal('sprint'));
    const late = old.find((body) => body.includes('"type":"run_started"'));
    fs.writeFileSync(journalOf(root), chained([...old, late]));
    const found = [];
    const mission = await openMission({ host: nobody(root), holdRoles: true });
    mission.observe((one) => found.push(one));
    await assert.rejects(openMission({ host: nobody(root) }), { code: 'locked' });
    await mission.settle();
    await mission.close();
    const report = found.find((one) => one.type === 'report' && one.report.type === 'older_rules');
    assert.ok(report.report.aside.some((one) => one.startsWith('event ')));
    assert.match(read(root), /set aside: event/);
    sound(root, old.length + 1);

    // Before the snapshot, where nobody would look but for the upgrade.
    const damaged = repository('completion');
    const bytes = fs.readFileSync(journalOf(damaged));
    bytes[200] ^= 1;
    fs.writeFileSync(journalOf(damaged), bytes);
    await assert.rejects(open(damaged), { code: 'journal_damaged' });
    assert.ok(fs.readFileSync(journalOf(damaged)).equals(bytes));

    const newer = repository('promise');
    const all = bodies(read(newer));
    fs.writeFileSync(journalOf(newer), chained([all[0].replace('"rules":1', '"rules":99'), ...all.slice(1)]));
    await assert.rejects(open(newer), { code: 'other_rules' });
  });

  test('an engine of an older journal gives no lines before it is upgraded', () => {
    const engine = Engine.openJournal(Buffer.from(oldJournal('grid')));
    assert.equal(engine.older().rules, 1);
    const event = { at: LATER, fact: { type: 'host_recovered', data: { from: 'restart', note: 'x' } } };
    const copy = Engine.openJournal(Buffer.from(oldJournal('grid')));
    assert.equal(copy.apply(event).line, undefined);
    const line = engine.upgrade(LATER);
    assert.equal(engine.older(), undefined);
    assert.equal(engine.upgrade(LATER), undefined);
    const whole = `${oldJournal('grid')}${line}\n${engine.apply(event).line}\n`;
    assert.equal(replay(Buffer.from(whole)).divergence, null);
    const twice = chained([...bodies(whole), bodies(whole).at(-2)]);
    assert.equal(thrownBy(() => replay(Buffer.from(twice))).code, 'journal_damaged');
    engine.free();
    copy.free();
  });
}
