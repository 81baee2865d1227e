// The edges of a plan. They are many and do not change with the state, so they lie on a sheet of their own, larger
// than the screen, that is moved along while the reader pans.
import type { Camera } from './camera';
import { BOW, FOLDED, TALL, WIDE, type Box, type Columns } from './columns';
import type { Scene } from './wire';

/** How much of a screen the sheet reaches beyond it, on every side. */
const BEYOND = 0.5;
/** Below this scale an edge is a straight, pale line. */
const PLAIN = 0.2;

export interface Screen { width: number; height: number; ratio: number }

interface Place { x: number; y: number; scale: number; wide: number; tall: number; columns: Columns | undefined }

export class EdgeSheet {
  #sheet = document.createElement('canvas');
  #place: Place = { x: NaN, y: NaN, scale: 0, wide: 0, tall: 0, columns: undefined };

  /** The sheet as it is does not hold any more. */
  forget(): void {
    this.#place.columns = undefined;
  }

  /** Lays the sheet on a canvas whose unit is a pixel of the screen; draws it anew only where it does not reach. */
  paint(pen: CanvasRenderingContext2D, scene: Scene, columns: Columns, camera: Camera, screen: Screen, colour: string): void {
    const { x, y, scale } = camera;
    const { width, height, ratio } = screen;
    const [wide, tall] = [width * (1 + 2 * BEYOND), height * (1 + 2 * BEYOND)];
    const old = this.#place;
    const inside = old.columns === columns && old.scale === scale && old.wide === wide && old.tall === tall
      && this.#sheet.width === Math.ceil(wide * ratio)
      && x >= old.x && y >= old.y && x + width / scale <= old.x + wide / scale && y + height / scale <= old.y + tall / scale;
    if (!inside) {
      this.#place = { x: x - (width * BEYOND) / scale, y: y - (height * BEYOND) / scale, scale, wide, tall, columns };
      this.#draw(scene, columns, ratio, colour);
    }
    pen.drawImage(this.#sheet, (this.#place.x - x) * scale, (this.#place.y - y) * scale, wide, tall);
  }

  #draw(scene: Scene, columns: Columns, ratio: number, colour: string): void {
    const { x, y, scale, wide, tall } = this.#place;
    this.#sheet.width = Math.ceil(wide * ratio);
    this.#sheet.height = Math.ceil(tall * ratio);
    const pen = this.#sheet.getContext('2d')!;
    const [right, bottom] = [x + wide / scale, y + tall / scale];
    pen.setTransform(ratio * scale, 0, 0, ratio * scale, -x * scale * ratio, -y * scale * ratio);
    pen.strokeStyle = colour;
    pen.lineWidth = Math.max(1, 0.7 / scale);
    pen.globalAlpha = scale < PLAIN ? 0.45 : 1;
    pen.beginPath();
    for (const [from, to] of scene.edges) {
      const [a, b] = [columns.box(from), columns.box(to)];
      if (a.folded && b.folded && a.x === b.x) continue;
      if (Math.min(a.x, b.x) > right || Math.max(a.x, b.x) + WIDE < x) continue;
      if (Math.min(a.y, b.y) > bottom || Math.max(a.y, b.y) + TALL < y) continue;
      edge(pen, a, b, scale < PLAIN);
    }
    pen.stroke();
  }
}

/** One edge, as a part of the path. */
export function edge(pen: CanvasRenderingContext2D, a: Box, b: Box, plain: boolean): void {
  const [fromX, fromY, toX, toY] = [a.x + (a.folded ? FOLDED : WIDE), a.y + TALL / 2, b.x, b.y + TALL / 2];
  pen.moveTo(fromX, fromY);
  // Inside a lane: a bow at its right side, since the usual curve would run behind the cards.
  if (a.x === b.x && !a.folded) return pen.bezierCurveTo(fromX + BOW, fromY, fromX + BOW, toY, fromX, toY);
  if (plain) return pen.lineTo(toX, toY);
  const bend = Math.max(30, Math.abs(toX - fromX) / 2);
  pen.bezierCurveTo(fromX + bend, fromY, toX - bend, toY, toX, toY);
}
