// Ways to be called done that are none, beside the honest work under the same settings: what Node's host sees of each.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';
import { repository } from '../projects.mjs';

const cases = JSON.parse(fs.readFileSync(new URL('../../../tests/cheats/checks.json', import.meta.url), 'utf8'));

export default function cheatsSuite(pkg) {
  const { createMission } = pkg.imported;
  const { execAgent, iterationConfig, nodeHost } = pkg.host;

  /** What the end of a mission rests on whose agent does one thing. */
  async function shown({ check, does }, accept) {
    const behavior = { completionType: 'check', completionConfig: { command: check, maxIterations: 2 } };
    const agent = { name: 'a', displayName: 'A', description: 'Answers', behavior };
    const root = repository({ ...cases.files, 'agent.json': JSON.stringify(agent) });
    fs.writeFileSync(path.join(root, '.git/does.sh'), does);
    const config = { ...iterationConfig(root, 'agent.json'), proof: { accept, protect: cases.protect } };
    const mission = await createMission({ host: nodeHost({ root, agent: execAgent(['sh', '-c', 'sh .git/does.sh; echo I did it']) }), config });
    await mission.run();
    assert.equal(await mission.continuation(), 'done');
    const { end } = await mission.status();
    await mission.close();
    fs.rmSync(root, { recursive: true, force: true });
    return end.shown[0];
  }

  test('who changes what decides is not done', async () => {
    for (const one of cases.cheats) {
      for (const accept of ['observed', 'judged']) {
        const { how, enough, by } = await shown(one, accept);
        assert.deepEqual([how, enough], ['claimed', false], `${one.name}: ${by}`);
        assert.ok(by.includes(one.told), `${one.name}: ${by}`);
      }
    }
  });

  test('honest work under the same settings is done', async () => {
    for (const one of cases.honest) {
      const { how, enough, by } = await shown(one, 'observed');
      assert.deepEqual([how, enough], ['observed', true], by);
    }
  });
}
