// Tests by name, with real test runners: what each command came to before the work, and that its tests are what they were.
// `node --test js/tests/runners.test.mjs`; the runners are installed where they are not there.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { placeOf } from '../../tests/cache.mjs';
import { installed } from './package.mjs';
import { removeFolders, repository, rust, scenario } from './projects.mjs';
import { ready } from './runners/install.mjs';
import { PROJECTS } from './runners/projects.mjs';

/** What each kind of test has before the work and after it, and what it comes to before it. */
const KINDS = {
  green: { before: ['nothing'], came: 'green' },
  failing: { before: ['two'], came: 'red' },
  symbol: { before: ['twice'], came: 'unloaded' },
  fixture: { before: ['fixture'] },
  zero: { before: [], after: ['nothing'], came: 'absent' },
  missing: { after: ['two'], came: 'absent' },
};
/** Ways to make a command hold without the work. */
const CHEATS = {
  deleted: { before: ['nothing', 'two'], after: ['nothing'] },
  skipped: { before: ['nothing', 'two'], after: ['nothing', 'skipped'] },
  weakened: { before: ['nothing', 'two'], after: ['nothing', 'weakened'] },
  replaced: { before: ['twice'], after: ['weakened'] },
};
/** What is said of a command before the work. */
const WORDS = {
  red: 'it failed', absent: 'none of its tests was there', unloaded: 'its tests did not load', green: 'it held, too', broken: 'it could not judge',
};

/** A repository with one sprint, whose exit criteria are the tests of these kinds, and who does it. */
function project({ command, file, tests, files, mended }, kinds) {
  const names = Object.keys(kinds);
  const texts = (when) => Object.fromEntries(names.filter((kind) => kinds[kind][when]).map((kind) => [file(kind), tests(...kinds[kind][when])]));
  const criteria = names.map((kind) => `- [ ] \`${command(kind)}\` exits 0`);
  const plan = ['# Sums', '## Sprint 1: Mend the sum', '**Tasks**:\n1. Mend it.', `**Exit criteria**:\n${criteria.join('\n')}`].join('\n\n');
  const root = repository({ ...files, ...texts('before'), '.gitignore': 'target\nnode_modules\n__pycache__\n.pytest_cache\n', 'EXECUTION_PLAN.md': `${plan}\n` });
  const work = { ...mended, ...texts('after'), 'data/two': '2\n' };
  const team = scenario([
    { when: { role: 'plan-namer' }, report: { block: { answers: [{ id: 'name', answer: { type: 'text', text: 'OPERATION TIN WHISTLE' } }] } } },
    {
      when: { role: 'agent' },
      do: [...Object.entries(work).map(([name, text]) => ({ write: { path: name, text } })), { commit: 'Mend the sum' }],
      report: { block: { sprint: 'plan/1', outcome: 'completed' } },
    },
  ]);
  return { root, team };
}

/** What the end rests on, kind by kind. */
function byKind(end, kinds, { command }) {
  const found = (kind) => end.shown.find((one) => one.by.includes(command(kind)));
  return Object.fromEntries(Object.keys(kinds).map((kind) => [kind, found(kind)]));
}

const found = ready();
let pkg;
before(async () => {
  process.env.PATH = [found.path, process.env.PATH].join(path.delimiter);
  // Go builds its own library anew in each room that has no cache, which is not what is tried here.
  process.env.GOCACHE = placeOf('go-build');
  pkg = await installed();
});
after(() => {
  pkg.remove();
  removeFolders();
});

const HOSTS = {
  native({ root, team }) {
    const ran = rust(root, 'run', '--protocol', 'sprint', 'EXECUTION_PLAN.md', '--trust', '--room-env', 'GOCACHE', '--agent', `script:${team}`);
    const { end } = JSON.parse(rust(root, 'view', '--print').stdout);
    return { status: ran.status, end, words: ran.stdout + ran.stderr };
  },
  async node({ root, team }) {
    const { nodeHost, parseAgent, sprintConfig } = pkg.host;
    const config = { ...sprintConfig(root, 'EXECUTION_PLAN.md', { trusted: true }), proof: { variables: ['GOCACHE'] } };
    const mission = await pkg.imported.createMission({ host: nodeHost({ root, agent: parseAgent(`script:${team}`) }), config });
    await mission.run();
    const { end } = await mission.status();
    await mission.close();
    return { status: end.shown.every((one) => one.enough) ? 0 : 4, end, words: JSON.stringify(end) };
  },
};

for (const [host, run] of Object.entries(HOSTS)) {
  describe(`${host}: tests by name`, () => {
    for (const [runner, own] of Object.entries(PROJECTS)) {
      // How what was there is told apart is the engine's matter, and the same for both.
      test(`${runner}: what there was before the work is told apart`, { skip: found.absent[runner] ?? (host === 'node' && runner !== 'node') }, async () => {
        const { status, end, words } = await run(project(own, KINDS));
        assert.equal(status, 0, words);
        for (const [kind, shown] of Object.entries(byKind(end, KINDS, own))) {
          const came = KINDS[kind].came ?? own.fixture;
          assert.ok(shown?.by.includes(`before the work ${WORDS[came]}`), `${kind}: ${JSON.stringify(shown)}`);
          const added = came === 'green' || came === 'red' ? 0 : 1;
          assert.ok(shown.by.includes(`1 tests passed, ${added} of them new`), `${kind}: ${JSON.stringify(shown)}`);
        }
      });

      test(`${runner}: who changes the tests is not done`, { skip: found.absent[runner] ?? false }, async () => {
        const { status, end, words } = await run(project({ ...own, mended: {} }, CHEATS));
        assert.equal(status, 4, words);
        for (const [kind, { how, by }] of Object.entries(byKind(end, CHEATS, own))) {
          assert.equal(how, 'claimed', `${kind}: ${by}`);
          const lost = `\`${own.named(kind, 'two')}\` was`;
          assert.ok(by.includes(lost) || (by.includes(' holds only with ') && by.includes(own.file(kind))), `${kind}: ${by}`);
        }
      });
    }

    test('pytest: tests that were not run before the work are as they were', { skip: found.absent.pytest ?? false }, async () => {
      const { files, mended, ...pytest } = PROJECTS.pytest;
      const own = { ...pytest, files: { ...files, 'conftest.py': 'from sums import twice\n' }, mended: { 'sums.py': mended['sums.py'].replace('a + b', 'a - b') } };
      const { status, end, words } = await run(project(own, { weakened: CHEATS.weakened }));
      assert.equal(status, 4, words);
      assert.match(byKind(end, { weakened: {} }, own).weakened.by, /holds only with weakened\/test_weakened\.py/);
    });

    test('cargo: a test beside the code is missed by its name', async () => {
      const { files, ...cargo } = PROJECTS.cargo;
      const code = files['src/lib.rs'];
      const inner = '#[cfg(test)]\nmod tests {\n    #[test]\n    fn two() {\n        assert_eq!(super::sum(1, 1), 2);\n    }\n    #[test]\n    fn old() {}\n}\n';
      const own = { ...cargo, files: { ...files, 'src/lib.rs': code + inner }, command: () => 'cargo test --offline --lib' };
      const { status, end, words } = await run(project({ ...own, mended: { 'src/lib.rs': code + inner.replace(/ {4}#\[test\]\n {4}fn two[^]*?\n {4}\}\n/, '') } }, { inner: {} }));
      assert.equal(status, 4, words);
      assert.match(byKind(end, { inner: {} }, own).inner.by, /`unittests src\/lib\.rs > tests::two` was not run/);
    });
  });
}
