// The plan with all that stands around it: the list of its items, its tools, what its colours mean.
import { fill, h, mark } from './dom';
import { Items } from './items';
import { Plan } from './plan';
import { GLYPHS } from './status';
import type { Picture, Scene } from './wire';

interface Hooks { chosen(): string | undefined; choose(id: string): void; announce(text: string): void }

/** The most items of the critical path that are named. */
const MOST_NAMED = 6;

export class PlanPart {
  element: HTMLElement;
  plan: Plan;
  items: Items;
  #critical = h('p', { class: 'quiet critical' });

  constructor(hooks: Hooks) {
    const { choose, announce } = hooks;
    this.plan = new Plan({ get id() { return hooks.chosen(); }, choose, announce });
    this.items = new Items({ ...hooks, found: (found) => this.plan.mark(found) });
    const button = (text: string, name: string, onclick: () => void): HTMLElement => h('button', { type: 'button', 'aria-label': name, title: name, onclick }, text);
    const legend = h('ul', { class: 'legend', 'aria-label': 'What shapes and colours mean' },
      ...Object.entries(GLYPHS).map(([state, glyph]) => h('li', {}, mark(state, glyph, state))));
    this.element = h('div', { class: 'plan-part' }, this.items.element,
      h('div', { class: 'main' },
        h('div', { class: 'tools' }, button('+', 'Zoom in', () => this.plan.zoom(1.3)), button('−', 'Zoom out', () => this.plan.zoom(0.77)),
          button('⤢', 'Show all', () => this.plan.fit()), button('Fold all', 'Fold all lanes', () => this.plan.foldAll(true)),
          button('Unfold', 'Unfold all lanes', () => this.plan.foldAll(false)), this.#critical),
        this.plan.element, legend));
  }

  show(scene: Scene, picture: Picture): void {
    this.plan.show(scene, picture);
    this.items.show(scene, picture);
    const chain = picture.critical.map((at) => scene.nodes[at]?.id);
    const text = `Critical path: ${chain.slice(0, MOST_NAMED).join(' → ')}${chain.length > MOST_NAMED ? ` … (${chain.length})` : ''}`;
    fill(this.#critical, chain.length > 1 ? text : '');
  }

  /** It has come into sight. */
  seen(): void {
    this.plan.redraw();
    this.items.draw();
  }

  /** An item was chosen, here or elsewhere. */
  choose(id: string): void {
    this.plan.reveal(id);
    this.items.draw();
  }
}
