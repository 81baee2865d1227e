// A panel of which one part is shown at a time. What is filled in anew keeps what the reader had there: what was
// unfolded, where it was scrolled to, and the place of the focus.
import { fill, h } from './dom';

/** The tabs, with the keys that every tab list has, and the panel beneath them. */
export class Tabs {
  element: HTMLElement;
  #buttons = new Map<string, HTMLButtonElement>();
  #body: HTMLElement;
  #list: HTMLElement;
  #now: string;
  /** Another part was chosen and is not filled in yet. */
  #fresh = false;
  #changed: (name: string) => void;

  constructor(label: string, names: [string, string][], changed: (name: string) => void, kind = '') {
    this.#now = names[0]![0];
    this.#changed = changed;
    this.#body = h('div', { class: 'tab-body', role: 'tabpanel', 'tabindex': '0', 'aria-label': label });
    const list = h('div', { class: 'tabs', role: 'tablist', 'aria-label': label });
    this.#list = list;
    for (const [name, title] of names) this.add(name, title);
    list.addEventListener('keydown', (event) => {
      const all = [...this.#buttons.keys()];
      const [now, last] = [all.indexOf(this.#now), all.length - 1];
      const place = { ArrowRight: now === last ? 0 : now + 1, ArrowLeft: now === 0 ? last : now - 1, Home: 0, End: last }[event.key];
      if (place === undefined) return;
      event.preventDefault();
      const to = all[place]!;
      this.choose(to);
      this.#buttons.get(to)!.focus();
      event.stopPropagation();
    });
    this.element = h('div', { class: `tabbed ${kind}` }, list, this.#body);
    this.#mark();
  }

  get now(): string { return this.#now; }

  /** One part more, behind the others. */
  add(name: string, title: string): void {
    const button = h('button', { type: 'button', role: 'tab', 'data-tab': name, onclick: () => this.choose(name) }, title);
    button.setAttribute('aria-selected', 'false');
    button.tabIndex = -1;
    this.#buttons.set(name, button);
    this.#list.append(button);
  }

  choose(name: string): void {
    if (!this.#buttons.has(name)) return;
    this.#fresh = name !== this.#now;
    this.#now = name;
    this.#mark();
    this.#changed(name);
  }

  fill(...children: (Node | null)[]): void {
    if (!this.#fresh) return refill(this.#body, ...children);
    this.#fresh = false;
    const held = this.#body.querySelector(':focus') !== null;
    fill(this.#body, ...children);
    this.#body.scrollTop = 0;
    if (held) this.#body.focus({ preventScroll: true });
  }

  #mark(): void {
    for (const [name, button] of this.#buttons) {
      button.setAttribute('aria-selected', String(name === this.#now));
      button.tabIndex = name === this.#now ? 0 : -1;
    }
    this.#body.setAttribute('aria-label', this.#buttons.get(this.#now)!.textContent ?? '');
  }
}

const titleOf = (one: Element): string => one.querySelector('summary')?.textContent ?? '';
const REACHED = 'a, button, input, select, textarea, summary, [tabindex]';

/** As `fill`, for what is drawn again and again. */
export function refill(element: Element, ...children: (Node | null)[]): void {
  const open = new Set([...element.querySelectorAll('details[open]')].map(titleOf));
  const closed = new Set([...element.querySelectorAll('details:not([open])')].map(titleOf));
  const root = element.getRootNode() as Document | ShadowRoot;
  const focused = root.activeElement;
  const at = focused && element !== focused && element.contains(focused) ? [...element.querySelectorAll(REACHED)].indexOf(focused) : -1;
  const top = element.scrollTop;
  fill(element, ...children);
  for (const one of element.querySelectorAll('details')) {
    if (open.has(titleOf(one))) one.open = true;
    else if (closed.has(titleOf(one))) one.open = false;
  }
  element.scrollTop = top;
  if (at < 0 || element.contains(root.activeElement)) return;
  // What had the focus, or what stands in its place, or else the panel itself: never the top of the page.
  const reached = [...element.querySelectorAll<HTMLElement>(REACHED)];
  const same = reached.find((one) => one.textContent === focused!.textContent && one.tagName === focused!.tagName);
  (same ?? reached[Math.min(at, reached.length - 1)] ?? (element as HTMLElement)).focus({ preventScroll: true });
}
