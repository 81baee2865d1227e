// The real pi for tests: a project with one commit, a home of its own with this package installed and the scripted
// model as its only provider, pi in RPC mode and pi in a pseudo-terminal, and what a mission left behind.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as os from 'node:os';
import * as path from 'node:path';
import { committed, environment } from '../../../tests/agents/home.mjs';
import { ensure, program } from '../../../tests/agents/install.mjs';
import { completion, PROJECT } from '../../../tests/model/completion.mjs';
import { root } from '../package.mjs';

/** The package: as built, or a copy of it that nobody builds anew meanwhile. */
const stage = process.env.ENDSTATE_PACKAGE ?? path.join(root, 'target', 'npm', 'stage');
if (!fs.existsSync(path.join(stage, 'pi.mjs'))) {
  execFileSync(process.execPath, [path.join(root, 'js', 'build.mjs')], { stdio: ['ignore', 2, 2] });
}
const { Replayer } = createRequire(import.meta.url)(path.join(stage, 'index.cjs'));

/** Another pi than the one that is tested: `ENDSTATE_PI=/path/of/pi`, with `ENDSTATE_PI_NODE=/path/of/node`. */
const other = process.env.ENDSTATE_PI;
const failed = other ? {} : ensure(['pi'], (words) => console.error(words));
export const absent = failed.pi ? `pi could not be installed: ${failed.pi}` : false;
export const pi = other ?? program('pi');

const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'endstate-pi-')));
export const removeAll = () => fs.rmSync(scratch, { recursive: true, force: true });

export const MISSION = 'greet greets by name and says how it is used';

/** Of a project whose user accepts judges, so that nothing is asked before the work. */
const ACCEPTS = { '.pi/endstate.json': JSON.stringify({ proof: { accept: 'judged' } }) };

/** A repository with one commit, and a home where pi knows our package and the scripted model. */
export function place(url, project = PROJECT) {
  const files = { ...ACCEPTS, ...project };
  const folder = fs.mkdtempSync(path.join(scratch, 'p-'));
  const repo = path.join(folder, 'repo');
  const env = environment('pi', path.join(folder, 'home'), url, pi);
  if (process.env.ENDSTATE_PI_NODE) env.PATH = `${path.dirname(process.env.ENDSTATE_PI_NODE)}:${env.PATH}`;
  const settings = path.join(env.PI_CODING_AGENT_DIR, 'settings.json');
  fs.writeFileSync(settings, JSON.stringify({
    ...JSON.parse(fs.readFileSync(settings, 'utf8')), packages: [stage],
    // Small enough that a short conversation can be compacted.
    compaction: { keepRecentTokens: 1, reserveTokens: 100 },
  }));
  return { repo, env, git: committed(repo, files, env) };
}

// ---- the model --------------------------------------------------------------------------------------

/** Roles that give their report by the tool; the others end with it as their last words. */
const BY_TOOL = /completion-(regrounder|implementer|reviewer|auditor)/;

/**
 * The scripted team, with the tool where it is offered. The implementer's first report lacks a field: the tool has to
 * refuse it, and it is mended. `told` is told of every answer of the tool. `chat` answers the person's own session.
 */
export function team({ base = completion(), told = () => {}, chat = () => ({ say: 'Hello.' }) } = {}) {
  return (heard) => {
    if (!/You are the completion-/.test(heard.prompt)) return chat(heard);
    const role = heard.prompt.match(BY_TOOL)?.[1];
    const report = role && heard.tools.includes('endstate_report');
    const said = heard.results.filter((text) => /The report is taken|missing_field|required/i.test(text));
    for (const text of said) told(role, text);
    const answer = base(heard);
    const block = answer.say?.match(/```json\n([^]*)\n```/)?.[1];
    if (!report || block === undefined) return answer;
    const ids = (text) => text.match(/\b[0-9a-f]{40}\b/g) ?? [];
    const head = ids(heard.results.join('\n')).at(-1) ?? ids(heard.prompt).at(-1);
    const value = JSON.parse(block.replaceAll('${head}', head));
    if (role === 'implementer' && said.length === 0) delete value.outcome;
    const remaining = answer.say.match(/^Remaining contract IDs: (.*)$/m)[1];
    return { calls: [{ name: 'endstate_report', args: { remaining_contract_ids: remaining, summary: 'Seen.', report: value } }] };
  };
}

// ---- what a mission left ------------------------------------------------------------------------------

const journal = (repo) => path.join(repo, '.agent', 'endstate', 'journal.jsonl');

export const begun = ({ repo }) => fs.existsSync(journal(repo));

/** The facts of a mission in their order; a last line that is being written is left out. */
export function facts(there, type) {
  if (!begun(there)) return [];
  const lines = fs.readFileSync(journal(there.repo), 'utf8').split('\n').slice(0, -1);
  const all = lines.map((line) => JSON.parse(line).body.event?.fact).filter(Boolean);
  return type === undefined ? all : all.filter((fact) => fact.type === type).map(({ data }) => data);
}

/** How it ended, in words that are the same for every way to the end: no times, no commit ids, no counts of retries. */
export function outcome(there) {
  const replayer = new Replayer();
  replayer.push(fs.readFileSync(journal(there.repo)));
  const { continuation, divergence, torn_bytes: torn, chain } = replayer.finish();
  assert.equal(divergence ?? null, null);
  assert.equal(torn, 0);
  assert.match(chain, /^[0-9a-f]{64}$/);
  const product = there.git('ls-tree', '-r', 'HEAD', '--', 'greet.sh', 'tests', 'README.md', 'Makefile');
  return {
    continuation,
    product: createHash('sha256').update(product).digest('hex'),
    commits: there.git('log', '--format=%s').split('\n'),
    clean: there.git('status', '--porcelain') === '',
  };
}

/** What every whole mission ends as, with these commits of its team on top of the contract's. */
export function assertDone(there, goals) {
  const end = outcome(there);
  assert.equal(end.continuation, 'done');
  assert.deepEqual(end.commits, [...goals, 'Add the completion contract files', 'begin']);
  assert.equal(end.clean, true);
  assert.equal(execFileSync('sh', ['tests/run.sh'], { cwd: there.repo, encoding: 'utf8' }), '');
  return end;
}

/** The processes that carry this run's place in their environment. */
export function carrying({ repo }) {
  const mark = `ENDSTATE_ROOT=${fs.realpathSync(repo)}`;
  return fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).filter((pid) => {
    try {
      return fs.readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark);
    } catch {
      return false;
    }
  });
}

/** Waits for something to become true. */
export async function until(holds, what = 'that', most = 120_000) {
  for (const began = Date.now(); ; ) {
    const found = await holds();
    if (found) return found;
    if (Date.now() - began > most) throw new Error(`waited ${most / 1000} s for ${typeof what === 'string' ? what : what()}`);
    await new Promise((go) => setTimeout(go, 50));
  }
}

// ---- pi, headless ---------------------------------------------------------------------------------------

const started = new Set();
export const endAll = () => { for (const child of started) child.kill('SIGKILL'); };

function begin(there, args, stdio) {
  const child = spawn(pi, args, { cwd: there.repo, env: there.env, stdio });
  started.add(child);
  child.closed = new Promise((done) => child.once('close', (status, signal) => { started.delete(child); done({ status, signal }); }));
  return child;
}

/** pi in RPC mode. `answer(request)` answers dialogs; nothing leaves them open. */
export function rpc(there, { answer = () => undefined, args = [] } = {}) {
  const child = begin(there, ['--mode', 'rpc', ...args], ['pipe', 'pipe', 'pipe']);
  const events = [];
  let [rest, words, count] = ['', '', 0];
  child.stderr.on('data', (piece) => { words += piece; });
  child.stdin.on('error', () => {});
  const send = (command) => child.stdin.write(`${JSON.stringify(command)}\n`);
  child.stdout.on('data', (piece) => {
    const lines = (rest + piece).split('\n');
    rest = lines.pop();
    for (const line of lines.filter(Boolean)) {
      const event = JSON.parse(line);
      events.push(event);
      if (event.type !== 'extension_ui_request' || !['select', 'confirm', 'input'].includes(event.method)) continue;
      const given = answer(event);
      if (given !== undefined) send({ type: 'extension_ui_response', id: event.id, ...given });
    }
  });
  const notes = () => events.filter((one) => one.method === 'notify').map((one) => one.message);
  const requests = (method) => events.filter((one) => one.method === method);
  return {
    child, events, notes, requests, send,
    words: () => words,
    /** Sends a command and waits for its response. */
    async ask(command) {
      const id = `r${(count += 1)}`;
      send({ ...command, id });
      return until(() => events.find((one) => one.type === 'response' && one.id === id), `the response to ${command.type}`);
    },
    prompt(message) { return this.ask({ type: 'prompt', message }); },
    noted: (pattern, most) => until(
      () => notes().find((one) => pattern.test(one)),
      () => `${pattern}; there were ${JSON.stringify(notes())}; ${words}`, most,
    ),
    widget: () => requests('setWidget').at(-1)?.widgetLines ?? [],
    async close() {
      child.stdin.end();
      return child.closed;
    },
    async kill() {
      child.kill('SIGKILL');
      return child.closed;
    },
  };
}

/** `pi -p`. */
export async function print(there, message, args = []) {
  const child = begin(there, [...args, '-p', message], ['ignore', 'pipe', 'pipe']);
  let [out, words] = ['', ''];
  child.stdout.on('data', (piece) => { out += piece; });
  child.stderr.on('data', (piece) => { words += piece; });
  const { status } = await child.closed;
  return { status, out, words };
}

// ---- pi in a terminal ---------------------------------------------------------------------------------------

const quoted = (word) => `'${word.replaceAll("'", `'\\''`)}'`;

/** pi in a real pseudo-terminal of `script` (util-linux): what is typed goes in, the screen comes out. */
export function terminal(there, args = []) {
  const line = `stty cols 160 rows 50; exec ${[pi, ...args].map(quoted).join(' ')}`;
  const env = { ...there.env, TERM: 'xterm-256color', SHELL: '/bin/sh' };
  const child = spawn('script', ['-qfec', line, '/dev/null'], { cwd: there.repo, env, stdio: ['pipe', 'pipe', 'inherit'] });
  started.add(child);
  child.closed = new Promise((done) => child.once('close', (status) => { started.delete(child); done({ status }); }));
  let screen = '';
  child.stdout.on('data', (piece) => { screen += piece; });
  child.stdin.on('error', () => {});
  // eslint-disable-next-line no-control-regex
  const plain = () => screen.replace(/\u001b(?:\[[ -?]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-~])/g, '');
  const tail = () => plain().slice(-3_000);
  return {
    child,
    plain,
    raw: () => screen,
    seen: (pattern, most) => until(() => pattern.test(plain()), `${pattern} on the screen`, most).catch((error) => {
      throw new Error(`${error.message}:\n${tail()}`);
    }),
    /** Types a line as a person does: the words, and a moment later the key. */
    async type(words) {
      child.stdin.write(words);
      await until(() => plain().includes(words.slice(-20)), `${words} on the screen`, 20_000);
      child.stdin.write('\r');
    },
    key: (bytes) => child.stdin.write(bytes),
    /** The process of pi itself, under `script`. */
    inner: () => execFileSync('pgrep', ['-P', String(child.pid)], { encoding: 'utf8' }).trim().split('\n').map(Number),
    async close() {
      child.stdin.write('/quit\r');
      const late = setTimeout(() => child.kill('SIGKILL'), 20_000);
      const ended = await child.closed;
      clearTimeout(late);
      return ended;
    },
  };
}
