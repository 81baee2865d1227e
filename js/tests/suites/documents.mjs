// Documents that people write, read by the engine and given back to it as settings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { fields, thrownBy } from '../package.mjs';
import { facts, repository, scenario } from '../projects.mjs';

const TASK = '---\nid: TASK-7\n---\n# Task: Greet\n\n## Acceptance Criteria\n\n- [ ] it greets\n- **AC-LOUD** — loudly\n';

export default function documents(pkg) {
  const { checkedFiles, checkFile, Engine } = pkg.imported;
  const { readDocument } = pkg.plan;

  test('a task document becomes the settings of a promise mission', () => {
    const { id, title, criteria, notes } = readDocument('task', TASK);
    assert.deepEqual([id, title, notes], ['TASK-7', 'Greet', []]);
    assert.deepEqual(criteria.map((one) => [one.id, one.lines.first]), [['AC-001', 8], ['AC-LOUD', 9]]);
    const settings = { mission: `${id}: ${title}`, tasks: [{ id, title, criteria }] };
    const engine = Engine.start({ mission: { protocol: 'promise', settings } }, 1_800_000_000_000);
    assert.equal(engine.view().nodes[0].criteria.length, 2);
    engine.free();
  });

  test('a definition becomes the settings of an iteration mission', () => {
    const text = JSON.stringify({
      name: 'a',
      behavior: { completionType: 'manual', completionConfig: { completionKeyword: 'DONE' } },
    });
    const settings = { mission: 'a', definition: readDocument('agent', text) };
    const engine = Engine.start({ mission: { protocol: 'iteration', settings } }, 1_800_000_000_000);
    assert.equal(engine.view().protocol, 'iteration');
    engine.free();
  });

  test('plans become the settings of a grid mission', () => {
    const plan = (number, after) => `---\nphase: 01-base\nplan: "${number}"\ndepends_on: [${after}]\n`
      + `must_haves: {truths: [it is there]}\n---\n\n<objective>\nBuild it\n</objective>\n`;
    const read = (number, after) => readDocument('plan', plan(number, after));
    const { plan: first, faults, notes } = read('01', '');
    assert.deepEqual([first.id, first.objective, faults], ['01', 'Build it', []]);
    assert.ok(Array.isArray(notes));
    const settings = { mission: 'It is there', plans: [first, read('02', '"01"').plan] };
    const engine = Engine.start({ mission: { protocol: 'grid', settings } }, 1_800_000_000_000);
    assert.deepEqual(engine.view().nodes.map((node) => [node.id, node.lane]), [['01', 0], ['02', 1]]);
    const circle = { mission: 'x', plans: [read('01', '"02"').plan, read('02', '"01"').plan] };
    const start = () => Engine.start({ mission: { protocol: 'grid', settings: circle } }, 0);
    assert.equal(thrownBy(start).code, 'dependency_cycle');
    engine.free();
  });

  test('plans that are not read are told, and so is what was decided before a refinement', () => {
    const { gridConfig } = pkg.host;
    const text = '---\nphase: 01-base\nplan: "01"\nmust_haves: {truths: [it is there]}\n---\n\n<objective>\nBuild it\n</objective>\n';
    const names = ['plans/01-01-PLAN.md', 'plans/01-02-plan.md', 'plans/01-03-PLAN.MD', 'plans/01-04-PLAN-search.md', 'plans/PLAN-01-05.markdown', 'plans/PLAN.md', 'plans/planes.md', 'plans/old/01-01-PLAN.md'];
    const root = repository({ 'README.md': 'A project\n', ...Object.fromEntries(names.map((name) => [name, text])) });
    const told = [];
    const { mission } = gridConfig(root, 'plans', {}, {}, (line) => told.push(line));
    assert.deepEqual(mission.settings.plans.map((plan) => plan.id), ['01-01']);
    const odd = (name) => `plans: ${name} is not read: the name of a plan ends with -PLAN.md, in these letters`;
    assert.deepEqual(told, [
      odd('01-02-plan.md'), odd('01-03-PLAN.MD'), odd('01-04-PLAN-search.md'), odd('PLAN-01-05.markdown'), odd('PLAN.md'), 'plans: old/ has 1 plans that are not read: a folder is one phase',
    ]);
    const refining = () => gridConfig(root, 'Refine it', { refine: 'visual', refine_only: true }).mission.settings.decided;
    assert.deepEqual(refining(), []);
    const record = (number, lines) => {
      const folder = path.join(root, '.agent', 'archive', number, '.grid');
      fs.mkdirSync(folder, { recursive: true });
      fs.writeFileSync(path.join(folder, 'STATE.md'), `# x\n\n## Decisions Made\n${lines}\n## Blockers/Concerns\n- none of it\n`);
    };
    record('002', '- 01: plain\n\n## Decisions Made Before\n- 01: in blue\n');
    record('001', '- an old one\n');
    fs.mkdirSync(path.join(root, '.agent', 'archive', '003'));
    assert.deepEqual(refining(), ['01: in blue', '01: plain']);
  });

  test('a plan is read and ordered, and what its author should know is said', () => {
    const { planParse, planGraph } = pkg.plan;
    const text = '# Plan\n\n## Sprint 1: Greet\n\n**Exit criteria**:\n- [ ] `sh greet.sh` succeeds\n\n## Sprint 2: Shout\n\n'
      + '**Depends on**: Sprint 1, Sprint 9\n\n**Exit criteria**:\n- [ ] `sh shout.sh` succeeds\n';
    const { family, plan, remarks } = planParse(text);
    assert.deepEqual([family, plan.units[0].sprints.length], ['execution', 2]);
    assert.ok(remarks.some(({ line, code }) => line === 10 && code === 'dependency_unknown'), JSON.stringify(remarks));
    assert.ok(JSON.stringify(planGraph(text)).includes('2'));
    assert.equal(thrownBy(() => planParse(7)).code, 'wrong_type');
    assert.equal(thrownBy(() => planParse('Only words.\n')).code, 'unknown_family');
  });

  test('a plan of another family is written in the canonical grammar, and that is read as the same plan', () => {
    const { planParse, planFormat } = pkg.plan;
    const text = '# Tasks: Greet\n\n## Phase 1: Setup\n\n- [ ] T001 Make `greet.sh`\n\n**Checkpoint**: it greets\n';
    const written = planFormat(text, 'specs/tasks.md');
    assert.match(written, /^---\nplan: endstate\/1\n[^]*### Sprint 1: Setup\n/);
    assert.equal(planFormat(written), written);
    const [before, after] = [planParse(text, 'specs/tasks.md'), planParse(written)];
    assert.deepEqual([before.family, after.family], ['spec-kit', 'canonical']);
    const told = ({ plan }) => plan.units.flatMap(({ sprints }) => sprints.map(({ label, name, tasks, exit }) => [label, name, tasks.length, exit[0].text]));
    assert.deepEqual(told(after), told(before));
    assert.deepEqual(after.remarks, []);
  });

  test('a criterion in words is commands that are run, and words that are judged', () => {
    const { planCriterion } = pkg.plan;
    const { commands: [first, ...more], judged } = planCriterion('`sh greet.sh` exits 2');
    assert.deepEqual([first.argv.at(-1), more, judged], ['sh greet.sh', [], false]);
    assert.deepEqual(planCriterion('It greets everybody.'), { commands: [], judged: true });
    assert.equal(thrownBy(() => planCriterion(7)).code, 'wrong_type');
  });

  test('a written plan becomes the settings of a sprint mission', () => {
    const text = '# Plan\n\n## Sprint 1: Greet\n\n**Tasks**:\n1. Write `greet.sh`.\n\n**Exit criteria**:\n- [ ] `sh greet.sh` succeeds\n';
    const settings = readDocument('sprint', text, 'docs/PLAN.md', 'greeter');
    assert.deepEqual([settings.plan.path, settings.root, settings.project], ['docs/PLAN.md', 'docs', 'greeter']);
    const engine = Engine.start({ mission: { protocol: 'sprint', settings } }, 1_800_000_000_000);
    assert.deepEqual([engine.view().protocol, engine.view().nodes.length > 0], ['sprint', true]);
    engine.free();
    assert.equal(readDocument('sprint', text).plan.path, 'EXECUTION_PLAN.md');
    assert.equal(thrownBy(() => readDocument('sprint', text, 7)).code, 'wrong_type');
    assert.equal(thrownBy(() => readDocument('sprint', '# Nothing\n')).code, 'unknown_family');
    assert.equal(thrownBy(() => readDocument('sprint', '---\nplan: endstate/1\n---\n# Nothing\n')).code, 'empty_plan');
  });

  const sprint = (number, more = '') => `## Sprint ${number}: Part ${number}\n\n${more}**Tasks**:\n- [ ] Write \`${number}.sh\`.\n\n`
    + `**Exit criteria**:\n- [ ] \`sh ${number}.sh\` succeeds\n\n`;
  /** What the reader faults in a plan, and what making settings of it is refused with. */
  const refused = (text) => {
    const fault = pkg.plan.planParse(text).remarks.find(({ weight }) => weight === 'fault');
    try {
      return [fault?.code, void readDocument('sprint', text)];
    } catch (error) {
      return [fault?.code, error.code];
    }
  };

  test('a plan whose declared count is not what was read is refused', () => {
    const plan = (count) => `# Plan\n\n${sprint(1)}${sprint(2)}## Summary\n\n| Metric | Value |\n|---|---|\n| Total sprints | ${count} |\n`;
    assert.deepEqual(refused(plan(58)), ['plan_disagrees', 'plan_disagrees']);
    for (const count of ['2', '~58', 'about 58']) assert.deepEqual(refused(plan(count)), [undefined, undefined], count);
  });

  test('what the reader of a plan faults is what a mission of it is refused for', () => {
    const later = `# Plan\n\n${sprint(1, '**Depends on**: Sprint 2\n\n')}${sprint(2, '**Depends on**: none\n\n')}`;
    assert.deepEqual(refused(later), ['out_of_order', 'out_of_order']);
    const unit = (name, label, after) => `## Work Unit: ${name}\n\n#${sprint(label, `**Depends on**: ${after}\n\n`)}`;
    assert.deepEqual(refused(`# Plan\n\n${unit('core', 1, 'app')}${unit('app', 2, 'core')}`), ['dependency_cycle', 'dependency_cycle']);
    assert.deepEqual(refused(`# Plan\n\n## Work Unit: Größe\n\n#${sprint(1)}`), [undefined, undefined]);
  });

  test('a plan that is ticked off is asked about and not done again', async () => {
    const { nodeHost, parseAgent, sprintConfig } = pkg.host;
    const text = `# Plan\n\n${sprint(1)}`.replaceAll('[ ]', '[x]');
    const root = repository({ 'EXECUTION_PLAN.md': text, '1.sh': 'true\n' });
    const config = sprintConfig(root, 'EXECUTION_PLAN.md', { trusted: true, poll_interval_ms: 1_000, project: 'greeter' });
    const host = nodeHost({ root, agent: parseAgent(`script:${scenario([])}`) });
    const mission = await pkg.imported.createMission({ host, config });
    assert.equal((await mission.run()).continuation, 'await_user_input');
    const [{ text: asked }] = await mission.questions();
    assert.match(asked, /^All boxes of 1 sprints are ticked in the plan: plan\/1\./);
    await mission.answer({ type: 'choice', option: 'take' });
    assert.equal((await mission.run()).continuation, 'done');
    await mission.close();
    assert.ok(facts(root).every(({ type }) => type !== 'run_started'));
  });

  test('what cannot be read is thrown with its place', () => {
    const thrown = (kind, text) => fields(thrownBy(() => readDocument(kind, text)));
    assert.equal(thrown('task', '# Nothing\n').code, 'empty_criteria');
    assert.equal(thrown('feature', 'id: F\nname: x\ntasks:\n- {id: A, dependencies: [B]}\n').code, 'dependency_unknown');
    assert.equal(thrown('agent', '{"name":"a"}').code, 'missing_field');
    assert.deepEqual(thrown('poem', ''), {
      code: 'unknown_value', kind: 'malformed', at: 'kind', expected: 'task, feature, agent, plan, sprint or yaml', got: 'poem',
    });
    assert.equal(thrown('task', 7).code, 'wrong_type');
    assert.equal(thrown('yaml', 'a: 1\na: 2\n').code, 'duplicate_field');
    assert.deepEqual(readDocument('yaml', 'a: [1, {b: two}]\n'), { a: [1, { b: 'two' }] });
  });

  test('canonical files are checked one by one', () => {
    const { mission, records } = checkedFiles();
    assert.equal(mission.length, 10);
    const codes = (path, text) => checkFile(path, text === undefined ? undefined : Buffer.from(text)).map((one) => [one.severity, one.diagnostic.code]);
    assert.deepEqual(codes('.agent/mission.md'), [['fault', 'file_missing']]);
    assert.deepEqual(codes('.agent/state.json', '{'), [['fault', 'truncated']]);
    assert.deepEqual(codes('.agent/slice-history.jsonl'), []);
    for (const path of records) {
      assert.deepEqual(codes(path), []);
      assert.deepEqual(codes(path, ''), []);
      const [found, more] = checkFile(path, Buffer.from('nothing\n'));
      assert.deepEqual([found.severity, more], ['fault', undefined]);
      assert.match(found.diagnostic.at, /^line 1/);
    }
    assert.equal(thrownBy(() => checkFile('README.md', Buffer.from('x'))).code, 'unknown_file');
  });
}
