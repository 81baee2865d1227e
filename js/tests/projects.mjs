// Real repositories for the suites of the Node host: the demos' projects and teams, and smaller ones.
import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { program } from '../../tests/program.mjs';
import { root } from './package.mjs';

const DEMO = path.join(root, 'src', 'cli', 'demo');
const DATE = '2030-01-01T00:00:00Z';
const folders = [];

/** What the demos' missions are about. */
export const TALLY = 'tally counts lines and words of files and of standard input, and says how it is used';

const KITS = {
  completion: {
    'README.md': 'README.md', Makefile: 'Makefile', 'bin/tally': 'tally.sh', 'tests/run.sh': '../run.sh',
  },
  promise: {
    'README.md': 'README.md', Makefile: 'Makefile', 'bin/slug': 'slug.sh', 'tests/run.sh': '../run.sh',
    'tasks/feature.yaml': 'feature.yaml', 'tasks/TASK-SLUG-001.md': 'TASK-SLUG-001.md',
    'tasks/TASK-SLUG-002.md': 'TASK-SLUG-002.md', 'tasks/TASK-SLUG-003.md': 'TASK-SLUG-003.md',
  },
  grid: {
    'README.md': 'README.md', 'tests/run.sh': '../run.sh', 'plans/01-01-PLAN.md': '01-01-PLAN.md',
    'plans/01-02-PLAN.md': '01-02-PLAN.md', 'plans/01-03-PLAN.md': '01-03-PLAN.md',
  },
  sprint: { 'README.md': 'README.md', Makefile: 'Makefile', 'ops/mirrored.sh': 'mirrored.sh', 'EXECUTION_PLAN.md': 'EXECUTION_PLAN.md' },
  iteration: { 'README.md': 'README.md', 'tests/run.sh': 'run.sh', 'greeter.json': 'agent.json' },
};

/** A folder that is gone when the suites are. */
export function folder() {
  const made = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'endstate-host-')));
  folders.push(made);
  return made;
}

export function removeFolders() {
  for (const made of folders.splice(0)) fs.rmSync(made, { recursive: true, force: true });
}

export function git(cwd, ...words) {
  const env = { ...process.env, GIT_AUTHOR_DATE: DATE, GIT_COMMITTER_DATE: DATE };
  return execFileSync('git', words, { cwd, env, encoding: 'utf8' }).trim();
}

/** A repository with these files, and one commit. */
export function repository(files) {
  const at = folder();
  for (const [name, text] of Object.entries(files)) {
    const full = path.join(at, name);
    fs.mkdirSync(path.dirname(full), { recursive: true });
    if (text.startsWith('link:')) fs.symlinkSync(text.slice('link:'.length), full);
    else fs.writeFileSync(full, text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
  }
  git(at, 'init', '-q', '-b', 'main');
  git(at, 'config', 'user.name', 'Scripted Team');
  git(at, 'config', 'user.email', 'team@example.invalid');
  git(at, 'config', 'commit.gpgsign', 'false');
  git(at, 'add', '-A');
  git(at, 'commit', '-q', '-m', 'A skeleton');
  return at;
}

/** The project of a protocol's demo, its team, and the config of its mission. */
export function demo(protocol, { gridConfig, iterationConfig, promiseConfig, sprintConfig }) {
  const kit = Object.entries(KITS[protocol]);
  const at = repository(Object.fromEntries(kit.map(([name, source]) => [name, fs.readFileSync(path.join(DEMO, protocol, source), 'utf8')])));
  const budget = { role_runs: 60 };
  const config = {
    completion: () => ({
      budget,
      mission: {
        protocol: 'completion',
        settings: {
          mission: TALLY, project_name: 'tally', verification_commands: [['make', 'test']], docs_surfaces: ['README.md'], onboard: true,
        },
      },
    }),
    promise: () => promiseConfig(at, 'tasks/feature.yaml', { test_command: ['make', 'test'] }, budget),
    grid: () => gridConfig(at, 'plans', {}, budget),
    sprint: () => sprintConfig(
      at, 'EXECUTION_PLAN.md', { trusted: true, poll_interval_ms: 1_000, build: [{ argv: ['make', 'test'] }], project: 'greeter' }, budget,
    ),
    iteration: () => iterationConfig(at, 'greeter.json', {}, budget),
  }[protocol]();
  return { root: at, config, team: path.join(DEMO, protocol, 'team.yaml') };
}

/** The config of a mission of few runs, for whatever its agent does: one agent, prompted `runs` times. */
export function smallConfig(runs = 1, more = {}, completion = {}) {
  const definition = {
    name: 'worker', displayName: 'Worker', behavior: { completionType: 'iterate', completionConfig: { maxIterations: runs }, ...completion },
  };
  return { mission: { protocol: 'iteration', settings: { mission: 'Something small is done', definition, ...more } } };
}

/** A scenario file beside the repository, so that it dirties nothing. */
export function scenario(runs) {
  const file = path.join(folder(), 'team.yaml');
  fs.writeFileSync(file, JSON.stringify({ runs }));
  return file;
}

export { program };

/** What it says. Nobody is asked before the work what shows a criterion, unless that is said. */
export function rust(cwd, ...words) {
  const begins = ['run', 'init'].includes(words[0]) && !words.includes('--accept');
  const { status, stdout, stderr } = spawnSync(program(), begins ? [...words, '--accept', 'observed'] : words, { cwd, encoding: 'utf8' });
  return { status, stdout, stderr };
}

export const journalOf = (at) => path.join(at, '.agent', 'endstate', 'journal.jsonl');
export const facts = (at) => fs.readFileSync(journalOf(at), 'utf8').trimEnd().split('\n').slice(1).map((line) => JSON.parse(line).body.event.fact);

/** The first session that each run named, of the data of `run_progressed`. */
export function sessions(progressed) {
  const named = new Map();
  for (const { effect, entries } of progressed) {
    const session = entries.find(({ kind }) => kind === 'session');
    if (session !== undefined && !named.has(effect)) named.set(effect, session.text);
  }
  return [...named.values()];
}

/** Processes that carry the mark of a run of this repository. */
export function roles(root) {
  return fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => {
    try {
      return fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`ENDSTATE_ROOT=${root}`);
    } catch {
      return false;
    }
  });
}

/** Ends them by SIGKILL; answers with how many there were. */
export function killRoles(root) {
  let kills = 0;
  for (const pid of roles(root)) {
    try {
      process.kill(pid, 'SIGKILL');
      kills += 1;
    } catch {
      // It ended by itself.
    }
  }
  return kills;
}
