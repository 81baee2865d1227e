// The plan as a picture: lanes from left to right, items in them, edges between them. Here is what the reader does with
// it; columns.ts knows where everything lies, painter.ts and edges.ts draw it, lanes.ts has the heads of the lanes.
import { Camera, fitCanvas, steer } from './camera';
import { Columns, TALL, WIDE } from './columns';
import { h } from './dom';
import { EdgeSheet, type Screen } from './edges';
import { countLanes, LaneHeads, type Counts } from './lanes';
import { Painter } from './painter';
import { palette, STATES, type Palette } from './status';
import type { Picture, Scene } from './wire';

const TOP = 34;
/** The plan of so many items is not made smaller than legible to show all of it. */
const [SMALL, LEGIBLE] = [60, 0.85];
/** How many paintings are kept, for the bench page. */
const KEPT = 600;

interface Chosen { readonly id: string | undefined; choose(id: string): void; announce(text: string): void }

export class Plan {
  element: HTMLElement;
  canvas = h('canvas', { class: 'picture', role: 'img', 'tabindex': '0', 'aria-label': 'The plan. Nothing of it can be shown yet.' });
  #heads = new LaneHeads((lane) => this.fold(lane));
  #pen = this.canvas.getContext('2d', { alpha: false })!;
  #painter = new Painter(this.#pen);
  #edges = new EdgeSheet();
  #camera = new Camera();
  #columns = new Columns(undefined, new Set());
  #scene: Scene | undefined;
  #picture: Picture | undefined;
  #chosen: Chosen;
  #colours: Palette | undefined;
  #found: ReadonlySet<number> = new Set();
  #places = new Map<string, number>();
  #counts = new Map<number, Counts>();
  #waiting = false;
  #fitted = false;
  /** The reader has chosen what to look at. */
  #moved = false;
  /** How long the last paintings took, for the bench page. */
  paintings: number[] = [];

  constructor(chosen: Chosen) {
    this.#chosen = chosen;
    this.element = h('div', { class: 'plan' }, this.canvas, this.#heads.element);
    fitCanvas(this.canvas, () => {
      if (!this.#fitted) this.fit();
      this.redraw();
    });
    steer(this.canvas, this.#camera, () => this.#move(), (x, y) => this.#click(x, y));
    this.canvas.addEventListener('keydown', (event) => this.#key(event));
  }

  show(scene: Scene, picture: Picture): void {
    if (scene.key !== this.#scene?.key) {
      this.#scene = scene;
      this.#places = new Map(scene.nodes.map((node, at) => [node.id, at]));
      this.#painter.forget();
      this.#measure();
      // What the reader looks at stays, as long as there is something to be seen there.
      this.#fitted = this.#moved && this.#inSight();
    }
    this.#picture = picture;
    this.#counts = countLanes(scene, picture);
    if (!this.#fitted) this.fit();
    this.#label();
    this.redraw();
  }

  /** Colours may have changed. */
  repaint(): void {
    this.#colours = undefined;
    this.#edges.forget();
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
    const [wide, tall] = this.#columns.size();
    this.#camera.fit(wide, tall, width, height, { top: TOP + 14, side: 20 });
    // A small plan that does not fit is better read in part than not at all.
    if (this.#scene.nodes.length <= SMALL && this.#camera.scale < LEGIBLE) {
      [this.#camera.scale, this.#camera.x, this.#camera.y] = [LEGIBLE, -20 / LEGIBLE, -(TOP + 14) / LEGIBLE];
    }
    this.#fitted = true;
    this.#moved = false;
    this.redraw();
  }

  zoom(factor: number): void {
    const { width, height } = this.#screen();
    this.#camera.zoom(factor, width / 2, height / 2);
    this.#move();
  }

  pan(dx: number, dy: number): void {
    this.#camera.pan(dx, dy);
    this.#move();
  }

  /** Marks what the reader searches for. */
  mark(found: ReadonlySet<number>): void {
    this.#found = found;
    this.redraw();
  }

  reveal(id: string): void {
    const at = this.#places.get(id);
    if (at === undefined) return;
    if (this.#columns.folded.delete(this.#scene!.nodes[at]!.lane)) this.#measure();
    const box = this.#columns.box(at);
    const { width, height } = this.#screen();
    const { x, y, scale } = this.#camera;
    if (this.#camera.scale < 0.3) {
      this.#camera.scale = 0.6;
      this.#camera.x = box.x - (width / 0.6 - WIDE) / 2;
      this.#camera.y = box.y - (height / 0.6 - TALL) / 2;
    }
    this.#camera.reveal(box.x, box.y, WIDE, TALL, width, height);
    if (x !== this.#camera.x || y !== this.#camera.y || scale !== this.#camera.scale) this.#moved = true;
    this.redraw();
  }

  fold(lane: number): void {
    const { folded } = this.#columns;
    if (!folded.delete(lane)) folded.add(lane);
    this.#measure();
    this.redraw();
  }

  foldAll(on: boolean): void {
    this.#measure(new Set(on ? this.#scene?.columns : []));
    this.fit();
  }

  /** Where an item is on the screen, for tests and for panels. */
  where(id: string): { x: number; y: number } | undefined {
    const at = this.#places.get(id);
    if (at === undefined) return undefined;
    const { x, y } = this.#columns.box(at);
    const { scale } = this.#camera;
    return { x: (x + WIDE / 2 - this.#camera.x) * scale, y: (y + TALL / 2 - this.#camera.y) * scale };
  }

  paint(): void {
    // Who is not in the page has no colours yet.
    if (!this.element.isConnected) return;
    const [scene, picture] = [this.#scene, this.#picture];
    const began = performance.now();
    const colours = this.#colours ??= palette(this.element);
    const screen = this.#screen();
    const { width, height, ratio } = screen;
    const pen = this.#pen;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = colours.paper;
    pen.fillRect(0, 0, width, height);
    // A file that cannot be shown leaves paper: a canvas without alpha is black until it is painted.
    if (!scene || !picture) return;
    if (scene.nodes.length === 0) {
      pen.fillStyle = colours.quiet;
      pen.font = '14px system-ui, sans-serif';
      pen.fillText('At this moment the plan has no items.', 20, TOP + 30);
    }
    this.#edges.paint(pen, scene, this.#columns, this.#camera, screen, colours.edge);
    const { x, y, scale } = this.#camera;
    pen.setTransform(ratio * scale, 0, 0, ratio * scale, -x * scale * ratio, -y * scale * ratio);
    const chosen = this.#chosen.id === undefined ? undefined : this.#places.get(this.#chosen.id);
    const drawn = { scene, picture, columns: this.#columns, camera: this.#camera, colours, counts: this.#counts, chosen, found: this.#found };
    this.#painter.paint(drawn, width, height);
    this.#heads.place(scene, this.#columns, this.#counts, this.#camera, width);
    this.paintings.push(performance.now() - began);
    if (this.paintings.length > KEPT) this.paintings.splice(0, KEPT / 2);
  }

  #screen(): Screen {
    const ratio = globalThis.devicePixelRatio || 1;
    return { width: this.canvas.width / ratio, height: this.canvas.height / ratio, ratio };
  }

  #move(): void {
    this.#moved = true;
    this.redraw();
  }

  #inSight(): boolean {
    const { width, height } = this.#screen();
    const { x, y, scale } = this.#camera;
    return this.#scene!.nodes.some((_, at) => {
      const box = this.#columns.box(at);
      return box.x < x + width / scale && box.x + WIDE > x && box.y < y + height / scale && box.y + TALL > y;
    });
  }

  #measure(folded = this.#columns.folded): void {
    this.#columns = new Columns(this.#scene, folded);
  }

  /** What a screen reader hears of the picture; the list beside it has every item. */
  #label(): void {
    const all: Counts = {};
    for (const [state] of this.#picture!.nodes) all[state] = (all[state] ?? 0) + 1;
    const counts = STATES.filter((state) => all[state]).map((state) => `${all[state]} ${state}`).join(', ');
    this.canvas.setAttribute('aria-label', `Plan of ${this.#picture!.nodes.length} items: ${counts}. Arrow keys move between items.`);
  }

  #click(x: number, y: number): void {
    const at = this.#columns.at(x / this.#camera.scale + this.#camera.x, y / this.#camera.scale + this.#camera.y);
    if (at !== undefined) this.#choose(at);
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
    else if (key === 'c') this.#foldChosen();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #foldChosen(): void {
    const at = this.#places.get(this.#chosen.id ?? '');
    if (at !== undefined) this.fold(this.#scene!.nodes[at]!.lane);
  }

  /** To the nearest item in a direction. */
  #walk(key: string): void {
    if (!this.#scene || this.#scene.nodes.length === 0) return;
    const from = this.#chosen.id === undefined ? undefined : this.#places.get(this.#chosen.id);
    const to = from === undefined ? 0 : this.#columns.beside(from, key);
    if (to !== undefined) this.#choose(to);
  }
}
