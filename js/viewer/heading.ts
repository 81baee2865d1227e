// What stands above everything: the mission, how it stands, and whether what is shown can be trusted.
import { fill, h, mark, roleName, words } from './dom';
import { showSeal, type Tone } from './seal';
import { standingOf } from './status';
import type { Picture } from './wire';

interface Hooks { open: (() => void) | undefined; theme(): void; help(): void }

export class Heading {
  element: HTMLElement;
  #title = h('h1', {}, 'endstate');
  #facts = h('p', { class: 'facts' });
  #seal = h('p', { class: 'seal', role: 'status', 'data-tone': 'plain' }, 'Starting the engine');

  constructor({ open, theme, help }: Hooks) {
    const button = (text: string, name: string, title: string, onclick: () => void): HTMLElement =>
      h('button', { type: 'button', 'aria-label': name, title, onclick }, text);
    this.element = h('header', {},
      h('div', { class: 'bar' }, this.#title, h('div', { class: 'buttons' },
        open ? h('button', { type: 'button', onclick: open }, 'Open…') : null,
        button('◐', 'Light or dark', 'Light or dark', theme), button('?', 'Keys', 'Keys (?)', help))),
      this.#facts, this.#seal);
  }

  seal(tone: Tone, text: string): void {
    showSeal(this.#seal, tone, text);
  }

  /** `undriven`: this is where the mission stands now, and nobody drives it. */
  show(picture: Picture, undriven: boolean): void {
    const { glyph, word, tone } = standingOf(picture, undriven);
    fill(this.#title, picture.title);
    const { settled, total } = picture.progress;
    const next = `${picture.next.role ? `${roleName(picture.next.role)}, ` : ''}${picture.next.action || 'nothing'}`;
    fill(this.#facts, mark(tone, glyph, word), ` ${picture.protocol} · ${words(picture.phase)} · ${settled} of ${total} criteria · next: ${next}`);
  }
}
