// A list of any length of which only what is seen is in the page. Arrow keys move through it; a screen reader
// hears the place and the number of all.
import { fill, h } from './dom';

export interface Rows {
  count: number;
  /** What stands in a row; may be asked again. */
  row(at: number): (Node | string)[];
  chosen(): number;
  choose(at: number): void;
  name: string;
  height: number;
}

let lists = 0;

export class List {
  element: HTMLElement;
  #space: HTMLElement;
  #rows: Rows;
  #shown = '';
  #id = `list-${lists += 1}`;

  constructor(rows: Rows) {
    this.#rows = rows;
    this.#space = h('div', { class: 'space', role: 'presentation' });
    this.element = h('div', {
      class: 'list', role: 'listbox', 'tabindex': '0', 'aria-label': rows.name,
      onscroll: () => this.draw(), onkeydown: (event: KeyboardEvent) => this.#key(event),
      onclick: (event: MouseEvent) => this.#click(event),
    }, this.#space);
    new ResizeObserver(() => this.draw(true)).observe(this.element);
  }

  set rows(rows: Rows) {
    this.#rows = rows;
    this.draw(true);
  }

  /** Draws what is seen; `anew` even if the same rows are. */
  draw(anew = false): void {
    // What is not in sight is drawn when it comes into sight, and not asked for before.
    if (this.element.clientHeight === 0) return;
    const { count, height } = this.#rows;
    const top = Math.max(0, Math.floor(this.element.scrollTop / height) - 4);
    const bottom = Math.min(count, Math.ceil((this.element.scrollTop + this.element.clientHeight) / height) + 4);
    const chosen = this.#rows.chosen();
    const shown = `${top}-${bottom}-${count}-${chosen}`;
    if (!anew && shown === this.#shown) return;
    this.#shown = shown;
    this.#space.style.height = `${count * height}px`;
    const rows = [];
    for (let at = top; at < bottom; at += 1) {
      const row = h('div', {
        class: 'row', role: 'option', id: `${this.#id}-${at}`, 'data-at': String(at),
        'aria-selected': String(at === chosen), 'aria-setsize': String(count), 'aria-posinset': String(at + 1),
      }, ...this.#rows.row(at));
      row.style.top = `${at * height}px`;
      row.style.height = `${height}px`;
      rows.push(row);
    }
    fill(this.#space, ...rows);
    if (chosen >= top && chosen < bottom) this.element.setAttribute('aria-activedescendant', `${this.#id}-${chosen}`);
    else this.element.removeAttribute('aria-activedescendant');
  }

  /** Brings a row into sight. */
  show(at: number): void {
    const { height } = this.#rows;
    const { scrollTop, clientHeight } = this.element;
    if (at < 0) return;
    if (at * height < scrollTop) this.element.scrollTop = at * height;
    else if ((at + 1) * height > scrollTop + clientHeight) this.element.scrollTop = (at + 1) * height - clientHeight;
    this.draw();
  }

  #key(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.#rows.height) - 1);
    const chosen = this.#rows.chosen();
    const to = {
      ArrowDown: chosen + 1, ArrowUp: chosen - 1, PageDown: chosen + page, PageUp: chosen - page,
      Home: 0, End: this.#rows.count - 1,
    }[event.key];
    if (to === undefined || this.#rows.count === 0) return;
    event.preventDefault();
    event.stopPropagation();
    this.#choose(Math.min(Math.max(to, 0), this.#rows.count - 1));
  }

  #click(event: MouseEvent): void {
    const row = (event.target as Element).closest('[data-at]');
    if (row) this.#choose(Number(row.getAttribute('data-at')));
  }

  #choose(at: number): void {
    this.#rows.choose(at);
    this.show(at);
    this.draw(true);
  }
}
