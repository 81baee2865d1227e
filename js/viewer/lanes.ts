// The heads of the lanes, as buttons, so that they can be reached and read; and how many items of each lane are in
// which state.
import { fill, h, visible } from './dom';
import type { Camera } from './camera';
import type { Columns } from './columns';
import type { Picture, Scene } from './wire';

export type Counts = Record<string, number>;

/** How many items of each lane are in which state. */
export function countLanes(scene: Scene, picture: Picture): Map<number, Counts> {
  const lanes = new Map<number, Counts>();
  picture.nodes.forEach(([state], at) => {
    const lane = scene.nodes[at]?.lane ?? 0;
    const counts = lanes.get(lane) ?? {};
    counts[state] = (counts[state] ?? 0) + 1;
    lanes.set(lane, counts);
  });
  return lanes;
}

export const sum = (counts: Counts): number => Object.values(counts).reduce((all, count) => all + count, 0);

export class LaneHeads {
  element = h('div', { class: 'lanes' });
  #fold: (lane: number) => void;

  constructor(fold: (lane: number) => void) {
    this.#fold = fold;
  }

  /** Over their lanes, as far as these are in sight and there is room. */
  place(scene: Scene, columns: Columns, counts: Map<number, Counts>, { x, scale }: Camera, width: number): void {
    const heads: HTMLElement[] = [];
    let last: number | undefined;
    let free = -Infinity;
    columns.all.forEach((column) => {
      if (column.lane === last) return;
      last = column.lane;
      const end = columns.all.findLast(({ lane }) => lane === column.lane)!;
      const left = (column.x - x) * scale;
      const wide = (end.x + end.wide - column.x) * scale;
      if (left + wide < 0 || left > width || left < free) return;
      const room = Math.max(wide, 88);
      free = left + room + 2;
      const head = this.#head(scene, column.lane, column.folded, counts.get(column.lane) ?? {});
      head.style.left = `${left}px`;
      head.style.width = `${room}px`;
      heads.push(head);
    });
    this.#put(heads);
  }

  #head(scene: Scene, lane: number, folded: boolean, counts: Counts): HTMLElement {
    const title = scene.lanes.find((one) => one.lane === lane)?.title ?? `lane ${lane + 1}`;
    const told = `${(counts['done'] ?? 0) + (counts['waived'] ?? 0)}`;
    return h('button', {
      type: 'button', class: 'lane', 'data-lane': String(lane), 'aria-expanded': String(!folded),
      title: `${visible(title)}: ${told} of ${sum(counts)} closed`, onclick: () => this.#fold(lane),
    }, `${folded ? '▸' : '▾'} ${title} · ${told}/${sum(counts)}`);
  }

  /** The buttons that are there stay, so that the focus does. */
  #put(heads: HTMLElement[]): void {
    const old = [...this.element.children] as HTMLElement[];
    const same = old.length === heads.length && heads.every((head, at) => old[at]!.dataset['lane'] === head.dataset['lane']);
    if (!same) return fill(this.element, ...heads);
    heads.forEach((head, at) => {
      const there = old[at]!;
      there.style.left = head.style.left;
      there.style.width = head.style.width;
      there.title = head.title;
      there.setAttribute('aria-expanded', head.getAttribute('aria-expanded')!);
      if (there.textContent !== head.textContent) there.textContent = head.textContent;
    });
  }
}
