// The snippets of the documentation and the examples do what their pages say.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';
import { folder, repository } from '../projects.mjs';
import { root } from '../package.mjs';

/** The blocks of a page in this language. */
const snippets = (page, language) => {
  const text = fs.readFileSync(path.join(root, 'docs', page), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, body]) => body);
};

const COMPLETION = [
  ...['regrounder', 'implementer', 'reviewer', 'auditor', 'regrounder', 'stop-judge', 'regrounder'].map((role) => `completion-${role}`),
  'done Every slice is closed and the stop wave agreed.', '',
].join('\n');
const TOLD = {
  'hosts.md': ['a run ended\na run ended\ndone\n', 'done\n', '{}\nmcp\n'],
  'host-node.md': [/\nrun_ended\n[^]*\ndone after iteration 2: [^\n]*\n$/, 'no_mission\n', COMPLETION],
  'host-guide.md': [/^started 3\.1\n[^\n]*\ntrue done\n$/],
};
const DEFINITION = {
  name: 'n', displayName: 'Two', description: 'Counts to two',
  behavior: { completionType: 'check', completionConfig: { command: ['test', '-f', 'two'], maxIterations: 9 } },
};

export default function examples(pkg) {
  const node = (script, args = []) => {
    const here = folder();
    fs.symlinkSync(path.join(pkg.folder, 'node_modules'), path.join(here, 'node_modules'));
    fs.writeFileSync(path.join(here, 'main.mjs'), script);
    const { status, stdout, stderr } = spawnSync(process.execPath, ['main.mjs', ...args], { cwd: here, encoding: 'utf8', timeout: 60_000 });
    assert.equal(status, 0, stderr);
    return stdout;
  };

  for (const [page, told] of Object.entries(TOLD)) {
    test(`the snippets of docs/${page} run`, () => {
      const found = snippets(page, 'js');
      assert.equal(found.length, told.length, 'each snippet says what it prints');
      found.forEach((script, at) => {
        const said = node(script);
        if (told[at] instanceof RegExp) assert.match(said, told[at]);
        else assert.equal(said, told[at]);
      });
    });
  }

  test('examples/memory.mjs counts to three', () => {
    const said = node(fs.readFileSync(path.join(root, 'examples', 'memory.mjs'), 'utf8'));
    assert.equal(said.match(/^run_ended$/gm).length, 3);
    assert.match(said, /\ndone after iteration 3: /);
  });

  test('examples/node.mjs drives a repository, and goes on with what is done', () => {
    const place = repository({ 'agent.json': JSON.stringify(DEFINITION) });
    const script = fs.readFileSync(path.join(root, 'examples', 'node.mjs'), 'utf8');
    const line = [place, 'sh', '-c', 'test -f one && touch two || touch one; echo counted'];
    assert.match(node(script, line), /\ndone after iteration 2: /);
    assert.match(node(script, line), /^done after iteration 2: /);
  });
}
