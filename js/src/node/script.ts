// The scripted team: a scenario file says, role by role and visit by visit, which commands to run in the
// repository and what to report, misbehaviour included. Twin of src/native/script.rs; the format is described
// in docs/scenarios.md.
//
// A scenario is executed as a real process, `endstate role-script FILE`, once per run: it finds the first part
// whose `when` fits what the environment and the prompt on standard input say, does its steps, and ends as told.
// `${head}`, `${mission}`, `${run}`, `${item}`, `${visit}` and `${role}` are replaced in every text.

import { HostError } from 'endstate-core';
import { readDocument } from 'endstate-plan';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Git } from './git.js';
import { writeAll } from './durable.js';

interface FileText {
  path: string;
  text: string;
  executable?: boolean;
}

/** One thing that is done in the repository; one field each. */
interface Step {
  run?: string[];
  try?: string[];
  write?: FileText;
  append?: FileText;
  remove?: string;
  commit?: string;
  sleep_ms?: number;
  progress?: string;
  say?: string;
  wait_for?: string;
}

interface ReportText {
  header?: 'added' | 'none';
  anchor?: string;
  remaining?: string;
  words?: string;
  block?: unknown;
  block_text?: string;
}

type Ends = 'well' | 'signal' | 'hang' | 'escapes' | { exit: number } | { flood: number };

interface When {
  role?: string;
  visit?: number | number[];
  item?: string;
  corrects?: boolean;
  prompt?: string;
  exists?: string;
  missing?: string;
}

interface Part {
  when: When;
  do?: Step[];
  report?: ReportText;
  raw?: string;
  ends?: Ends;
}

interface Scenario {
  commit_date?: string;
  runs: Part[];
}

// The fields of each shape: a misspelt one must not be passed over.
const KNOWN = {
  scenario: ['commit_date', 'runs'],
  part: ['when', 'do', 'report', 'raw', 'ends'],
  when: ['role', 'visit', 'item', 'corrects', 'prompt', 'exists', 'missing'],
  step: ['run', 'try', 'write', 'append', 'remove', 'commit', 'sleep_ms', 'progress', 'say', 'wait_for'],
  report: ['header', 'anchor', 'remaining', 'words', 'block', 'block_text'],
} as const;

/** The variable that a scenario may be given in, as JSON, by the host that has read it already. */
export const SCENARIO = 'ENDSTATE_SCENARIO';

/** Reads a scenario. Throws what is wrong with it, and where. */
export function readScenario(file: string, given?: string): Scenario {
  let text: string;
  try {
    text = given ?? fs.readFileSync(file, 'utf8');
  } catch (error) {
    throw HostError.io('read', file, error);
  }
  // JSON is a part of YAML, and needs no engine to be read.
  const scenario = (json(text) ?? readDocument('yaml', text)) as unknown as Scenario;
  fields(scenario, 'scenario', KNOWN.scenario);
  if (!Array.isArray(scenario.runs)) throw new HostError('missing_field', 'scenario', 'field `runs`', 'no such field');
  scenario.runs.forEach((part, place) => {
    const at = `scenario.runs[${place}]`;
    fields(part, at, KNOWN.part);
    fields(part.when, `${at}.when`, KNOWN.when);
    if (part.report) fields(part.report, `${at}.report`, KNOWN.report);
    (part.do ?? []).forEach((step, nth) => fields(step, `${at}.do[${nth}]`, KNOWN.step));
  });
  return scenario;
}

function json(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function fields(value: unknown, at: string, known: readonly string[]): void {
  if (typeof value !== 'object' || value === null) throw new HostError('wrong_type', at, 'fields', typeof value);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new HostError('unknown_field', at, `one of ${known.join(', ')}`, unknown);
}

/** What a run is told by its environment and its prompt. */
interface Told {
  role: string;
  run: string;
  visit: number;
  item: string;
  mission: string;
  corrects: string;
  root: string;
  prompt: string;
}

function toldOfProcess(): Told {
  const of = (name: string): string => process.env[`ENDSTATE_${name}`] ?? '';
  let prompt = '';
  try {
    prompt = fs.readFileSync(0, 'utf8');
  } catch {
    // A prompt that cannot be read is an empty one: parts that ask for its words do not fit.
  }
  const visit = Number.parseInt(of('VISIT'), 10) || 0;
  return { role: of('ROLE'), run: of('RUN'), visit, item: of('ITEM'), mission: of('MISSION'), corrects: of('CORRECTS'), root: of('ROOT'), prompt };
}

/** Plays one run of a scenario in this process; answers with the exit status. */
export async function playScenario(file: string): Promise<number> {
  const [scenario, told] = [readScenario(file, process.env[SCENARIO]), toldOfProcess()];
  const part = scenario.runs.find((one) => fits(one.when, told));
  if (part === undefined) {
    const got = `${told.role}, visit ${told.visit}, item \`${told.item}\`, corrects \`${told.corrects}\``;
    throw new HostError('unknown_item', 'runs', 'a part that fits', got);
  }
  const player = new Player(scenario, told);
  for (const step of part.do ?? []) await player.step(step);
  if (part.report) put(await player.report(part.report));
  if (part.raw !== undefined) put(await player.fill(part.raw));
  return end(part.ends ?? 'well');
}

function fits(when: When, told: Told): boolean {
  const there = (name: string): boolean => fs.existsSync(path.join(told.root, name));
  const dash = told.role.indexOf('-');
  const same = (role: string): boolean => role === told.role || (dash >= 0 && role === told.role.slice(dash + 1));
  return (when.role === undefined || same(when.role))
    && (when.visit === undefined || [when.visit].flat().includes(told.visit))
    && (when.item === undefined || when.item === told.item)
    && (when.corrects === undefined || when.corrects === (told.corrects !== ''))
    && (when.prompt === undefined || told.prompt.includes(when.prompt))
    && (when.exists === undefined || there(when.exists))
    && (when.missing === undefined || !there(when.missing));
}

function put(text: string): void {
  writeAll(1, Buffer.from(text));
}

async function end(ends: Ends): Promise<number> {
  if (typeof ends === 'object') {
    if ('exit' in ends) return ends.exit;
    const line = `${'x'.repeat(1_023)}\n`;
    for (let said = 0; said < ends.flood; said += line.length) put(line);
    return 0;
  }
  switch (ends) {
    case 'well':
      return 0;
    case 'signal':
      process.kill(process.pid, 'SIGKILL');
      return 1;
    case 'hang':
      for (;;) await sleep(3_600_000);
    case 'escapes':
      put('\u001b]0;taken over\u0007\u001b[2J\u001b[31mred\u001b[0m \u202ebackwards\n');
      return 0;
  }
}

/** One run of the team. */
class Player {
  constructor(private readonly scenario: Scenario, private readonly told: Told) {}

  /** Replaces the placeholders. */
  async fill(text: string): Promise<string> {
    if (!text.includes('${')) return text;
    const { mission, run, item, role, visit } = this.told;
    let filled = text;
    if (filled.includes('${head}')) {
      const head = (await new Git(this.told.root).head()) ?? 'none';
      filled = filled.replaceAll('${head}', head);
    }
    for (const [name, value] of Object.entries({ mission, run, item, role, visit: String(visit) })) {
      filled = filled.replaceAll(`\${${name}}`, () => value);
    }
    return filled;
  }

  async #fillValue(value: unknown): Promise<unknown> {
    if (typeof value === 'string') return this.fill(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return Promise.all(value.map((one) => this.#fillValue(one)));
    const filled = await Promise.all(Object.entries(value).map(async ([name, one]) => [name, await this.#fillValue(one as unknown)] as const));
    return Object.fromEntries(filled);
  }

  async report(report: ReportText): Promise<string> {
    let text = '';
    if (report.header !== 'none') {
      const anchor = await this.fill(report.anchor ?? this.told.mission);
      text += `MISSION ANCHOR: ${anchor}\nRemaining contract IDs: ${await this.fill(report.remaining ?? 'none')}\n\n`;
    }
    if (report.words !== undefined) text += `${await this.fill(report.words)}\n\n`;
    if (report.block !== undefined && report.block !== null) {
      text += `\`\`\`json\n${JSON.stringify(await this.#fillValue(report.block))}\n\`\`\`\n`;
    }
    if (report.block_text !== undefined) text += `\`\`\`json\n${await this.fill(report.block_text)}\n\`\`\`\n`;
    return text;
  }

  async step(step: Step): Promise<void> {
    if (step.run) return this.#run(step.run, true);
    if (step.try) return this.#run(step.try, false);
    if (step.write) return this.#write(step.write, false);
    if (step.append) return this.#write(step.append, true);
    if (step.remove !== undefined) return fs.rmSync(await this.#path(step.remove), { force: true });
    if (step.commit !== undefined) return this.#commit(await this.fill(step.commit));
    if (step.sleep_ms !== undefined) return void (await sleep(step.sleep_ms));
    if (step.progress !== undefined) {
      return put(`{"endstate":"progress","kind":"step","text":${JSON.stringify(await this.fill(step.progress))}}\n`);
    }
    if (step.say !== undefined) return writeAll(2, Buffer.from(`${await this.fill(step.say)}\n`));
    if (step.wait_for !== undefined) return this.#waitFor(await this.#path(step.wait_for));
  }

  async #waitFor(name: string): Promise<void> {
    for (let look = 0; look < 1_200; look += 1) {
      if (fs.existsSync(name)) return;
      await sleep(50);
    }
    throw HostError.io('wait for', name, new Error('it never came'));
  }

  async #path(name: string): Promise<string> {
    return path.join(this.told.root, await this.fill(name));
  }

  async #write(file: FileText, append: boolean): Promise<void> {
    const [name, text] = [await this.#path(file.path), await this.fill(file.text)];
    fs.mkdirSync(path.dirname(name), { recursive: true });
    fs.writeFileSync(name, text, { flag: append ? 'a' : 'w' });
    if (file.executable) fs.chmodSync(name, 0o755);
  }

  /** Runs a program; what it prints goes to standard error, which is no part of the report. */
  async #run(given: string[], must: boolean): Promise<void> {
    const [program, ...rest] = await Promise.all(given.map((word) => this.fill(word)));
    if (program === undefined) return;
    const date = this.scenario.commit_date;
    const { [SCENARIO]: _, ...inherited } = process.env;
    const env = date === undefined ? inherited : { ...inherited, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
    const { status, signal, error } = spawnSync(program, rest, { cwd: this.told.root, env, stdio: ['ignore', 2, 2] });
    if (error) throw HostError.io('start', program, error);
    if (must && status !== 0) throw HostError.io('run', [program, ...rest].join(' '), new Error(`status ${status ?? signal}`));
  }

  async #commit(message: string): Promise<void> {
    if ((await new Git(this.told.root).dirty()).length === 0) return;
    await this.#run(['git', 'add', '-A'], true);
    await this.#run(['git', 'commit', '-q', '-m', message], true);
  }
}

