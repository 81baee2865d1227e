// Which rule decided, what spoke against every other, and what comes next.
//
// The engine explains a snapshot: why the next step is what it is. What an event ordered is under way right after it,
// so the next step is then to wait. Which rule decided the event itself is in its line, and the facts of the rules
// stand there as they stood when it decided, but for those that its own orders changed: that is said.
import { h, mark, words } from './dom';
import type { FactSeen, Line, Why } from './wire';

/** What comes before every rule of a table, in words. */
const BEFORE: [RegExp, string][] = [
  [/^write_/, 'What must be in files is written before any rule is asked.'],
  [/look|observation/, 'The repository must be looked at before any rule is asked.'],
  [/^waiting_for_answer$/, 'Effects are under way; their answers come before any rule.'],
  [/^run_live$/, 'A role is at work; its report comes before any rule.'],
];

type Rule = Why['others'][number];
type Go = (seq: number) => void;

const told = ({ fact, value, detail }: FactSeen): string => `${words(fact)} ${value ? 'holds' : 'does not hold'}${detail ? `: ${detail}` : ''}`;

const factRow = (go: Go) => (one: FactSeen): HTMLElement => h('li', {},
  mark(one.value ? 'done' : 'waiting', one.value ? '✔' : '○', one.value ? 'holds' : 'does not hold'), ' ',
  h('strong', {}, words(one.fact)), one.detail ? `: ${one.detail} ` : ' ', since(one, go));

const since = ({ since: seq }: FactSeen, go: Go): HTMLElement =>
  h('button', { type: 'button', class: 'link', onclick: () => go(seq) }, `since event ${seq}`);

/** The whole explanation of a moment; of its event, too, if its line is given. */
export function whyPanel(why: Why, go: Go, line?: Line): HTMLElement {
  const rules = [...why.others, ...(why.chosen.rule === null ? [] : [{ rule: why.chosen.rule, name: why.chosen.name, against: null }])]
    .sort((a, b) => a.rule - b.rule);
  const decided = line?.decided?.rule;
  // Where the event ordered nothing, what decided it is what decides now.
  const now = decided === undefined || decided === why.chosen.name;
  const by = rules.find(({ name }) => name === (now ? why.chosen.name : decided));
  return h('div', { class: 'panel' },
    ...(now ? [] : eventDecided(line!, by, go)),
    ...next(why, go, now),
    h('h4', {}, 'Why not the others'), table(rules, by, now ? why.chosen.name : decided!, go));
}

function eventDecided(line: Line, by: Rule | undefined, go: Go): HTMLElement[] {
  const { rule, effects } = line.decided!;
  const orders = effects.map(({ order }) => words(order)).join(', ');
  const before = BEFORE.find(([name]) => name.test(rule))?.[1] ?? 'It comes before every rule of the table.';
  const why = by === undefined ? before
    : by.against === null ? 'It is the first rule of the table of which all that it needs holds.'
      : 'It was the first rule of the table of which all that it needs held; what it ordered has changed that.';
  return [
    h('h3', {}, `Event ${line.seq} was decided by ${by === undefined ? '' : `rule ${by.rule}: `}${words(rule)}`),
    h('p', {}, why), h('p', { class: 'quiet' }, orders ? `It ordered: ${orders}.` : 'It ordered nothing.'),
    ...(by?.against ? [h('ul', { class: 'plain' }, factRow(go)(by.against))] : []),
  ];
}

/** Why the next step is what it is; the first of the panel where it is what decided. */
function next({ chosen, because, waiting_for: waiting, unblock }: Why, go: Go, first: boolean): (HTMLElement | null)[] {
  const name = `${chosen.rule === null ? 'guard' : `rule ${chosen.rule}`}: ${words(chosen.name)}`;
  return [
    h(first ? 'h3' : 'h4', {}, first ? name : `What comes next: ${name}`),
    h('p', {}, chosen.action),
    first ? h('h4', {}, 'Because') : null,
    h('ul', { class: 'plain' }, ...because.map(factRow(go))),
    waiting.length > 0 ? h('p', {}, `Waiting for ${waiting.join(', ')}`) : null,
    unblock ? h('div', { class: 'note' }, h('h4', {}, 'What would set it free'), h('p', {}, unblock.hint),
      h('p', {}, `Nearest: ${words(unblock.rule)}. It lacks:`), h('ul', { class: 'plain' }, ...unblock.lacks.map(factRow(go)))) : null,
  ];
}

function table(rules: Rule[], by: Rule | undefined, decided: string, go: Go): HTMLElement {
  const against = (one: Rule): (HTMLElement | string)[] => {
    if (one === by) return [mark('active', '▶', 'decided')];
    if (one.against) return [`${told(one.against)} `, since(one.against, go)];
    return [by !== undefined && by.rule > one.rule ? 'nothing any more: what was ordered has changed it' : `nothing: it would apply, but ${words(decided)} comes first`];
  };
  return h('table', { class: 'rules' },
    h('thead', {}, h('tr', {}, ...['rule', 'what speaks against it'].map((one) => h('th', { scope: 'col' }, one)))),
    h('tbody', {}, ...rules.map((one) => h('tr', {}, h('td', {}, `${one.rule} ${words(one.name)}`), h('td', {}, ...against(one))))));
}
