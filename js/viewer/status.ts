// How a state looks: a colour, a shape and a word, so that none of the three is needed to tell it.
import type { NodeState, Picture } from './wire';

export const STATES: NodeState[] = ['waiting', 'active', 'verifying', 'done', 'waived', 'deferred', 'blocked'];

/** The shapes as text, for lists; the same are drawn on the canvas. */
export const GLYPHS: Record<NodeState, string> = {
  waiting: '○', active: '▶', verifying: '◐', done: '✔', waived: '≈', deferred: '❚❚', blocked: '✖',
};

const CONTINUATIONS: Record<string, { glyph: string; word: string; tone: string }> = {
  continue: { glyph: '▶', word: 'goes on', tone: 'active' },
  await_user_input: { glyph: '?', word: 'waits for an answer', tone: 'verifying' },
  blocked: { glyph: '✖', word: 'blocked', tone: 'blocked' },
  paused: { glyph: '❚❚', word: 'paused', tone: 'deferred' },
  done: { glyph: '✔', word: 'done', tone: 'done' },
};

/** Nobody takes the next step. */
export const UNDRIVEN = { glyph: '■', word: 'no driver is alive: `endstate run` goes on', tone: 'deferred' };

/** How a mission stands, in a word; one that would go on does not where nobody drives it. */
export function standingOf({ continuation, control }: Picture, undriven = false): { glyph: string; word: string; tone: string } {
  if (control === 'held' && continuation === 'paused') return { glyph: '○', word: 'not started', tone: 'waiting' };
  if (undriven && continuation === 'continue') return UNDRIVEN;
  return CONTINUATIONS[continuation] ?? { glyph: '·', word: continuation, tone: 'waiting' };
}

export const CRITERIA: Record<string, { glyph: string; tone: string }> = {
  open: { glyph: '○', tone: 'waiting' },
  claimed: { glyph: '◐', tone: 'verifying' },
  verified: { glyph: '✔', tone: 'done' },
  rejected: { glyph: '✖', tone: 'blocked' },
  waived: { glyph: '≈', tone: 'waived' },
};

export const OUTCOMES: Record<string, { glyph: string; tone: string }> = {
  success: { glyph: '✔', tone: 'done' },
  partial: { glyph: '◐', tone: 'verifying' },
  checkpoint: { glyph: '❚❚', tone: 'deferred' },
  failed: { glyph: '✖', tone: 'blocked' },
  lost: { glyph: '∅', tone: 'blocked' },
};

export interface Palette {
  ink: string; quiet: string; paper: string; raised: string; line: string; edge: string; accent: string;
  critical: string; lane: string;
  states: Record<NodeState, { fill: string; ink: string; line: string }>;
}

/** The colours as the style sheet has them now. */
export function palette(element: Element): Palette {
  const style = getComputedStyle(element);
  const of = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const states = Object.fromEntries(STATES.map((state) =>
    [state, { fill: of(`${state}-fill`), ink: of(`${state}-ink`), line: of(`${state}-line`) }]));
  return {
    ink: of('ink'), quiet: of('quiet'), paper: of('paper'), raised: of('raised'), line: of('line'), edge: of('edge'),
    accent: of('accent'), critical: of('critical'), lane: of('lane'),
    states: states as Palette['states'],
  };
}

/** The shape of a state, drawn in a square around `x`, `y`. */
export function drawShape(pen: CanvasRenderingContext2D, state: NodeState, x: number, y: number, size: number): void {
  const r = size / 2;
  pen.lineWidth = Math.max(1, size / 7);
  pen.beginPath();
  switch (state) {
    case 'waiting':
      pen.arc(x, y, r * 0.8, 0, 7);
      return pen.stroke();
    case 'active':
      pen.moveTo(x - r * 0.7, y - r);
      pen.lineTo(x + r, y);
      pen.lineTo(x - r * 0.7, y + r);
      return pen.fill();
    case 'verifying':
      pen.arc(x, y, r * 0.8, 0, 7);
      pen.stroke();
      pen.beginPath();
      pen.arc(x, y, r * 0.8, Math.PI / 2, Math.PI * 1.5);
      return pen.fill();
    case 'done':
      pen.moveTo(x - r * 0.9, y);
      pen.lineTo(x - r * 0.2, y + r * 0.7);
      pen.lineTo(x + r, y - r * 0.8);
      return pen.stroke();
    case 'waived':
      for (const dy of [-r * 0.35, r * 0.35]) {
        pen.moveTo(x - r, y + dy);
        pen.bezierCurveTo(x - r / 3, y + dy - r * 0.7, x + r / 3, y + dy + r * 0.7, x + r, y + dy);
      }
      return pen.stroke();
    case 'deferred':
      pen.rect(x - r * 0.8, y - r * 0.9, r * 0.55, r * 1.8);
      pen.rect(x + r * 0.25, y - r * 0.9, r * 0.55, r * 1.8);
      return pen.fill();
    case 'blocked':
      pen.moveTo(x - r * 0.8, y - r * 0.8);
      pen.lineTo(x + r * 0.8, y + r * 0.8);
      pen.moveTo(x + r * 0.8, y - r * 0.8);
      pen.lineTo(x - r * 0.8, y + r * 0.8);
      return pen.stroke();
  }
}
