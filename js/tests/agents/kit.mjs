// What all tests with real agents share: the command line, a repository and a home for each agent, and what is in a journal.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { committed, environment } from '../../../tests/agents/home.mjs';
import { AGENTS, ensure, program } from '../../../tests/agents/install.mjs';
import { program as built } from '../../../tests/program.mjs';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
export const endstate = built();

/** The agents to be tested. */
export const wanted = process.env.ENDSTATE_AGENTS?.split(',') ?? Object.keys(AGENTS);
const absent = ensure(wanted, (words) => console.error(words));

/** Why an agent is not tested, or `false`. */
export function skipped(agent) {
  if (!wanted.includes(agent)) return `${agent} is not asked for`;
  return absent[agent] ? `${agent} could not be installed: ${absent[agent]}` : false;
}

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'endstate-agents-'));
export const removeAll = () => fs.rmSync(scratch, { recursive: true, force: true });

/** A repository with one commit, an isolated home, and the command line in both. */
export function place(agent, files, url) {
  const folder = fs.mkdtempSync(path.join(scratch, `${agent}-`));
  const repo = path.join(folder, 'repo');
  const env = environment(agent, path.join(folder, 'home'), url, program(agent));
  return { repo, env, git: committed(repo, files, env) };
}

/** Runs the command line; answers with its status and words. What hangs is ended: machines may be busy. */
export function run({ repo, env }, args, timeout = 900_000) {
  return new Promise((done, fail) => {
    const child = spawn(endstate, args, { cwd: repo, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let words = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => { words += piece; });
    const timer = setTimeout(() => child.kill('SIGKILL'), timeout);
    child.once('error', fail);
    child.once('close', (status) => { clearTimeout(timer); done({ status, words }); });
  });
}

/** The facts of one type in a mission's journal. */
export function facts({ repo }, type) {
  const lines = fs.readFileSync(path.join(repo, '.agent', 'endstate', 'journal.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line).body.event?.fact).filter((fact) => fact?.type === type).map(({ data }) => data);
}

/** Waits for something to become true, at most ten minutes: machines may be busy. */
export async function until(holds) {
  for (const began = Date.now(); !holds(); ) {
    assert.ok(Date.now() - began < 600_000, 'waited ten minutes');
    await new Promise((go) => setTimeout(go, 50));
  }
}

/** The processes that carry this run's place in their environment. */
export function carrying(repo) {
  const mark = `ENDSTATE_ROOT=${fs.realpathSync(repo)}`;
  return fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).filter((pid) => {
    try {
      return fs.readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark);
    } catch {
      return false;
    }
  });
}
