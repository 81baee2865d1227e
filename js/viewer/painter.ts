// The plan on its canvas: what is seen of it and nothing else. From far away an item is a coloured box, nearer a box
// with the shape of its state, and at last a card with its words.
import type { Camera } from './camera';
import { FOLDED, ROW, TALL, WIDE, type Columns } from './columns';
import { visible, words } from './dom';
import { edge } from './edges';
import { sum, type Counts } from './lanes';
import { drawShape, STATES, type Palette } from './status';
import type { NodeState, Picture, Scene } from './wire';

/** From these scales on an item is a card, and the card has all of its words. */
const [CARD, WORDS] = [0.25, 0.5];
/** Of so many criteria each has a piece of the bar of its own. */
const MOST_PIECES = 16;
const face = (size: number, weight = 400): string => `${weight} ${size}px system-ui, sans-serif`;

/** All that a painting is made of. */
export interface Drawn {
  scene: Scene;
  picture: Picture;
  columns: Columns;
  camera: Camera;
  colours: Palette;
  counts: Map<number, Counts>;
  chosen: number | undefined;
  /** What the reader searches for. */
  found: ReadonlySet<number>;
}

type Pen = CanvasRenderingContext2D;

export class Painter {
  #pen: Pen;
  #texts = new Map<number, { id: string; label: string }>();

  constructor(pen: Pen) {
    this.#pen = pen;
  }

  /** Another plan: its texts are cut anew. */
  forget(): void {
    this.#texts.clear();
  }

  /** The critical chain, folded lanes and items, with the pen in the measure of the plan. */
  paint(drawn: Drawn, width: number, height: number): void {
    const { camera: { x, y, scale } } = drawn;
    this.#critical(drawn);
    this.#folded(drawn);
    const seen = this.#seen(drawn, x + width / scale, y + height / scale);
    const critical = new Set(drawn.picture.critical);
    for (const [state, list] of seen) this.#ofState(drawn, state, list, critical);
    if (drawn.found.size > 0) this.#outlined(drawn, [...seen.values()].flatMap((list) => list.filter((at) => drawn.found.has(at))), 2);
    this.#outlined(drawn, drawn.chosen === undefined ? [] : [drawn.chosen], 3);
  }

  #critical({ picture: { critical }, columns, colours, camera }: Drawn): void {
    if (critical.length < 2) return;
    const pen = this.#pen;
    pen.strokeStyle = colours.critical;
    pen.lineWidth = Math.max(3, 2 / camera.scale);
    pen.beginPath();
    critical.slice(1).forEach((to, at) => edge(pen, columns.box(critical[at]!), columns.box(to), false));
    pen.stroke();
  }

  /** A folded lane is a stack of its states, with numbers. */
  #folded({ columns, counts, colours }: Drawn): void {
    const pen = this.#pen;
    for (const column of columns.all) {
      if (!column.folded || column.hidden) continue;
      const own = counts.get(column.lane) ?? {};
      let y = 0;
      for (const state of STATES.filter((one) => own[one])) {
        const tall = Math.max(26, (own[state]! / sum(own)) * 300);
        const { fill: paper, line, ink } = colours.states[state];
        pen.fillStyle = paper;
        pen.fillRect(column.x, y, FOLDED, tall);
        pen.strokeStyle = line;
        pen.lineWidth = 1;
        pen.strokeRect(column.x, y, FOLDED, tall);
        pen.fillStyle = pen.strokeStyle = ink;
        drawShape(pen, state, column.x + 16, y + 14, 12);
        pen.font = face(13, 600);
        pen.fillText(String(own[state]), column.x + 30, y + 18);
        y += tall + 3;
      }
    }
  }

  /** The items in sight, by state, since what is alike is painted at once. */
  #seen({ scene, picture, columns, camera }: Drawn, right: number, bottom: number): Map<NodeState, number[]> {
    const byState = new Map<NodeState, number[]>();
    for (let at = 0; at < scene.nodes.length; at += 1) {
      const { column, row } = scene.nodes[at]!;
      const { x, folded } = columns.all[column]!;
      const y = row * ROW;
      if (folded || x > right || x + WIDE < camera.x || y > bottom || y + TALL < camera.y) continue;
      const state = picture.nodes[at]?.[0] ?? 'waiting';
      const list = byState.get(state);
      if (list) list.push(at);
      else byState.set(state, [at]);
    }
    return byState;
  }

  #ofState(drawn: Drawn, state: NodeState, list: number[], critical: ReadonlySet<number>): void {
    const { columns, camera: { scale }, colours } = drawn;
    const pen = this.#pen;
    const { fill: paper, line } = colours.states[state];
    pen.fillStyle = scale < CARD ? line : paper;
    pen.beginPath();
    for (const at of list) {
      const { x, y } = columns.box(at);
      if (scale < CARD) pen.rect(x, y, WIDE, TALL);
      else pen.roundRect(x, y, WIDE, TALL, 7);
    }
    pen.fill();
    if (scale >= CARD) {
      pen.strokeStyle = line;
      pen.lineWidth = 1.25;
      pen.stroke();
      for (const at of list) this.#card(drawn, state, at, critical.has(at));
    } else if (scale * TALL >= 7) {
      pen.fillStyle = pen.strokeStyle = colours.paper;
      for (const at of list) drawShape(pen, state, columns.box(at).x + WIDE / 2, columns.box(at).y + TALL / 2, TALL * 0.55);
    }
  }

  #card(drawn: Drawn, state: NodeState, at: number, critical: boolean): void {
    const { columns, colours, camera: { scale }, picture } = drawn;
    const pen = this.#pen;
    const { x, y } = columns.box(at);
    const [, , settled, total] = picture.nodes[at]!;
    if (critical) {
      pen.fillStyle = colours.critical;
      pen.fillRect(x, y + 6, 4, TALL - 12);
    }
    pen.fillStyle = pen.strokeStyle = colours.states[state].ink;
    drawShape(pen, state, x + 18, y + 17, 13);
    pen.font = scale < WORDS ? face(20, 600) : face(13, 600);
    pen.fillText(this.#text(drawn.scene, at).id, x + 32, y + (scale < WORDS ? 24 : 21));
    this.#bar(x + 10, y + TALL - 8, settled, total);
    if (scale >= WORDS) this.#words(drawn, state, at);
  }

  /** One piece for each criterion; of very many, one bar. */
  #bar(x: number, y: number, settled: number, total: number): void {
    const pen = this.#pen;
    const [wide, gap] = [WIDE - 20, total > MOST_PIECES ? 0 : 2];
    const pieces = total > MOST_PIECES ? [settled, total - settled] : Array<number>(total).fill(1);
    let left = x;
    pieces.forEach((part, at) => {
      const own = (part / total) * (wide + gap) - gap;
      pen.globalAlpha = (total > MOST_PIECES ? at === 0 : at < settled) ? 1 : 0.25;
      pen.fillRect(left, y, own, 4);
      left += own + gap;
    });
    pen.globalAlpha = 1;
  }

  #words({ scene, picture, columns, colours }: Drawn, state: NodeState, at: number): void {
    const pen = this.#pen;
    const { x, y } = columns.box(at);
    const [, word, settled, total] = picture.nodes[at]!;
    const own = cut(words(picture.words[word] ?? ''), 16);
    pen.font = face(11);
    pen.fillText(own === state ? state : `${state} · ${own}`, x + 12, y + 58);
    pen.textAlign = 'right';
    if (total > 0) pen.fillText(`${settled}/${total}`, x + WIDE - 10, y + 58);
    pen.textAlign = 'left';
    pen.fillStyle = colours.ink;
    pen.font = face(12);
    pen.fillText(this.#text(scene, at).label, x + 12, y + 40);
  }

  #outlined({ columns, colours, camera: { scale } }: Drawn, items: number[], width: number): void {
    const pen = this.#pen;
    const off = Math.max(width + 1, width / scale);
    pen.strokeStyle = colours.accent;
    pen.lineWidth = Math.max(width, width / scale);
    pen.beginPath();
    for (const at of items) {
      const { x, y, folded } = columns.box(at);
      if (!folded) pen.rect(x - off, y - off, WIDE + 2 * off, TALL + 2 * off);
    }
    pen.stroke();
  }

  #text(scene: Scene, at: number): { id: string; label: string } {
    const known = this.#texts.get(at);
    if (known) return known;
    const node = scene.nodes[at]!;
    const text = { id: cut(visible(node.id), 22), label: cut(visible(node.label), 27) };
    this.#texts.set(at, text);
    return text;
  }
}

function cut(text: string, most: number): string {
  const letters = [...text.slice(0, most * 2 + 2)];
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : letters.join('');
}
