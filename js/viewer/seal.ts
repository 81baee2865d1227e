// Whether what is shown can be trusted: the one banner that says so. It is green only when every line of the
// whole journal held and was decided again as recorded.
import { bytes, fill } from './dom';
import type { Fault, Progress } from './wire';

export type Tone = 'good' | 'bad' | 'warn' | 'plain';

/** What is known of a journal beside its lines. */
export interface Found {
  /** The event of the newest snapshot that lies with it. */
  beside?: number;
  /** How it was found, if there is something to say of it. */
  remark?: string;
}

export function sealOf(progress: Progress, live: boolean, found: Found): { tone: Tone; text: string } {
  const { tone, text } = sealOfLines(progress, live, found.beside);
  return { tone, text: found.remark ? `${text} ${found.remark}` : text };
}

function sealOfLines({ state, read, total, idle, known, lost }: Progress, live: boolean, beside?: number): { tone: Tone; text: string } {
  const { lines, fault, divergence, torn_bytes: torn } = state;
  if (fault) return { tone: 'bad', text: `✖ ${faultText(fault)} ${shown(lines, known - lines)}` };
  if (divergence) {
    return { tone: 'bad', text: `✖ The chain holds, but event ${divergence.seq} is decided otherwise by this engine, by ${cut(divergence.rule)}: at ${cut(divergence.path)} the journal has ${cut(divergence.recorded)}, this engine ${cut(divergence.decided)}. ${shown(divergence.seq, lines - divergence.seq)}` };
  }
  if (lost) return { tone: 'bad', text: `✖ ${lostText(lost)} ${bytes(read)} of ${bytes(total)} were read. ${shown(lines, known - lines)}` };
  if (!idle) return { tone: 'plain', text: `Checking the chain: ${lines} lines, ${bytes(read)} of ${bytes(total)} (${Math.floor((100 * read) / Math.max(1, total))} %)` };
  if (lines === 0) return { tone: 'bad', text: total === 0 ? '✖ The journal is empty.' : '✖ This is no journal: it has no whole line.' };
  if (torn > 0 && !live) return { tone: 'warn', text: `⚠ The last line has no end: its ${torn} bytes are left out. The ${lines} lines before it hold, and every event was decided again as recorded.` };
  if (beside !== undefined && beside >= lines) {
    return { tone: 'warn', text: `⚠ The journal was cut, or is that of another run: beside it lies a snapshot of event ${beside}, and it ends with event ${lines - 1}. Its ${lines} lines hold, and every event was decided again as recorded.` };
  }
  if (state.older_lines > 0) return { tone: 'warn', text: `⚠ ${olderText(state)}` };
  return { tone: 'good', text: `✔ The chain holds: ${lines} lines, and every event was decided again as recorded.${torn > 0 ? ` A line of which ${torn} bytes are there is being written.` : ''}` };
}

/** Older rules may have decided otherwise: what is shown of their lines is what today's make of them. */
function olderText({ lines, older_lines: older }: Progress['state']): string {
  const behind = lines > older ? ` The ${lines - older} lines behind them were decided again as recorded.` : '';
  return `The chain holds: ${lines} lines. Lines 0–${older - 1} were made under older rules: they are shown as today's rules take them, which may not be how it went.${behind}`;
}

/** What has gone wrong, for people; no more of it than can be read. */
export const lostText = ({ code, expected, got }: Fault): string => (code === 'file_changed'
  ? 'The file was changed, moved or removed since it was opened. Open it again.'
  : `The journal could not be read to its end: ${code}, expected ${cut(expected)}, got ${cut(got)}.`);

const MOST = 160;
const cut = (text: string): string => (text.length > MOST ? `${text.slice(0, MOST)}…` : text || 'nothing');

const shown = (held: number, rest: number): string =>
  held <= 0 ? 'Nothing of it can be shown.' : `What came before it is shown: ${held} lines.${rest > 0 ? ` ${rest} behind it are not shown to hold.` : ''}`;

function faultText({ code, at, expected, got }: Fault): string {
  // A chain comes with the end of its line.
  const short = cut(expected.startsWith('chain ') ? got.replace(/"\}$/, '') : got);
  switch (code) {
    case 'journal_damaged': return `The chain does not hold: ${at} is damaged. Expected ${expected}, got ${short}.`;
    case 'unknown_format': return `This journal has format ${short}; this viewer reads format ${expected}. A newer viewer is needed.`;
    case 'other_rules': return `This journal was decided by rules ${short}; this viewer has rules ${expected}. An engine with those rules is needed.`;
    default: return `${at}: ${code}, expected ${expected}, got ${short}.`;
  }
}

export function showSeal(element: HTMLElement, tone: Tone, text: string): void {
  if (element.dataset['tone'] !== tone) element.dataset['tone'] = tone;
  if (element.textContent !== text) fill(element, text);
}
