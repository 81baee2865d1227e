// Real agents, played by a scripted model, in missions that are driven by the command line of this
// repository: `node --test js/tests/agents.test.mjs`. Nothing leaves the machine but the installation of the
// agents from npm, once (tests/agents/install.mjs); an agent that cannot be installed is skipped, and named.
//
// ENDSTATE_AGENTS=pi,codex chooses agents; ENDSTATE_AGENTS_ALL=1 lets each of them play a whole completion
// mission, not pi alone.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { after, describe, test } from 'node:test';
import { completion, PROJECT } from '../../tests/model/completion.mjs';
import { promise, TASK } from '../../tests/model/promise.mjs';
import { serve } from '../../tests/model/server.mjs';
import { carrying, endstate, facts, place, removeAll, root, run, skipped, until, wanted } from './agents/kit.mjs';
import { sessions } from './projects.mjs';

const stage = path.join(root, 'target', 'npm', 'stage');
if (!fs.existsSync(path.join(stage, 'role-agent'))) {
  execFileSync(process.execPath, [path.join(root, 'js', 'build.mjs')], { stdio: ['ignore', 2, 2] });
}
after(removeAll);

// What each is called on a command line, and which agent it is.
const FACES = [...wanted.map((agent) => ({ agent, face: agent })), { agent: 'opencode', face: 'acp:opencode acp' }]
  .filter(({ agent }) => wanted.includes(agent));

const ITERATION = {
  'agent.json': JSON.stringify({
    name: 'helper', displayName: 'Helper',
    behavior: { completionType: 'iterate', completionConfig: { maxIterations: 1 } },
  }),
};
const PROMISE = { 'tasks/TASK-1.md': TASK };
const ONE_RUN = ['--protocol', 'iteration', 'agent.json', '--accept', 'observed'];
const ONE_TASK = ['--protocol', 'promise', 'tasks/TASK-1.md', '--accept', 'judged'];
/** What a count of runs comes to: done, and claimed. */
const CLAIMED = 4;

/** One mission: the model is there while it runs. */
async function mission(agent, { face, files, args, script, status = 200 }) {
  const model = await serve({ script, status });
  try {
    const there = place(agent, files, model.url);
    const ran = await run(there, ['run', ...args, '--agent', face]);
    return { ...there, ...ran, model, ended: facts(there, 'run_ended'), sessions: sessions(facts(there, 'run_progressed')) };
  } finally {
    await model.close();
  }
}

const HANGS = [{ do: [{ bash: 'echo begun > .agent/begun; sleep 10' }], say: 'never' }];

describe('each agent', () => {
  for (const { agent, face } of FACES) {
    test(`${face}: a task is promised, verified and done`, { skip: skipped(agent) }, async () => {
      const it = await mission(agent, { face, files: PROMISE, args: ONE_TASK, script: promise() });
      assert.equal(it.status, 0, it.words);
      assert.equal(it.git('log', '-1', '--format=%s'), 'Do TASK-1');
      assert.deepEqual(it.ended.map(({ outcome }) => outcome), ['success', 'success'], it.words);
      assert.ok(it.ended.every(({ usage }) => usage.tokens >= 110 && usage.turns >= 2), JSON.stringify(it.ended));
      if (agent !== 'codex') assert.ok(it.ended.every(({ usage }) => usage.cost_micros > 0), JSON.stringify(it.ended));
      assert.equal(it.sessions.length, 2, JSON.stringify(it.sessions));
      assert.equal(new Set(it.sessions).size, 2, JSON.stringify(it.sessions));
    });

    test(`${face}: a model that refuses is a failed run with its reason`, { skip: skipped(agent) }, async () => {
      const it = await mission(agent, { face, files: ITERATION, args: ONE_RUN, script: [], status: 401 });
      assert.equal(it.ended.length, 1, it.words);
      const [{ outcome, problem, report }] = it.ended;
      assert.deepEqual({ outcome, report }, { outcome: 'failed', report: null });
      assert.equal(problem.code, 'run_failed');
      assert.match(problem.got, agent === face ? /401/ : /scripted refusal/);
    });

    test(`${face}: who only reads cannot write`, { skip: skipped(agent) }, async () => {
      const honest = promise();
      const tries = (heard) => {
        if (!heard.prompt.includes('promise-coach')) return honest(heard);
        if (heard.results.length === 0) return { write: { path: path.join(there.repo, 'evil.txt'), text: 'x' } };
        return honest({ ...heard, results: heard.results.slice(1) });
      };
      const model = await serve({ script: tries });
      const there = place(agent, PROMISE, model.url);
      const ran = await run(there, ['run', ...ONE_TASK, '--agent', face]);
      await model.close();
      assert.equal(ran.status, 0, ran.words);
      const tried = model.requests.filter(({ answer }) => JSON.stringify(answer?.calls ?? []).includes('evil.txt'));
      assert.equal(tried.length, 1);
      assert.equal(fs.existsSync(path.join(there.repo, 'evil.txt')), false);
      assert.equal(there.git('status', '--porcelain'), '');
    });

    test(`${face}: a report that cannot be read is mended`, { skip: skipped(agent) }, async () => {
      const honest = promise();
      const script = (heard) => {
        const first = heard.prompt.includes('promise-player') && !heard.prompt.includes('could not be');
        return first && heard.results.length > 0 ? { say: 'It is all done, believe me.' } : honest(heard);
      };
      const it = await mission(agent, { face, files: PROMISE, args: ONE_TASK, script });
      assert.equal(it.status, 0, it.words);
      const [first, mended, coach] = it.sessions;
      // pi keeps no session of a role, and over ACP none is opened again.
      const keeps = ['claude', 'codex', 'opencode'].includes(face);
      assert.equal(first === mended, keeps, JSON.stringify(it.sessions));
      // Who goes on need not look again; and nothing is counted twice.
      const tokens = it.ended.map(({ usage }) => usage.tokens);
      if (agent === face) assert.deepEqual(tokens, keeps ? [220, 110, 220] : [220, 220, 220]);
      assert.ok(coach !== first && coach !== mended);
    });

    test(`${face}: a tool that hangs is ended with all that belongs to it`, { skip: skipped(agent) }, async () => {
      const model = await serve({ script: HANGS });
      const there = place(agent, ITERATION, model.url);
      const ran = run(there, ['run', ...ONE_RUN, '--agent', face]);
      await until(() => fs.existsSync(path.join(there.repo, '.agent', 'begun')));
      assert.ok(carrying(there.repo).length >= 3, 'the role program, the agent and its tool');
      await run(there, ['kill']);
      const { words } = await ran;
      await model.close();
      assert.deepEqual(facts(there, 'run_ended').map(({ outcome, problem }) => [outcome, problem.code]), [['lost', 'run_lost']], words);
      assert.deepEqual(carrying(there.repo), []);
    });
  }
});

describe('the Agent Client Protocol', () => {
  test('what an agent asks for is allowed to a writer', { skip: skipped('opencode') }, async () => {
    const write = { write: { path: 'asked.txt', text: 'x' } };
    const script = [{ do: [write, { bash: 'git add -A && git commit -qm asked' }], say: 'Done.' }];
    const model = await serve({ script });
    const there = place('opencode', ITERATION, model.url);
    there.env.OPENCODE_PERMISSION = JSON.stringify({ edit: 'ask', bash: 'ask' });
    const ran = await run(there, ['run', ...ONE_RUN, '--agent', 'acp:opencode acp']);
    await model.close();
    assert.equal(ran.status, CLAIMED, ran.words);
    assert.equal(there.git('log', '-1', '--format=%s'), 'asked');
    const signs = facts(there, 'run_progressed').flatMap(({ entries }) => entries).filter(({ kind }) => kind === 'permission');
    assert.deepEqual(signs.map(({ text }) => text.split(' ').slice(0, 2).join(' ')), ['allowed: edit', 'allowed: execute']);
  });
});

describe('the role program of Node', () => {
  const bin = path.join(stage, 'bin', 'endstate.mjs');
  for (const { agent, face } of FACES.filter(({ face }) => ['pi', 'codex', 'acp:opencode acp'].includes(face))) {
    const command = `exec:'${process.execPath}' '${bin}' role-agent '${face}'`;
    test(`${face}: a run is reported with usage`, { skip: skipped(agent) }, async () => {
      const script = [{ do: [{ bash: 'echo hello > out.txt && git add -A && git commit -qm out' }], say: 'All done, caf\u00e9 \u{1f600}.' }];
      const it = await mission(agent, { face: command, files: ITERATION, args: ONE_RUN, script });
      assert.equal(it.status, CLAIMED, it.words);
      const [{ outcome, report, usage }] = it.ended;
      assert.deepEqual({ outcome, report }, { outcome: 'success', report: 'All done, caf\u00e9 \u{1f600}.\n' });
      assert.ok(usage.tokens >= 110 && usage.turns >= 2, JSON.stringify(usage));
      assert.equal(it.git('log', '-1', '--format=%s'), 'out');
    });

    test(`${face}: a model that refuses is a failed run with its reason`, { skip: skipped(agent) }, async () => {
      const it = await mission(agent, { face: command, files: ITERATION, args: ONE_RUN, script: [], status: 401 });
      assert.equal(it.ended[0].outcome, 'failed', it.words);
      assert.match(it.ended[0].problem.got, /401|scripted refusal/);
    });
  }

  test('an agent that is not installed: the error names the command', async () => {
    const there = place('pi', ITERATION, 'http://127.0.0.1:9');
    const env = { ...there.env, PATH: '/usr/bin:/bin' };
    const child = spawn(process.execPath, [bin, 'role-agent', 'claude'], { cwd: there.repo, env, stdio: ['ignore', 'ignore', 'pipe'] });
    let words = '';
    child.stderr.on('data', (piece) => { words += piece; });
    const status = await new Promise((done) => child.once('close', done));
    assert.equal(status, 1);
    assert.match(words, /npm install -g @anthropic-ai\/claude-code/);
  });
});

describe('the command line', () => {
  test('an agent that is not installed is named before anything is begun', async () => {
    const there = place('pi', ITERATION, 'http://127.0.0.1:9');
    const ran = await run({ ...there, env: { ...there.env, PATH: '/usr/bin:/bin' } }, ['run', ...ONE_RUN, '--agent', 'codex']);
    assert.equal(ran.status, 2, ran.words);
    assert.match(ran.words, /npm install -g @openai\/codex/);
    assert.equal(fs.existsSync(path.join(there.repo, '.agent')), false);
  });

  test('a reader that writes with its shell is refused by the engine', { skip: skipped('pi') }, async () => {
    const honest = promise();
    const script = (heard) => {
      const coach = heard.prompt.includes('promise-coach');
      return coach && heard.results.length === 0 ? { bash: 'echo x > evil.txt; git rev-parse HEAD' } : honest(heard);
    };
    const it = await mission('pi', { face: 'pi', files: PROMISE, args: [...ONE_TASK, '--max-turns', '1'], script });
    assert.notEqual(it.status, 0, it.words);
    assert.match(it.words, /evil\.txt/);
    assert.equal(fs.existsSync(path.join(it.repo, 'evil.txt')), true);
  });

  test('an agent that takes too long is ended', { skip: skipped('pi') }, async () => {
    const model = await serve({ script: () => ({ hang: true }) });
    const there = place('pi', ITERATION, model.url);
    const ran = await run(there, ['run', ...ONE_RUN, '--agent', 'pi', '--role-timeout', '3']);
    await model.close();
    const [{ outcome, problem }] = facts(there, 'run_ended');
    assert.deepEqual([outcome, problem.code], ['lost', 'run_timed_out'], ran.words);
    assert.deepEqual(carrying(there.repo), []);
  });

  test('an agent whose host died is taken up, and its report is read', { skip: skipped('pi') }, async () => {
    let hangs = true;
    const script = () => (hangs ? { bash: 'echo begun > .agent/begun; sleep 10' } : { say: 'Done.' });
    const model = await serve({ script });
    const there = place('pi', ITERATION, model.url);
    const host = spawn(endstate, ['run', ...ONE_RUN, '--agent', 'pi'], { cwd: there.repo, env: there.env, stdio: 'ignore' });
    await until(() => fs.existsSync(path.join(there.repo, '.agent', 'begun')));
    host.kill('SIGKILL');
    await new Promise((done) => host.once('close', done));
    assert.ok(carrying(there.repo).length >= 3, 'the run outlives its host');
    hangs = false;
    const ran = await run(there, ['run', ...ONE_RUN, '--agent', 'pi', '--resume']);
    await model.close();
    assert.match(ran.words, /outlived its driver and is waited for/);
    assert.deepEqual(facts(there, 'run_ended').map(({ outcome }) => outcome), ['success'], ran.words);
    assert.deepEqual(carrying(there.repo), []);
  });

  test('an agent that floods is ended', { skip: !fs.existsSync('/proc') }, async () => {
    const there = place('pi', { ...ITERATION, 'flood.mjs': "const line = `${'x'.repeat(65535)}\\n`;\nfor (;;) if (!process.stdout.write(line)) await new Promise((go) => process.stdout.once('drain', go));\n" }, 'http://127.0.0.1:9');
    const ran = await run(there, ['run', ...ONE_RUN, '--agent', `acp:'${process.execPath}' flood.mjs`]);
    const [{ outcome, problem }] = facts(there, 'run_ended');
    assert.equal(outcome, 'failed', ran.words);
    assert.match(problem.got, /that are no JSON/);
    assert.deepEqual(carrying(there.repo), []);
  });
});

describe('a whole completion mission', () => {
  const players = process.env.ENDSTATE_AGENTS_ALL === '1' ? FACES : FACES.filter(({ agent }) => agent === 'pi');
  for (const { agent, face } of players) {
    test(`${face}: from the first plan to the agreed stop`, { skip: skipped(agent) }, async () => {
      const args = ['greet greets by name and says how it is used', '--accept', 'judged'];
      const it = await mission(agent, { face, files: PROJECT, args, script: completion() });
      assert.equal(it.status, 0, it.words);
      assert.match(it.git('log', '--format=%s'), /Say how it is used\nGreet by name\n/);
      assert.equal(execFileSync('make', ['test'], { cwd: it.repo, encoding: 'utf8' }), '');
      assert.ok(it.ended.length >= 9 && it.ended.every(({ outcome }) => outcome === 'success'), it.words);
    });
  }
});
