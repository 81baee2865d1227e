// What if: the reader puts another event in the place of one that happened, and sees where that leads, side by
// side with what happened.
import type { Asked } from './calls';
import { fill, fold, h, jsonText, roleName, words } from './dom';
import { eventRow } from './events';
import { itemStates, presets, type Preset } from './presets';
import { mark, whyPanel } from './inspector';
import { CONTINUATIONS, GLYPHS } from './status';
import type { Branch, BranchStep, Line, Picture, Rehearsal } from './wire';

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
  #go = h('button', { type: 'button', class: 'primary', onclick: () => this.#try() }, 'Try it');
  #seq = -1;
  #branch: Branch | undefined;

  constructor(ask: Asked, hooks: Hooks) {
    this.#ask = ask;
    this.#hooks = hooks;
    fill(this.element, this.#title,
      h('p', { class: 'quiet' }, 'The engine takes the event you write here instead, from the moment before. Nothing of the mission is touched.'),
      this.#choices, this.#text, h('p', {}, this.#go), this.#fault, this.#result);
  }

  /** The event that would be replaced is the one shown. */
  async show(): Promise<void> {
    const seq = this.#hooks.seq();
    if (seq === this.#seq) return;
    this.#seq = seq;
    fill(this.#fault);
    if (seq < 1) {
      fill(this.#title, 'What if');
      fill(this.#choices, h('p', {}, 'Choose an event behind the start: move the slider, or choose one under Events.'));
      this.#text.hidden = this.#go.hidden = true;
      return;
    }
    const [[line], before] = await Promise.all([this.#ask.lines(seq, 1), this.#ask.told(seq - 1)]);
    if (this.#seq !== seq) return;
    const event = line?.event;
    this.#text.hidden = this.#go.hidden = !event || !line!.holds;
    if (!event || !line!.holds) return fill(this.#choices, h('p', {}, 'This line was not shown to hold, so nothing can begin from it.'));
    fill(this.#title, `What if event ${seq} had been another? It was: ${words(event.fact.type)}`);
    this.#text.value = jsonText(event);
    this.#offer(this.#choices, presets(event, before.pending, event.at), (preset) => { this.#text.value = jsonText(preset.event); });
  }

  #offer(place: HTMLElement, offered: Preset[], choose: (preset: Preset) => void): void {
    fill(place, h('p', {}, 'For example:'), ...offered.map((preset) => h('button', { type: 'button', onclick: () => choose(preset) }, preset.name)));
  }

  async #try(): Promise<void> {
    const seq = this.#seq;
    await this.#move(() => this.#ask.branchBegin(seq, JSON.parse(this.#text.value)));
    if (this.#branch) this.#hooks.announce(`In the branch: ${words(this.#branch.picture.continuation)}, ${this.#branch.picture.reason}`);
  }

  async #move(work: () => Promise<Branch>): Promise<void> {
    fill(this.#fault);
    try {
      this.#branch = await work();
      await this.#draw();
    } catch (error) {
      fill(this.#fault, `The engine does not take it: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async #draw(): Promise<void> {
    const branch = this.#branch!;
    const happened = await this.#ask.lines(branch.seq, Math.max(branch.next - branch.seq, branch.steps.length, 1));
    const last = Math.min(branch.next, this.#hooks.last() + 1) - 1;
    const there = JSON.parse((await this.#ask.moment(Math.max(last, branch.seq), branch.scene.key)).picture) as Picture;
    const more = h('textarea', { 'aria-label': 'The next event of the branch, as JSON', rows: 6, spellcheck: false });
    const at = branch.steps.at(-1)!.event.at + 1000;
    const choices = h('div', { class: 'choices' });
    const next = presets(undefined, branch.pending, at);
    if (next[0]) more.value = jsonText(next[0].event);
    this.#offer(choices, next, (preset) => { more.value = jsonText(preset.event); });
    fill(this.#result,
      h('div', { class: 'columns' },
        h('section', { 'aria-label': 'What happened' }, h('h4', {}, `What happened, up to event ${Math.max(last, branch.seq)}`), standing(there), steps(happened.map((line) => ({ line })))),
        h('section', { 'aria-label': 'In the branch' }, h('h4', {}, 'In the branch'), standing(branch.picture), steps(branch.steps.map((step) => ({ line: asLine(step), step }))))),
      branch.left ? h('p', { class: 'note' }, `Here the two part: ${branch.left}`) : null,
      h('p', {},
        h('button', { type: 'button', disabled: branch.next > this.#hooks.last() || branch.left !== undefined, onclick: () => this.#move(() => this.#ask.branchFollow(1)) }, 'One more of what happened'), ' ',
        h('button', { type: 'button', disabled: branch.next > this.#hooks.last() || branch.left !== undefined, onclick: () => this.#move(() => this.#ask.branchFollow()) }, 'All of what happened, as far as it is taken'), ' ',
        h('button', { type: 'button', class: 'primary', onclick: () => this.#save() }, 'Save the branch as a journal')),
      this.#way(branch),
      fold('Go on with an event of your own', true, choices, more,
        h('p', {}, h('button', { type: 'button', onclick: () => this.#move(() => this.#ask.branchAdd(JSON.parse(more.value))) }, 'Add it to the branch'))),
      fold('Why the next step of the branch is what it is', false, whyPanel(branch.why, (seq) => { if (seq < branch.seq) this.#hooks.go(seq); })),
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
  const { glyph, word, tone } = CONTINUATIONS[picture.continuation] ?? { glyph: '·', word: picture.continuation, tone: 'waiting' };
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
