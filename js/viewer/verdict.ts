// The verdict a run gave, as its report has it: yes or no, and its words. It is what the role said; what the engine
// made of it is in the states of the criteria.
import { words } from './names';
import type { Verdict } from './wire';

type Block = Record<string, unknown>;

/** The last JSON block of a report; prose around it does not count. */
function blockOf(report: string): Block | undefined {
  const text = [...report.matchAll(/^```json\r?\n([\s\S]*?)\r?\n```/gm)].at(-1)?.[1];
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value as Block : undefined;
  } catch {
    return undefined;
  }
}

/** No word of a verdict is longer; a report may have anything in its place. */
const MOST = 40;
const short = (text: string): string => (text.length > MOST ? `${words(text.slice(0, MOST))}…` : words(text));

const rowsOf = (value: unknown): Block[] => (Array.isArray(value) ? value.filter((one): one is Block => typeof one === 'object' && one !== null) : []);

export function verdictOf(report: unknown): Verdict | undefined {
  const block = typeof report === 'string' ? blockOf(report) : undefined;
  if (!block) return undefined;
  const findings = rowsOf(block['verdicts']).map((one) => one['finding'] === 'holds');
  const held = findings.filter(Boolean).length;
  const counted = findings.length > 0 ? `${held} of ${findings.length} hold` : '';
  const say = (yes: boolean, ...said: string[]): Verdict => ({ yes, words: [...said, counted].filter(Boolean).join(', ') });
  const decision = block['decision'] ?? (block['reconciliation'] as Block | undefined)?.['decision'];
  if (typeof block['acceptable'] === 'boolean') return say(block['acceptable'], block['acceptable'] ? 'acceptable' : 'not acceptable');
  if (typeof block['verdict'] === 'string') return say(block['verdict'] === 'CLEAR', short(block['verdict']));
  if (typeof decision === 'string') return say(/^(approved?|accepted)$/.test(decision), short(decision));
  if (typeof block['can_stop'] === 'boolean') return say(block['can_stop'], block['can_stop'] ? 'may stop' : 'may not stop');
  return findings.length > 0 ? say(held === findings.length) : undefined;
}
