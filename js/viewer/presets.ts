// Events a person may want to try: other verdicts, other answers, other ends of runs, commands.
import { h, mark } from './dom';
import { GLYPHS } from './status';
import type { Branch, Event, Outstanding, Picture } from './wire';

export interface Preset { name: string; event: Event }

const USAGE = { turns: 0, duration_ms: 0, tokens: 0, cost_micros: 0, turns_exhausted: false, context_exhausted: false };
const TURNS: [RegExp, string][] = [
  [/("finding"\s*:\s*)"holds"/g, '$1"does_not_hold"'],
  [/("(?:result|verdict)"\s*:\s*)"verified"/g, '$1"rejected"'],
  [/("(?:acceptable|can_stop)"\s*:\s*)true/g, '$1false'],
  [/("decision"\s*:\s*)"(?:approve|approved|accepted)"/g, '$1"feedback"'],
];
const BACK: [RegExp, string][] = [
  [/("finding"\s*:\s*)"(?:does_not_hold|not_shown)"/g, '$1"holds"'],
  [/("(?:result|verdict)"\s*:\s*)"rejected"/g, '$1"verified"'],
  [/("(?:acceptable|can_stop)"\s*:\s*)false/g, '$1true'],
  [/("decision"\s*:\s*)"feedback"/g, '$1"approve"'],
];

const turned = (report: string, turns: [RegExp, string][]): string =>
  turns.reduce((text, [from, to]) => text.replace(from, to), report);

/** What can be tried in the place of `event`, or next if there is none. */
export function presets(event: Event | undefined, pending: Outstanding[], at: number): Preset[] {
  const all: Preset[] = [];
  const add = (name: string, type: string, data: Record<string, unknown>): void => { all.push({ name, event: { at, fact: { type, data } } }); };
  const report = event?.fact.type === 'run_ended' ? event.fact.data['report'] : undefined;
  if (event && typeof report === 'string') {
    for (const [name, turns] of [['the verdict was no', TURNS], ['the verdict was yes', BACK]] as const) {
      const other = turned(report, turns);
      if (other !== report) add(name, 'run_ended', { ...event.fact.data, report: other });
    }
  }
  for (const { effect, delivery } of pending) ofEffect(effect, delivery.phase, add);
  if (event?.fact.type === 'command_exited') {
    const status = event.fact.data['status'] === 0 ? 1 : 0;
    add(`the command exited with ${status}`, 'command_exited', { ...event.fact.data, status });
  }
  add('you pause', 'user_commanded', { id: null, command: { command: 'pause' } });
  add('you resume', 'user_commanded', { id: null, command: { command: 'resume' } });
  add('you stop', 'user_commanded', { id: null, command: { command: 'stop', mode: 'drain' } });
  add('you grant runs', 'user_commanded', { id: null, command: { command: 'grant', counter: 'role_runs', amount: 20 } });
  add('the host comes back', 'host_recovered', { from: 'restart', note: 'what if' });
  const own = JSON.stringify(event?.fact);
  return all.filter((one) => JSON.stringify(one.event.fact) !== own);
}

/** What a mission that was not begun waits for. */
export const start = (at: number): Preset => ({ name: 'you start', event: { at, fact: { type: 'user_commanded', data: { id: null, command: { command: 'start' } } } } });

function ofEffect(effect: Outstanding['effect'], phase: string, add: (name: string, type: string, data: Record<string, unknown>) => void): void {
  const { id, order: { type, data } } = effect;
  if (type === 'spawn_role') {
    const ended = (outcome: string) => ({ effect: id, outcome, report: null, problem: null, usage: USAGE });
    if (phase === 'ordered') return add(`run ${id} starts`, 'run_started', { effect: id, session: null });
    add(`run ${id} fails`, 'run_ended', ended('failed'));
    add(`run ${id} is lost`, 'run_ended', ended('lost'));
  } else if (type === 'ask_user') {
    for (const { name, answer } of answers(data)) add(`you answer ${name}`, 'question_answered', { effect: id, answer });
  } else if (type === 'set_timer') {
    add(`timer ${id} fires`, 'timer_fired', { effect: id });
  } else if (type === 'stop_role' || type === 'notify') {
    add(`${type.replaceAll('_', ' ')} ${id} is performed`, 'effect_performed', { effect: id, outcome: { type: 'nothing' } });
  } else if (type === 'consult') {
    add(`no answer to ${id}`, 'consulted', { effect: id, answer: null, problem: null });
  }
}

/** The answers that a question takes; for words of one's own, a line to change. */
export function answers(question: Record<string, unknown>): { name: string; answer: Record<string, unknown>; detail?: string }[] {
  const kind = question['kind'] as { type?: string; options?: { id: string; label: string; trade_off: string }[] } | undefined;
  switch (kind?.type) {
    case 'choice': return (kind.options ?? []).map(({ id, label, trade_off }) => ({ name: id, detail: `${label}. ${trade_off}.`, answer: { type: 'choice', option: id } }));
    case 'confirmation': return [true, false].map((yes) => ({ name: yes ? 'yes' : 'no', answer: { type: 'confirmation', yes } }));
    case 'manual_step': return [true, false].map((done) => ({ name: done ? 'done' : 'not done', answer: { type: 'manual_step', done, note: done ? 'done' : 'not done' } }));
    default: return [{ name: 'in your own words', answer: { type: 'text', text: '…' } }];
  }
}

/** The items that stand otherwise in the branch than in what happened. */
export function itemStates(there: Picture, { picture, scene }: Branch): HTMLElement {
  const rows = scene.nodes
    .map((node, at) => ({ id: node.id, was: there.nodes[at]?.[0], is: picture.nodes[at]![0], settled: [there.nodes[at]?.[2], picture.nodes[at]![2]] }))
    .filter(({ was, is, settled }) => was !== is || settled[0] !== settled[1]);
  if (rows.length === 0) return h('p', { class: 'quiet' }, 'They stand alike.');
  return h('table', {},
    h('thead', {}, h('tr', {}, ...['item', 'what happened', 'in the branch'].map((one) => h('th', { scope: 'col' }, one)))),
    h('tbody', {}, ...rows.slice(0, 60).map((row) => h('tr', {}, h('td', {}, row.id),
      h('td', {}, row.was ? mark(row.was, GLYPHS[row.was], `${row.was} (${row.settled[0]})`) : 'not there'),
      h('td', {}, mark(row.is, GLYPHS[row.is], `${row.is} (${row.settled[1]})`))))));
}
