// What rooms cost: a mission of ten turns in a cargo and in an npm repository, with rooms and with `--in-place`. The turns and
// the end are timed apart, each three times in turn; the medians count.
//
//   cargo build --release && node bench/rooms.mjs
import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';

const program = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../target/release/endstate');
const TURNS = 10;
const ROUNDS = 3;

const REPOSITORIES = {
  cargo: {
    command: ['cargo', 'test', '--quiet', '--offline'],
    files: {
      'Cargo.toml': '[package]\nname = "counted"\nversion = "0.1.0"\nedition = "2021"\n',
      'src/lib.rs': 'pub mod steps;\npub fn steps() -> usize {\n    steps::STEPS\n}\n',
      'src/steps.rs': 'pub const STEPS: usize = 0;\n',
      'tests/steps.rs': `#[test]\nfn all_steps_are_done() {\n    assert_eq!(counted::steps(), ${TURNS});\n}\n`,
      '.gitignore': 'target\nCargo.lock\n',
    },
    turn: 'n=$(tr -dc 0-9 < src/steps.rs); echo "pub const STEPS: usize = $((n + 1));" > src/steps.rs',
  },
  npm: {
    command: ['npm', 'test', '--silent'],
    files: {
      'package.json': JSON.stringify({ name: 'counted', version: '0.1.0', type: 'module', scripts: { test: 'node --test' } }),
      'steps.js': 'export const steps = 0;\n',
      'steps.test.js': `import test from 'node:test';\nimport assert from 'node:assert';\nimport { steps } from './steps.js';\ntest('all steps are done', () => assert.equal(steps, ${TURNS}));\n`,
      '.gitignore': 'node_modules\n',
    },
    turn: 'n=$(tr -dc 0-9 < steps.js); echo "export const steps = $((n + 1));" > steps.js',
  },
};

function repository(files) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'endstate-rooms-'));
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), text);
  }
  const git = (...words) => execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd: root });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-q', '-m', 'begin');
  return root;
}

/** One mission to its end: the seconds of its turns, and of what came behind the last of them. */
function mission({ command, files, turn }, more, status) {
  const behavior = { completionType: 'check', completionConfig: { command, maxIterations: TURNS + 2 } };
  const agent = { name: 'a', displayName: 'A', description: 'Counts', behavior };
  const root = repository({ ...files, 'agent.json': JSON.stringify(agent), 'turn.sh': `${turn}\necho done\n` });
  const words = ['run', '--protocol', 'iteration', 'agent.json', '--agent', 'exec:sh turn.sh', '--json', ...more];
  const said = spawnSync(program, words, { cwd: root, encoding: 'utf8' });
  if (said.status !== status) throw new Error(`status ${said.status}: ${said.stdout}${said.stderr}`);
  const lines = fs.readFileSync(path.join(root, '.agent/endstate/journal.jsonl'), 'utf8').trim().split('\n');
  const events = lines.slice(1).map((line) => JSON.parse(line).body.event);
  const turns = events.filter(({ fact }) => fact.type === 'run_ended').length;
  if (turns !== TURNS) throw new Error(`${turns} turns`);
  // Behind the last turn its command is run once more where it lies; what follows is the end.
  const last = events.findLastIndex(({ fact }) => fact.type === 'run_ended');
  const settled = events.findIndex(({ fact }, at) => at > last && fact.type === 'command_exited');
  const seconds = (from, to) => (events[to].at - events[from].at) / 1000;
  fs.rmSync(root, { recursive: true, force: true });
  return { turns: seconds(0, settled), end: seconds(settled, events.length - 1) };
}

const median = (all) => all.toSorted((a, b) => a - b)[all.length >> 1];
const round = (number) => Math.round(number * 100) / 100;
const found = {};
for (const [name, one] of Object.entries(REPOSITORIES)) {
  const rooms = [];
  const inPlace = [];
  for (let at = 0; at < ROUNDS; at += 1) {
    rooms.push(mission(one, [], 0));
    inPlace.push(mission(one, ['--in-place'], 4));
  }
  const of = (all, part) => round(median(all.map((each) => each[part])));
  const [turns, bare] = [of(rooms, 'turns'), of(inPlace, 'turns')];
  found[name] = { turns, turns_in_place: bare, ratio: round(turns / bare), end: of(rooms, 'end') };
}
console.log(JSON.stringify({ seconds_of_ten_turns: found }));
