// What is known about the chosen item and the chosen event, in words.
import { bytes, fill, fold, h, pairs, roleName, time, valueBlock, words } from './dom';
import { CRITERIA, GLYPHS } from './status';
import type { Criterion, Differences, Effect, FactSeen, Item, Outstanding, Run, Told, Why } from './wire';

type Json = Record<string, unknown>;

export const mark = (tone: string, glyph: string, word: string): HTMLElement => h('span', { class: `mark ${tone}` }, `${glyph} ${word}`);

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
  const { line } = told;
  const head: [string, Node | string][] = [['event', String(line.seq)], ['time', time(line.event?.at ?? Number(line.header?.['at'] ?? NaN))]];
  if (line.decided) head.push(['decided by', words(line.decided.rule)], ['and so', words(line.decided.continuation)]);
  if (line.chain) head.push(['chain', h('code', {}, line.chain)]);
  const title = line.event ? words(line.event.fact.type) : 'The mission begins';
  return h('div', { class: 'panel' },
    h('h3', {}, title),
    line.holds ? null : h('p', { class: 'mark blocked' }, '✖ This line was not shown to hold.'),
    line.event && line.holds ? h('p', {}, h('button', { type: 'button', onclick: whatIf }, 'What if it had been another?')) : null,
    pairs(head),
    line.event ? h('h4', {}, 'What happened') : null,
    line.event ? dataPanel(line.event.fact.data) : null,
    line.header ? fold('What it was started with', false, valueBlock(line.header['config'])) : null,
    h('h4', {}, `What it ordered (${told.effects.length})`),
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

/** Which rule decided, what made it so, and what spoke against the others. */
export function whyPanel(why: Why, go: (seq: number) => void): HTMLElement {
  const fact = (one: FactSeen): HTMLElement => h('li', {},
    h('span', { class: `mark ${one.value ? 'done' : 'waiting'}` }, one.value ? '✔ holds' : '○ does not hold'), ' ',
    h('strong', {}, words(one.fact)), one.detail ? `: ${one.detail} ` : ' ',
    h('button', { type: 'button', class: 'link', onclick: () => go(one.since) }, `since event ${one.since}`));
  const number = why.chosen.rule === null ? 'guard' : `rule ${why.chosen.rule}`;
  return h('div', { class: 'panel' },
    h('h3', {}, `${number}: ${words(why.chosen.name)}`),
    h('p', {}, why.chosen.action),
    h('h4', {}, 'Because'),
    h('ul', { class: 'plain' }, ...why.because.map(fact)),
    why.waiting_for.length > 0 ? h('p', {}, `Waiting for ${why.waiting_for.join(', ')}`) : null,
    why.unblock ? h('div', { class: 'note' }, h('h4', {}, 'What would set it free'), h('p', {}, why.unblock.hint),
      h('p', {}, `Nearest: ${words(why.unblock.rule)}. It lacks:`), h('ul', { class: 'plain' }, ...why.unblock.lacks.map(fact))) : null,
    h('h4', {}, 'Why not the others'),
    h('table', {}, h('thead', {}, h('tr', {}, ...['rule', 'what speaks against it'].map((one) => h('th', { scope: 'col' }, one)))),
      h('tbody', {}, ...why.others.map((other) => h('tr', {},
        h('td', {}, `${other.rule} ${words(other.name)}`),
        h('td', {}, other.against
          ? `${words(other.against.fact)} ${other.against.value ? 'holds' : 'does not hold'}${other.against.detail ? `: ${other.against.detail}` : ''}`
          : 'nothing: it would apply, but what decided comes first'))))));
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

/** A panel of which one part is shown at a time; keyboard as in every tab list. */
export class Tabs {
  element: HTMLElement;
  #buttons = new Map<string, HTMLButtonElement>();
  #body: HTMLElement;
  #now: string;
  #changed: (name: string) => void;

  constructor(label: string, names: [string, string][], changed: (name: string) => void, kind = '') {
    this.#now = names[0]![0];
    this.#changed = changed;
    this.#body = h('div', { class: 'tab-body', role: 'tabpanel', 'tabindex': '0', 'aria-label': label });
    const list = h('div', { class: 'tabs', role: 'tablist', 'aria-label': label });
    for (const [name, title] of names) {
      const button = h('button', { type: 'button', role: 'tab', 'data-tab': name, onclick: () => this.choose(name) }, title);
      this.#buttons.set(name, button);
      list.append(button);
    }
    list.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const all = [...this.#buttons.keys()];
      const to = all[(all.indexOf(this.#now) + step + all.length) % all.length]!;
      this.choose(to);
      this.#buttons.get(to)!.focus();
      event.stopPropagation();
    });
    this.element = h('div', { class: `tabbed ${kind}` }, list, this.#body);
    this.#mark();
  }

  get now(): string { return this.#now; }

  choose(name: string): void {
    if (!this.#buttons.has(name)) return;
    this.#now = name;
    this.#mark();
    this.#changed(name);
  }

  fill(...children: (Node | null)[]): void {
    fill(this.#body, ...children);
  }

  #mark(): void {
    for (const [name, button] of this.#buttons) {
      button.setAttribute('aria-selected', String(name === this.#now));
      button.tabIndex = name === this.#now ? 0 : -1;
    }
    this.#body.setAttribute('aria-label', this.#buttons.get(this.#now)!.textContent ?? '');
  }
}
