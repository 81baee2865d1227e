// The stop hook of the package: who is held, who is let go and for how long, as from the Rust program, with which it
// shares the count; and the entries for hosts of agents.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import * as readline from 'node:readline';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { program, repository, rust } from '../projects.mjs';

const request = (id, method, params = {}) => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const DEFINITION = { name: 'writer', behavior: { completionType: 'iterate', completionConfig: { maxIterations: 2 } } };

/** A mission whose next run is due to the session, and nobody drives. */
async function due() {
  const place = repository({ 'agent.json': JSON.stringify(DEFINITION), 'below/file': '' });
  assert.equal(rust(place, 'run', '--protocol', 'iteration', 'agent.json', '--begin', '--json').status, 0);
  const served = spawn(program(), ['mcp', '--agent', 'exec:false'], { cwd: place, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = readline.createInterface({ input: served.stdout })[Symbol.asyncIterator]();
  served.stdin.write(request(0, 'initialize', { protocolVersion: '2025-06-18' }) + request(1, 'tools/call', { name: 'next' }));
  await lines.next();
  await lines.next();
  served.stdin.end();
  await new Promise((done) => served.once('close', done));
  return place;
}

export default function hookSuite(pkg) {
  const bin = path.join(pkg.home, 'bin', 'endstate.mjs');
  const entry = (name) => import(pathToFileURL(createRequire(path.join(pkg.folder, 'entry.mjs')).resolve(`endstate/${name}`)));

  const hook = (cwd, input, { args = [], env = {} } = {}) => {
    const line = [bin, 'hook', 'stop', '--wait', '0', '--patience', '3', ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, line, { cwd, input, encoding: 'utf8', env: { ...process.env, ...env } });
    assert.equal(status, 0, stderr);
    return stdout === '' ? undefined : JSON.parse(stdout);
  };

  test('a session is held while a run is due to it, and not for ever, by either program', async () => {
    const place = await due();
    const asked = JSON.stringify({ hook_event_name: 'Stop', cwd: place, session_id: 's' });
    const held = hook(place, asked);
    assert.equal(held.decision, 'block');
    assert.match(held.reason, /^The mission is not done: run [\d.]+ \(iteration-agent of writer\) is yours\./);
    const native = spawnSync(program(), ['hook', 'stop', '--wait', '0', '--patience', '3'], { cwd: place, input: asked, encoding: 'utf8' });
    assert.deepEqual(JSON.parse(native.stdout), held);
    // A folder below is of the same mission.
    const below = path.join(place, 'below');
    assert.equal(hook(below, JSON.stringify({ cwd: below })).decision, 'block');
    // The fourth time in a row nothing has happened.
    assert.match(hook(place, asked).systemMessage, /held 3 times in a row and nothing happened/);
    assert.equal(JSON.parse(rust(place, 'hook', 'check', '--json').stdout.trim().split('\n').at(-1)).count.holds, 3);
  });

  test('nobody is held without a mission, inside of a run of one, or by what cannot be read', async () => {
    const [place, empty] = [await due(), repository({ file: '' })];
    assert.equal(hook(empty, '{}'), undefined);
    assert.equal(hook(empty, JSON.stringify({ cwd: '/nowhere/at/all' })), undefined);
    assert.equal(hook(place, '{}', { env: { ENDSTATE_RUN: '1.1' } }), undefined);
    // What is no JSON, or none that is understood, asks for the mission here.
    for (const input of ['', 'not json', '[]', '{"cwd":5}', 'null']) assert.ok(hook(place, input), input);
    fs.appendFileSync(path.join(place, '.agent/endstate/journal.jsonl'), '{"not":"a line of ours"}\n');
    assert.match(hook(place, '{}').systemMessage, /^endstate: the mission cannot be read: journal_damaged/);
    const wrong = spawnSync(process.execPath, [bin, 'hook', 'start'], { encoding: 'utf8' });
    assert.equal(wrong.status, 2);
  });

  test('the entries for hosts of agents have what a host needs', async () => {
    const claude = await entry('claude');
    const { name } = JSON.parse(fs.readFileSync(path.join(claude.pluginFolder, '.claude-plugin', 'plugin.json'), 'utf8'));
    assert.equal(name, 'endstate');
    const place = await due();
    const { hooks, mcpServers } = claude.claudeOptions({ wait: 0 });
    const [{ hooks: [ask] }] = hooks.Stop;
    assert.equal((await ask({ hook_event_name: 'Stop', cwd: place })).decision, 'block');
    assert.deepEqual(await ask({ hook_event_name: 'Stop', cwd: pkg.folder }), {});
    const { command, args } = mcpServers.endstate;
    const input = request(0, 'initialize', { protocolVersion: '2025-06-18' });
    const served = spawnSync(command, args, { cwd: place, input, encoding: 'utf8' });
    assert.equal(JSON.parse(served.stdout.split('\n')[0]).result.serverInfo.name, 'endstate');
    const mcp = await entry('mcp');
    assert.equal(mcp.serveMcp, pkg.host.serveMcp);
    assert.equal(mcp.McpServer, pkg.imported.McpServer);
  });

  test('the plugin of opencode sends the reason as the next prompt, once for each time it falls idle', async () => {
    const { Endstate } = await entry('opencode');
    const place = await due();
    const sent = [];
    const session = {
      get: async ({ path: { id } }) => ({ data: id === 'child' ? { parentID: 'parent' } : {} }),
      promptAsync: async (prompt) => sent.push(prompt),
    };
    const plugin = await Endstate({ client: { session, app: { log: async () => undefined } }, directory: place });
    const idle = (sessionID) => plugin.event({ event: { type: 'session.idle', properties: { sessionID } } });
    await Promise.all([idle('one'), idle('one'), idle('child'), plugin.event({ event: { type: 'session.created' } })]);
    assert.equal(sent.length, 1);
    assert.equal(sent[0].path.id, 'one');
    assert.match(sent[0].body.parts[0].text, /is yours/);
  });
}
