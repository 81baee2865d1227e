// What a mission is begun with: the words behind `/endstate`, or a file of the project that says it at length.

import { HostError } from 'endstate-core';
import { completionConfig, iterationConfig, promiseConfig } from 'endstate-node';
import type { Config } from 'endstate-core';
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Settings } from './settings.js';
import { isFile } from './spoken.js';

/**
 * A task document (`.md`) or feature (`.yaml`) is a mission of the promise protocol; an agent definition (`.json`) one of
 * the iteration protocol; any other JSON file is taken for a whole config. Words are a completion mission.
 */
export function configOf(root: string, words: string, settings: Settings): Config {
  const file = path.normalize(words);
  // What only words show is asked about, as on the command line; a whole config says itself what is enough.
  const proof = { accept: 'ask' as const, ...settings.proof };
  if (!isFile(root, words)) return { ...completionConfig(root, words, settings.completion, settings.budget), proof };
  if (!file.endsWith('.json')) return { ...promiseConfig(root, file, {}, settings.budget), proof };
  const value = parsed(file, fs.readFileSync(path.join(root, file), 'utf8'));
  // The engine says what is wrong with a config.
  return 'behavior' in value ? { ...iterationConfig(root, file, {}, settings.budget), proof } : (value as Config);
}

function parsed(file: string, text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
    throw new Error('no object');
  } catch (error) {
    throw new HostError('syntax', file, 'a JSON object', error instanceof Error ? error.message : String(error));
  }
}
