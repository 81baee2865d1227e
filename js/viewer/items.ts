// The list beside the plan: every item, or those that are searched for.
import { h, mark } from './dom';
import { List, type Rows } from './list';
import { GLYPHS } from './status';
import type { Picture, Scene } from './wire';

interface Hooks {
  chosen(): string | undefined;
  choose(id: string): void;
  announce(text: string): void;
  /** What is searched for now, by place; nothing while nothing is. */
  found(items: ReadonlySet<number>): void;
}

export class Items {
  element: HTMLElement;
  search = h('input', { type: 'search', placeholder: 'Search items', 'aria-label': 'Search items', title: 'By id, title or state; Enter chooses the next' });
  #list: List;
  #hooks: Hooks;
  #found: number[] = [];
  #scene: Scene | undefined;
  #picture: Picture | undefined;

  constructor(hooks: Hooks) {
    this.#hooks = hooks;
    this.#list = new List(this.#rows());
    this.element = h('div', { class: 'side' }, this.search, this.#list.element);
    this.search.addEventListener('input', () => {
      this.#find();
      if (this.#wanted()) hooks.announce(`${this.#found.length} items found`);
    });
    this.search.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      this.#next(event.shiftKey ? -1 : 1);
    });
  }

  /** Another moment: who searches for a state finds others now. */
  show(scene: Scene, picture: Picture): void {
    const same = scene === this.#scene && !this.#wanted();
    [this.#scene, this.#picture] = [scene, picture];
    if (same) this.#list.draw(true);
    else this.#find();
  }

  draw(): void {
    this.#list.draw(true);
    this.#list.show(this.#chosen());
  }

  #wanted(): string {
    return this.search.value.trim().toLowerCase();
  }

  #chosen(): number {
    return this.#found.findIndex((at) => this.#scene?.nodes[at]?.id === this.#hooks.chosen());
  }

  #find(): void {
    const wanted = this.#wanted();
    this.#found = [];
    this.#scene?.nodes.forEach((node, at) => {
      if (!wanted || `${node.id} ${node.label} ${this.#picture?.nodes[at]?.[0] ?? ''}`.toLowerCase().includes(wanted)) this.#found.push(at);
    });
    this.#list.rows = this.#rows();
    this.#hooks.found(new Set(wanted ? this.#found : []));
  }

  /** The next of what was found, around the end. */
  #next(step: number): void {
    const count = this.#found.length;
    if (count === 0) return;
    const from = this.#chosen();
    const to = from < 0 ? (step > 0 ? 0 : count - 1) : (from + step + count) % count;
    this.#hooks.choose(this.#scene!.nodes[this.#found[to]!]!.id);
  }

  #rows(): Rows {
    return {
      count: this.#found.length, name: 'Items', height: 44,
      chosen: () => this.#chosen(),
      choose: (at) => this.#hooks.choose(this.#scene!.nodes[this.#found[at]!]!.id),
      row: (at) => {
        const node = this.#scene!.nodes[this.#found[at]!]!;
        const [state, , settled, total] = this.#picture?.nodes[this.#found[at]!] ?? ['waiting' as const, 0, 0, 0];
        return [h('span', { class: 'two' }, h('span', { class: 'one' }, h('strong', {}, node.id)),
          h('span', { class: 'label' }, mark(state, GLYPHS[state], state), ` ${settled}/${total} ${node.label}`))];
      },
    };
  }
}
