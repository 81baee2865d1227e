// The MCP server in WebAssembly says the same as natively, and the package serves a mission that the Rust
// program drives.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as readline from 'node:readline';
import { test } from 'node:test';
import { facts, program, repository, rust } from '../projects.mjs';
import { root, thrownBy } from '../package.mjs';

const NOW = 5_000;
const request = (id, method, params = {}) => JSON.stringify({ jsonrpc: '2.0', id, method, params });
const HELLO = request(0, 'initialize', { protocolVersion: '2025-06-18' });
const DEFINITION = { name: 'writer', behavior: { completionType: 'iterate', completionConfig: { maxIterations: 2 } } };

export default function mcpSuite(pkg) {
  const { McpServer, Engine } = pkg.imported;

  test('the same lines are answered with the same codes as natively', () => {
    const server = new McpServer();
    const hear = (text) => server.hear({ in: 'line', text }, { now: NOW });
    assert.equal(JSON.parse(hear(HELLO)[0].text).result.protocolVersion, '2025-06-18');
    const cases = JSON.parse(fs.readFileSync(path.join(root, 'tests', 'mcp_lines.json'), 'utf8'));
    assert.ok(cases.length >= 20);
    for (const { line, code } of cases) {
      const out = hear(line);
      if (code === null) assert.deepEqual(out, [], line);
      else assert.equal(JSON.parse(out[0].text).error.code, code, line);
    }
    server.free();
    server.free();
    assert.throws(() => hear(HELLO), TypeError);
  });

  test('a mission that was not begun is begun by asking what is next', () => {
    const settings = { mission: 'Write.', definition: DEFINITION };
    const engine = Engine.start({ mission: { protocol: 'iteration', settings } }, 1_000);
    const server = new McpServer({ wait_seconds: 1, answers: true, only_look: false });
    const hear = (what, now = NOW) => server.hear(what, { engine, now, driven: true });
    hear({ in: 'line', text: HELLO });
    const [{ out, ticket, errand }] = hear({ in: 'line', text: request(1, 'tools/call', { name: 'next' }) });
    assert.deepEqual([out, errand], ['errand', { errand: 'command', command: { command: 'start' } }]);
    engine.apply({ at: 2_000, fact: { type: 'user_commanded', data: { id: null, command: { command: 'start' } } } });
    assert.deepEqual(hear({ in: 'done', ticket, answer: '' }), []);
    assert.equal(server.waits(), true);
    assert.deepEqual(hear({ in: 'tick' }), []);
    const [{ text }] = hear({ in: 'tick' }, NOW + 1_000);
    assert.equal(JSON.parse(text).result.structuredContent.turn, 'wait');
    // Arguments of the host are checked as everywhere.
    assert.equal(thrownBy(() => hear({ in: 'tock' })).code, 'unknown_value');
    assert.equal(thrownBy(() => hear({ in: 'tick' }, -1)).code, 'number_out_of_range');
    assert.equal(thrownBy(() => new McpServer({ wait: 1 })).code, 'unknown_field');
    assert.ok(thrownBy(() => server.hear({ in: 'tick' }, { engine: {}, now: 1 })) instanceof TypeError);
    engine.free();
    server.free();
  });

  test('what a user is told to call names the program that has it', () => {
    const told = (scene) => {
      const server = new McpServer();
      const hear = (text) => server.hear({ in: 'line', text }, { now: NOW, ...scene });
      hear(HELLO);
      const [{ text }] = hear(request(1, 'tools/call', { name: 'next', arguments: { wait_seconds: 0 } }));
      server.free();
      return JSON.parse(text).result.structuredContent.to_do;
    };
    assert.match(told({}), /`endstate init` of the Rust program.*the npm package/);
    const engine = Engine.start({ mission: { protocol: 'iteration', settings: { mission: 'Write.', definition: DEFINITION } } }, 1_000);
    engine.apply({ at: 2_000, fact: { type: 'user_commanded', data: { id: null, command: { command: 'start' } } } });
    assert.match(told({ engine, driven: false }), /`endstate run --agent … --hosted …` of the Rust program.*the npm package/);
    engine.free();
  });

  test('a hosted run waits on, whoever takes a command in between', async () => {
    const place = repository({ 'agent.json': JSON.stringify(DEFINITION) });
    const begin = ['run', '--protocol', 'iteration', 'agent.json', '--begin', '--json'];
    assert.equal(rust(place, ...begin).status, 0);
    const served = spawn(program(), ['mcp', '--agent', 'exec:false'], { cwd: place, stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = readline.createInterface({ input: served.stdout })[Symbol.asyncIterator]();
    served.stdin.write(`${HELLO}\n${request(1, 'tools/call', { name: 'next' })}\n`);
    await lines.next();
    const { run } = JSON.parse((await lines.next()).value).result.structuredContent.run;
    served.stdin.end();
    await new Promise((done) => served.once('close', done));
    // Nobody drives: Node takes the command, and leaves the run alone.
    const { nodeHost } = pkg.host;
    await pkg.imported.commandMission(nodeHost({ root: place }), { command: 'grant', counter: 'role_runs', amount: 1 });
    const types = facts(place).map((fact) => fact.type);
    assert.equal(types.filter((type) => type === 'run_ended' || type === 'host_recovered').length, 0);
    const live = JSON.parse(rust(place, 'view', '--print').stdout).runs;
    assert.deepEqual(live.map((one) => one.run), [run]);
  });

  test('the package serves a mission that the Rust program drives', async () => {
    const place = repository({ 'agent.json': JSON.stringify(DEFINITION) });
    const line = ['run', '--protocol', 'iteration', 'agent.json', '--agent', 'exec:false', '--hosted', 'agent', '--json', '--accept', 'observed'];
    const driver = spawn(program(), line, { cwd: place, stdio: ['ignore', 'ignore', 'inherit'] });
    const ended = new Promise((done) => driver.once('close', done));
    const bin = path.join(pkg.home, 'bin', 'endstate.mjs');
    const served = spawn(process.execPath, [bin, 'mcp', '--wait', '10'], { cwd: place, stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = readline.createInterface({ input: served.stdout })[Symbol.asyncIterator]();
    let calls = 0;
    const ask = async (method, params) => {
      served.stdin.write(`${request((calls += 1), method, params)}\n`);
      const { id, result } = JSON.parse((await lines.next()).value);
      assert.equal(id, calls);
      return result;
    };
    const tool = (name, args = {}) => ask('tools/call', { name, arguments: args });
    let reports = 0;
    try {
      await ask('initialize', { protocolVersion: '2025-11-25' });
      const deadline = Date.now() + 60_000;
      for (let turn = ''; turn !== 'done'; ) {
        assert.ok(Date.now() < deadline, 'it never ends');
        const { structuredContent: next } = await tool('next');
        turn = next.turn;
        if (turn === 'run') {
          const { run } = next.run;
          assert.equal((await tool('report', { run, report: ' ' })).isError, true);
          assert.deepEqual((await tool('report', { run, report: 'Written.' })).structuredContent, { taken: true, notes: [] });
          reports += 1;
        } else if (turn !== 'done') {
          // The driver comes up in its own time.
          await new Promise((done) => setTimeout(done, 50));
        }
      }
      const { contents } = await ask('resources/read', { uri: 'endstate://history' });
      assert.equal(JSON.parse(contents[0].text).at(-1).continuation, 'done');
    } finally {
      served.stdin.end();
      if (reports < 2) driver.kill();
    }
    assert.equal(reports, 2);
    assert.equal(await new Promise((done) => served.once('close', done)), 0);
    assert.equal(await ended, 4);
    assert.equal(rust(place, 'replay', '.agent/endstate/journal.jsonl').status, 0);
  });
}
