// Runs and questions as rows of a list.
import { duration, fill, h, mark, money, roleName, words } from './dom';
import { OUTCOMES } from './status';
import type { Question, Run, Verdict } from './wire';

export function runRow(run: Run, verdict: Verdict | null | undefined): (Node | string)[] {
  const { glyph, tone } = run.outcome ? OUTCOMES[run.outcome]! : { glyph: run.started ? '▶' : '○', tone: run.started ? 'active' : 'waiting' };
  const word = run.outcome ?? (run.started ? 'alive' : run.ended ? 'could not be started' : 'not started');
  const { tokens, cost_micros: cost } = run.usage;
  const used = [tokens > 0 ? `${tokens.toLocaleString('en')} tokens` : '', cost > 0 ? `cost ${money(cost)}` : ''];
  const took = run.started && run.ended ? duration(run.ended.at - run.started.at) : '';
  const rest = [run.corrects ? `corrects ${run.corrects}` : '', run.problem ? words(run.problem) : '', ...used].filter(Boolean).join(' · ');
  return [
    cell('w5', run.id), cell('w10', `${roleName(run.role)} · ${run.visit}`), cell('w10', run.item ?? ''),
    h('span', { class: 'w7' }, mark(tone, glyph, word)), cell('w5 took', took),
    h('span', { class: 'grow', title: [verdict?.words, rest].filter(Boolean).join(' · ') }, verdict ? verdictMark(verdict) : null, verdict ? ' ' : null, rest),
  ];
}

/** A verdict in a colour, a shape and words. */
export const verdictMark = ({ yes, words: said }: Verdict): HTMLElement => mark(yes ? 'done' : 'blocked', yes ? '✔' : '✖', said);

export function questionRow(question: Question): (Node | string)[] {
  const answer = question.answer ? answered(Object.entries(question.answer).filter(([name]) => name !== 'type' && name !== 'kind').map(([, value]) => value)) : 'open';
  return [cell('w5', question.id), cell('w10', '◆ question'), cell('w10', answer), cell('grow', question.text)];
}

function cell(kind: string, text: string): HTMLElement {
  const span = h('span', { class: kind });
  fill(span, text);
  return span;
}

/** An answer in words: what was said, behind a yes or no where it is one. */
function answered(values: unknown[]): string {
  const said = values.filter((value) => typeof value !== 'boolean').map(String).filter(Boolean).join(' ');
  if (!values.some((value) => typeof value === 'boolean')) return said;
  return [values.includes(false) ? 'no' : 'yes', said].filter(Boolean).join(': ');
}
