// A plan that was imported, beside its source: how much of each kind was found, and every line that became a note and may
// be more. The engine says what is in the plan; here its notes are found again in the source.
import { fill, h, pairs } from './dom';
import type { ReadPlan, Review, ShownLine } from './wire';

/** The most lines of a source that are drawn. */
const MOST_LINES = 20_000;

/** Why a line of notes is shown: as the import tells it (`ImportWhy`). */
function whyOf(line: string, fenced: boolean): string | undefined {
  if (!/[\p{L}\p{N}]/u.test(line)) return undefined;
  if (/\[[ xX]\]/.test(line)) return 'box';
  if (/^\s*#{1,6}\s/.test(line)) return 'heading';
  if (fenced || line.includes('`')) return 'code';
  return /\p{N}/u.test(line) ? 'number' : 'words';
}

/** The review of a plan that names its source; nothing of any other. */
export async function reviewOf({ plan, family }: ReadPlan, all: File[]): Promise<Review | undefined> {
  const made = plan.settings.source;
  if (family !== 'canonical' || !made) return undefined;
  const name = made.file.replace(/^.*\//, '');
  const file = all.find((one) => one.name === name);
  const bytes = file && new Uint8Array(await file.arrayBuffer());
  const source = bytes && new TextDecoder().decode(bytes);
  const digest = bytes && await digestOf(bytes);
  const shown = linesOf(plan, source);
  const sprints = plan.units.flatMap((unit) => unit.sprints);
  const criteria = sprints.flatMap(({ entry, exit }) => [...entry, ...exit]);
  const counts: [string, number][] = [
    ['units', plan.units.length], ['sprints', sprints.length], ['tasks', sprints.flatMap(({ tasks }) => tasks).length],
    ['entry criteria', sprints.flatMap(({ entry }) => entry).length], ['exit criteria', sprints.flatMap(({ exit }) => exit).length],
    ['commands that are run', criteria.flatMap(({ commands }) => commands).length],
    ['criteria that are judged', criteria.filter(({ judged }) => judged).length], ['lines of notes', shown.length],
  ];
  return { file: made.file, ...(source !== undefined && { source }), ...(digest && { stale: digest !== made.sha256 }), counts, shown };
}

/** SHA-256 in hex; nothing where a browser does not give it. */
async function digestOf(bytes: Uint8Array): Promise<string | undefined> {
  const digest = await globalThis.crypto?.subtle?.digest('SHA-256', bytes as BufferSource);
  return digest && [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** All lines of notes that say something, each with its line in the source. */
function linesOf(plan: ReadPlan['plan'], source: string | undefined): ShownLine[] {
  const free = new Map<string, number[]>();
  source?.split('\n').forEach((line, at) => free.set(line.trim(), [...free.get(line.trim()) ?? [], at + 1]));
  const shown: ShownLine[] = [];
  const notes = (text: string, place: string): void => {
    let fenced = false;
    for (const line of text.split('\n')) {
      const fence = /^\s*(```|~~~)/.test(line);
      if (fence) fenced = !fenced;
      const why = fence ? undefined : whyOf(line, fenced);
      const at = free.get(line.trim())?.shift();
      if (why) shown.push({ ...(at !== undefined && { line: at }), why, text: line.trim(), place });
    }
  };
  notes(plan.notes, 'the plan');
  for (const unit of plan.units) {
    notes(unit.notes, unit.name);
    for (const sprint of unit.sprints) notes(sprint.notes, `${unit.name}/${sprint.label}`);
  }
  return shown.sort((a, b) => (a.line ?? Infinity) - (b.line ?? Infinity));
}

/** The part of the page that shows it. */
export class ReviewPart {
  element = h('div', { class: 'review' });

  show({ file, source, stale, counts, shown }: Review): void {
    const said = source === undefined ? `This plan was made of ${file}. Open both files together, and the notes are shown beside it.`
      : stale ? `${file} changed since this plan was made of it. Import it again.`
        : `This plan was made of ${file}. Nothing checks a requirement that became a note: read each of these lines.`;
    const lines = new Map<number, HTMLElement>();
    const notes = new Map(shown.map((one) => [one.line, one.why]));
    const all = source?.split('\n') ?? [];
    const rows = all.slice(0, MOST_LINES).map((text, at) => {
      const why = notes.get(at + 1);
      const row = h('li', { class: why ? 'noted' : '' }, text || ' ', why ? h('span', { class: 'quiet' }, ` ← notes: ${why}`) : null);
      lines.set(at + 1, row);
      return row;
    });
    const reveal = (line: number): void => {
      for (const [at, row] of lines) row.classList.toggle('chosen', at === line);
      lines.get(line)?.scrollIntoView({ block: 'center' });
    };
    const item = ({ line, why, text, place }: ShownLine): HTMLElement => h('li', {},
      line === undefined || !lines.has(line) ? h('span', { class: 'quiet' }, 'no line of the source')
        : h('button', { type: 'button', class: 'link', onclick: () => reveal(line) }, `line ${line}`),
      ` · ${why} · ${place}: ${text}`);
    fill(this.element,
      h('div', { class: 'review-told' },
        h('p', { class: stale ? 'mark blocked' : '' }, said), pairs(counts.map(([kind, many]) => [kind, String(many)])),
        h('h3', {}, `Lines that became notes (${shown.length})`), h('ul', { class: 'plain review-shown' }, ...shown.map(item))),
      source === undefined ? null : h('ol', { class: 'review-source', 'tabindex': '0', 'aria-label': `The source: ${file}` }, ...rows,
        all.length > MOST_LINES ? h('li', { class: 'quiet' }, `${all.length - MOST_LINES} lines more`) : null));
  }
}
