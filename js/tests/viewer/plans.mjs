// Plans of sprints: what the page draws of one, what it says of it, and a plan that was imported beside its source.
import * as assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { page as built, shots, temporary } from './common.mjs';
import { accessible, choose, looked, quiet, seal, tab } from './opened.mjs';

const put = (folder, name, content) => {
  const file = path.join(folder, name);
  fs.writeFileSync(file, content);
  return file;
};

async function shown(shared, files) {
  const opened = await looked(shared, pathToFileURL(built()).href);
  await opened.page.waitForSelector('.welcome');
  await choose(opened.page, files);
  return opened;
}

/** Until the plan has so many items. */
const drawn = (page, items) => page.waitForFunction((count) => globalThis.endstateViewer?.root.querySelectorAll('.side .row').length === count, items);

const sprint = (label, more = '') => `### Sprint ${label}: Part ${label}\n\n${more}**Tasks**:\n1. Write it.\n\n**Exit criteria**:\n- [ ] AC-001: \`sh ${label}.sh\` exits 0\n`;
const PLAN = `---\nplan: endstate/1\n---\n# Kites\n\n## Work Unit: core\n\n${sprint(1)}\n${sprint(2)}\n## Work Unit: app\n\n${sprint(1, '**Depends on**: core/1\n\n')}`;

const SOURCE = '# Kites\n\nKites must fly.\n\n## Wind\n\n- [ ] Read the wind\n- [ ] `make wind` passes\n\nAt most 3 lines a kite.\n\nSee `wind.md`.\n';
const imported = (digest) => `---\nplan: endstate/1\nsource: {file: TODO.md, sha256: ${digest}}\n---\n# Kites\n\nKites must fly.\n\n`
  + '### Sprint 1: Wind\n\n**Tasks**:\n1. [ ] Read the wind\n\n**Exit criteria**:\n- [ ] AC-001: `make wind` passes\n\n**Notes**:\nAt most 3 lines a kite.\n\nSee `wind.md`.\n';

export default function plans(shared) {
  test('a canonical plan is drawn with its units, sprints and dependencies, and its remarks are said', async () => {
    const folder = temporary();
    const opened = await shown(shared, [put(folder, 'EXECUTION_PLAN.md', PLAN)]);
    const { page } = opened;
    await drawn(page, 3);
    assert.match(await seal(page, 'plain'), /This is a plan of sprints: the plan as it would begin/);
    assert.match(await page.locator('.side').textContent(), /core\/1[^]*core\/2[^]*app\/1/);
    assert.match(await page.locator('.critical').textContent(), /core\/1 → /);
    assert.equal(await page.locator('[data-tab=import]').count(), 0, 'nothing was imported');
    await quiet(opened);
    const bare = put(folder, 'EXECUTION_PLAN.md', PLAN.replace(/\*\*Exit criteria\*\*:\n- \[ \] AC-001: `sh 2.sh` exits 0\n/, ''));
    const said = await shown(shared, [bare]);
    await drawn(said.page, 3);
    assert.match(await seal(said.page, 'plain'), /One remark: line \d+: expected an exit criterion, got none\.$/);
    await quiet(said);
  });

  test('an imported plan is shown beside its source: counts by kind, and each line that became a note', async () => {
    const folder = temporary();
    const source = put(folder, 'TODO.md', SOURCE);
    const digest = createHash('sha256').update(SOURCE).digest('hex');
    const opened = await shown(shared, [put(folder, 'EXECUTION_PLAN.md', imported(digest)), source]);
    const { page } = opened;
    await seal(page, 'plain');
    await tab(page, 'import');
    const told = await page.locator('.review-told').textContent();
    assert.match(told, /This plan was made of TODO\.md\./);
    for (const count of ['sprints1', 'tasks1', 'exit criteria1', 'commands that are run1', 'criteria that are judged0']) assert.ok(told.includes(count), `${count}: ${told}`);
    assert.deepEqual(await page.locator('.review-shown li').allTextContents(), [
      'line 3 · words · the plan: Kites must fly.', 'line 10 · number · plan/1: At most 3 lines a kite.', 'line 12 · code · plan/1: See `wind.md`.',
    ]);
    assert.equal(await page.locator('.review-source li').count(), SOURCE.split('\n').length);
    assert.deepEqual(await page.locator('.review-source .noted').allTextContents(), ['Kites must fly. ← notes: words', 'At most 3 lines a kite. ← notes: number', 'See `wind.md`. ← notes: code']);
    await page.locator('.review-shown button').nth(1).click();
    assert.match(await page.locator('.review-source .chosen').textContent(), /^At most 3 lines/);
    await page.screenshot({ path: path.join(shots, 'import-light.png') });
    await accessible(page, 'import');
    await quiet(opened);
    fs.appendFileSync(source, 'One line more.\n');
    const stale = await shown(shared, [path.join(folder, 'EXECUTION_PLAN.md'), source]);
    await seal(stale.page, 'plain');
    await tab(stale.page, 'import');
    assert.match(await stale.page.locator('.review-told').textContent(), /TODO\.md changed since this plan was made of it\. Import it again\./);
    await quiet(stale);
  });
}
