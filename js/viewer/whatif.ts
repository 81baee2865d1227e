// What if: the reader puts another event in the place of one that happened, or behind it, and sees where that leads,
// side by side with what happened.
import type { Asked } from './calls';
import { fill, fold, h, jsonText, mark, roleName, words } from './dom';
import { eventRow } from './events';
import { itemStates, presets, start, type Preset } from './presets';
import { whyPanel } from './why';
import { GLYPHS, standingOf } from './status';
import { refill } from './tabs';
import type { Branch, BranchStep, Event, Line, Outstanding, Picture, Rehearsal } from './wire';

interface Hooks {
  seq(): number;
  last(): number;
  go(seq: number): void;
  announce(text: string): void;
  save(name: string, bytes: Uint8Array): void;
}

export class WhatIf {
  element = h('div', { class: 'whatif' });
  #ask: Asked;
  #hooks: Hooks;
  #text = h('textarea', { 'aria-label': 'The event, as JSON', rows: 9, spellcheck: false });
  #fault = h('p', { class: 'fault', role: 'alert' });
  #result = h('div', { class: 'result' });
  #choices = h('div', { class: 'choices' });
  #title = h('h3');
  #place = h('select', { 'aria-label': 'Where the other event comes', onchange: () => this.#offered() },
    h('option', { value: 'instead' }, 'instead of the event that is shown'), h('option', { value: 'after' }, 'after the event that is shown'));
  #go = h('button', { type: 'button', class: 'primary', onclick: () => this.#try() }, 'Try it');
  #seq = -1;
  #told: { event?: Event; before: Outstanding[]; after: Outstanding[]; at: number } = { before: [], after: [], at: 0 };
  #still: 'snapshot' | 'config' | undefined;
  #branch: Branch | undefined;

  constructor(ask: Asked, hooks: Hooks) {
    this.#ask = ask;
    this.#hooks = hooks;
    fill(this.element, this.#title,
      h('p', { class: 'quiet' }, 'The engine takes the event you write here, from that moment on. Nothing of the mission is touched.'),
      h('p', {}, this.#place), this.#choices, this.#text, h('p', {}, this.#go), this.#fault, this.#result);
  }

  /** There is one moment only: nothing of it can be replaced, but something may come after it. */
  set still(kind: 'snapshot' | 'config') {
    this.#still = kind;
  }

  /** The event that would be replaced, or followed, is the one shown. */
  async show(): Promise<void> {
    const seq = this.#hooks.seq();
    if (seq === this.#seq) return;
    this.#seq = seq;
    fill(this.#fault);
    try {
      const [[line], before, after] = await Promise.all([this.#ask.lines(seq, 1), seq > 0 ? this.#ask.pending(seq - 1) : [], this.#ask.pending(seq)]);
      if (this.#seq === seq) this.#begin(line, before, after);
    } catch (error) {
      this.#seq = -1;
      fill(this.#fault, error instanceof Error ? error.message : String(error));
    }
  }

  #begin(line: Line | undefined, before: Outstanding[], after: Outstanding[]): void {
    const [event, at] = [line?.event, line?.event?.at ?? Number(line?.header?.['at'] ?? Date.now())];
    const held = this.#still !== undefined || line?.holds === true;
    for (const one of [this.#place, this.#text, this.#go]) one.hidden = !held;
    if (!held) {
      fill(this.#title, 'What if');
      return fill(this.#choices, h('p', {}, 'This line was not shown to hold, so nothing can begin from it.'));
    }
    this.#told = { ...(event ? { event } : {}), before, after, at };
    // At the end of what happened the next thing to come is what a reader wants to try.
    const asks = this.#seq === this.#hooks.last() && after.some(({ effect }) => effect.order.type === 'ask_user');
    this.#place.value = event && !asks ? 'instead' : 'after';
    this.#place.disabled = !event;
    this.#offered();
  }

  /** What can be tried, as the reader has chosen its place. */
  #offered(): void {
    const { event, before, after, at } = this.#told;
    const instead = this.#place.value === 'instead' && event !== undefined;
    fill(this.#title, instead ? `What if event ${this.#seq} had been another? It was: ${words(event.fact.type)}`
      : this.#still ? 'What if this came next?' : `What if another event came after event ${this.#seq}?`);
    const all = instead ? presets(event, before, at) : presets(undefined, after, at + 1000);
    if (this.#still === 'config') all.unshift(start(at + 1000));
    this.#text.value = jsonText(instead ? event : all[0]!.event);
    this.#offer(this.#choices, all, (preset) => { this.#text.value = jsonText(preset.event); });
  }

  #offer(place: HTMLElement, offered: Preset[], choose: (preset: Preset) => void): void {
    fill(place, h('p', {}, 'For example:'), ...offered.map((preset) => h('button', { type: 'button', onclick: () => choose(preset) }, preset.name)));
  }

  async #try(): Promise<void> {
    const seq = this.#seq;
    await this.#move(() => this.#ask.branchBegin(seq, JSON.parse(this.#text.value), this.#place.value === 'after'));
    if (this.#branch) this.#hooks.announce(`In the branch: ${words(this.#branch.picture.continuation)}, ${this.#branch.picture.reason}`);
  }

  async #move(work: () => Promise<Branch>): Promise<void> {
    fill(this.#fault);
    try {
      this.#branch = await work();
      const first = this.#result.childElementCount === 0;
      await this.#draw();
      if (first) this.#result.scrollIntoView({ block: 'nearest' });
    } catch (error) {
      fill(this.#fault, `The engine does not take it: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async #draw(): Promise<void> {
    const branch = this.#branch!;
    const happened = await this.#ask.lines(branch.seq, Math.max(branch.next - branch.seq, branch.steps.length, 1));
    const end = this.#hooks.last();
    const last = Math.min(Math.max(branch.next - 1, branch.seq), end);
    const there = JSON.parse((await this.#ask.moment(last, branch.scene.key)).picture) as Picture;
    const more = h('textarea', { 'aria-label': 'The next event of the branch, as JSON', rows: 6, spellcheck: false });
    const at = branch.steps.at(-1)!.event.at + 1000;
    const choices = h('div', { class: 'choices' });
    const next = presets(undefined, branch.pending, at);
    if (next[0]) more.value = jsonText(next[0].event);
    this.#offer(choices, next, (preset) => { more.value = jsonText(preset.event); });
    refill(this.#result,
      h('div', { class: 'columns' },
        h('section', { 'aria-label': 'What happened' }, h('h4', {}, this.#still ? 'What is known' : `What happened, up to event ${last}`), standing(there), steps(happened.map((line) => ({ line })))),
        h('section', { 'aria-label': 'In the branch' }, h('h4', {}, 'In the branch'), standing(branch.picture), steps(branch.steps.map((step) => ({ line: asLine(step), step }))))),
      branch.left ? h('p', { class: 'note' }, `Here the two part: ${branch.left}`) : null,
      h('p', {},
        h('button', { type: 'button', disabled: branch.next > end || branch.left !== undefined, onclick: () => this.#move(() => this.#ask.branchFollow(1)) }, 'One more of what happened'), ' ',
        h('button', { type: 'button', disabled: branch.next > end || branch.left !== undefined, onclick: () => this.#move(() => this.#ask.branchFollow()) }, 'All of what happened, as far as it is taken'), ' ',
        branch.whole ? h('button', { type: 'button', class: 'primary', onclick: () => this.#save() }, 'Save the branch as a journal') : null),
      this.#way(branch),
      fold('Go on with an event of your own', true, choices, more,
        h('p', {}, h('button', { type: 'button', onclick: () => this.#move(() => this.#ask.branchAdd(JSON.parse(more.value))) }, 'Add it to the branch'))),
      fold('Which rule decided in the branch, and what comes next', false,
        whyPanel(branch.why, (seq) => { if (seq < branch.seq) this.#hooks.go(seq); }, asLine(branch.steps.at(-1)!))),
      fold('Where the items differ', true, itemStates(there, branch)));
  }

  #way({ way, picture }: Branch): HTMLElement {
    if (picture.continuation === 'done') return h('p', { class: 'note' }, 'The branch is done: nothing is left.');
    const found = h('div', { class: 'rehearsal' });
    const seek = async (): Promise<void> => {
      fill(found, h('p', { class: 'quiet' }, 'The engine is asked …'));
      try {
        fill(found, ...rehearsed(await this.#ask.branchRehearse(), () => this.#move(() => this.#ask.branchTakeWay())));
        this.#hooks.announce(found.querySelector('p')?.textContent ?? '');
      } catch (error) {
        fill(found, h('p', { class: 'fault' }, error instanceof Error ? error.message : String(error)));
      }
    };
    return h('div', { class: 'note' },
      h('h4', {}, 'The shortest way to done from here'),
      h('p', {}, `${way.items.length} items and ${way.criteria} criteria are still to be shown.${way.chain.length > 1 ? ` The longest chain is ${way.chain.slice(0, 12).join(' → ')}${way.chain.length > 12 ? ` and ${way.chain.length - 12} more` : ''}.` : ''}`),
      h('p', {}, h('button', { type: 'button', onclick: () => void seek() }, 'Let the engine go it, if all goes well')),
      found,
      fold('What is left', false, h('ol', {}, ...way.first.slice(0, 4).map((one) => h('li', {}, `First: ${one}.`)),
        ...way.items.slice(0, 30).map((item) => h('li', {}, mark(item.state, GLYPHS[item.state], item.state), ` ${item.id}: ${item.label} (${item.open} open)`)),
        way.items.length > 30 ? h('li', {}, `and ${way.items.length - 30} more`) : null)));
  }

  async #save(): Promise<void> {
    const bytes = await this.#ask.branchJournal();
    this.#hooks.save(`branch-at-${this.#branch!.seq}.jsonl`, bytes);
    this.#hooks.announce('The branch was saved as a journal.');
  }
}

/** The most runs of a way that are listed. */
const MOST_RUNS = 40;

const count = (number: number, thing: string): string => `${number} ${thing}${number === 1 ? '' : 's'}`;

/** What the engine found when all went well. */
function rehearsed({ end, why, events, runs, said, commands }: Rehearsal, take: () => void): HTMLElement[] {
  const ways = { done: '✔ It is done', bound: '⚠ It is not done yet', stuck: '✖ It does not come to an end' }[end];
  const told = h('p', { class: 'outcome' }, `${ways} after ${count(events.length, 'event')}: ${count(runs.length, 'run')}, ${count(said.length, 'answer')} of yours, ${count(commands, 'command')}${why === undefined ? '.' : `; ${why}.`}`);
  const row = ({ role, item }: Rehearsal['runs'][number]): HTMLElement => h('li', {}, `${roleName(role)}${item === null ? '' : ` on ${item}`}`);
  const list = h('ol', {}, ...runs.slice(0, MOST_RUNS).map(row), runs.length > MOST_RUNS ? h('li', {}, `and ${runs.length - MOST_RUNS} more`) : null);
  return [told, list, ...said.slice(0, 6).map((one) => h('p', { class: 'quiet' }, one)),
    h('p', {}, h('button', { type: 'button', disabled: events.length === 0, onclick: take }, 'Take this way into the branch'))];
}

function standing(picture: Picture): HTMLElement {
  const { glyph, word, tone } = standingOf(picture);
  return h('div', { class: 'standing' }, mark(tone, glyph, word), h('p', {}, picture.reason),
    h('p', { class: 'quiet' }, `next: ${picture.next.role ? roleName(picture.next.role) : 'nobody'} · ${picture.next.action}`));
}

function steps(rows: { line: Line; step?: BranchStep }[]): HTMLElement {
  const shown = rows.slice(-14);
  return h('ol', { class: 'steps' },
    rows.length > shown.length ? h('li', { class: 'quiet' }, `… ${rows.length - shown.length} before`) : null,
    ...shown.map(({ line, step }) => h('li', {}, ...eventRow(line), step && step.repeats === undefined ? mark('active', '▶', 'yours') : null)));
}

const asLine = ({ seq, event, decided }: BranchStep): Line => ({ seq, holds: true, event, decided });
