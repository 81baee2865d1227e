// The plan as a picture: lanes from left to right, items in them, edges between them. The canvas is painted
// with what is seen and nothing else; edges lie on a sheet of their own that is moved along while the
// reader pans, because they are many and do not change with the state.
import { Camera, fitCanvas, steer } from './camera';
import { fill, h, visible, words } from './dom';
import { drawShape, palette, STATES, type Palette } from './status';
import type { Picture, Scene } from './wire';

const [WIDE, TALL, GAP, ROW, FOLDED] = [208, 74, 84, 94, 96];
/** How far an edge inside a lane goes out of it. */
const BOW = 24;
const TOP = 34;
/** The plan of so many items is not made smaller than legible to show all of it. */
const [SMALL, LEGIBLE] = [60, 0.85];
/** How much of a screen the sheet of edges reaches beyond it, on every side. */
const BEYOND = 0.5;

interface Chosen { id: string | undefined; choose(id: string): void; announce(text: string): void }

export class Plan {
  element: HTMLElement;
  canvas = h('canvas', { class: 'picture', role: 'img', 'tabindex': '0' });
  #lanes = h('div', { class: 'lanes' });
  #pen = this.canvas.getContext('2d', { alpha: false })!;
  #sheet = document.createElement('canvas');
  #sheetPlace = { x: NaN, y: NaN, scale: 0, key: '' };
  #camera = new Camera();
  #scene: Scene | undefined;
  #picture: Picture | undefined;
  #chosen: Chosen;
  #colours: Palette | undefined;
  #folded = new Set<number>();
  #columns: { x: number; wide: number; folded: boolean; hidden: boolean }[] = [];
  #places = new Map<string, number>();
  #laneCounts = new Map<number, Record<string, number>>();
  #waiting = false;
  #fitted = false;
  #texts = new Map<number, { id: string; label: string }>();
  /** How long the last paintings took, for the bench page. */
  paintings: number[] = [];

  constructor(chosen: Chosen) {
    this.#chosen = chosen;
    this.element = h('div', { class: 'plan' }, this.canvas, this.#lanes);
    fitCanvas(this.canvas, () => {
      if (!this.#fitted) this.fit();
      this.redraw();
    });
    steer(this.canvas, this.#camera, () => this.redraw(), (x, y) => this.#click(x, y));
    this.canvas.addEventListener('keydown', (event) => this.#key(event));
  }

  show(scene: Scene, picture: Picture): void {
    if (scene.key !== this.#scene?.key) {
      this.#scene = scene;
      this.#places = new Map(scene.nodes.map((node, at) => [node.id, at]));
      this.#texts.clear();
      this.#measure();
      this.#fitted = false;
    }
    this.#picture = picture;
    this.#count();
    if (!this.#fitted) this.fit();
    this.#label();
    this.redraw();
  }

  /** Colours may have changed. */
  repaint(): void {
    this.#colours = undefined;
    this.#sheetPlace.key = '';
    this.redraw();
  }

  redraw(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      this.paint();
    });
  }

  fit(): void {
    const { width, height } = this.#screen();
    if (!this.#scene || width < 2) return;
    const [wide, tall] = this.#size();
    this.#camera.fit(wide, tall, width, height, { top: TOP + 14, side: 20 });
    // A small plan that does not fit is better read in part than not at all.
    if (this.#scene.nodes.length <= SMALL && this.#camera.scale < LEGIBLE) {
      [this.#camera.scale, this.#camera.x, this.#camera.y] = [LEGIBLE, -20 / LEGIBLE, -(TOP + 14) / LEGIBLE];
    }
    this.#fitted = true;
    this.redraw();
  }

  zoom(factor: number): void {
    const { width, height } = this.#screen();
    this.#camera.zoom(factor, width / 2, height / 2);
    this.redraw();
  }

  pan(dx: number, dy: number): void {
    this.#camera.pan(dx, dy);
    this.redraw();
  }

  reveal(id: string): void {
    const at = this.#places.get(id);
    if (at === undefined) return;
    const lane = this.#scene!.nodes[at]!.lane;
    if (this.#folded.delete(lane)) this.#measure();
    const box = this.#box(at);
    const { width, height } = this.#screen();
    if (this.#camera.scale < 0.3) {
      this.#camera.scale = 0.6;
      this.#camera.x = box.x - (width / 0.6 - WIDE) / 2;
      this.#camera.y = box.y - (height / 0.6 - TALL) / 2;
    }
    this.#camera.reveal(box.x, box.y, WIDE, TALL, width, height);
    this.redraw();
  }

  fold(lane: number): void {
    if (!this.#folded.delete(lane)) this.#folded.add(lane);
    this.#measure();
    this.redraw();
  }

  foldAll(on: boolean): void {
    this.#folded = new Set(on ? this.#scene?.columns : []);
    this.#measure();
    this.fit();
  }

  /** Where an item is on the screen, for tests and for panels. */
  where(id: string): { x: number; y: number } | undefined {
    const at = this.#places.get(id);
    if (at === undefined) return undefined;
    const { x, y } = this.#box(at);
    const { scale } = this.#camera;
    return { x: (x + WIDE / 2 - this.#camera.x) * scale, y: (y + TALL / 2 - this.#camera.y) * scale };
  }

  #screen(): { width: number; height: number; ratio: number } {
    const ratio = globalThis.devicePixelRatio || 1;
    return { width: this.canvas.width / ratio, height: this.canvas.height / ratio, ratio };
  }

  #measure(): void {
    let x = 0;
    let last: number | undefined;
    this.#columns = (this.#scene?.columns ?? []).map((lane) => {
      const folded = this.#folded.has(lane);
      const hidden = folded && lane === last;
      const narrow = lane === last ? 24 : GAP;
      if (!hidden && last !== undefined) x += narrow;
      const column = { x: hidden ? x - FOLDED : x, wide: folded ? FOLDED : WIDE, folded, hidden };
      if (!hidden) x += column.wide;
      last = lane;
      return column;
    });
    this.#sheetPlace.key = '';
  }

  #size(): [number, number] {
    const last = this.#columns.at(-1);
    return [last ? last.x + last.wide : WIDE, Math.max(1, this.#scene?.rows ?? 1) * ROW - (ROW - TALL)];
  }

  #box(at: number): { x: number; y: number; folded: boolean } {
    const { column, row } = this.#scene!.nodes[at]!;
    const { x, folded } = this.#columns[column]!;
    return { x, y: folded ? 0 : row * ROW, folded };
  }

  #count(): void {
    this.#laneCounts.clear();
    this.#picture!.nodes.forEach(([state], at) => {
      const lane = this.#scene!.nodes[at]?.lane ?? 0;
      const counts = this.#laneCounts.get(lane) ?? {};
      counts[state] = (counts[state] ?? 0) + 1;
      this.#laneCounts.set(lane, counts);
    });
  }

  /** What a screen reader hears of the picture; the list beside it has every item. */
  #label(): void {
    const all: Record<string, number> = {};
    for (const [state] of this.#picture!.nodes) all[state] = (all[state] ?? 0) + 1;
    const counts = STATES.filter((state) => all[state]).map((state) => `${all[state]} ${state}`).join(', ');
    this.canvas.setAttribute('aria-label', `Plan of ${this.#picture!.nodes.length} items: ${counts}. Arrow keys move between items.`);
  }

  paint(): void {
    const [scene, picture] = [this.#scene, this.#picture];
    if (!scene || !picture) return;
    const began = performance.now();
    this.#colours ??= palette(this.element);
    const { width, height, ratio } = this.#screen();
    const pen = this.#pen;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = this.#colours.paper;
    pen.fillRect(0, 0, width, height);
    if (scene.nodes.length === 0) {
      pen.fillStyle = this.#colours.quiet;
      pen.font = '14px system-ui, sans-serif';
      pen.fillText('At this moment the plan has no items.', 20, TOP + 30);
    }
    this.#paintEdges(width, height, ratio);
    const { x, y, scale } = this.#camera;
    pen.setTransform(ratio * scale, 0, 0, ratio * scale, -x * scale * ratio, -y * scale * ratio);
    this.#paintCritical(pen, picture);
    this.#paintFolded(pen);
    this.#paintItems(pen, scene, picture, { x, y, right: x + width / scale, bottom: y + height / scale });
    this.#placeLanes(width);
    this.paintings.push(performance.now() - began);
    if (this.paintings.length > 600) this.paintings.splice(0, 300);
  }

  #paintEdges(width: number, height: number, ratio: number): void {
    const { x, y, scale } = this.#camera;
    const place = this.#sheetPlace;
    const [wide, tall] = [width * (1 + 2 * BEYOND), height * (1 + 2 * BEYOND)];
    const inside = place.scale === scale && place.key === this.#scene!.key
      && this.#sheet.width === Math.ceil(wide * ratio)
      && x >= place.x && y >= place.y && x + width / scale <= place.x + wide / scale && y + height / scale <= place.y + tall / scale;
    if (!inside) {
      this.#sheetPlace = { x: x - (width * BEYOND) / scale, y: y - (height * BEYOND) / scale, scale, key: this.#scene!.key };
      this.#drawSheet(wide, tall, ratio);
    }
    this.#pen.drawImage(this.#sheet, (this.#sheetPlace.x - x) * scale, (this.#sheetPlace.y - y) * scale, wide, tall);
  }

  #drawSheet(wide: number, tall: number, ratio: number): void {
    this.#sheet.width = Math.ceil(wide * ratio);
    this.#sheet.height = Math.ceil(tall * ratio);
    const pen = this.#sheet.getContext('2d')!;
    const { x, y, scale } = this.#sheetPlace;
    const [right, bottom] = [x + wide / scale, y + tall / scale];
    pen.setTransform(ratio * scale, 0, 0, ratio * scale, -x * scale * ratio, -y * scale * ratio);
    pen.strokeStyle = this.#colours!.edge;
    pen.lineWidth = Math.max(1, 0.7 / scale);
    pen.globalAlpha = scale < 0.2 ? 0.45 : 1;
    pen.beginPath();
    for (const [from, to] of this.#scene!.edges) {
      const [a, b] = [this.#box(from), this.#box(to)];
      if (a.folded && b.folded && a.x === b.x) continue;
      if (Math.min(a.x, b.x) > right || Math.max(a.x, b.x) + WIDE < x) continue;
      if (Math.min(a.y, b.y) > bottom || Math.max(a.y, b.y) + TALL < y) continue;
      this.#edge(pen, a, b, scale < 0.2);
    }
    pen.stroke();
  }

  #edge(pen: CanvasRenderingContext2D, a: { x: number; y: number; folded: boolean }, b: { x: number; y: number }, plain: boolean): void {
    const [fromX, fromY, toX, toY] = [a.x + (a.folded ? FOLDED : WIDE), a.y + TALL / 2, b.x, b.y + TALL / 2];
    if (a.x === b.x && !a.folded) {
      // Inside a lane: a bow at its right side, since the usual curve would run behind the cards.
      pen.moveTo(fromX, fromY);
      return pen.bezierCurveTo(fromX + BOW, fromY, fromX + BOW, toY, fromX, toY);
    }
    pen.moveTo(fromX, fromY);
    if (plain) return pen.lineTo(toX, toY);
    const bend = Math.max(30, Math.abs(toX - fromX) / 2);
    pen.bezierCurveTo(fromX + bend, fromY, toX - bend, toY, toX, toY);
  }

  #paintCritical(pen: CanvasRenderingContext2D, picture: Picture): void {
    if (picture.critical.length < 2) return;
    pen.strokeStyle = this.#colours!.critical;
    pen.lineWidth = Math.max(3, 2 / this.#camera.scale);
    pen.beginPath();
    picture.critical.slice(1).forEach((to, at) => this.#edge(pen, this.#box(picture.critical[at]!), this.#box(to), false));
    pen.stroke();
  }

  #paintFolded(pen: CanvasRenderingContext2D): void {
    this.#columns.forEach((column, at) => {
      if (!column.folded || column.hidden) return;
      const counts = this.#laneCounts.get(this.#scene!.columns[at]!) ?? {};
      const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
      let y = 0;
      for (const state of STATES.filter((one) => counts[one])) {
        const tall = Math.max(26, (counts[state]! / all) * 300);
        const { fill: paper, line, ink } = this.#colours!.states[state];
        pen.fillStyle = paper;
        pen.fillRect(column.x, y, FOLDED, tall);
        pen.strokeStyle = line;
        pen.lineWidth = 1;
        pen.strokeRect(column.x, y, FOLDED, tall);
        pen.fillStyle = pen.strokeStyle = ink;
        drawShape(pen, state, column.x + 16, y + 14, 12);
        pen.font = '600 13px system-ui, sans-serif';
        pen.fillText(String(counts[state]), column.x + 30, y + 18);
        y += tall + 3;
      }
    });
  }

  #paintItems(pen: CanvasRenderingContext2D, scene: Scene, picture: Picture, seen: { x: number; y: number; right: number; bottom: number }): void {
    const { scale } = this.#camera;
    const critical = new Set(picture.critical);
    const byState = new Map<string, number[]>();
    for (let at = 0; at < scene.nodes.length; at += 1) {
      const node = scene.nodes[at]!;
      const column = this.#columns[node.column]!;
      const y = node.row * ROW;
      if (column.folded || column.x > seen.right || column.x + WIDE < seen.x || y > seen.bottom || y + TALL < seen.y) continue;
      const state = picture.nodes[at]?.[0] ?? 'waiting';
      const list = byState.get(state);
      if (list) list.push(at);
      else byState.set(state, [at]);
    }
    for (const [state, list] of byState) this.#paintState(pen, state as Picture['nodes'][number][0], list, critical, scale);
    const chosen = this.#chosen.id === undefined ? undefined : this.#places.get(this.#chosen.id);
    if (chosen !== undefined && !this.#box(chosen).folded) {
      const { x, y } = this.#box(chosen);
      pen.strokeStyle = this.#colours!.accent;
      pen.lineWidth = Math.max(3, 3 / scale);
      const off = Math.max(4, 3 / scale);
      pen.strokeRect(x - off, y - off, WIDE + 2 * off, TALL + 2 * off);
    }
  }

  #paintState(pen: CanvasRenderingContext2D, state: Picture['nodes'][number][0], list: number[], critical: Set<number>, scale: number): void {
    const { fill: paper, line, ink } = this.#colours!.states[state];
    pen.fillStyle = scale < 0.25 ? line : paper;
    pen.beginPath();
    for (const at of list) {
      const { x, y } = this.#box(at);
      if (scale < 0.25) pen.rect(x, y, WIDE, TALL);
      else pen.roundRect(x, y, WIDE, TALL, 7);
    }
    pen.fill();
    if (scale < 0.25) {
      if (scale * TALL < 7) return;
      pen.fillStyle = pen.strokeStyle = this.#colours!.paper;
      for (const at of list) drawShape(pen, state, this.#box(at).x + WIDE / 2, this.#box(at).y + TALL / 2, TALL * 0.55);
      return;
    }
    pen.strokeStyle = line;
    pen.lineWidth = 1.25;
    pen.stroke();
    for (const at of list) this.#paintCard(pen, state, at, ink, critical.has(at), scale);
  }

  #paintCard(pen: CanvasRenderingContext2D, state: Picture['nodes'][number][0], at: number, ink: string, critical: boolean, scale: number): void {
    const { x, y } = this.#box(at);
    const [, word, settled, total] = this.#picture!.nodes[at]!;
    const colours = this.#colours!;
    if (critical) {
      pen.fillStyle = colours.critical;
      pen.fillRect(x, y + 6, 4, TALL - 12);
    }
    pen.fillStyle = pen.strokeStyle = ink;
    drawShape(pen, state, x + 18, y + 17, 13);
    const text = this.#text(at);
    pen.font = scale < 0.5 ? '600 20px system-ui, sans-serif' : '600 13px system-ui, sans-serif';
    pen.fillText(text.id, x + 32, y + (scale < 0.5 ? 24 : 21));
    if (total > 0) {
      pen.globalAlpha = 0.25;
      pen.fillRect(x + 10, y + TALL - 8, WIDE - 20, 4);
      pen.globalAlpha = 1;
      pen.fillRect(x + 10, y + TALL - 8, ((WIDE - 20) * settled) / total, 4);
    }
    if (scale < 0.5) return;
    pen.font = '11px system-ui, sans-serif';
    const own = cut(words(this.#picture!.words[word] ?? ''), 16);
    const status = own === state ? state : `${state} · ${own}`;
    pen.fillText(status, x + 12, y + 58);
    pen.textAlign = 'right';
    if (total > 0) pen.fillText(`${settled}/${total}`, x + WIDE - 10, y + 58);
    pen.textAlign = 'left';
    pen.fillStyle = colours.ink;
    pen.font = '12px system-ui, sans-serif';
    pen.fillText(text.label, x + 12, y + 40);
  }

  #text(at: number): { id: string; label: string } {
    const known = this.#texts.get(at);
    if (known) return known;
    const node = this.#scene!.nodes[at]!;
    const text = { id: cut(visible(node.id), 22), label: cut(visible(node.label), 27) };
    this.#texts.set(at, text);
    return text;
  }

  /** The heads of lanes are buttons, so that they can be reached and read. */
  #placeLanes(width: number): void {
    const { x, scale } = this.#camera;
    const heads: HTMLElement[] = [];
    let last: number | undefined;
    let free = -Infinity;
    this.#columns.forEach((column, at) => {
      const lane = this.#scene!.columns[at]!;
      if (lane === last) return;
      last = lane;
      const end = this.#columns.findLast((_, other) => this.#scene!.columns[other] === lane)!;
      const left = (column.x - x) * scale;
      const wide = (end.x + end.wide - column.x) * scale;
      if (left + wide < 0 || left > width || left < free) return;
      const room = Math.max(wide, 88);
      free = left + room + 2;
      const title = this.#scene!.lanes.find((one) => one.lane === lane)?.title ?? `lane ${lane + 1}`;
      const counts = this.#laneCounts.get(lane) ?? {};
      const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
      const closed = (counts['done'] ?? 0) + (counts['waived'] ?? 0);
      const head = h('button', {
        type: 'button', class: 'lane', 'data-lane': String(lane), 'aria-expanded': String(!column.folded),
        title: `${visible(title)}: ${closed} of ${all} closed`, onclick: () => this.fold(lane),
      }, `${column.folded ? '▸' : '▾'} ${title} · ${closed}/${all}`);
      head.style.left = `${left}px`;
      head.style.width = `${room}px`;
      heads.push(head);
    });
    const same = this.#lanes.childElementCount === heads.length
      && heads.every((head, at) => (this.#lanes.children[at] as HTMLElement).dataset['lane'] === head.dataset['lane']);
    if (!same) return fill(this.#lanes, ...heads);
    heads.forEach((head, at) => {
      const old = this.#lanes.children[at] as HTMLElement;
      old.style.left = head.style.left;
      old.style.width = head.style.width;
      old.title = head.title;
      old.setAttribute('aria-expanded', head.getAttribute('aria-expanded')!);
      if (old.textContent !== head.textContent) old.textContent = head.textContent;
    });
  }

  #click(x: number, y: number): void {
    const at = this.#at(x / this.#camera.scale + this.#camera.x, y / this.#camera.scale + this.#camera.y);
    if (at !== undefined) this.#choose(at);
  }

  #at(x: number, y: number): number | undefined {
    const found = this.#scene?.nodes.findIndex((_, at) => {
      const box = this.#box(at);
      return !box.folded && x >= box.x && x <= box.x + WIDE && y >= box.y && y <= box.y + TALL;
    });
    return found === -1 ? undefined : found;
  }

  #choose(at: number): void {
    const node = this.#scene!.nodes[at]!;
    const [state, word, settled, total] = this.#picture!.nodes[at]!;
    this.#chosen.choose(node.id);
    this.#chosen.announce(`${node.id}, ${node.label}: ${state}, ${this.#picture!.words[word]}, ${settled} of ${total} criteria`);
    this.reveal(node.id);
  }

  #key(event: KeyboardEvent): void {
    const { key } = event;
    const pans: Record<string, [number, number]> = { ArrowLeft: [-80, 0], ArrowRight: [80, 0], ArrowUp: [0, -80], ArrowDown: [0, 80] };
    if (key === '+' || key === '=') this.zoom(1.25);
    else if (key === '-') this.zoom(0.8);
    else if (key === '0') this.fit();
    else if (pans[key] && event.shiftKey) this.pan(...pans[key]!);
    else if (pans[key]) this.#walk(key);
    else if (key === 'c' && this.#chosen.id !== undefined) this.fold(this.#scene!.nodes[this.#places.get(this.#chosen.id) ?? 0]!.lane);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** To the nearest item in a direction. */
  #walk(key: string): void {
    const nodes = this.#scene?.nodes ?? [];
    if (nodes.length === 0) return;
    const from = this.#chosen.id === undefined ? undefined : this.#places.get(this.#chosen.id);
    if (from === undefined) return this.#choose(0);
    const { x, y } = this.#box(from);
    const sideways = key === 'ArrowLeft' || key === 'ArrowRight';
    const sign = key === 'ArrowRight' || key === 'ArrowDown' ? 1 : -1;
    let best: { at: number; far: number } | undefined;
    nodes.forEach((_, at) => {
      const box = this.#box(at);
      const [along, across] = sideways ? [box.x - x, box.y - y] : [box.y - y, box.x - x];
      if (box.folded || along * sign <= 0) return;
      const far = Math.abs(along) + 3 * Math.abs(across);
      if (!best || far < best.far) best = { at, far };
    });
    if (best) this.#choose(best.at);
  }
}

function cut(text: string, most: number): string {
  const letters = [...text.slice(0, most * 2 + 2)];
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : letters.join('');
}
