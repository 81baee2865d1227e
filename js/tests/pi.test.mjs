// The extension in the real pi, against a scripted model on loopback: `node --test js/tests/pi.test.mjs`. Each whole
// mission once; `node js/tests/pi-repeat.mjs 10` is the same ten times. pi is installed from npm, once
// (tests/agents/install.mjs); without it everything here is skipped, and says so.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { after, describe, test } from 'node:test';
import { completion, PROJECT, SLICES } from '../../tests/model/completion.mjs';
import { serve } from '../../tests/model/server.mjs';
import { report } from '../../tests/model/words.mjs';
import {
  absent, begun, carrying, endAll, facts, MISSION, outcome, place, print, removeAll, rpc, team, until,
} from './pi/kit.mjs';
import { assertEnd, byRpc, byTerminal, killed, teamOf } from './pi/whole.mjs';
import { sessions } from './projects.mjs';

after(() => {
  endAll();
  removeAll();
});
const options = { skip: absent };
const products = new Set();

/** A project with settings for missions in pi. */
const withSettings = (settings, files = PROJECT) => (
  { ...files, '.pi/endstate.json': JSON.stringify({ proof: { accept: 'judged' }, ...settings }) });
/** The agent of the iteration protocol: so many runs of anything. */
const agent = (runs) => ({
  'agent.json': JSON.stringify({
    name: 'helper', displayName: 'Helper',
    behavior: { completionType: 'iterate', completionConfig: { maxIterations: runs } },
  }),
});
// eslint-disable-next-line no-control-regex
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

describe('a whole mission', options, () => {
  test('in RPC mode: from the first word to the agreed stop, reports by the tool', async () => {
    const told = [];
    const { there, pi, model, end } = await byRpc({ slices: 2, told: (role, text) => told.push({ role, text }) });
    products.add(end.product);
    // What the model left out was refused at once, by the schema, and mended in the same run.
    assert.ok(told.some(({ role, text }) => role === 'implementer' && /outcome/.test(text)), JSON.stringify(told));
    const implementers = facts(there, 'run_ended').filter(({ report }) => /"outcome":"implemented"/.test(report ?? ''));
    assert.equal(implementers.length, 2);
    // The report is the tool's: the model never said it.
    const spoken = model.requests.map(({ answer }) => answer?.text ?? '').join('\n');
    assert.ok(implementers.every(({ report }) => !spoken.includes(report.trim())));
    const named = sessions(facts(there, 'run_progressed'));
    assert.equal(named.length, facts(there, 'run_started').length, JSON.stringify(named));
    assert.equal(new Set(named).size, named.length, JSON.stringify(named));
    // Roles had the model of the session.
    assert.ok(model.requests.every((request) => request.model === 'scripted-1'));
    const drawn = pi.requests('setWidget').map(({ widgetLines }) => (widgetLines ?? []).join('\n'));
    assert.ok(drawn.some((lines) => /^S1 \w+: Greet by name$/m.test(lines) && /^criteria AC-\d+ \w+, AC-\d+ /m.test(lines)), drawn.join('\n--\n'));
    assert.ok(drawn.some((lines) => /^next completion-\w+: /m.test(lines) || /^completion-\w+ \d+\.\d+/m.test(lines)));
    assert.ok(drawn.some((lines) => /^budget role_runs \d+\/\d+/m.test(lines)));
    assert.match(drawn.at(-1), /^done \(not driven\): /m);
    assert.ok(pi.requests('setStatus').some(({ statusText }) => /^endstate · /.test(statusText ?? '')));
  });

  test('in a pseudo-terminal, typed', async () => {
    const { end, screen } = await byTerminal();
    products.add(end.product);
    assert.match(screen, /budget role_runs/);
  });

  test('killed in the middle: it is gone on with from the journal, and ends the same', async () => {
    const { end } = await killed();
    products.add(end.product);
    assert.equal(end.lost, 0, 'the role that outlived its driver was taken up');
    // One slice or two make two products; how they came about makes none.
    assert.equal(products.size, 2);
  });
});

describe('what the end rests on', options, () => {
  test('a command is proposed for what only words show, taken in a dialog, and decides', async () => {
    // A test that the work adds: nothing else of the project could show it.
    const argv = ['sh', 'tests/greet_test.sh'];
    const proposer = ({ prompt }) => {
      const asked = [...prompt.matchAll(/^### (WORDS-\d+)/gm)].map((hit) => hit[1]);
      const rows = asked.map((criterion, at) => ({ criterion, argv: at === 0 ? argv : [], reason: at === 0 ? 'it greets' : 'it takes a reader' }));
      return report(prompt, 'none', { criteria: rows });
    };
    const model = await serve({ script: teamOf(1, { chat: proposer }) });
    const there = place(model.url, withSettings({ proof: {} }));
    const asked = [];
    const pi = rpc(there, {
      answer: ({ title, options: rows }) => {
        asked.push(title);
        return { value: rows.find((row) => row.startsWith('take:')) };
      },
    });
    await pi.prompt(`/endstate ${MISSION}`);
    const said = await pi.noted(/^endstate: (done|blocked|paused|await_user_input):/, 400_000);
    assert.equal(asked.length, 1);
    assert.match(asked[0], /sh tests\/greet_test\.sh/);
    assertEnd(there, 1);
    // The greeting and the tests of the project are observed; what is judged is not enough where nobody accepted judges.
    assert.match(said, /^rests on 2 observed, 1 judged, 0 claimed$/m);
    assert.match(said, /^not enough: S1 AC-\d+ is judged: /m);
    assert.equal(said.match(/^not enough: /gm).length, 1);
    await pi.close();
    await model.close();
  });
});

describe('what can go wrong', options, () => {
  test('a model that answers 401 fails the run with its reason; the question is answered over RPC', async () => {
    const model = await serve({ script: teamOf(1), status: 401 });
    const there = place(model.url, withSettings({ completion: { attempts_per_step: 1 }, budget: { role_runs: 40 } }));
    const asked = [];
    const pi = rpc(there, {
      answer: (request) => {
        asked.push(request);
        // The first time the person leaves the dialog: that is no answer.
        if (asked.length === 1) return { cancelled: true };
        model.refuse(200);
        return { value: request.options[0] };
      },
    });
    await pi.prompt(`/endstate ${MISSION}`);
    await pi.noted(/^endstate: await_user_input: [^]*\nquestion \d+\.\d+: /);
    const [{ outcome: how, problem, report }] = facts(there, 'run_ended');
    assert.deepEqual({ how, report }, { how: 'failed', report: null });
    assert.match(problem.got, /401/);
    assert.match(asked[0].title, /401/);
    assert.ok(asked[0].options.at(-1) === 'Leave it open' && /^retry: /.test(asked[0].options[0]), JSON.stringify(asked));
    await pi.prompt('/endstate status');
    await pi.noted(/answer with: \/endstate answer \d+\.\d+/);
    // Asked again, answered with the dialog, and the mission goes on to its end.
    await pi.prompt('/endstate');
    await pi.noted(/^endstate: done:/, 400_000);
    assert.equal(asked.length, 2);
    assert.equal(facts(there, 'question_answered').length, 1);
    assertEnd(there, 1);
    await pi.close();
    await model.close();
  });

  test('a question is answered in words', async () => {
    const model = await serve({ script: () => ({ say: 'All done.' }), status: 401 });
    const there = place(model.url, withSettings({ completion: { attempts_per_step: 1 } }));
    const pi = rpc(there, { answer: () => ({ cancelled: true }) });
    await pi.prompt(`/endstate ${MISSION}`);
    await pi.noted(/^endstate: await_user_input/);
    await pi.prompt('/endstate answer maybe');
    await pi.noted(/one of retry, block/);
    await pi.prompt('/endstate answer block');
    await until(() => facts(there, 'question_answered').length === 1, 'the answer');
    await pi.prompt('/endstate why');
    assert.equal(outcome(there).continuation, 'blocked');
    await pi.prompt('/endstate');
    await pi.noted(/the mission here is blocked: \/endstate resume/);
    await pi.close();
    await model.close();
  });

  test('settings that make no sense are named, and nothing is begun', async () => {
    const there = place('http://127.0.0.1:9', withSettings({ modle: 'x' }));
    const { status, out } = await print(there, `/endstate ${MISSION}`);
    assert.match(out, /unknown_field.*\.pi\/endstate\.json: modle/);
    assert.equal(status, 1);
    assert.equal(begun(there), false);
  });
});

describe('the session of the person', options, () => {
  test('only drives: what may write is refused while an item is live, in every session; stop, and it is free', async () => {
    const evil = (heard) => {
      const asked = heard.prompt.split('Write evil.txt').length - 1;
      const done = heard.results.length - 3 * (asked - 1);
      if (done === 0) return { calls: [{ name: 'write', args: { path: 'evil.txt', content: 'x' } }, { name: 'bash', args: { command: 'echo x > evil.txt' } }] };
      if (done === 2) return { calls: [{ name: 'read', args: { path: 'README.md' } }] };
      return { say: 'I tried.' };
    };
    // What an agent wrote: a terminal must not obey it.
    const slices = [{ ...SLICES[0], criteria: ['`sh greet.sh Ada` prints \u001b]0;evil\u0007`Hello, Ada`', 'A test\u001b[2J shows it'] }];
    let holds = true;
    const honest = team({ base: completion({ slices }), chat: evil });
    const script = (heard) => {
      const works = /You are the completion-implementer/.test(heard.prompt);
      if (works && holds && heard.results.length === 0) return { bash: "printf '\\033]0;evil\\007\\033[2J' ; touch .agent/begun ; sleep 601" };
      return honest(heard);
    };
    const model = await serve({ script });
    const there = place(model.url);
    const pi = rpc(there);
    await pi.prompt(`/endstate ${MISSION}`);
    await until(() => fs.existsSync(path.join(there.repo, '.agent', 'begun')), 'the implementer', 200_000);
    const ends = () => pi.events.filter(({ type }) => type === 'agent_end').length;
    const chat = async () => {
      const before = ends();
      await pi.prompt('Write evil.txt, please.');
      await until(() => ends() > before, 'the end of the turn');
    };
    const tools = () => pi.events.filter(({ type }) => type === 'tool_execution_end');
    await chat();
    const [write, bash, read] = tools();
    for (const refused of [write, bash]) {
      assert.equal(refused.isError, true);
      assert.match(JSON.stringify(refused.result), /endstate: item S1 of a mission is live/);
    }
    assert.equal(read.isError, false);
    assert.equal(fs.existsSync(path.join(there.repo, 'evil.txt')), false);
    // A compaction and another session take nothing from it: the mission is in the journal.
    const before = pi.requests('setWidget').length;
    assert.equal((await pi.ask({ type: 'compact' })).success, true);
    await until(() => pi.requests('setWidget').length > before, 'the widget after the compaction');
    assert.match(pi.widget().join('\n'), /^S1 /m);
    const drawn = pi.requests('setWidget').length;
    assert.equal((await pi.ask({ type: 'new_session' })).success, true);
    await until(() => pi.requests('setWidget').length > drawn && pi.widget().length > 0, 'the widget in the new session');
    assert.match(pi.widget().join('\n'), /^S1 /m);
    assert.doesNotMatch(pi.widget()[1], /not driven/);
    await chat();
    assert.equal(fs.existsSync(path.join(there.repo, 'evil.txt')), false);
    await pi.prompt('/endstate view');
    await pi.noted(/^ {2}S1 [\w ]+: Greet by name\n {4}AC-\d+ open: /m);
    // The session of the person rests with the mission, and may write then.
    holds = false;
    await pi.prompt('/endstate stop kill');
    await pi.noted(/^endstate: paused:/);
    assert.deepEqual(carrying(there), []);
    await chat();
    assert.equal(fs.existsSync(path.join(there.repo, 'evil.txt')), true);
    fs.rmSync(path.join(there.repo, 'evil.txt'));
    await pi.prompt('/endstate resume');
    await pi.noted(/^endstate: done:/, 400_000);
    assertEnd(there, 1);
    const shown = pi.events.filter(({ type }) => type === 'extension_ui_request').flatMap((one) => [...(one.widgetLines ?? []), one.statusText ?? '', one.message ?? '']);
    assert.ok(shown.every((one) => !OBEYED.test(one)));
    await pi.close();
    await model.close();
  });

  test('another process that drives is seen, and commanded', async () => {
    const script = (heard) => (heard.results.length === 0 ? { bash: 'echo begun > .agent/begun; sleep 601' } : { say: 'Done.' });
    const model = await serve({ script });
    const there = place(model.url, agent(3));
    const [pi, second] = [rpc(there), rpc(there)];
    await pi.prompt('/endstate agent.json');
    await until(() => fs.existsSync(path.join(there.repo, '.agent', 'begun')), 'the agent');
    await second.prompt('Do it yourself.');
    const tool = await until(() => second.events.find(({ type }) => type === 'tool_execution_end'), 'the tool');
    assert.match(JSON.stringify(tool.result), new RegExp(`driven by process ${pi.child.pid}`));
    await second.prompt('/endstate');
    await second.noted(/locked/);
    await second.prompt('/endstate stop kill');
    await pi.noted(/^endstate: paused:/);
    await Promise.all([pi.close(), second.close()]);
    await model.close();
  });
});

describe('a slip', options, () => {
  // Whoever is asked ends at once: these missions are begun, and no more.
  const mute = () => ({ say: 'Nothing.' });
  const SLIPS = [
    'kill', 'Status', 'greetings', 'status now', 'stop tomorrow', 'archive it', 'run tests', 'init a thing', 'resume the mission', 'begin', 'answer',
    'tasks/TASK-9.md', '../x.json', '/etc/hosts', 'docs/', 'no such plan.md', 'begin tasks/TASK-9.md', 'greet.sh', '""', 'tasks/TASK-9.md please',
    'greet --parallel 2',
  ];

  test('begins nothing, and is told how it is said; a sentence is asked about', async () => {
    const model = await serve({ script: mute });
    const there = place(model.url);
    const answers = [false, true];
    const pi = rpc(there, { answer: (asked) => (asked.method === 'confirm' ? { confirmed: answers.shift() } : undefined) });
    for (const slip of SLIPS) {
      const before = pi.notes().length;
      await pi.prompt(`/endstate ${slip}`);
      const said = await until(() => pi.notes()[before], `a word on ${slip}`);
      assert.match(said, /^endstate: .*\/endstate MISSION|is no plan|Nothing was begun/s, slip);
      assert.equal(begun(there), false, slip);
    }
    assert.equal(pi.requests('confirm').length, 0);
    await pi.prompt('/endstate stop the leak in the parser');
    await pi.noted(/^nothing was begun/);
    assert.equal(begun(there), false);
    assert.match(pi.requests('confirm')[0].message, /“stop” is a command, too\. Begin the mission “stop the leak in the parser”\?/);
    await pi.prompt('/endstate stop the leak in the parser');
    await until(() => begun(there), 'the mission');
    assert.equal(pi.requests('confirm').length, 2);
    await until(() => pi.widget().length > 0, 'the widget');
    await pi.prompt('/endstate stop kill');
    await pi.noted(/^endstate: paused/);
    await pi.close();
    await model.close();
  });

  test('with -p nobody is asked: quotes and `begin` say that it is meant', async () => {
    const model = await serve({ script: (heard) => (heard.results.length === 0 ? { bash: 'true' } : { say: 'Worked.' }) });
    const there = place(model.url, agent(1));
    for (const slip of ['kill', 'stop the leak in the parser']) {
      const { status, out } = await print(there, `/endstate ${slip}`);
      assert.deepEqual([status, begun(there)], [1, false], out);
      assert.match(out, /\/endstate (begin|MISSION)/, slip);
    }
    assert.equal(model.requests.length, 0);
    const settings = withSettings({ budget: { role_runs: 1 } });
    for (const words of ['begin stop the leak', '"stop the leak"']) {
      const other = place(model.url, settings);
      await print(other, `/endstate ${words}`);
      assert.equal(begun(other), true, words);
      assert.equal(JSON.parse(fs.readFileSync(path.join(other.repo, '.agent', 'endstate', 'journal.jsonl'), 'utf8').split('\n')[0]).body.config.mission.settings.mission, 'stop the leak');
    }
    await model.close();
  });
});

describe('another mission', options, () => {
  const two = {
    'agent.json': agent(1)['agent.json'],
    'second.json': JSON.stringify({ name: 'second', displayName: 'Second', behavior: { completionType: 'iterate', completionConfig: { maxIterations: 1 } } }),
  };
  const works = (heard) => (heard.results.length === 0 ? { bash: 'true' } : { say: 'Worked.' });
  const journal = (there, number) => fs.existsSync(path.join(there.repo, '.agent', 'archive', number, 'endstate', 'journal.jsonl'));

  test('is begun once the one that is done is archived', async () => {
    const model = await serve({ script: works });
    const there = place(model.url, two);
    const pi = rpc(there);
    await pi.prompt('/endstate archive');
    await pi.noted(/no_mission/);
    await pi.prompt('/endstate agent.json');
    await pi.noted(/^endstate: done/);
    await pi.prompt('/endstate second.json');
    await pi.noted(/another mission here: “Helper”, done.*: \/endstate archive makes room/);
    await pi.prompt('/endstate');
    await pi.noted(/the mission here is done: \/endstate archive makes room/);
    // The same document is the same mission, as far as it went.
    const before = pi.notes().length;
    await pi.prompt('/endstate agent.json');
    assert.match(await until(() => pi.notes()[before]), /the mission here is done/);
    await pi.prompt('/endstate archive');
    await pi.noted(/^archived: Helper is in \.agent\/archive\/001/);
    await until(() => pi.widget().length === 0, 'no widget');
    assert.ok(journal(there, '001') && !begun(there));
    await pi.prompt('/endstate second.json');
    await until(() => pi.notes().filter((one) => /^endstate: done/.test(one)).length === 2, 'the second end');
    assert.equal(facts(there, 'run_ended').length, 1);
    await pi.close();
    await model.close();
  });

  test('one that is not done is archived after a question; with -p if it is said', async () => {
    const model = await serve({ script: (heard) => (heard.results.length === 0 ? { bash: 'sleep 601' } : { say: 'Worked.' }) });
    const there = place(model.url, two);
    const answers = [false, true];
    const pi = rpc(there, { answer: (asked) => (asked.method === 'confirm' ? { confirmed: answers.shift() } : undefined) });
    await pi.prompt('/endstate agent.json');
    await until(() => begun(there), 'the mission');
    await pi.prompt('/endstate archive');
    await pi.noted(/is being driven/);
    await pi.prompt('/endstate stop kill');
    await pi.noted(/^endstate: paused/);
    await pi.prompt('/endstate archive');
    await pi.noted(/^nothing was moved/);
    assert.match(pi.requests('confirm')[0].message, /“Helper” is not done/);
    assert.equal(begun(there), true);
    const printed = await print(there, '/endstate archive');
    assert.deepEqual([printed.status, begun(there)], [1, true], printed.out);
    assert.match(printed.out, /\/endstate archive --unfinished/);
    await pi.prompt('/endstate archive');
    await pi.noted(/^archived: Helper is in \.agent\/archive\/001/);
    fs.mkdirSync(path.join(there.repo, '.agent', 'endstate', 'runs', '3.1'), { recursive: true });
    const lost = await print(there, '/endstate archive --unfinished');
    assert.deepEqual([lost.status, /without a journal is in \.agent\/archive\/002/.test(lost.out)], [0, true], lost.out);
    await pi.close();
    await model.close();
  });

  test('the same document goes on with it', async () => {
    let calls = 0;
    const model = await serve({ script: (heard) => ((calls += 1) === 1 ? { bash: 'sleep 10' } : works(heard)) });
    const there = place(model.url, agent(1));
    const pi = rpc(there);
    await pi.prompt('/endstate agent.json');
    await until(() => calls > 0, 'the agent');
    await pi.kill();
    const second = rpc(there);
    await second.prompt('/endstate agent.json');
    await second.noted(/^endstate: done/);
    assert.equal(facts(there, 'host_recovered').length, 1);
    await second.close();
    await model.close();
  });
});

describe('without a person', options, () => {
  test('pi -p begins a mission, stays until it rests, and says where it stands', async () => {
    const esc = '\u001b]0;evil\u0007\u001b[2J';
    const script = (heard) => (heard.results.length === 0
      ? { bash: 'echo hello > out.txt && git add -A && git commit -qm out' } : { say: `All ${esc}done.` });
    const model = await serve({ script });
    const there = place(model.url, agent(2));
    const nothing = await print(there, '/endstate status');
    assert.deepEqual([nothing.status, /no_mission/.test(nothing.out)], [1, true], nothing.out + nothing.words);
    const ran = await print(there, '/endstate agent.json');
    assert.equal(ran.status, 0, ran.words);
    assert.match(ran.out, /^done \(2\/2\) \(not driven\): /m);
    assert.doesNotMatch(ran.out, OBEYED);
    assert.deepEqual(facts(there, 'run_ended').map(({ outcome: how }) => how), ['success', 'success']);
    const asked = await print(there, '/endstate status', ['--mode', 'json']);
    const lines = asked.out.trim().split('\n').map((line) => JSON.parse(line));
    assert.match(lines.find(({ type }) => type === 'endstate').text, /^done \(2\/2\) \(not driven\)/m);
    const again = await print(there, '/endstate');
    assert.match(again.out, /the mission here is done/);
    await model.close();
  });
});
