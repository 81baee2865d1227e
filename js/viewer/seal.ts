// Whether what is shown can be trusted: the one banner that says so. It is green only when every line of the
// whole journal held and was decided again as recorded.
import { bytes, fill } from './dom';
import type { Fault, Progress } from './wire';

export type Tone = 'good' | 'bad' | 'warn' | 'plain';

export function sealOf({ state, read, total, idle, known }: Progress, live: boolean): { tone: Tone; text: string } {
  const { lines, fault, divergence, torn_bytes: torn } = state;
  if (fault) return { tone: 'bad', text: `✖ ${faultText(fault)} ${shown(lines, known - lines)}` };
  if (divergence) {
    return { tone: 'bad', text: `✖ The chain holds, but event ${divergence.seq} is decided otherwise by this engine, by ${divergence.rule}: at ${divergence.path} the journal has ${divergence.recorded}, this engine ${divergence.decided}. ${shown(divergence.seq, lines - divergence.seq)}` };
  }
  if (!idle) return { tone: 'plain', text: `Checking the chain: ${lines} lines, ${bytes(read)} of ${bytes(total)} (${Math.floor((100 * read) / Math.max(1, total))} %)` };
  if (lines === 0) return { tone: 'bad', text: total === 0 ? '✖ The journal is empty.' : '✖ This is no journal: it has no whole line.' };
  if (torn > 0 && !live) return { tone: 'warn', text: `⚠ The last line has no end: its ${torn} bytes are left out. The ${lines} lines before it hold, and every event was decided again as recorded.` };
  return { tone: 'good', text: `✔ The chain holds: ${lines} lines, and every event was decided again as recorded.` };
}

const shown = (held: number, rest: number): string =>
  held <= 0 ? 'Nothing of it can be shown.' : `What came before it is shown: ${held} lines.${rest > 0 ? ` ${rest} behind it are not shown to hold.` : ''}`;

function faultText({ code, at, expected, got }: Fault): string {
  const short = got.length > 160 ? `${got.slice(0, 160)}…` : got;
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
