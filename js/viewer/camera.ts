// Where the reader looks: pan and zoom of a canvas by pointer, wheel and keys.

export class Camera {
  x = 0;
  y = 0;
  scale = 1;
  #least = 0.02;
  #most = 2;

  /** Around a point of the screen. */
  zoom(factor: number, atX: number, atY: number): void {
    const scale = Math.min(this.#most, Math.max(this.#least, this.scale * factor));
    this.x += atX / this.scale - atX / scale;
    this.y += atY / this.scale - atY / scale;
    this.scale = scale;
  }

  pan(dx: number, dy: number): void {
    this.x += dx / this.scale;
    this.y += dy / this.scale;
  }

  /** All of a picture, but not larger than life. */
  fit(width: number, height: number, screenWidth: number, screenHeight: number, margin: { top: number; side: number }): void {
    const scale = Math.min((screenWidth - 2 * margin.side) / width, (screenHeight - margin.top - margin.side) / height, 1);
    this.scale = Math.min(this.#most, Math.max(this.#least, scale));
    this.x = -(screenWidth / this.scale - width) / 2;
    this.y = -margin.top / this.scale;
  }

  /** A rectangle into sight, with as little movement as does it. */
  reveal(x: number, y: number, width: number, height: number, screenWidth: number, screenHeight: number): void {
    const [wide, tall] = [screenWidth / this.scale, screenHeight / this.scale];
    // As much as `fit` leaves, so that choosing an item does not move a plan that fits.
    const margin = 20 / this.scale;
    if (x - margin < this.x) this.x = x - margin;
    else if (x + width + margin > this.x + wide) this.x = x + width + margin - wide;
    if (y - margin * 3.2 < this.y) this.y = y - margin * 3.2;
    else if (y + height + margin > this.y + tall) this.y = y + height + margin - tall;
  }
}

/** Drags and wheels of a canvas. A click is a press that did not move. */
export function steer(canvas: HTMLElement, camera: Camera, redraw: () => void, click: (x: number, y: number) => void): void {
  const held = new Map<number, { x: number; y: number }>();
  let moved = 0;
  const at = (event: PointerEvent | WheelEvent): { x: number; y: number } => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  canvas.addEventListener('pointerdown', (event) => {
    held.set(event.pointerId, at(event));
    moved = 0;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    const before = held.get(event.pointerId);
    if (!before) return;
    const now = at(event);
    const other = [...held].find(([id]) => id !== event.pointerId)?.[1];
    moved += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
    if (other) {
      const far = (p: { x: number; y: number }): number => Math.hypot(p.x - other.x, p.y - other.y);
      camera.zoom(far(now) / Math.max(1, far(before)), (now.x + other.x) / 2, (now.y + other.y) / 2);
    } else {
      camera.pan(before.x - now.x, before.y - now.y);
    }
    held.set(event.pointerId, now);
    redraw();
  });
  const release = (event: PointerEvent): void => {
    if (held.delete(event.pointerId) && moved < 5 && event.type === 'pointerup') click(at(event).x, at(event).y);
  };
  canvas.addEventListener('pointerup', release);
  canvas.addEventListener('pointercancel', release);
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    const { x, y } = at(event);
    if (event.ctrlKey || event.metaKey || !event.shiftKey) camera.zoom(Math.exp(-event.deltaY * 0.0015), x, y);
    else camera.pan(event.deltaY, 0);
    redraw();
  }, { passive: false });
}

/** A canvas that fills its parent at the resolution of the screen. */
export function fitCanvas(canvas: HTMLCanvasElement, redraw: () => void): void {
  const parent = canvas.parentElement!;
  new ResizeObserver(() => {
    const ratio = globalThis.devicePixelRatio || 1;
    canvas.width = Math.max(1, Math.round(parent.clientWidth * ratio));
    canvas.height = Math.max(1, Math.round(parent.clientHeight * ratio));
    redraw();
  }).observe(parent);
}
