// Where everything of a plan lies: its lanes, each of one column or several, and the items in them. A folded lane
// is narrow, whatever it has inside.
import type { Scene } from './wire';

export const [WIDE, TALL, FOLDED] = [208, 74, 96];
export const ROW = 94;
const GAP = 84;
/** Between two columns of one lane. */
const INNER = 24;
/** How far an edge inside a lane goes out of it. */
export const BOW = 24;

export interface Box { x: number; y: number; folded: boolean }
export interface Column { lane: number; x: number; wide: number; folded: boolean; hidden: boolean }

export class Columns {
  readonly all: Column[];
  /** Lanes that are folded. */
  readonly folded: Set<number>;
  readonly #scene: Scene | undefined;

  constructor(scene: Scene | undefined, folded: Set<number>) {
    [this.#scene, this.folded] = [scene, folded];
    let x = 0;
    let last: number | undefined;
    this.all = (scene?.columns ?? []).map((lane) => {
      const [narrow, again] = [folded.has(lane), lane === last];
      const hidden = narrow && again;
      if (!hidden && last !== undefined) x += again ? INNER : GAP;
      const column = { lane, x: hidden ? x - FOLDED : x, wide: narrow ? FOLDED : WIDE, folded: narrow, hidden };
      if (!hidden) x += column.wide;
      last = lane;
      return column;
    });
  }

  /** All of it, with the bows of edges inside the last lane. */
  size(): [number, number] {
    const last = this.all.at(-1);
    return [last ? last.x + last.wide + (last.folded ? 0 : BOW * 0.75) : WIDE, Math.max(1, this.#scene?.rows ?? 1) * ROW - (ROW - TALL)];
  }

  box(at: number): Box {
    const { column, row } = this.#scene!.nodes[at]!;
    const { x, folded } = this.all[column]!;
    return { x, y: folded ? 0 : row * ROW, folded };
  }

  /** The item at a place. */
  at(x: number, y: number): number | undefined {
    const found = this.#scene?.nodes.findIndex((_, at) => {
      const box = this.box(at);
      return !box.folded && x >= box.x && x <= box.x + WIDE && y >= box.y && y <= box.y + TALL;
    });
    return found === -1 ? undefined : found;
  }

  /** The nearest item in the direction of an arrow key. */
  beside(from: number, key: string): number | undefined {
    const { x, y } = this.box(from);
    const sideways = key === 'ArrowLeft' || key === 'ArrowRight';
    const sign = key === 'ArrowRight' || key === 'ArrowDown' ? 1 : -1;
    let best: { at: number; far: number } | undefined;
    this.#scene?.nodes.forEach((_, at) => {
      const box = this.box(at);
      const [along, across] = sideways ? [box.x - x, box.y - y] : [box.y - y, box.x - x];
      if (box.folded || along * sign <= 0) return;
      const far = Math.abs(along) + 3 * Math.abs(across);
      if (!best || far < best.far) best = { at, far };
    });
    return best?.at;
  }
}
