// The slider beneath everything: any event, step by step, or played.
import { fill, h, time } from './dom';

/** How long an event is shown while it is played, in milliseconds. */
const BEAT = 250;

interface Hooks {
  go(seq: number): void;
  last(): number;
  /** The event that was asked for last; it may not be shown yet. */
  wanted(): number;
  busy(): boolean;
}

export class Scrubber {
  element: HTMLElement;
  slider = h('input', { type: 'range', min: '0', max: '0', value: '0', 'aria-label': 'Event', class: 'slider' });
  #place = h('output', { class: 'place' });
  #play = h('button', { type: 'button', 'aria-label': 'Play', title: 'Play (space)', onclick: () => this.play() }, '▶');
  #hooks: Hooks;
  #playing: ReturnType<typeof setInterval> | undefined;

  constructor(hooks: Hooks) {
    this.#hooks = hooks;
    const button = (text: string, name: string, to: () => number): HTMLElement =>
      h('button', { type: 'button', 'aria-label': name, title: name, onclick: () => this.#to(to()) }, text);
    this.element = h('footer', { class: 'scrubber' },
      button('|◀', 'First event', () => 0), button('‹', 'One event back', () => hooks.wanted() - 1), this.#play,
      button('›', 'One event on', () => hooks.wanted() + 1), button('▶|', 'Last event', () => hooks.last()),
      this.slider, this.#place);
    this.slider.addEventListener('input', () => hooks.go(Number(this.slider.value)));
  }

  get playing(): boolean {
    return this.#playing !== undefined;
  }

  step(by: number): void {
    this.#to(this.#hooks.wanted() + by);
  }

  reach(last: number): void {
    this.slider.max = String(last);
  }

  /** Where the reader is, and when that was. */
  show(seq: number, last: number, at: number | undefined): void {
    this.slider.value = String(seq);
    const text = `event ${seq} of ${last}${at === undefined ? '' : ` · ${time(at)}`}`;
    this.slider.setAttribute('aria-valuetext', text);
    fill(this.#place, text);
  }

  /** There is one moment only. */
  still(text: string): void {
    for (const one of this.element.querySelectorAll<HTMLButtonElement | HTMLInputElement>('button, input')) one.disabled = true;
    this.slider.setAttribute('aria-valuetext', text);
    fill(this.#place, text);
  }

  play(): void {
    if (this.#playing) return this.stop();
    if (this.slider.disabled) return;
    const { go, last, wanted, busy } = this.#hooks;
    if (wanted() >= last()) go(0);
    this.#say('❚❚', 'Pause');
    this.#playing = setInterval(() => {
      if (busy()) return;
      if (wanted() >= last()) return this.stop();
      go(wanted() + 1);
    }, BEAT);
  }

  stop(): void {
    clearInterval(this.#playing);
    this.#playing = undefined;
    this.#say('▶', 'Play');
  }

  #to(seq: number): void {
    this.stop();
    if (!this.slider.disabled) this.#hooks.go(seq);
  }

  #say(glyph: string, name: string): void {
    this.#play.textContent = glyph;
    this.#play.setAttribute('aria-label', name);
  }
}
