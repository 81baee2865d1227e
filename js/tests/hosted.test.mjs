// Missions hosted by real agents: Claude Code, codex and opencode, each with the folder of plugins/ that is
// made for it, and a scripted model that claims after every run that all is done. Needs npm the first
// time, for the agents themselves; nothing else leaves the machine.
//
//   node --test js/tests/hosted.test.mjs
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';
import { implementer, stubborn } from '../../tests/hosted/model.mjs';
import { endstateProgram, mission, root, sdk, start, until, world } from '../../tests/hosted/world.mjs';

// More than the eight times after which a host may give up by itself.
const RUNS = 12;
const plugins = path.join(root, 'plugins');
const PROMPT = 'Work on the mission.';

const LAZY = ({ prompt }) => ({ say: prompt.includes(PROMPT) ? 'All done! Everything is complete.' : 'Nothing.' });

const claude = (held) => {
  const mode = ['--output-format', 'stream-json', '--verbose', '--permission-mode', 'bypassPermissions'];
  const args = ['-p', PROMPT, ...mode, '--model', 'scripted-1', '--plugin-dir', path.join(plugins, 'claude')];
  return start(held.program, args, { cwd: held.place, env: held.env });
};

const codex = (held, ...more) => {
  const { CODEX_HOME } = held.env;
  fs.appendFileSync(path.join(CODEX_HOME, 'config.toml'), fs.readFileSync(path.join(plugins, 'codex', 'config.toml')));
  fs.copyFileSync(path.join(plugins, 'codex', 'hooks.json'), path.join(CODEX_HOME, 'hooks.json'));
  const args = ['exec', '--json', '--skip-git-repo-check', '-s', 'danger-full-access', ...more, PROMPT];
  return start(held.program, args, { cwd: held.place, env: held.env });
};

function verified(held) {
  const status = held.say('status');
  assert.equal(status.continuation, 'done', JSON.stringify(status));
  assert.equal(status.runs, RUNS);
  // The last run ends the mission, so nobody is held after it.
  assert.equal(held.say('hook', 'check').count.holds, RUNS - 1);
  const replayed = held.say('replay', path.join(held.place, '.agent/endstate/journal.jsonl'));
  assert.equal(replayed.divergence, null);
}

test('a client of the public SDK lists and calls everything', async () => {
  const bin = endstateProgram();
  const { place, remove } = mission(bin, 2);
  const { Client, StdioClientTransport } = await sdk();
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command: bin, args: ['mcp', '--agent', 'exec:false'], cwd: place }));
  try {
    assert.equal(client.getServerVersion().name, 'endstate');
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name), ['next', 'report', 'ask', 'status', 'amend']);
    // The client checks every structured answer against the schema of its tool.
    const call = async (name, args = {}) => client.callTool({ name, arguments: args });
    const told = async (name, args) => (await call(name, args)).structuredContent;
    for (let number = 1; number <= 2; number += 1) {
      const next = await told('next');
      assert.equal(next.turn, 'run');
      assert.match(next.run.prompt, new RegExp(`iteration ${number} of at most 2`));
      const refused = await call('report', { run: next.run.run, report: '  ' });
      assert.equal(refused.isError, true);
      assert.match(refused.content[0].text, /run_silent/);
      assert.deepEqual(await told('report', { run: next.run.run, report: 'Written.' }), { taken: true, notes: [] });
    }
    assert.equal((await told('next')).turn, 'done');
    assert.deepEqual(await told('ask'), { taken: false, questions: [] });
    assert.equal((await told('status')).continuation, 'done');
    const amended = await call('amend', { on_the_users_word: true, changes: [{ change: 'set_priority', item: 'x', priority: 1 }] });
    assert.equal(amended.isError, true);
    const { resources } = await client.listResources();
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.equal(resourceTemplates[0].uriTemplate, 'endstate://item/{id}');
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri });
      assert.ok(JSON.parse(contents[0].text), uri);
    }
    await assert.rejects(client.readResource({ uri: 'endstate://item/none' }), { code: -32002 });
    await assert.rejects(client.callTool({ name: 'rm', arguments: {} }), { code: -32602 });
    await client.ping();
  } finally {
    await client.close();
    remove();
  }
});

test('Claude Code is held by its Stop hook until the engine says done, more than eight times in a row', async () => {
  const held = await world('claude', { runs: RUNS, script: stubborn({ prefix: 'mcp__plugin_endstate_endstate__' }) });
  try {
    const { code, out } = await claude(held).ended;
    assert.equal(code, 0, out.slice(-2_000));
    const feedback = out.match(/Stop hook feedback:/g) ?? [];
    assert.equal(feedback.length, RUNS - 1);
    verified(held);
  } finally {
    await held.close();
  }
});

test('Claude Code implements a slice; others verify it, and a claim without work comes back', async () => {
  const script = implementer({ prefix: 'mcp__plugin_endstate_endstate__' });
  const held = await world('claude', { script, team: path.join(root, 'tests', 'cli', 'team.yaml') });
  try {
    const { code, out } = await claude(held).ended;
    assert.equal(code, 0, out.slice(-2_000));
    const status = held.say('status');
    assert.equal(status.continuation, 'done', JSON.stringify(status));
    assert.equal(status.closed_by, 'verified');
    const journal = fs.readFileSync(path.join(held.place, '.agent/endstate/journal.jsonl'), 'utf8');
    const events = journal.trimEnd().split('\n').map((line) => JSON.parse(line).body.event);
    const sessions = events.filter((event) => event?.fact.type === 'run_started').map((event) => event.fact.data.session);
    // The claim that was empty, and the one that was not.
    assert.equal(sessions.filter((session) => session === 'hosted').length, 2);
    assert.ok(sessions.length > 6, 'verdicts come from runs of others');
  } finally {
    await held.close();
  }
});

test('a model in Claude Code that only says it is done is let go, and nothing is done', async () => {
  const held = await world('claude', { runs: 2, script: LAZY });
  try {
    // Somebody drives, so the run is due; the agent never asks for it.
    const driver = start(held.bin, ['run', '--agent', 'exec:false', '--hosted', 'agent', '--accept', 'observed'], { cwd: held.place, env: held.env });
    await until('the run', () => held.say('status').continuation === 'continue' && held.say('view', '--print').runs.length > 0);
    const { out } = await claude(held).ended;
    const result = JSON.parse(out.trim().split('\n').find((line) => line.includes('"type":"result"')));
    assert.equal(result.subtype, 'success');
    const status = held.say('status');
    assert.equal(status.continuation, 'continue');
    assert.equal(status.items_done, 0);
    // Our own patience is shorter than the host's, so the reason is ours.
    assert.equal(held.say('hook', 'check').count.holds, 5);
    driver.end();
    await driver.ended;
  } finally {
    await held.close();
  }
});

test('codex is held by its Stop hook until the engine says done', async () => {
  const held = await world('codex', { runs: RUNS, script: stubborn() });
  try {
    const { code, err } = await codex(held, '--dangerously-bypass-hook-trust').ended;
    assert.equal(code, 0, err.slice(-2_000));
    verified(held);
  } finally {
    await held.close();
  }
});

test('codex skips a hook that it does not trust: the mission is not done, and the check says why', async () => {
  const held = await world('codex', { runs: RUNS, script: stubborn() });
  try {
    const { code, out, err } = await codex(held).ended;
    assert.equal(code, 0, err.slice(-2_000));
    // It reported a run, for the model claims only behind a report that was taken, and left with its claim. Whether the
    // next run had begun by then is a matter of the load.
    assert.match(out, /All done! Everything is complete\./);
    const status = held.say('status');
    assert.deepEqual([status.continuation, status.items_done], ['continue', 0]);
    assert.equal(held.say('hook', 'check').heard, false);
  } finally {
    await held.close();
  }
});

test('opencode is held under serve until the engine says done', async () => {
  const held = await world('opencode', { runs: RUNS, script: stubborn() });
  const file = path.join(held.home, '.config', 'opencode', 'opencode.json');
  const { mcp } = JSON.parse(fs.readFileSync(path.join(plugins, 'opencode', 'opencode.json'), 'utf8'));
  const config = { ...JSON.parse(fs.readFileSync(file, 'utf8')), mcp };
  fs.writeFileSync(file, JSON.stringify({ ...config, plugin: [path.join(plugins, 'opencode', 'endstate.js')] }));
  // It outlives both waits below, so that these say what did not come.
  const serve = start(held.program, ['serve', '--hostname', '127.0.0.1', '--port', '0'], { cwd: held.place, env: held.env }, 330_000);
  try {
    const url = (await until('opencode', () => /http:\/\/127\.0\.0\.1:\d+/.exec(serve.said.out)))[0];
    const post = async (place, body) => {
      const answer = await fetch(`${url}${place}?directory=${encodeURIComponent(held.place)}`, {
        method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
      });
      assert.ok(answer.ok, `${place}: ${answer.status}`);
      return answer.status === 204 ? {} : answer.json();
    };
    const { id } = await post('/session', {});
    await post(`/session/${id}/prompt_async`, { parts: [{ type: 'text', text: PROMPT }] });
    await until('the end', () => held.say('status').continuation === 'done', 240_000);
    verified(held);
  } catch (error) {
    throw new Error(`${error.message}\n${serve.said.err.slice(-2_000)}`);
  } finally {
    serve.end();
    await serve.ended;
    await held.close();
  }
});
