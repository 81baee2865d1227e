// What a role reports when all goes well, protocol by protocol. Where more than one report may fit, all are told,
// and the engine says which it takes. A new protocol adds its roles to ROLES.
import type { Item, Picture, Scene } from '../wire';

/** What a report is written from. */
export interface Run {
  prompt: string;
  item: Item | undefined;
  /** Any item, whole. */
  look(id: string): Item | undefined;
  head: string;
  /** What its commit changed. */
  wrote: string[];
  picture: Picture;
  scene: Scene;
  /** The settings that the mission began with. */
  settings: Record<string, unknown>;
}

type Block = Record<string, unknown>;
type Writer = (run: Run) => string[];

const OPEN = new Set(['waiting', 'active', 'verifying', 'blocked']);
/** The most open items that are tried as the next one. */
const MOST_NEXT = 40;
const PROOF = [{ kind: 'command', command: 'make test', exit_status: 0 }];

/** What is to be shown of an item; its node tells it where the protocol keeps no claims with it. */
const criteria = (item: Item | undefined): { id: string; state: string }[] =>
  (item?.criteria?.map(({ id, state }) => ({ id, state: state.state })) ?? item?.node.criteria ?? []).filter(({ state }) => state !== 'waived');

/** The ids of items in these states, in the order of their lanes. */
const items = ({ picture, scene }: Run, states: Set<string>): string[] =>
  scene.nodes.map((node, at) => ({ node, at })).filter(({ at }) => states.has(picture.nodes[at]![0]))
    .sort((a, b) => a.node.lane - b.node.lane || a.at - b.at).map(({ node }) => node.id);

/** The block under the two lines that every report begins with, as the prompt has them. */
function report(run: Run, block: Block): string {
  const line = (start: string): string => run.prompt.split('\n').find((one) => one.startsWith(start)) ?? start;
  return `${line('MISSION ANCHOR:')}\n${line('Remaining contract IDs:')}\n\n\`\`\`json\n${JSON.stringify(block)}\n\`\`\`\n`;
}

const NOTHING_LEFT = { remaining_release_blockers: 0, remaining_high_value_gaps: 0 };

const regrounder: Writer = (run) => {
  const current = items(run, new Set(['verifying', 'active']));
  const open = items(run, OPEN).slice(0, MOST_NEXT);
  const blocks: Block[] = [];
  const basis = { plan_basis: 'a rehearsal', ...NOTHING_LEFT };
  for (const id of current) {
    const reconciliation = { slice_id: id, decision: 'accepted', must_fix_findings: [] };
    for (const next of open.filter((one) => one !== id)) blocks.push({ ...basis, reconciliation, selected: { slice_id: next } });
    blocks.push({ ...basis, reconciliation, selected: null });
    // What was found must be mended first.
    const findings = [...run.prompt.matchAll(/^- must be fixed: (.*)$/gm)].map((hit) => hit[1]!);
    const reopened = { slice_id: id, decision: 'reopened', must_fix_findings: findings.length > 0 ? findings : ['what was found'] };
    blocks.push({ ...basis, reconciliation: reopened, selected: null }, { ...basis, reconciliation: reopened, selected: { slice_id: id } });
  }
  for (const next of open) blocks.push({ ...basis, selected: { slice_id: next } });
  // The first plan, or a slice that answers why the mission could not stop.
  const contracts = [...new Set(run.prompt.match(/\bC-\d+\b/g) ?? ['C-1'])];
  const id = `S${run.scene.nodes.length + 1}`;
  const slice = { slice_id: id, goal: 'What is left', acceptance_criteria: ['It is there'], contract_ids: contracts, priority: 5, why_now: 'it is all that is left', blocked_on: [] };
  const plan = { ...basis, slices: [slice], selected: { slice_id: id } };
  if (run.scene.nodes.length === 0) blocks.push(plan);
  blocks.push({ ...basis, can_stop: true }, plan);
  return blocks.map((block) => report(run, block));
};

const review = (run: Run): Block => ({
  slice_id: run.item?.node.id, commit_sha: run.head, docs: 'holds', must_fix_findings: [], acceptable: true,
  verdicts: criteria(run.item).map(({ id }) => ({ criterion: id, finding: 'holds', method: 'rehearsed', evidence: PROOF })),
});

/** A judge may have to show again what was shown at another head; it shows everything. */
const judge: Writer = (run) => [report(run, {
  head_sha: run.head, can_stop: true, blocker_count: 0, high_value_gap_count: 0, reasons: ['rehearsed'],
  stale_verdicts: items(run, new Set(['done'])).flatMap((id) => criteria(run.look(id)).map((one) => (
    { slice_id: id, criterion: one.id, finding: 'holds', method: 'rehearsed', evidence: PROOF }))),
})];

const turn = ({ prompt }: Run): number => Number(/"turn": (\d+)/.exec(prompt)?.[1] ?? 1);

const player: Writer = (run) => [report(run, {
  task_id: run.item?.node.id, turn: turn(run), tests_run: true, tests_passed: true,
  completion_promise: { statement: 'rehearsed', all_verified: true, criteria: criteria(run.item).map(({ id }) => ({ criterion_id: id, criterion: '', status: 'verified', evidence: PROOF })) },
})];

/** A coach can verify only what the player promised; the rest is sent back for the next turn. */
const coach: Writer = (run) => {
  const rows = criteria(run.item).map(({ id }) => ({ id, said: promised(run, id) }));
  const missing = rows.filter(({ said }) => said !== 'verified').map(({ id }) => `${id} is still to be shown`);
  return [report(run, {
    task_id: run.item?.node.id, turn: turn(run), decision: missing.length > 0 ? 'feedback' : 'approve', feedback: missing.join('; '),
    blocking_issues: missing, tests_run: true, tests_passed: true,
    criteria_verification: rows.map(({ id, said }) => ({
      criterion_id: id, player_status: said, coach_verified: said === 'verified' ? true : null, verification_method: 'rehearsed',
      evidence: said === 'verified' ? PROOF : [],
    })),
  })];
};

const promised = ({ prompt }: Run, id: string): string => {
  const line = prompt.split('\n').find((one) => one.startsWith(`- ${id}: `) && /: (verified|partial|blocked|not_started)\b/.test(one));
  return /: (verified|partial|blocked|not_started)\b/.exec(line ?? '')?.[1] ?? 'verified';
};

/** The words that the agent's definition waits for. */
const agent: Writer = ({ settings }) => {
  const behavior = ((settings['definition'] ?? {}) as Block)['behavior'] as Block | undefined;
  const wanted: Block[] = [(behavior?.['completionConfig'] ?? {}) as Block];
  for (const one of wanted) for (const inner of (one['conditions'] ?? []) as Block[]) wanted.push((inner['completionConfig'] ?? inner['config'] ?? inner) as Block);
  const words = wanted.flatMap((one) => [
    typeof one['completionKeyword'] === 'string' ? one['completionKeyword'] : '',
    typeof one['signalType'] === 'string' ? `\`\`\`${one['signalType']}\n${JSON.stringify(one['requiredFields'] ?? {})}\n\`\`\`` : '',
  ]).filter(Boolean);
  return [[...words, 'Phase: complete'].join('\n\n'), words.join('\n\n') || 'Done.'];
};

const sprinter: Writer = (run) => [report(run, {
  sprint: run.item?.node.id, outcome: 'completed', remaining: [], reasons: [], findings: [],
  claims: criteria(run.item).map(({ id }) => ({ criterion: id, status: 'complete', evidence: PROOF })),
})];

/** Of a sprint a verifier judges what no command shows; the prompt says what. */
const verifier: Writer = (run) => {
  const asked = new Set([...run.prompt.matchAll(/^- ([^\s:]+): /gm)].map((hit) => hit[1]!));
  const rows = criteria(run.item).filter(({ id }) => asked.has(id));
  return [report(run, { sprint: run.item?.node.id, must_fix: [], verdicts: rows.map(({ id }) => holds(id)) })];
};

const holds = (criterion: string): Block => ({ criterion, finding: 'holds', method: 'rehearsed', evidence: PROOF });

/** The first plan is one block; what closes gaps claims all of them, or those that the prompt names. */
const planner: Writer = (run) => {
  const names = [...run.prompt.matchAll(/^- (\S+\/\S+): /gm)].map((hit) => hit[1]!);
  const closing = names.length > 0;
  const plan = (closes: string[]): Block => ({
    id: `R${run.scene.nodes.length + 1}`, objective: 'What is left', content: 'Do what is left.', closes,
    frontmatter: { must_haves: { truths: closing ? [] : ['It is there'] } },
  });
  return (closing ? [[], [...new Set(names)]] : [[]]).map((closes) => report(run, { plans: [plan(closes)] }));
};

const SAID: Record<string, Block> = {
  'human-verify': { what_was_built: 'what the plan asks for', how_to_verify: ['look at it'] },
  'human-action': { automation_attempted: 'all that a program can do', what_you_need_to_do: 'the step that is yours', verify_after: 'make test' },
  decision: { decision: 'which way to go', options: [{ option: 'first', pros: 'it is simple' }, { option: 'second', pros: 'it is quick' }] },
};

/** The type of the checkpoint that a person must pass first: the one that is asked for, or the first of the plan. */
const checkpointOf = ({ prompt }: Run): string | undefined => {
  const asked = /CHECKPOINT of type ([\w-]+) at/.exec(prompt) ?? (prompt.includes('\nThe answer: ') ? null : /<(?:task|thread)\b[^>]*\btype="checkpoint:([\w-]+)"/.exec(prompt));
  return asked?.[1];
};

const executor: Writer = (run) => {
  const success = report(run, {
    block: run.item?.node.id, status: 'SUCCESS', summary: { words: 'rehearsed', commits: [run.head], 'key-files': { created: run.wrote } },
    claims: criteria(run.item).map(({ id }) => ({ criterion: id, evidence: PROOF })),
    scratchpad: [{ category: 'PROGRESS', finding: 'rehearsed', impact: 'none', action: 'INFORM_ONLY' }],
  });
  const type = checkpointOf(run);
  if (type === undefined || !SAID[type]) return [success];
  return [report(run, {
    block: run.item?.node.id, status: 'CHECKPOINT',
    checkpoint: {
      type, completed_threads: [{ thread: '1', name: 'rehearsed', commit: run.head, files: run.wrote }], total_threads: 2,
      current_thread: { thread: '2', name: 'the checkpoint', status: 'blocked' }, resume_point: 'behind the checkpoint', ...SAID[type],
    },
  })];
};

/** One row for each must-have that the prompt lists, of blocks that there are. */
const recognizer: Writer = (run) => {
  const listed = [...run.prompt.matchAll(/^- (\S+)\/([^\s/]+): .*\((?:to be shown|shown|shown before, show it again)\)$/gm)];
  const rows = new Map(listed.filter(([, block]) => run.look(block!)).map(([, block, id]) => [`${block}/${id}`, { block, ...holds(id!) }]));
  return [report(run, { verdict: 'CLEAR', verdicts: [...rows.values()], gaps: [] })];
};

/** Nothing is found by those who use the project. */
const swarm: Writer = (run) => [report(run, { findings: [] })];

const PEOPLE = ['Ada', 'Ben', 'Cleo'].map((name) => ({ name, goal: 'to use the project', traits: '' }));

export const ROLES: Record<string, Writer> = {
  'check-judge': (run) => [report(run, {
    checks: [...run.prompt.matchAll(/^### (CHECK-\d+)$/gm)].map((hit) => ({ check: hit[1], finding: 'sound', reason: 'rehearsed' })),
  })],
  'check-proposer': (run) => [report(run, {
    criteria: [...run.prompt.matchAll(/^### (WORDS-\d+)$/gm)].map((hit) => ({ criterion: hit[1], argv: [], reason: 'rehearsed' })),
  })],
  'completion-bootstrapper': (run) => [report(run, { docs_surfaces: ['README.md'], mission: run.picture.title, verification_commands: [['make', 'test']] })],
  'completion-regrounder': regrounder,
  'completion-implementer': (run) => [report(run, {
    slice_id: run.item?.node.id, outcome: 'implemented', commit_sha: run.head,
    claims: criteria(run.item).map(({ id }) => ({ criterion: id, status: 'complete', evidence: PROOF })),
  })],
  'completion-reviewer': (run) => [report(run, review(run))],
  'completion-auditor': (run) => [report(run, { ...review(run), release_blocker_count: 0, high_value_gap_count: 0 })],
  'completion-stop-judge': judge,
  'promise-player': player,
  'promise-coach': coach,
  'iteration-agent': agent,
  'sprint-agent': sprinter,
  'sprint-verifier': verifier,
  'grid-planner': planner,
  'grid-executor': executor,
  'grid-recognizer': recognizer,
  'grid-debugger': (run) => [report(run, {
    status: 'resolved', hypotheses: [{ hypothesis: 'rehearsed', status: 'CONFIRMED', evidence: 'rehearsed' }], findings: 'rehearsed',
  })],
  'grid-refinement-lead': (run) => [report(run, { context: 'rehearsed', personas: PEOPLE })],
  'grid-visual-inspector': swarm,
  'grid-e2e-exerciser': swarm,
  'grid-persona-simulator': swarm,
  'grid-learner': (run) => [report(run, { project_type: 'rehearsed' })],
};
