// What the tests and the bench of the viewer share: the browser, the program, demo journals, the page.
import { execFileSync, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as os from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { program } from '../../../tests/program.mjs';
import { chromium } from '../consumers/tools.mjs';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
export const stage = path.join(root, 'target', 'npm', 'stage');
export const shots = path.join(root, 'target', 'viewer-shots');
export const PROTOCOLS = ['completion', 'promise', 'iteration', 'grid', 'sprint'];

export async function browser() {
  const js = path.join(root, 'js');
  if (!fs.existsSync(path.join(js, 'node_modules', 'playwright-core'))) execFileSync('npm', ['ci', '--silent'], { cwd: js, stdio: ['ignore', 2, 2] });
  const { chromium: kind } = createRequire(path.join(js, 'package.json'))('playwright-core');
  return kind.launch({ executablePath: chromium(), args: ['--no-sandbox', '--disable-gpu'] });
}

export const axe = () => fs.readFileSync(path.join(root, 'js', 'node_modules', 'axe-core', 'axe.min.js'), 'utf8');

/** The page, built if it is not there. */
export function page() {
  const file = path.join(stage, 'viewer.html');
  if (!fs.existsSync(file)) execFileSync(process.execPath, [path.join(root, 'js', 'build.mjs')], { stdio: ['ignore', 2, 2] });
  return file;
}

export { program };

export const run = (args, options = {}) => execFileSync(program(), args, { encoding: 'utf8', ...options });

const folders = [];
process.on('exit', () => {
  for (const folder of folders) {
    try {
      fs.rmSync(folder, { recursive: true, force: true });
    } catch {
      // What somebody still writes into stays: no test fails for what it leaves behind.
    }
  }
});

/** A new folder, removed when all tests have ended. */
export function temporary() {
  folders.push(fs.mkdtempSync(path.join(os.tmpdir(), 'endstate-viewer-')));
  return folders.at(-1);
}

/** A repository in which the demo of a protocol was played; once for all tests. */
const played = new Map();
export function demo(protocol) {
  if (!played.has(protocol)) {
    const folder = path.join(temporary(), 'demo');
    try {
      run(['demo', '--protocol', protocol, '--dir', folder, '--json']);
    } catch (error) {
      // Done, and something rests on a claim.
      if (error.status !== 4) throw error;
    }
    played.set(protocol, folder);
  }
  return played.get(protocol);
}
export const journalOf = (folder) => path.join(folder, '.agent', 'endstate', 'journal.jsonl');

/** One file of a journal (or of anything else), as `endstate view --html` writes it. */
export function html(source, name = 'view.html') {
  const out = path.join(temporary(), name);
  const answer = JSON.parse(run(['view', source, '--html', out, '--page', page(), '--json']));
  return { file: out, url: `file://${out}`, bytes: answer.bytes };
}

/** The two that serve the viewer, and write it: each with its command line. */
export const VIEWERS = { 'the program': () => [program()], 'the npm package': () => [process.execPath, path.join(stage, 'bin', 'endstate.mjs')] };

/** `endstate view` left running. */
export const serve = (cwd, ...args) => serveBy(VIEWERS['the program'](), cwd, ...args);
export function serveBy([command, ...words], cwd, ...args) {
  const child = spawn(command, [...words, 'view', '--no-open', '--json', '--page', page(), ...args], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  const url = new Promise((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (piece) => {
      said += piece;
      if (said.includes('\n')) resolve(JSON.parse(said.split('\n')[0]).url);
    });
    child.on('exit', (status) => reject(new Error(`the server ended with ${status}`)));
  });
  return { url, end: () => child.kill() };
}

/** Asks until it holds. */
export async function until(what, holds, patience = 20_000) {
  const began = Date.now();
  for (;;) {
    const value = await holds();
    if (value) return value;
    if (Date.now() - began > patience) throw new Error(`not within ${patience} ms: ${what}`);
    await new Promise((resume) => setTimeout(resume, 30));
  }
}
