// A mission as a few lines of text. What agents wrote is in it, so every line is stripped of what a terminal obeys.

import { clip, printable } from 'endstate-core';
import type { Glance, View, Why } from 'endstate-core';

/** The most characters of a line. */
const MOST_LINE = 160;
/** The most criteria that are named at the end. */
const MOST_NAMED = 10;
/** The most items of a plan that are listed. */
const MOST_ITEMS = 60;

type Node = View['nodes'][number];

/** One line, safe to show. */
export function line(text: string): string {
  return clip(printable(text).replace(/[\s\u2028\u2029]+/g, ' ').trim(), MOST_LINE);
}

/** The item that is worked on, if any: what a run is for, else what the protocol calls active. */
export function liveItem(view: View): Node | undefined {
  const run = view.runs.find((one) => one.item !== null);
  const active = (one: Node): boolean => one.state === 'active' || one.state === 'verifying';
  return view.nodes.find((one) => one.id === run?.item) ?? view.nodes.find(active);
}

/** For the footer. */
export function status(view: View): string {
  const item = liveItem(view);
  const who = view.runs.map((one) => one.role).join(', ');
  return line(['endstate', view.phase, item?.id, who].filter(Boolean).join(' · '));
}

/** Phase, item, criteria, next role, budget. */
export function widget(view: View, driving: boolean): string[] {
  const { settled, total } = view.progress;
  const lines = [`endstate: ${view.title}`, `${view.phase}${driving ? '' : ' (not driven)'}: ${view.reason}`];
  const item = liveItem(view);
  if (item !== undefined) {
    lines.push(`${item.id} ${item.status}: ${item.label}`);
    lines.push(`criteria ${item.criteria.map((one) => `${one.id} ${one.state}`).join(', ') || 'none'} · all ${settled} of ${total}`);
  } else {
    lines.push(`criteria ${settled} of ${total}`);
  }
  for (const run of view.runs) lines.push(`${run.role} ${run.run}${run.last_line === null ? '' : `: ${run.last_line}`}`);
  if (view.runs.length === 0) lines.push(`next ${view.next.role ?? 'nobody'}: ${view.next.action}`);
  const spent = view.budget.map((one) => `${one.counter} ${one.spent}/${one.limit}`);
  if (spent.length > 0) lines.push(`budget ${spent.join(', ')}`);
  for (const question of view.questions) lines.push(`question ${question.id}: ${question.text}`);
  return lines.map(line);
}

/** What the end of a mission rests on; what is less than its user wanted is named. */
export function restsOn(view: View): string[] {
  const shown = view.end?.shown ?? [];
  if (shown.length === 0) return [];
  const count = (how: string): string => `${shown.filter((one) => one.how === how).length} ${how}`;
  const less = shown.filter((one) => !one.enough).slice(0, MOST_NAMED);
  const named = less.map((one) => `not enough: ${[one.item, one.criterion].join(' ').trim()} is ${one.how}: ${one.by}`);
  return [`rests on ${['observed', 'judged', 'claimed'].map(count).join(', ')}`, ...named].map(line);
}

/** Everything of a mission at a glance, for `/endstate status`. */
export function told(glance: Glance, driving: boolean): string {
  const { view, questions } = glance;
  const lines = [...widget(view, driving), ...restsOn(view)];
  if (view.problem !== null) lines.push(line(`last problem ${view.problem.code}: ${view.problem.got}`));
  for (const one of questions) lines.push(line(`answer with: /endstate answer ${one.id} …`));
  return lines.join('\n');
}

/** Why the next step is what it is. */
export function because(why: Why): string {
  const lines = [why.chosen.action];
  for (const one of why.because) lines.push(`  ${one.fact} is ${one.value}${one.detail === '' ? '' : `: ${one.detail}`}`);
  if (why.waiting_for.length > 0) lines.push(`waits for ${why.waiting_for.join(', ')}`);
  if (why.unblock !== null) lines.push(`set free: ${why.unblock.hint}`);
  return indented(lines);
}

/** The plan, lane by lane. */
export function plan(view: View): string {
  const lines = [view.title];
  const shown = view.nodes.slice(0, MOST_ITEMS);
  for (const lane of view.lanes) {
    const nodes = shown.filter((one) => one.lane === lane.lane);
    if (nodes.length > 0) lines.push(`${lane.title}:`);
    for (const node of nodes) {
      const after = view.edges.filter((edge) => edge.to === node.id).map((edge) => edge.from);
      lines.push(`  ${node.id} ${node.status}: ${node.label}${after.length > 0 ? ` (after ${after.join(', ')})` : ''}`);
      for (const one of node.criteria) lines.push(`    ${one.id} ${one.state}: ${one.text}`);
    }
  }
  if (view.nodes.length > MOST_ITEMS) lines.push(`and ${view.nodes.length - MOST_ITEMS} more`);
  if (view.nodes.length === 0) lines.push('the plan is empty');
  return indented(lines);
}

/** Indentation is ours; the words are theirs. */
function indented(lines: string[]): string {
  return lines.map((one) => `${/^ */.exec(one)?.[0] ?? ''}${line(one)}`).join('\n');
}
