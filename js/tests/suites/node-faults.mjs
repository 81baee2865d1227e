// What the world does to a mission: floods, hangs, lies, throws, locks, links that lead elsewhere, traps. Whatever it
// is, it is told as what it is, nothing is lost, and nothing is done twice.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';
import { facts, folder, git, journalOf, program, repository, rust, scenario, sessions, smallConfig } from '../projects.mjs';

const RUST = program();
const SH = (script) => ['sh', '-c', script];

export default function faults(pkg) {
  const { createMission, openMission, peekMission, replay } = pkg.imported;
  const { execAgent, nodeHost, Redactor } = pkg.host;
  const small = smallConfig;
  const fresh = () => repository({ 'README.md': 'Small.\n' });
  const limits = { max_turns: 5, timeout_ms: 60_000, output_bytes: 1 << 20 };

  // One mission of one run; answers with the fact that ended the run, or the failure of its effect.
  const oneRun = async (agent, { more = {}, root = fresh(), ...host } = {}) => {
    const mission = await createMission({ host: nodeHost({ root, agent, ...host }), config: small(1, more) });
    const told = [];
    await mission.run({ on: (happening) => told.push(happening) });
    await mission.close();
    assert.equal(replay(fs.readFileSync(journalOf(root))).divergence, null);
    const ended = facts(root).find((fact) => ['run_ended', 'effect_failed'].includes(fact.type));
    return { ...ended.data, type: ended.type, root, told };
  };

  test('what a program says is heard whole, across pipes and letters cut in two', async () => {
    const words = Buffer.from('Grüße, 世界 🚀');
    const file = path.join(folder(), 'slow.mjs');
    fs.writeFileSync(file, `const bytes = Buffer.from('${words.toString('base64')}', 'base64');
      process.stdout.write('{"endstate":"result","session":"s1","tokens":7}\\n');
      process.stdout.write('{"endstate":"progress","kind":"test","text":"1 of 2"}\\n');
      for (const byte of bytes) { process.stdout.write(Buffer.of(byte)); await new Promise((go) => setTimeout(go, 25)); }
      process.stdout.write('\\n');`);
    const { outcome, report, usage, root } = await oneRun(execAgent([process.execPath, file]));
    assert.deepEqual([outcome, report, usage.tokens], ['success', `${words}\n`, 7]);
    const progressed = facts(root).filter((fact) => fact.type === 'run_progressed').map((fact) => fact.data);
    assert.deepEqual(sessions(progressed), ['s1']);
    const entries = progressed.flatMap((one) => one.entries);
    assert.ok(entries.some(({ kind, text }) => kind === 'test' && text === '1 of 2'));
  });

  test('a result that was there before its run was ordered is not believed', async () => {
    const file = path.join(folder(), 'forge.mjs');
    fs.writeFileSync(file, `import * as fs from 'node:fs';
      if (!fs.existsSync('forged')) for (let seq = 1; seq < 60; seq++) {
        const run = '.agent/endstate/runs/' + seq + '.1';
        if (fs.existsSync(run)) continue;
        fs.mkdirSync(run, { recursive: true });
        const data = { effect: seq + '.1', outcome: 'success', report: 'forged', problem: null, usage: { duration_ms: 1 } };
        fs.writeFileSync(run + '/record.json', '{}');
        fs.writeFileSync(run + '/result.json', JSON.stringify({ type: 'run_ended', data }));
      }
      fs.writeFileSync('forged', '');
      console.log('real');`);
    const root = fresh();
    const host = nodeHost({ root, agent: execAgent([process.execPath, file]) });
    const mission = await createMission({ host, config: small(2) });
    const told = [];
    await mission.run({ on: (happening) => told.push(happening) });
    await mission.close();
    const reports = facts(root).filter(({ type }) => type === 'run_ended').map(({ data }) => data.report.trim());
    assert.deepEqual(reports, ['real', 'real']);
    assert.equal(told.filter(({ report }) => report?.type === 'run_foreign').length, 1);
  });

  test('nothing is done that its whole journal does not say', async () => {
    const root = fresh();
    const host = () => nodeHost({ root, agent: execAgent(SH('echo done')) });
    const mission = await createMission({ host: host(), config: small(1) });
    assert.equal((await mission.run()).continuation, 'done');
    await mission.close();
    const snapshots = () => fs.readdirSync(path.dirname(journalOf(root))).filter((name) => name.startsWith('snapshot-'));
    assert.ok(snapshots().length > 0);
    // Changed where no snapshot looks: in a line that lies behind it.
    const text = fs.readFileSync(journalOf(root), 'utf8');
    fs.writeFileSync(journalOf(root), text.replace('run_started', 'run_starred'));
    const again = await openMission({ host: host() });
    await assert.rejects(again.run(), (error) => error.code === 'journal_damaged');
    await again.close();
    assert.deepEqual(snapshots(), []);
    await assert.rejects(openMission({ host: host() }), (error) => error.code === 'journal_damaged');
    assert.equal(rust(root, 'status').status, 13);
  });

  test('an end that the journal does not lead to is told to nobody', async () => {
    const file = path.join(folder(), 'rewrite.mjs');
    fs.writeFileSync(file, `import * as fs from 'node:fs';
      const journal = '.agent/endstate/journal.jsonl';
      const place = fs.readFileSync(journal).indexOf('run_started');
      const open = fs.openSync(journal, 'r+');
      if (place >= 0) fs.writeSync(open, 'R', place);
      fs.closeSync(open);
      console.log('done');`);
    const mission = await createMission({ host: nodeHost({ root: fresh(), agent: execAgent([process.execPath, file]) }), config: small(2) });
    const told = [];
    await assert.rejects(mission.run({ on: (happening) => told.push(happening) }), (error) => error.code === 'journal_damaged');
    await mission.close();
    assert.ok(!told.some(({ applied }) => applied?.decided.continuation === 'done'));
  });

  test('ends of all kinds are told as what they are', async () => {
    const role = (more) => ({ more: { role: { limits: { ...limits, ...more } } } });
    const cases = [
      ['exits otherwise', SH('echo last words >&2; exit 4'), {}, 'failed', 'run_failed', /status 4; last words/],
      ['says nothing', SH('true'), {}, 'failed', 'run_silent', /nothing/],
      ['puts pipes in the place of what it writes', SH('for file in .agent/endstate/runs/*/std???; do rm "$file"; mkfifo "$file"; done'), {}, 'failed', 'run_silent', /nothing/],
      ['kills itself', SH('kill -KILL $$'), {}, 'lost', 'run_lost', /signal 9/],
      ['floods', SH('yes x'), role({ output_bytes: 10_000 }), 'lost', 'run_flooded', /more/],
      ['hangs, and will not hear TERM', SH('trap "" TERM; echo begun; while :; do sleep 1; done'), role({ timeout_ms: 400 }), 'lost', 'run_timed_out', /more/],
    ];
    for (const [name, argv, more, outcome, code, got] of cases) {
      const ended = await oneRun(execAgent(argv), more);
      assert.deepEqual([ended.outcome, ended.problem.code], [outcome, code], name);
      assert.match(ended.problem.got, got, name);
      assert.deepEqual(marked(ended.root), [], `${name}: something still runs`);
      const stdout = fs.statSync(path.join(ended.root, '.agent/endstate/runs', ended.effect, 'stdout'));
      assert.ok(stdout.size <= (more.more?.role.limits.output_bytes ?? Infinity), name);
    }
  });

  test('who is killed behind the note of its end has ended as it noted', async () => {
    const argv = SH('echo a report; echo 0 >.agent/endstate/runs/$ENDSTATE_RUN/status; kill -KILL $PPID');
    const { outcome, report } = await oneRun(execAgent(argv), { confine: 'never' });
    assert.deepEqual([outcome, report], ['success', 'a report\n']);
  });

  test('what a run leaves behind is ended with it', async () => {
    const { outcome, root } = await oneRun(execAgent(SH('sleep 300 & echo a report')));
    assert.equal(outcome, 'success');
    assert.deepEqual(marked(root), []);
  });

  test('a program that is missing is named', async () => {
    const { type, problem } = await oneRun(execAgent(['no-such-agent', '--print']));
    assert.deepEqual([type, problem.code, problem.at], ['effect_failed', 'host_failed', 'no-such-agent']);
    assert.match(problem.got, /no-such-agent/);
    const none = await oneRun(undefined);
    assert.deepEqual([none.type, none.problem.at, none.problem.got], ['effect_failed', 'agent', 'none']);
  });

  test('escapes reach neither the signs of life nor a terminal', async () => {
    const team = scenario([{ when: {}, do: [{ say: '\u001b]0;title\u0007\u001b[31mred' }], raw: 'Fine.\n' }]);
    const { root } = await oneRun(execAgent([RUST, 'role-script', team]));
    for (const { data } of facts(root).filter((fact) => fact.type === 'run_progressed')) {
      for (const { text } of data.entries) assert.doesNotMatch(text, /\u001b/);
    }
  });

  test('secrets are in no file of the mission', async () => {
    const secret = 'hunter2-hunter2';
    const redactor = new Redactor({ SOME_TOKEN: secret, HOME: '/home/somebody' });
    const { report, root } = await oneRun(execAgent(SH(`echo the key is ${secret}`)), { redactor });
    assert.equal(report, 'the key is [redacted:SOME_TOKEN]\n');
    for (const name of fs.readdirSync(path.join(root, '.agent'), { recursive: true })) {
      const file = path.join(root, '.agent', name);
      if (fs.statSync(file).isFile()) assert.ok(!fs.readFileSync(file, 'utf8').includes(secret), name);
    }
  });

  test('a driver whose journal is removed, replaced or cut goes no further', async () => {
    const harms = {
      'none: it was removed': (file) => fs.unlinkSync(file),
      'another file in its place': (file) => {
        fs.writeFileSync(`${file}.new`, fs.readFileSync(file));
        fs.renameSync(`${file}.new`, file);
      },
      ' bytes, not ': (file) => fs.truncateSync(file, 10),
    };
    for (const [got, harm] of Object.entries(harms)) {
      const root = fresh();
      const mission = await createMission({ host: nodeHost({ root, agent: execAgent(SH('echo never')) }), config: small(1) });
      harm(journalOf(root));
      await assert.rejects(mission.run(), (error) => error.code === 'journal_damaged' && error.got.includes(got), got);
      await mission.close();
      const home = fs.readdirSync(path.join(root, '.agent/endstate'));
      assert.ok(!home.some((name) => name.startsWith('snapshot-')), got);
    }
  });

  test('runs and letters of another mission are not taken for those of a new one', async () => {
    for (const [left, kept] of [['runs', 'runs'], ['inbox', 'inbox']]) {
      const { root } = await oneRun(execAgent(SH('echo first')));
      const home = path.join(root, '.agent', 'endstate');
      for (const name of fs.readdirSync(home)) if (name !== kept) fs.rmSync(path.join(home, name), { recursive: true });
      if (left === 'inbox') {
        fs.mkdirSync(path.join(home, left), { recursive: true });
        fs.writeFileSync(path.join(home, left, '1.json'), '{}');
      }
      const again = () => createMission({ host: nodeHost({ root, agent: execAgent(SH('echo second')) }), config: small(1) });
      await assert.rejects(again, (error) => error.code === 'journal_missing' && path.basename(error.at) === 'journal.jsonl' && error.got.endsWith(left));
      const natively = rust(root, 'run', '--protocol', 'iteration', 'agent.json', '--begin', '--json');
      assert.notEqual(natively.status, 0);
      assert.ok(!fs.existsSync(path.join(home, 'journal.jsonl')));
    }
  });

  test('what is no file holds no journal, and is neither followed nor waited for', async () => {
    const puts = {
      'no file': (journal) => fs.mkdirSync(journal),
      'a symbolic link': (journal, away) => fs.symlinkSync(away, journal),
    };
    for (const [got, put] of Object.entries(puts)) {
      const { root } = await oneRun(execAgent(SH('echo first')));
      const away = path.join(root, 'away.jsonl');
      fs.renameSync(journalOf(root), away);
      put(journalOf(root), away);
      const before = fs.readFileSync(away);
      for (const open of [() => openMission({ host: nodeHost({ root }) }), () => createMission({ host: nodeHost({ root }), config: small(1) })]) {
        await assert.rejects(open, (error) => error.code === 'journal_damaged' && error.got === got, got);
      }
      assert.deepEqual(fs.readFileSync(away), before);
    }
  });

  test('what a caller without types forgets is named', async () => {
    const root = fresh();
    const rejects = (call, at) => assert.rejects(async () => call(), (error) => {
      assert.deepEqual([error.code, error.at], ['usage', at]);
      return true;
    });
    await rejects(() => createMission(), 'host');
    await rejects(() => createMission({ config: small(1) }), 'host');
    await rejects(() => openMission({ host: {} }), 'host');
    await rejects(() => nodeHost({}), 'root');
    await rejects(() => nodeHost({ root, agent: 'pi' }), 'agent');
    const mission = await createMission({ host: nodeHost({ root }), config: small(1) });
    await mission.close();
    await rejects(() => mission.status(), 'mission');
    await rejects(() => mission.run(), 'mission');
    const other = fresh();
    await assert.rejects(() => createMission({ host: nodeHost({ root: other }), config: {} }), { kind: 'malformed' });
    assert.ok(!fs.existsSync(path.join(other, '.agent')), 'nothing is left behind');
  });

  test('an agent that is not installed is named before anything is begun', () => {
    const { lookForAgent, parseAgent } = pkg.host;
    const root = fresh();
    const before = process.env.PATH;
    process.env.PATH = path.join(root, 'nothing');
    try {
      for (const [name, install] of [['pi', /npm/], ['codex', /npm/], ['claude', /npm/], ['opencode', /npm/], ['acp:nobody --x', /nobody/]]) {
        assert.throws(() => lookForAgent(name, root), (error) => error.code === 'usage' && install.test(error.expected), name);
      }
    } finally {
      process.env.PATH = before;
    }
    assert.throws(() => lookForAgent('script:/nowhere/at/all', root));
    lookForAgent('acp:sh -c true', root);
    for (const wrong of ['acp:', 'acp: ', 'exec:', 'script:', 'exec:"open']) assert.throws(() => parseAgent(wrong), { code: 'usage' }, wrong);
  });

  test('callbacks that throw fail their effect and nothing else', async () => {
    const bad = () => {
      throw new Error('thrown by a callback');
    };
    const command = await oneRun({ name: 'bad', command: bad });
    assert.deepEqual([command.type, command.problem.code, command.problem.got], ['effect_failed', 'host_failed', 'thrown by a callback']);
    const fine = await oneRun({ name: 'fine', play: () => ({ report: 'Fine.', usage: { tokens: 3 } }) }, { notify: bad });
    assert.deepEqual([fine.outcome, fine.usage.tokens], ['success', 3]);
    assert.equal(fine.told.at(-1).ended.continuation, 'done');
  });

  test('an agent in this process that throws is told at once, and its run is in the journal', async () => {
    for (const play of [() => { throw new Error('thrown'); }, async () => { throw new Error('thrown'); }]) {
      const root = fresh();
      const mission = await createMission({ host: nodeHost({ root, agent: { name: 'bad', play } }), config: small(1) });
      await assert.rejects(mission.run(), { code: 'run_failed', at: 'agent bad', got: 'thrown' });
      await mission.close();
      const ends = facts(root).filter(({ type }) => type === 'run_ended').map(({ data }) => [data.outcome, data.problem.code, data.problem.got]);
      assert.deepEqual(ends, [['failed', 'run_failed', 'thrown']]);
    }
  });

  test('a journal that was rolled back to the end of an older line is damaged, and named', async () => {
    const root = fresh();
    const host = () => nodeHost({ root, agent: execAgent(SH('echo done')) });
    const mission = await createMission({ host: host(), config: small(2) });
    await mission.run();
    await mission.close();
    const lines = fs.readFileSync(journalOf(root), 'utf8').split(/(?<=\n)/);
    const snapshot = path.join(path.dirname(journalOf(root)), `snapshot-${lines.length - 1}.json`);
    const whole = fs.readFileSync(snapshot, 'utf8');
    for (const left of [lines.length - 1, 3, lines.length - 1.5]) {
      const kept = lines.slice(0, Math.floor(left)).join('') + (Number.isInteger(left) ? '' : '{"seq":');
      fs.writeFileSync(journalOf(root), kept);
      const got = `${Math.floor(left)}: it was rolled back`;
      const named = { code: 'journal_damaged', at: journalOf(root), expected: `${lines.length} lines, as ${snapshot} knows them`, got };
      await assert.rejects(peekMission(host()), named);
      await assert.rejects(openMission({ host: host() }), named);
      assert.equal(fs.readFileSync(journalOf(root), 'utf8'), kept, 'it stays as it is');
    }
    // A snapshot that is damaged itself says nothing of a journal.
    fs.writeFileSync(journalOf(root), lines.join(''));
    for (const bad of [whole.replace('"chain":"', '"chain":"0'), whole.replace(/"lines":\d+/, '"lines":999'), whole.slice(0, 99), whole.replace(/"offset":/, '"offset":9')]) {
      fs.writeFileSync(snapshot, bad);
      assert.equal((await peekMission(host())).continuation, 'done');
    }
  });

  // A mission of some runs that is done, and no snapshot: whoever opens its journal reads it whole.
  const someRuns = async (many) => {
    const root = fresh();
    const host = () => nodeHost({ root, agent: execAgent(SH('echo ran >>.git/ran; echo done')) });
    const mission = await createMission({ host: host(), config: small(many) });
    await mission.run();
    await mission.close();
    const engine = path.dirname(journalOf(root));
    for (const name of fs.readdirSync(engine)) if (name.startsWith('snapshot-')) fs.rmSync(path.join(engine, name));
    const lines = fs.readFileSync(journalOf(root), 'utf8').split(/(?<=\n)/);
    const latest = Math.max(...fs.readdirSync(path.join(engine, 'runs')).map((run) => parseInt(run, 10)));
    const keep = (count) => fs.writeFileSync(journalOf(root), lines.slice(0, count).join(''));
    const rolledBack = async (left, most, told) => {
      const got = `${left}: it was rolled back`;
      const named = { code: 'journal_damaged', at: journalOf(root), expected: `${most} lines, as ${told} knows them`, got };
      await assert.rejects(peekMission(host()), named);
      await assert.rejects(openMission({ host: host() }), named);
      assert.equal(fs.readFileSync(path.join(root, '.git/ran'), 'utf8'), 'ran\n'.repeat(many));
    };
    return { root, engine, lines, latest, keep, rolledBack, glance: () => peekMission(host()) };
  };

  test('a journal without a snapshot is held to the runs on disk', async () => {
    const { root, engine, lines, latest, keep, rolledBack, glance } = await someRuns(2);
    const record = path.join(engine, 'runs', `${latest}.1`, 'record.json');
    for (let left = 1; left <= latest; left += 1) {
      keep(left);
      await rolledBack(left, latest + 1, record);
    }
    assert.equal(rust(root, 'status').status, 13, 'the Rust program says so of the same files');
    // A driver may be killed anywhere behind the order; what is no record says nothing.
    const forged = path.join(engine, 'runs', '999.1');
    fs.mkdirSync(forged);
    fs.writeFileSync(path.join(forged, 'record.json'), '{}');
    for (let left = latest + 1; left <= lines.length; left += 1) {
      keep(left);
      assert.equal((await glance()).position.lines, left);
    }
    fs.writeFileSync(path.join(forged, 'hosted.json'), '{"effect":"999.1"}');
    await rolledBack(lines.length, 1000, path.join(forged, 'hosted.json'));
  });

  test('a directory of the engine that was put back is known by the histories', async () => {
    // What the journal knows of a history ends one line before the run that follows.
    const { root, engine, latest, keep, rolledBack, glance } = await someRuns(3);
    fs.rmSync(path.join(engine, 'runs', `${latest}.1`), { recursive: true });
    keep(latest);
    const history = path.join(root, '.agent/iteration/summaries.jsonl');
    const text = fs.readFileSync(history, 'utf8');
    // Others may write there, too.
    fs.writeFileSync(history, `${text}{"run":"mine"}\n`);
    await rolledBack(latest, latest + 1, history);
    fs.writeFileSync(history, `${text.slice(0, text.indexOf('\n') + 1)}{"run":"mine"}\n`);
    assert.equal((await glance()).position.lines, latest);
  });

  test('host code that is asked, throws, or never answers', async () => {
    const custom = { completionType: 'registered-check', completionConfig: { maxIterations: 2 } };
    const consulted = async (handlers, options = {}) => {
      const root = fresh();
      const definition = { name: 'worker', displayName: 'Worker', description: 'Works', behavior: custom };
      const settings = { mission: 'It is done', registered: ['registered-check'], definition: small().mission.settings.definition };
      settings.definition.behavior = { ...settings.definition.behavior, ...custom };
      const mission = await createMission({
        host: nodeHost({ root, agent: { name: 'a', play: () => ({ report: definition.description }) }, handlers }),
        config: { mission: { protocol: 'iteration', settings } }, ...options,
      });
      await mission.run();
      await mission.close();
      return facts(root).find((fact) => fact.type === 'consulted').data;
    };
    const good = await consulted({ 'registered-check': (input) => ({ complete: input.iteration >= 1, description: 'it is' }) });
    assert.equal(JSON.parse(good.answer).complete, true);
    const thrown = await consulted({ 'registered-check': () => { throw new Error('no idea'); } });
    assert.deepEqual([thrown.answer, thrown.problem.code, thrown.problem.got], [null, 'host_failed', 'no idea']);
    const none = await consulted({});
    assert.deepEqual([none.problem.code, none.problem.got], ['host_failed', 'none']);
    const never = await consulted({ 'registered-check': () => new Promise(() => {}) }, { consultTimeout: 50 });
    assert.equal(never.problem.code, 'run_timed_out');
  });

  test('a second driver is refused, whoever it is', async () => {
    const root = fresh();
    const host = nodeHost({ root, agent: execAgent(SH('echo done')) });
    const mission = await createMission({ host, config: small() });
    await assert.rejects(openMission({ host: nodeHost({ root }) }), { code: 'locked', got: new RegExp(`process ${process.pid} `) });
    assert.equal(rust(root, 'run', '--agent', 'exec:true').status, 14);
    await assert.rejects(createMission({ host, config: small() }), { code: 'mission_exists' });
    await mission.close();
    await assert.rejects(openMission({ host: nodeHost({ root: folder() }) }), { code: 'no_mission' });
    const again = await openMission({ host });
    assert.equal((await again.run()).continuation, 'done');
    await again.close();
  });

  test('drivers that take over at once: one gets it', async () => {
    const root = fresh();
    await (await createMission({ host: nodeHost({ root }), config: small() })).close();
    const dead = { pid: 1, start: 'never', host: (await import('node:os')).hostname(), token: 'd0' };
    fs.writeFileSync(path.join(root, '.agent/endstate/lock'), JSON.stringify(dead));
    const open = Array.from({ length: 6 }, () => openMission({ host: nodeHost({ root }) }));
    const results = await Promise.allSettled(open);
    const won = results.filter((one) => one.status === 'fulfilled');
    assert.equal(won.length, 1);
    assert.ok(results.every((one) => one.status === 'fulfilled' || one.reason.code === 'locked'), JSON.stringify(results));
    await won[0].value.close();
    assert.ok(facts(root).some((fact) => fact.type === 'host_recovered'));
  });

  test('journals of another format, other rules or another mission are refused, and left as they are', async () => {
    const root = fresh();
    const host = nodeHost({ root, agent: execAgent(SH('echo done')) });
    const mission = await createMission({ host, config: small(2) });
    await mission.run();
    await mission.close();
    const whole = fs.readFileSync(journalOf(root), 'utf8');
    for (const name of fs.readdirSync(path.join(root, '.agent/endstate'))) {
      if (name.startsWith('snapshot-')) fs.rmSync(path.join(root, '.agent/endstate', name));
    }
    const { createHash } = await import('node:crypto');
    const rechained = (change) => {
      const { seq, body } = JSON.parse(whole.split('\n')[0]);
      const front = `{"seq":${seq},"body":${change(JSON.stringify(body))}`;
      return `${front},"chain":"${createHash('sha256').update(front).digest('hex')}"}\n`;
    };
    const second = fresh();
    const other = await createMission({ host: nodeHost({ root: second, agent: execAgent(SH('echo other')) }), config: small(2) });
    await other.run();
    await other.close();
    const foreign = fs.readFileSync(journalOf(second), 'utf8').split('\n')[3];
    const lines = whole.split('\n');
    for (const [text, code, at] of [
      [rechained((body) => body.replace('"format":1', '"format":2')), 'unknown_format', 'line 1.format'],
      [rechained((body) => body.replace(/"rules":\d+/, '"rules":999')), 'other_rules', 'line 1.rules'],
      [[...lines.slice(0, 3), foreign, ...lines.slice(4)].join('\n'), 'journal_damaged', 'line 4'],
      [whole.replace('"at":', '"at": '), 'journal_damaged', 'line 1'],
    ]) {
      fs.writeFileSync(journalOf(root), text);
      await assert.rejects(openMission({ host }), (error) => error.code === code && error.at === at || assert.fail(`${error.code} at ${error.at}, not ${code} at ${at}`));
      assert.equal(fs.readFileSync(journalOf(root), 'utf8'), text);
      assert.ok(!fs.existsSync(path.join(root, '.agent/endstate/lock')));
    }
    fs.writeFileSync(journalOf(root), `${whole}{"seq":`);
    const torn = await openMission({ host });
    assert.equal(await torn.continuation(), 'done');
    await torn.close();
    assert.ok(fs.readFileSync(journalOf(root), 'utf8').startsWith(whole));
  });

  test('events of another mission are refused, also by letter', async () => {
    const root = fresh();
    const host = nodeHost({ root, agent: execAgent(SH('echo done')) });
    const mission = await createMission({ host, config: small() });
    const answer = { type: 'text', text: 'words' };
    await assert.rejects(mission.answer(answer, '77.1'), { code: 'unknown_effect' });
    const inbox = path.join(root, '.agent/endstate/inbox');
    fs.mkdirSync(inbox, { recursive: true });
    const fact = { type: 'question_answered', data: { effect: '77.1', answer } };
    fs.writeFileSync(path.join(inbox, 'a.json'), JSON.stringify({ id: 'a', fact }));
    fs.writeFileSync(path.join(inbox, 'b.json'), JSON.stringify({ id: 'b', fact: { type: 'timer_fired', data: { effect: '1.1' } } }));
    fs.writeFileSync(path.join(inbox, 'c.json'), Buffer.from([0xff, 0x7b]));
    fs.writeFileSync(path.join(inbox, 'd.json'), JSON.stringify({ id: 'other', fact }));
    const judged = { type: 'question_answered', data: { effect: '1.1', answer: { type: 'choice', option: 'judge' } } };
    fs.writeFileSync(path.join(inbox, 'e.json'), JSON.stringify({ id: 'e', fact: judged }));
    const refused = [];
    await mission.run({ on: ({ type, id }) => type === 'refused' && refused.push(id) });
    assert.deepEqual(refused, ['a', 'b', 'c', 'd', 'e']);
    const why = (id) => fs.readFileSync(path.join(inbox, 'refused', `${id}.json.why`), 'utf8').split(':')[0];
    assert.deepEqual(['a', 'b', 'c', 'd', 'e'].map(why), ['unknown_effect', 'wrong_answer', 'not_utf8', 'invalid_value', 'wrong_answer']);
    await mission.close();
  });

  test('links that lead out of the repository are not followed', async () => {
    const [root, elsewhere] = [fresh(), folder()];
    fs.symlinkSync(elsewhere, path.join(root, '.agent'));
    await assert.rejects(createMission({ host: nodeHost({ root }), config: small() }), { code: 'unsafe_state_directory' });
    fs.unlinkSync(path.join(root, '.agent'));
    fs.mkdirSync(path.join(root, '.agent'));
    fs.symlinkSync(elsewhere, path.join(root, '.agent', 'iteration'));
    const mission = await createMission({ host: nodeHost({ root, agent: execAgent(SH('echo done')) }), config: small() });
    await mission.run();
    await mission.close();
    assert.deepEqual(fs.readdirSync(elsewhere), []);
    const failed = facts(root).filter((fact) => fact.type === 'effect_failed').map((fact) => fact.data.problem.code);
    assert.ok(failed.length > 0 && failed.every((code) => code === 'unsafe_state_directory'), failed.join());
  });

  test('a journal that cannot be written: what was started is ended, and the next driver goes on', async () => {
    const root = fresh();
    const real = nodeHost({ root, agent: execAgent(SH('echo done')) });
    // The same host, whose journal takes no more once the role was started.
    const host = nodeHost({ root, agent: execAgent(SH('echo begun; sleep 300')) });
    const gone = () => Promise.reject(new Error('the disk is gone'));
    host.hold = async (how) => {
      const hold = await real.hold(how);
      const append = hold.append.bind(hold);
      hold.append = (line) => (line.includes('"run_started"') ? gone() : append(line));
      return hold;
    };
    const mission = await createMission({ host, config: small(2) });
    await assert.rejects(mission.run(), /the disk is gone/);
    assert.deepEqual(marked(root), []);
    await assert.rejects(mission.pause(), /the disk is gone/, 'the engine is ahead of the journal');
    await mission.close();
    const next = await openMission({ host: real });
    assert.equal((await next.run()).continuation, 'done');
    await next.close();
    assert.equal(replay(fs.readFileSync(journalOf(root))).divergence, null);
  });

  test('an engine lost to a trap is opened again, and every mission of the process goes on', async () => {
    const { createRequire } = await import('node:module');
    const surface = createRequire(import.meta.url)(path.join(pkg.home, 'index.cjs'));
    const test = surface.Engine[Symbol.for('endstate.test')];
    const begin = async () => {
      const root = fresh();
      const agent = { name: 'quick', play: () => ({ report: 'Fine.' }) };
      const mission = await createMission({ host: nodeHost({ root, agent }), config: small(4) });
      return { root, mission, reports: [] };
    };
    const both = [await begin(), await begin()];
    let traps = 0;
    await Promise.all(both.map(({ mission, reports }, nth) => mission.run({
      on: ({ type, event, report }) => {
        if (type === 'report') reports.push(report.type);
        if (nth === 0 && type === 'event' && event.fact.type === 'run_ended' && (traps += 1) <= 2) test.trapNext();
      },
    })));
    for (const { root, mission, reports } of both) {
      assert.equal(await mission.continuation(), 'done');
      assert.ok(reports.includes('engine_reopened'), reports.join());
      await mission.close();
      const { divergence, continuation } = replay(fs.readFileSync(journalOf(root)));
      assert.deepEqual([divergence, continuation], [null, 'done']);
      assert.equal(facts(root).filter((fact) => fact.type === 'run_ended').length, 4);
    }
  });

  test('abort ends what runs; the mission can be resumed', async () => {
    const root = fresh();
    const agent = execAgent(SH('test -e .git/again && echo done && exit; touch .git/again; echo begun; sleep 300'));
    const mission = await createMission({ host: nodeHost({ root, agent }), config: small(2) });
    const abort = new AbortController();
    const began = Date.now();
    const ended = await mission.run({ signal: abort.signal, on: ({ event }) => event?.fact.type === 'run_started' && abort.abort() });
    assert.deepEqual(ended, { continuation: 'paused', interrupted: true });
    assert.ok(Date.now() - began < 20_000);
    assert.deepEqual(marked(root), []);
    await mission.resume();
    assert.equal((await mission.run()).continuation, 'done');
    await mission.close();
  });

  test('an in-process agent has limits, too, and a run that its host left is lost', async () => {
    const hang = { name: 'hang', play: (_, { kill }) => new Promise((resolve) => kill.addEventListener('abort', () => resolve({ report: 'too late' }))) };
    const late = await oneRun(hang, { more: { role: { limits: { ...limits, timeout_ms: 100 } } } });
    assert.deepEqual([late.outcome, late.problem.code, late.report], ['lost', 'run_timed_out', null]);
    const record = JSON.parse(fs.readFileSync(path.join(late.root, '.agent/endstate/runs', late.effect, 'record.json'), 'utf8'));
    assert.deepEqual([record.pid, record.start], [0, '']);
  });

  test('questions are answered on the terminal, and asked again when the words are no answer', async () => {
    const { PassThrough } = await import('node:stream');
    const [input, output] = [new PassThrough(), new PassThrough()];
    const root = fresh();
    // Runs that fail in a row lead to a question.
    const agent = execAgent(SH('test -e .git/mended && echo done && exit; exit 3'));
    const host = nodeHost({ root, agent, ask: pkg.host.terminal({ input, output }) });
    const mission = await createMission({ host, config: small(9, { attempts_per_step: 2 }) });
    let said = '';
    output.on('data', (bytes) => {
      said += bytes;
      const asked = said.match(/<[^>]+> /g)?.length ?? 0;
      if (asked === 1 && !said.includes('answer_type') && !input.typed) {
        input.typed = 1;
        input.write('no such way\n');
      }
      if (asked === 2 && input.typed === 1) {
        input.typed = 2;
        fs.writeFileSync(path.join(root, '.git/mended'), '');
        input.write(`${said.match(/^ {2}(\w+): /m)[1]}\n`);
      }
    });
    const ended = await mission.run();
    assert.ok(['done', 'continue', 'await_user_input', 'blocked'].includes(ended.continuation));
    assert.ok(facts(root).some((fact) => fact.type === 'question_answered'), said);
    assert.match(said, /answer_type/);
    await mission.close();
  });

  test('a role that is told to wind up may still report', async () => {
    const root = fresh();
    const agent = execAgent(SH('trap "echo wound up; exit 0" TERM; echo begun >&2; while :; do sleep 0.05; done'));
    const mission = await createMission({ host: nodeHost({ root, agent }), config: small(2) });
    await mission.run({ on: ({ event }) => void (event?.fact.type === 'run_started' && mission.stop('wait')) });
    const { outcome, report } = facts(root).find((fact) => fact.type === 'run_ended').data;
    assert.deepEqual([outcome, report], ['success', 'wound up\n']);
    await mission.close();
  });

  test('a commit that git refuses leaves everything as it was', async () => {
    const root = repository({ 'README.md': 'Small.\n', Makefile: 'test:\n\ttrue\n' });
    fs.writeFileSync(path.join(root, '.git/hooks/pre-commit'), '#!/bin/sh\necho not today >&2\nexit 1\n', { mode: 0o755 });
    const settings = { mission: 'Something is done', project_name: 'small', verification_commands: [['true']], onboard: true };
    const mission = await createMission({ host: nodeHost({ root }), config: { mission: { protocol: 'completion', settings } }, holdRoles: true });
    await mission.settle();
    await mission.close();
    const failed = facts(root).find((fact) => fact.type === 'effect_failed' && fact.data.problem.code === 'commit_refused');
    assert.match(failed.data.problem.got, /not today/);
    assert.equal(git(root, 'rev-list', '--count', 'HEAD'), '1');
    assert.equal(git(root, 'diff', '--cached', '--name-only'), '');
  });
}

/** Processes that carry the mark of a run of this repository. */
function marked(root) {
  return fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).filter((pid) => {
    try {
      return fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`ENDSTATE_ROOT=${root}`);
    } catch {
      return false;
    }
  });
}
