// What a project may say about its missions in pi, in `.pi/endstate.json`. Everything has a default.

import { HostError } from 'endstate-core';
import type { CompletionConfig, ProofConfig, Tier } from 'endstate-core';
import * as fs from 'node:fs';
import * as path from 'node:path';

/** See `docs/pi.md`. */
export interface Settings {
  /** Who plays the roles, as on the command line; by default pi. */
  agent?: string;
  /** The model of the roles, `provider/id`: one for all, or one for each tier. By default that of the session. */
  model?: string | Partial<Record<Tier, string>>;
  /** More arguments for the pi of a role. */
  arguments?: string[];
  /** Limits other than the defaults, e.g. `{"role_runs": 50}`. */
  budget?: Record<string, number>;
  /** What its end is to rest on, as in the `proof` of a config; `accept` is `ask` by default. */
  proof?: Partial<ProofConfig>;
  /** Settings of a completion mission other than those that are found out. */
  completion?: Partial<Omit<CompletionConfig, 'mission'>>;
}

const FILE = path.join('.pi', 'endstate.json');
const text = (value: unknown): boolean => typeof value === 'string' && value !== '';
const record = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
const FIELDS: Record<keyof Settings, [(value: unknown) => boolean, string]> = {
  agent: [text, 'who plays the roles, e.g. "pi"'],
  model: [(value) => text(value) || (record(value) && Object.values(value as object).every(text)), 'a model, or one for each tier'],
  arguments: [(value) => Array.isArray(value) && value.every((one) => typeof one === 'string'), 'a list of texts'],
  budget: [(value) => record(value) && Object.values(value as object).every(Number.isSafeInteger), 'limits by name'],
  proof: [record, 'what the end rests on, e.g. {"accept": "judged"}'],
  completion: [record, 'settings of the completion protocol'],
};

/** Reads them. Throws what is wrong, with its place. */
export function settingsOf(root: string): Settings {
  let value: unknown;
  try {
    value = JSON.parse(fs.readFileSync(path.join(root, FILE), 'utf8'));
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return {};
    throw new HostError('syntax', FILE, 'JSON', error instanceof Error ? error.message : String(error));
  }
  if (!record(value)) throw new HostError('wrong_type', FILE, 'an object', typeof value);
  for (const [name, given] of Object.entries(value as object)) {
    const [fits, expected] = FIELDS[name as keyof Settings] ?? [];
    if (fits === undefined) throw new HostError('unknown_field', `${FILE}: ${name}`, Object.keys(FIELDS).join(', '), name);
    if (!fits(given)) throw new HostError('wrong_type', `${FILE}: ${name}`, expected ?? '', JSON.stringify(given));
  }
  return value as Settings;
}
