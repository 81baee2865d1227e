// Puts together what a mission is begun with where its plan is a document of the repository. Twin of
// src/cli/begin.

import { HostError, isEngineError, isHostError } from 'endstate-core';
import type { CompletionConfig, Config, Feature, GridConfig, PromiseConfig, PromiseTask, SprintConfig } from 'endstate-core';
import { readDocument } from 'endstate-plan';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { latest } from './archive.js';
import { docsSurfaces, testCommands } from './detect.js';
import { inside } from './files.js';
import { withPrompts } from './prompts.js';

/** The longest document that is read, in bytes. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Settings that a caller may add. */
type More<T, Own extends keyof T> = Partial<Omit<T, Own>>;

/** Takes a line about what was read. */
type Tell = (line: string) => void;

function warn(line: string): void {
  process.emitWarning(line);
}

/**
 * A mission of the promise protocol from a task document (Markdown), or from a feature file (YAML) with the
 * document of each of its tasks. Paths are from the root of the repository.
 */
export function promiseConfig(root: string, file: string, more: More<PromiseConfig, 'tasks'> = {}, budget: Record<string, number> = {}): Config {
  const settings = /\.ya?ml$/.test(file) ? ofFeature(root, file) : ofTask(root, file);
  return withPrompts(root, { budget, mission: { protocol: 'promise', settings: { ...settings, ...more } } }, read);
}

/** A mission of the iteration protocol from an agent definition (JSON). */
export function iterationConfig(
  root: string, file: string, more: { args?: Record<string, string>; registered?: string[]; templates?: Record<string, string> } = {},
  budget: Record<string, number> = {},
): Config {
  const definition = within(file, () => readDocument('agent', read(root, file)));
  const mission = definition.displayName ?? definition.name;
  return withPrompts(root, { budget, mission: { protocol: 'iteration', settings: { mission, definition, follow_head: fs.existsSync(path.join(root, '.git')), ...more } } }, read);
}

/**
 * A mission of the grid protocol from a goal, or from a directory with the plans of one phase (`*-PLAN.md`). The path is from
 * the root of the repository. Where nothing is built but refined, what was decided in the mission before is told.
 * What looks like a plan and is not read, and what of a plan is not understood, is given to `tell`: a warning of the process
 * without it.
 */
export function gridConfig(
  root: string, goal: string, more: More<GridConfig, 'mission' | 'plans'> = {}, budget: Record<string, number> = {}, tell: Tell = warn,
): Config {
  const directory = goal.replace(/\/+$/, '');
  const planned = directory !== '' && fs.statSync(path.join(root, directory), { throwIfNoEntry: false })?.isDirectory() === true;
  const before = more.refine_only === true ? { decided: decisions(latest(root, STATE) ?? '') } : {};
  const settings = { ...(planned ? ofPlans(root, directory, tell) : { mission: goal }), ...before };
  return withPrompts(root, { budget, mission: { protocol: 'grid', settings: { ...settings, ...more } } }, read);
}

/** The file that says where a cluster stands. */
const STATE = '.grid/STATE.md';
/** The most decisions that are handed on. */
const MOST_DECISIONS = 250;

/** The decisions that a state file lists, the latest last: those from before its mission, then its own. */
function decisions(page: string): string[] {
  const lines = page.split('\n');
  const under = (title: string): string[] => {
    const start = lines.indexOf(`## ${title}`) + 1;
    if (start === 0) return [];
    const rest = lines.slice(start);
    const end = rest.findIndex((line) => line.startsWith('## '));
    return (end < 0 ? rest : rest.slice(0, end)).filter((line) => line.startsWith('- ')).map((line) => line.slice(2));
  };
  return [...under('Decisions Made Before'), ...under('Decisions Made')].slice(-MOST_DECISIONS);
}

/** The plans of a directory, in the order of their names, which name the plans. */
function ofPlans(root: string, directory: string, tell: Tell): GridConfig {
  const full = inside(fs.realpathSync(root), path.normalize(directory));
  const all = fs.readdirSync(full).sort();
  passedOver(full, all).forEach((line) => tell(`${directory}: ${line}`));
  const plans = all.filter((name) => name.endsWith('-PLAN.md')).map((name) => {
    const file = `${directory}/${name}`;
    const { plan, faults, notes } = within(file, () => readDocument('plan', read(root, file), name));
    [...faults, ...notes].forEach((one) => tell(`${file}: ${one.code}: ${one.at}: expected ${one.expected}, got ${one.got}`));
    return { ...plan, id: name.slice(0, -'-PLAN.md'.length), path: file };
  });
  const phase = plans[0]?.phase;
  if (phase === undefined) throw new HostError('usage', directory, 'a directory with *-PLAN.md files', 'none in it');
  const other = plans.find((plan) => plan.phase !== phase);
  if (other !== undefined) throw new HostError('invalid_value', `${other.path}: phase`, `plans of one phase, ${phase}`, other.phase);
  return { mission: `Phase ${phase}, as planned in ${directory}`, plans };
}

/** What looks like a plan and is not read: Markdown with the word "plan" in its name that does not end with `-PLAN.md`, plans in folders below. */
function passedOver(full: string, names: string[]): string[] {
  const isPlan = (name: string): boolean => /(?:plan|(?:^|[^a-z0-9])plan[^a-z0-9].*)\.(?:md|markdown)$/i.test(name);
  return names.flatMap((name) => {
    if (fs.statSync(path.join(full, name), { throwIfNoEntry: false })?.isDirectory() === true) {
      const below = fs.readdirSync(path.join(full, name)).filter(isPlan).length;
      return below > 0 ? [`${name}/ has ${below} plans that are not read: a folder is one phase`] : [];
    }
    const odd = isPlan(name) && !name.endsWith('-PLAN.md');
    return odd ? [`${name} is not read: the name of a plan ends with -PLAN.md, in these letters`] : [];
  });
}

/**
 * A mission of the sprint protocol from a written plan (Markdown). What an earlier supervisor recorded beside it is
 * adopted by the Rust program only.
 */
export function sprintConfig(root: string, file: string, more: More<SprintConfig, 'units'> = {}, budget: Record<string, number> = {}): Config {
  const settings = within(file, () => readDocument('sprint', read(root, file), path.normalize(file), path.basename(fs.realpathSync(root))));
  return withPrompts(root, { budget, mission: { protocol: 'sprint', settings: { ...settings, ...more } } }, read);
}

/** A feature, with the document of each task. Its author wrote the command of a gate for a shell. */
function ofFeature(root: string, file: string): PromiseConfig {
  const feature: Feature = within(file, () => readDocument('feature', read(root, file)));
  let test: string[] | null = null;
  const tasks = feature.tasks.map((one) => {
    if (one.file_path === null) throw new HostError('missing_field', `${file}: ${one.id}`, 'the path of its document', 'none');
    const found = readTask(root, one.file_path, one.id);
    // One tree, one verdict on it: the first task that names a command names it for all.
    test ??= found.test;
    return { ...found.task, title: one.name ?? found.task.title, dependencies: one.dependencies, status: one.status };
  });
  const gates = feature.smoke_gates;
  const smokeGates = (gates?.after_waves ?? []).map((wave) => ({
    after_wave: wave,
    argv: ['bash', '-c', gates?.command ?? ''],
    expected_exit: gates?.expected_exit ?? 0,
    timeout_ms: (gates?.timeout_seconds ?? 600) * 1_000,
  }));
  return { mission: `${feature.id}: ${feature.name}`, tasks, waves: feature.waves, smoke_gates: smokeGates, test_command: test ?? [] };
}

function ofTask(root: string, file: string): PromiseConfig {
  const { task, test } = readTask(root, file);
  return { mission: `${task.id}: ${task.title}`, tasks: [task], test_command: test ?? [] };
}

function readTask(root: string, file: string, known?: string): { task: PromiseTask; test: string[] | null } {
  const found = within(file, () => readDocument('task', read(root, file)));
  const id = known ?? found.id ?? path.parse(file).name;
  const task = { id, title: found.title ?? id, document: file, criteria: found.criteria };
  return { task, test: found.test_command };
}

/** A text file of the repository. */
function read(root: string, file: string): string {
  const full = inside(fs.realpathSync(root), path.normalize(file));
  try {
    const { size } = fs.statSync(full);
    if (size > MOST_BYTES) throw new HostError('too_large', file, `at most ${MOST_BYTES} bytes`, 'more');
    return new TextDecoder('utf-8', { fatal: true }).decode(fs.readFileSync(full));
  } catch (error) {
    throw isHostError(error) ? error : HostError.io('read', full, error);
  }
}

/** What is wrong with a document, with its name. */
function within<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isEngineError(error)) throw error;
    throw new HostError(error.code, `${file}: ${error.at}`, error.expected, error.got, error);
  }
}

/**
 * A mission of the completion protocol in the repository at `root`: how it verifies itself is detected. Where nothing
 * tells, the bootstrapper is sent to find out.
 */
export function completionConfig(
  root: string, mission: string, more: More<CompletionConfig, 'mission'> = {}, budget: Record<string, number> = {},
): Config {
  const found = testCommands(root);
  const settings = {
    mission, project_name: path.basename(fs.realpathSync(root)), onboard: (more.verification_commands ?? found).length > 0,
    verification_commands: found, docs_surfaces: docsSurfaces(root), ...more,
  };
  return withPrompts(root, { budget, mission: { protocol: 'completion', settings } }, read);
}
