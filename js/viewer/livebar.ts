// What the reader can say to a running mission: answers to its questions, pause, resume, grants.
import { fill, h, mark, words } from './dom';
import { UNDRIVEN } from './status';
import type { Connection, Live } from './live';
import { answers } from './presets';
import type { Fact, Outstanding } from './wire';

const COUNTERS = ['role_runs', 'regrounds', 'reopens', 'malformed_reports', 'observations', 'commands', 'consults', 'timers', 'questions', 'writes', 'tokens', 'cost_micros'];

export class LiveBar {
  element = h('section', { class: 'livebar', hidden: true, 'aria-label': 'The running mission' });
  #live: Live | undefined;
  #announce: (text: string) => void;
  #state = h('span', { class: 'quiet' }, 'connecting');
  #driver = h('span');
  #said = h('span', { role: 'status' });
  #questions = h('div', { class: 'questions' });
  #shown = '';

  constructor(announce: (text: string) => void) {
    this.#announce = announce;
    const counter = h('select', { 'aria-label': 'Counter to grant' }, ...COUNTERS.map((name) => h('option', { value: name }, words(name))));
    const amount = h('input', { type: 'number', min: '1', value: '10', 'aria-label': 'How many to grant' });
    const command = (data: Record<string, unknown>) => () => this.#say({ type: 'user_commanded', data: { id: null, command: data } });
    const button = (text: string, onclick: () => void): HTMLElement => h('button', { type: 'button', onclick }, text);
    fill(this.element, h('div', { class: 'tools' }, h('strong', {}, 'Live'), this.#state, this.#driver,
      button('Pause', command({ command: 'pause' })), button('Resume', command({ command: 'resume' })),
      counter, amount, button('Grant', () => command({ command: 'grant', counter: counter.value, amount: Number(amount.value) })()), this.#said), this.#questions);
  }

  set live(live: Live) {
    this.#live = live;
    this.element.hidden = false;
  }

  connected(state: Connection): void {
    fill(this.#state, { open: 'following the journal', lost: 'the server is gone; trying again', closed: 'the server is gone; open the viewer again' }[state]);
  }

  /** Whether anybody takes the next step; of a mission that is over nobody does. */
  driven(alive: boolean | undefined, over: boolean): void {
    const text = alive === undefined || (over && !alive) ? '' : alive ? 'a driver is alive' : UNDRIVEN.word;
    if (text === this.#driver.textContent?.slice(2) || text === this.#driver.textContent) return;
    fill(this.#driver, text && (alive ? mark('active', '▶', text) : mark(UNDRIVEN.tone, UNDRIVEN.glyph, text)));
    if (text) this.#announce(text);
  }

  /** The questions that are open now. */
  show(pending: Outstanding[]): void {
    const open = pending.filter(({ effect }) => effect.order.type === 'ask_user');
    const shown = JSON.stringify(open.map(({ effect }) => effect.id));
    if (shown === this.#shown) return;
    this.#shown = shown;
    fill(this.#questions, ...open.map(({ effect }) => this.#question(effect.id, effect.order.data)));
    if (open.length > 0) this.#announce(`The mission asks: ${String(open[0]!.effect.order.data['text'])}`);
  }

  #question(id: string, data: Record<string, unknown>): HTMLElement {
    const answer = (value: Record<string, unknown>): void => void this.#say({ type: 'question_answered', data: { effect: id, answer: value } });
    const offered = answers(data);
    const free = offered.length === 1 && offered[0]!.answer['type'] === 'text';
    const note = offered[0]?.answer['type'] === 'manual_step';
    const text = h('input', { type: 'text', placeholder: note ? 'A note, if you like' : 'Your answer', 'aria-label': `Answer to question ${id}` });
    return h('div', { class: 'question' },
      h('p', {}, h('strong', {}, `Question ${id}: `), String(data['text'] ?? '')),
      data['unblocks'] ? h('p', { class: 'quiet' }, `An answer sets free: ${String(data['unblocks'])}`) : null,
      note ? h('p', {}, `To do: ${String((data['kind'] as Record<string, unknown>)['instructions'] ?? '')}`) : null,
      free || note ? text : null,
      free ? h('button', { type: 'button', onclick: () => answer({ type: 'text', text: text.value }) }, 'Answer') : null,
      ...(free ? [] : offered.map((one) => h('button', {
        type: 'button', title: one.detail, onclick: () => answer(note ? { ...one.answer, note: text.value || one.name } : one.answer),
      }, one.detail ? `${one.name}: ${one.detail}` : one.name))));
  }

  async #say(fact: Fact): Promise<void> {
    fill(this.#said, 'sent');
    const why = await this.#live?.say(fact).catch(() => 'it was not sent: the server is gone');
    const { counter, amount } = (fact.data['command'] ?? {}) as { counter?: string; amount?: number };
    fill(this.#said, why ?? (counter === undefined ? 'taken' : `taken: ${amount} more ${words(counter)}`));
  }
}
