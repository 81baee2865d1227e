// A mission to host, and the real agents that host it, each with a home of its own and the scripted model
// as its only model. Whatever was started is ended by `close`.
import { execFileSync, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { environment } from '../agents/home.mjs';
import { ensure, program } from '../agents/install.mjs';
import { cached } from '../cache.mjs';
import { serve } from '../model/server.mjs';
import { program as endstateProgram } from '../program.mjs';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const SDK = '@modelcontextprotocol/sdk@1.32.2';

export { endstateProgram };

/** A client of the public SDK, which only tests use; kept beside the agents. */
export async function sdk() {
  const folder = cached(`mcp-sdk-${SDK.split('@').at(-1)}`, (place) => {
    fs.writeFileSync(path.join(place, 'package.json'), '{"private":true,"type":"module"}\n');
    const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'error', SDK];
    execFileSync('npm', args, { cwd: place, stdio: ['ignore', 2, 2] });
  });
  const home = path.join(folder, 'node_modules', '@modelcontextprotocol', 'sdk');
  const load = (name) => import(pathToFileURL(path.join(home, 'dist', 'esm', 'client', name)));
  const [{ Client }, { StdioClientTransport }] = await Promise.all([load('index.js'), load('stdio.js')]);
  return { Client, StdioClientTransport };
}

/** A repository with a mission of `runs` runs of one agent, begun and not started. */
export function mission(bin, runs) {
  const place = fs.mkdtempSync(path.join(os.tmpdir(), 'endstate-hosted-'));
  const completionConfig = { maxIterations: runs };
  const agent = { name: 'writer', behavior: { completionType: 'iterate', completionConfig } };
  fs.writeFileSync(path.join(place, 'agent.json'), JSON.stringify(agent));
  return begun(bin, place, 'run', '--protocol', 'iteration', 'agent.json', '--begin', '--accept', 'observed');
}

// Commits what is there and begins a mission in it.
function begun(bin, place, ...line) {
  const git = (...args) => execFileSync('git', args, { cwd: place, stdio: ['ignore', 'ignore', 'inherit'] });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@example.invalid');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  const say = (...args) => {
    const out = execFileSync(bin, [...args, '--json'], { cwd: place, encoding: 'utf8' });
    return JSON.parse(out.trim().split('\n').at(-1));
  };
  say(...line);
  return { place, say, remove: () => fs.rmSync(place, { recursive: true, force: true }) };
}

/** A repository with the mission of tests/cli/team.yaml, begun and not started. */
export function slices(bin) {
  const place = fs.mkdtempSync(path.join(os.tmpdir(), 'endstate-hosted-'));
  fs.writeFileSync(path.join(place, 'Makefile'), 'test:\n\t@true\n');
  fs.writeFileSync(path.join(place, 'README.md'), '# greeting\n');
  return begun(bin, place, 'init', 'The greeting is there', '--accept', 'observed');
}

/** What a host needs: its program, its environment, the model, the mission. */
export async function world(agent, { runs, script, team }) {
  const bin = endstateProgram();
  const failed = ensure([agent], (line) => console.error(line))[agent];
  if (failed) throw new Error(`${agent} could not be installed: ${failed}`);
  const home = fs.mkdtempSync(path.join(os.tmpdir(), `endstate-${agent}-`));
  const model = await serve({ script });
  const there = team ? slices(bin) : mission(bin, runs);
  const env = environment(agent, home, model.url, program(agent));
  // Server and hook of every plugin find the program by this alone.
  env.ENDSTATE_BIN = bin;
  env.ENDSTATE_AGENT = team ? `script:${team}` : 'exec:false';
  const close = async () => {
    await model.close();
    there.remove();
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  };
  return { ...there, bin, model, env, home, program: program(agent), close };
}

/** Starts a program in a group of its own. `end` ends the whole group, `ended` waits for its end. */
export function start(file, args, { cwd, env }, most = 120_000) {
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { out: '', err: '' };
  child.stdout.on('data', (piece) => { said.out += piece; });
  child.stderr.on('data', (piece) => { said.err += piece; });
  const end = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  };
  const timer = setTimeout(end, most);
  const ended = new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', (code) => { clearTimeout(timer); done({ code, ...said }); });
  });
  return { said, end, ended };
}

/** Waits until `holds` answers with something, and answers with it. */
export async function until(what, holds, most = 90_000) {
  const deadline = Date.now() + most;
  for (;;) {
    const answer = await holds();
    if (answer) return answer;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}
