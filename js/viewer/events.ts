// The journal, line by line. Only the lines in sight are read.
import { h, time, words } from './dom';
import { List } from './list';
import type { Asked } from './calls';
import type { Line } from './wire';

const PAGE = 100;
const KEPT = 30;

export class Events {
  element: HTMLElement;
  #list: List;
  #ask: Asked;
  #pages = new Map<number, (Line | undefined)[]>();
  #known = 0;
  #hooks: { seq(): number; go(seq: number): void };

  constructor(ask: Asked, hooks: { seq(): number; go(seq: number): void }) {
    this.#ask = ask;
    this.#hooks = hooks;
    this.#list = new List(this.#rows());
    this.element = h('div', { class: 'events' }, this.#list.element);
  }

  /** How many lines there are now; what was read of the last page may be old. */
  show(known: number): void {
    if (known !== this.#known) this.#pages.delete(Math.floor(this.#known / PAGE));
    this.#known = known;
    this.#list.rows = this.#rows();
  }

  reread(): void {
    this.#pages.clear();
    this.#list.draw(true);
  }

  moved(): void {
    this.#list.show(this.#hooks.seq());
    this.#list.draw(true);
  }

  #rows(): ConstructorParameters<typeof List>[0] {
    return {
      count: this.#known, name: 'Events', height: 28,
      chosen: () => this.#hooks.seq(),
      choose: (at) => this.#hooks.go(at),
      row: (at) => this.#row(at),
    };
  }

  #row(at: number): (Node | string)[] {
    const page = Math.floor(at / PAGE);
    const lines = this.#pages.get(page);
    if (!lines) {
      this.#read(page);
      return [String(at), ' …'];
    }
    const line = lines[at - page * PAGE];
    return line ? eventRow(line) : [String(at)];
  }

  async #read(page: number): Promise<void> {
    this.#pages.set(page, []);
    if (this.#pages.size > KEPT) this.#pages.delete(this.#pages.keys().next().value!);
    const lines = await this.#ask.lines(page * PAGE, PAGE).catch(() => []);
    this.#pages.set(page, lines);
    this.#list.draw(true);
  }
}

/** One event in short. */
export function eventRow(line: Line): (Node | string)[] {
  const span = (kind: string, text: string): HTMLElement => h('span', { class: kind }, text);
  const mark = line.holds ? null : span('mark blocked', '✖ not shown to hold');
  const cells = [span('w5 num', String(line.seq)), span('w8 num', time(line.event?.at ?? Number(line.header?.['at'] ?? NaN)).slice(11, 23))];
  if (line.unreadable) return [...cells, span('mark blocked grow', `✖ cannot be read: ${line.unreadable}`)];
  cells.push(span('w20', line.event ? factName(line.event.fact.type, line.event.fact.data) : 'the mission begins'));
  cells.push(span('grow quiet', `${words(line.decided?.rule ?? '')}${ordered(line)}`));
  if (mark) cells.push(mark);
  return cells;
}

function factName(type: string, data: Record<string, unknown>): string {
  const command = data['command'] as { command?: string } | undefined;
  const detail = [command?.command, data['effect'], data['outcome'] && typeof data['outcome'] === 'string' ? data['outcome'] : undefined];
  return [words(type), ...detail.filter((one) => one !== undefined).map(String)].join(' · ');
}

function ordered(line: Line): string {
  const orders = line.decided?.effects.map((effect) => words(effect.order)) ?? [];
  return orders.length > 0 ? ` → ${orders.join(', ')}` : '';
}
