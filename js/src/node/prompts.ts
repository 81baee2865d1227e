// What a repository tells the roles: the files of `.agent/prompts`, each named for its role. Twin of src/cli/begin/prompts.rs.

import { HostError } from 'endstate-core';
import type { Config, RoleSettings } from 'endstate-core';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { PROMPTS } from './archive.js';

/** The settings of a role, in whatever protocol. */
interface Settings {
  role?: Partial<RoleSettings>;
  roles?: Record<string, Partial<RoleSettings>>;
}

/** A config to which they are added. What it says itself stands. `read` reads a text file of the repository. */
export function withPrompts(root: string, config: Config, read: (root: string, file: string) => string): Config {
  const settings = { ...config.mission.settings } as Settings;
  for (const role of named(root, config.mission.protocol)) {
    const prompt = read(root, `${PROMPTS}/${role}.md`);
    // An iteration has one role, and its settings alone.
    if (role === 'iteration-agent') settings.role = { prompt, ...settings.role };
    else settings.roles = { ...settings.roles, [role]: { prompt, ...settings.roles?.[role] } };
  }
  return { ...config, mission: { ...config.mission, settings } as Config['mission'] };
}

/** The roles of a protocol that have a file. A link is refused: what it leads to is no part of the repository. */
function named(root: string, protocol: string): string[] {
  const directory = path.join(root, PROMPTS);
  const kind = fs.lstatSync(directory, { throwIfNoEntry: false });
  if (kind === undefined) return [];
  if (!kind.isDirectory()) throw noFile(PROMPTS, 'a directory');
  const fits = ({ name }: fs.Dirent): boolean => name.startsWith(`${protocol}-`) && name.endsWith('.md');
  const entries = fs.readdirSync(directory, { withFileTypes: true }).filter(fits);
  const odd = entries.find((entry) => !entry.isFile());
  if (odd !== undefined) throw noFile(`${PROMPTS}/${odd.name}`, 'a file');
  return entries.map(({ name }) => name.slice(0, -'.md'.length)).sort();
}

function noFile(file: string, expected: string): HostError {
  return new HostError('file_missing', file, expected, 'something else, or a link');
}
