// What the extension is in the process of a role: one tool, `endstate_report`, whose arguments have the schema of the
// role's report. What it is given is put into the text that reports have and checked by the engine as the driver
// will: a fault goes back to the model, which can mend it while it still knows what it did. The role program takes an
// accepted report from the tool's answer. A model that never calls it still reports with its last words.

import { noMission, open, printable, schemas } from 'endstate-core';
import type { Engine } from 'endstate-core';
import { nodeHost } from 'endstate-node';
import type { Pi, Tool, ToolResult } from './api.js';

/** The name the role program knows, too: `REPORT_TOOL` in src/agents/pi.rs. */
export const REPORT_TOOL = 'endstate_report';

interface Schema {
  [name: string]: unknown;
}

/** Registers the tool for the run that this process is. Without a journal that knows the run there is none. */
export async function roleMode(pi: Pi, root: string, run: string): Promise<void> {
  let tool: Tool;
  try {
    tool = await asked(root, (engine) => toolFor(engine, root, run));
  } catch (error) {
    console.error(`endstate: no ${REPORT_TOOL} in this run: ${error instanceof Error ? error.message : String(error)}`);
    return;
  }
  pi.registerTool(tool);
  pi.on('before_agent_start', ({ systemPrompt }) => ({
    systemPrompt: `${systemPrompt}\n\nWhen your work is done, give your report by the tool ${REPORT_TOOL}, alone in its message. `
      + 'It checks the form at once and says what to mend. Once it has taken the report you are done: '
      + 'it stands in place of the report that you would end with, and nothing more is to be said.',
  }));
}

/** Looks at the journal as it is now, and at nothing else. */
async function asked<T>(root: string, question: (engine: Engine) => T): Promise<T> {
  const records = await nodeHost({ root }).records();
  if ((await records.size()) === undefined) throw noMission(records.name);
  const { engine } = await open(records);
  try {
    return question(engine);
  } finally {
    engine.free();
  }
}

function toolFor(engine: Engine, root: string, run: string): Tool {
  const order = engine.find(run)?.effect.order;
  if (order?.type !== 'spawn_role') throw new Error(`run ${run} is not waited for`);
  const schema = plain(schemas()[order.data.report_schema] as Schema);
  const words = schema['type'] === 'string';
  const anchor = /^MISSION ANCHOR: (.*)$/m.exec(order.data.prompt)?.[1] ?? '';
  return {
    name: REPORT_TOOL,
    label: 'Report',
    description: `Gives the report of the role ${order.data.role}. It is checked at once: an error says what to mend. Call it once, at the end.`,
    promptSnippet: 'Give the report of this run, checked',
    // After everything else that a message calls, or the report would speak of what is not done yet.
    executionMode: 'sequential',
    parameters: words ? wordsForm(schema) : blockForm(schema),
    execute: async (_, args) => {
      const report = words ? String(args['report']) : textOf(anchor, args);
      const notes = await asked(root, (now) => now.checkReport(run, report));
      return taken(report, notes);
    },
  };
}

function taken(report: string, notes: string[]): ToolResult {
  const told = notes.length === 0 ? '' : ` Notes: ${printable(notes.join('; '))}`;
  return { content: [{ type: 'text', text: `The report is taken.${told}` }], details: { report }, terminate: true };
}

const wordsForm = (schema: Schema): Schema => ({
  type: 'object',
  properties: { report: { ...schema, description: 'The whole report, in the form that was asked for.' } },
  required: ['report'],
});

const blockForm = (schema: Schema): Schema => ({
  type: 'object',
  properties: {
    remaining_contract_ids: { type: 'string', description: 'Contract ids that remain, separated by commas, or none.' },
    summary: { type: 'string', description: 'A few words for people.' },
    report: { ...schema, description: 'What the fenced json block of the report would hold.' },
  },
  required: ['remaining_contract_ids', 'report'],
});

/** The report as a text: two header lines, a few words, one block. Words of the model cannot open another block. */
function textOf(anchor: string, args: Record<string, unknown>): string {
  const one = (value: unknown): string => String(value ?? '').replace(/\s+/g, ' ').trim();
  const summary = one(args['summary']).replace(/^[`~#>-]+/, '').replaceAll('```', '');
  const head = `MISSION ANCHOR: ${anchor}\nRemaining contract IDs: ${one(args['remaining_contract_ids']) || 'none'}`;
  return `${head}\n\n${summary}\n\n\`\`\`json\n${JSON.stringify(args['report'])}\n\`\`\``;
}

/** A schema without references, and without words that are ours alone: what every model's interface takes. */
function plain(whole: Schema): Schema {
  const defs = (whole['$defs'] ?? {}) as Record<string, Schema>;
  const visit = (value: unknown, depth: number): unknown => {
    if (Array.isArray(value)) return value.map((one) => visit(one, depth));
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...rest } = value as Schema;
    const name = typeof $ref === 'string' ? $ref.replace('#/$defs/', '') : undefined;
    if (name !== undefined) return depth > 8 ? {} : { ...(visit(defs[name] ?? {}, depth + 1) as Schema), ...(visit(rest, depth) as Schema) };
    const kept = Object.entries(rest).filter(([key]) => !['$schema', '$defs', 'title', 'format'].includes(key));
    return Object.fromEntries(kept.map(([key, one]) => [key, visit(one, depth)]));
  };
  return visit(whole, 0) as Schema;
}
