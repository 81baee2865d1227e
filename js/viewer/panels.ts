// What is known about the chosen item and the chosen event, in words.
import { bytes, fold, h, mark, pairs, roleName, time, valueBlock, words } from './dom';
import { CRITERIA, GLYPHS } from './status';
import type { Criterion, Differences, Effect, Item, Outstanding, Picture, Run, Told } from './wire';

type Json = Record<string, unknown>;

/** The item with its criteria, and the runs that were about it. */
export function itemPanel(item: Item, runs: Run[], go: (seq: number) => void): HTMLElement {
  const { node } = item;
  const states = new Map(node.criteria.map((one) => [one.id, one]));
  const full = item.criteria ?? node.criteria.map(({ id, text, state }): Criterion => ({ id, text, state: { state } }));
  return h('div', { class: 'panel' },
    h('h3', {}, node.id),
    h('p', {}, node.label),
    h('p', {}, mark(node.state, GLYPHS[node.state], node.state), ' ', h('span', { class: 'quiet' }, `${words(node.status)} · ${node.progress.settled} of ${node.progress.total} criteria`)),
    h('h4', {}, 'Criteria'),
    full.length === 0 ? h('p', { class: 'quiet' }, 'It has none.') : null,
    ...full.map((one) => criterion(one, states.get(one.id)?.state ?? one.state.state)),
    h('h4', {}, `Runs (${runs.length})`),
    h('ul', { class: 'plain' }, ...runs.slice(-40).map((run) => h('li', {}, runLink(run, go)))),
  );
}

function runLink(run: Run, go: (seq: number) => void): HTMLElement {
  const at = run.ended ?? run.started ?? run.ordered;
  return h('button', { type: 'button', class: 'link', onclick: () => go(at.seq) }, `${roleName(run.role)} · ${run.outcome ?? (run.started ? 'alive' : 'ordered')} · event ${at.seq}`);
}

function criterion(one: Criterion, word: string): HTMLElement {
  const { glyph, tone } = CRITERIA[word] ?? { glyph: '○', tone: 'waiting' };
  const { state: _, ...rest } = one.state as Json;
  const rows = Object.entries(rest).filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0));
  return h('div', { class: 'criterion' },
    h('p', {}, mark(tone, glyph, word), ' ', h('strong', {}, one.id)),
    h('p', {}, one.text),
    rows.length > 0 ? pairs(rows.map(([name, value]) => [words(name), evidence(value)])) : null);
}

/** Evidence, runs and methods as lines rather than as JSON. */
function evidence(value: unknown): Node | string {
  if (Array.isArray(value)) return h('ul', { class: 'plain' }, ...value.map((one) => h('li', {}, evidence(one))));
  if (typeof value !== 'object' || value === null) return String(value);
  const data = value as Json;
  switch (data['kind']) {
    case 'test': return `test ${String(data['id'])}`;
    case 'command': return `command ${String(data['command'])} exited ${String(data['exit_status'])}`;
    case 'file': return `${String(data['path'])}:${String(data['line'])}`;
    case 'manual': return `by hand: ${String(data['note'])}`;
    default: break;
  }
  if ('run' in data) return `run ${String(data['run'])}${data['session'] ? ` of session ${String(data['session'])}` : ''}`;
  return valueBlock(value);
}

/** The event, what it ordered, and what is waited for now. */
export function eventPanel(told: Told, whatIf: () => void): HTMLElement {
  const { line, still } = told;
  const head: [string, Node | string][] = [['event', String(line.seq)], ['time', time(line.event?.at ?? Number(line.header?.['at'] ?? NaN))]];
  if (line.decided) head.push(['decided by', words(line.decided.rule)], ['and so', words(line.decided.continuation)]);
  if (line.chain) head.push(['chain', h('code', {}, line.chain)]);
  const title = line.event ? words(line.event.fact.type)
    : still === 'snapshot' ? `A snapshot, taken after event ${line.seq}` : still ? 'As the mission would begin' : 'The mission begins';
  return h('div', { class: 'panel' },
    h('h3', {}, title),
    line.holds ? null : h('p', { class: 'mark blocked' }, '✖ This line was not shown to hold.'),
    line.event && line.holds ? h('p', {}, h('button', { type: 'button', onclick: whatIf }, 'What if it had been another?')) : null,
    pairs(head),
    line.event ? h('h4', {}, 'What happened') : null,
    line.event ? dataPanel(line.event.fact.data) : null,
    line.header?.['config'] ? fold('What it was started with', false, valueBlock(line.header['config'])) : null,
    still === 'snapshot' ? null : h('h4', {}, `What it ordered (${told.effects.length})`),
    ...told.effects.map((effect) => effectPanel(effect)),
    line.decided && line.decided.withdrawn.length > 0 ? h('p', {}, `Withdrawn: ${line.decided.withdrawn.join(', ')}`) : null,
    h('h4', {}, `Waited for after it (${told.pending.length})`),
    h('ul', { class: 'plain' }, ...told.pending.map((one) => h('li', {}, waiting(one)))),
  );
}

function waiting({ effect, delivery }: Outstanding): string {
  const { role, item } = effect.order.data ?? {};
  const of = [role && roleName(String(role)), item].filter((one) => one).map(String).join(', ');
  return `${effect.id} ${words(effect.order.type)}${of ? ` (${of})` : ''} · ${delivery.phase}`;
}

/** The fields of a fact or an order; long texts by themselves. */
export function dataPanel(data: Json): HTMLElement {
  const [short, long]: [[string, Node | string][], HTMLElement[]] = [[], []];
  for (const [name, value] of Object.entries(data ?? {})) {
    if (value === null || value === undefined) continue;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (text.length <= 80 && !text.includes('\n')) short.push([words(name), typeof value === 'string' ? value : text]);
    else long.push(fold(`${words(name)} (${bytes(text.length)})`, name === 'report', valueBlock(value)));
  }
  return h('div', {}, pairs(short), ...long);
}

function effectPanel(effect: Effect): HTMLElement {
  const data = effect.order.data ?? {};
  const role = data['role'] ? `: ${roleName(String(data['role']))}${data['item'] ? ` on ${String(data['item'])}` : ''}` : '';
  return fold(`${effect.id} ${words(effect.order.type)}${role}`, false, dataPanel(data));
}

/** What the event changed. */
export function changesPanel({ changes, more }: Differences, seq: number): HTMLElement {
  return h('div', { class: 'panel' },
    h('h3', {}, `What event ${seq} changed in the state`),
    changes.length === 0 ? h('p', { class: 'quiet' }, seq === 0 ? 'Nothing came before it.' : 'Nothing.') : null,
    ...changes.map((one) => h('div', { class: 'change' }, h('code', { class: 'path' }, one.path),
      h('div', { class: 'sides' },
        h('del', {}, one.before === null ? '(was not there)' : one.before), h('ins', {}, one.after === null ? '(is gone)' : one.after)))),
    more > 0 ? h('p', { class: 'quiet' }, `and ${more} more`) : null);
}

/** The mission as a whole, at this moment. */
export function missionPanel(picture: Picture): HTMLElement {
  return h('div', { class: 'panel' },
    h('h3', {}, picture.title), h('p', {}, picture.reason),
    picture.problem ? h('p', { class: 'note' }, `The last thing that went wrong: ${words(picture.problem.code)} at ${picture.problem.at}: expected ${picture.problem.expected}, got ${picture.problem.got}`) : null,
    picture.end ? pairs([['closed by', picture.end.closed_by], ['waived', picture.end.waived.join(', ') || 'nothing'], ['deferred', picture.end.deferred.join(', ') || 'nothing']]) : null,
    h('h4', {}, 'Live runs'), ...(picture.runs.length ? picture.runs.map((run) => h('p', {}, `${run.run} ${roleName(run.role)}${run.item ? ` on ${run.item}` : ''}: ${run.last_line ?? '…'}`)) : [h('p', { class: 'quiet' }, 'none')]),
    h('h4', {}, 'Open questions'), ...(picture.questions.length ? picture.questions.map((one) => h('p', {}, `${one.id}: ${one.text} (${one.expected})`)) : [h('p', { class: 'quiet' }, 'none')]),
    h('h4', {}, 'Budget'), h('table', {}, h('thead', {}, h('tr', {}, ...['counter', 'spent', 'limit'].map((one) => h('th', { scope: 'col' }, one)))),
      h('tbody', {}, ...picture.budget.map((one) => h('tr', {}, h('td', {}, words(one.counter)), h('td', { class: 'num' }, String(one.spent)), h('td', { class: 'num' }, String(one.limit)))))),
    h('h4', {}, 'Counted on the way'), pairs(picture.tallies.map((one) => [words(one.name), String(one.count)])));
}
