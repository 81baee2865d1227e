// What a repository tells roles: `.agent/prompts`, as the Rust program takes it in.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';
import { journalOf, repository, rust } from '../projects.mjs';

const MISSION = 'The greeting is there';
const DEFINITION = { name: 'greeter', behavior: { completionType: 'manual', completionConfig: { completionKeyword: 'GREETED', maxIterations: 2 } } };
const FILES = {
  'Makefile': 'test:\n\t@true\n',
  'TASK-1.md': '---\nid: TASK-1\n---\n# Task: A greeting\n\n## Acceptance Criteria\n\n- hello.txt says hello\n',
  'agent.json': JSON.stringify(DEFINITION),
  'PLAN.md': '# Plan\n\n### Sprint 1: Greet\n\n**Tasks:**\n1. Say hello.\n\n**Exit criteria:**\n- [ ] `test -f hello.txt` exits 0\n',
};
const told = (role, text) => repository({ ...FILES, [`.agent/prompts/${role}.md`]: text, '.agent/prompts/nobody.md': 'Sing aloud.' });

export default function promptsSuite(pkg) {
  const { Engine } = pkg.imported;
  const { archiveMission, completionConfig, gridConfig, iterationConfig, promiseConfig, sprintConfig } = pkg.host;
  const kinds = {
    'completion-auditor': [completionConfig, MISSION],
    'promise-coach': [promiseConfig, 'TASK-1.md'],
    'iteration-agent': [iterationConfig, 'agent.json'],
    'sprint-verifier': [sprintConfig, 'PLAN.md'],
    'grid-recognizer': [gridConfig, MISSION],
  };
  const settings = (config) => config.mission.settings.role?.prompt ?? config.mission.settings.roles;

  for (const [role, [config, what]] of Object.entries(kinds)) {
    test(`what a repository tells ${role} is in the journal, begun by Node and by Rust alike`, async () => {
      const root = told(role, 'House rule: no tabs.\n');
      const ours = config(root, what);
      const line = JSON.parse(Engine.start(ours, 0).started().line);
      const { status, stderr } = rust(root, 'run', '--protocol', ours.mission.protocol, what, '--agent', 'exec:false');
      assert.notEqual(status, 1, stderr);
      const theirs = JSON.parse(fs.readFileSync(journalOf(root), 'utf8').split('\n')[0]);
      const [said, there] = [line, theirs].map(({ body }) => settings(body.config));
      assert.match(JSON.stringify(said), /House rule: no tabs\./);
      assert.doesNotMatch(JSON.stringify(line), /Sing aloud/);
      assert.deepEqual(said, there);
      // It is of no mission: the next one is told it, too.
      await archiveMission(root, { unfinished: true });
      assert.ok(fs.existsSync(path.join(root, '.agent', 'prompts', `${role}.md`)));
      assert.ok(!fs.existsSync(journalOf(root)));
      // What the caller says itself stands.
      const own = { tier: null, limits: null, prompt: 'Mine.' };
      const more = role === 'iteration-agent' ? { role: own } : { roles: { [role]: own } };
      assert.doesNotMatch(JSON.stringify(config(root, what, more)), /House rule/);
    });
  }

  test('what is no text of a role is refused', () => {
    const refused = (root) => {
      try {
        Engine.start(promiseConfig(root, 'TASK-1.md'), 0);
      } catch (error) {
        return error.code;
      }
    };
    assert.equal(refused(told('promise-couch', 'Sit.')), 'unknown_value');
    assert.equal(refused(told('promise-coach', 'x'.repeat(65_537))), 'too_large');
    assert.equal(refused(told('promise-coach', 'As {{anchor}} says.')), 'unresolved_variable');
    const root = repository(FILES);
    fs.mkdirSync(path.join(root, '.agent', 'prompts'), { recursive: true });
    fs.symlinkSync(path.join(root, 'Makefile'), path.join(root, '.agent', 'prompts', 'promise-coach.md'));
    assert.equal(refused(root), 'file_missing');
  });
}
