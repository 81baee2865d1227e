// Roles as processes of pi: the role program of this package starts the same pi that this session runs in, with
// the model of the session, and with this extension in its role mode (role.ts).

import { ownProgram, parseAgent } from 'endstate-node';
import type { ProcessAgent } from 'endstate-core';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Settings } from './settings.js';

/** The model a session uses now. */
export interface SessionModel {
  provider: string;
  id: string;
  thinking: string;
}

/** Who plays the roles. `model` is asked at every run, since the session may change it. */
export function roleAgent(settings: Settings, model: () => SessionModel | undefined): ProcessAgent {
  if (settings.agent !== undefined && settings.agent !== 'pi') return parseAgent(settings.agent);
  const node = process.versions['bun'] === undefined ? process.execPath : 'node';
  const own = ownPi();
  return {
    name: 'pi',
    command: ({ tier }) => ({
      argv: [
        node, ownProgram(), 'role-agent', 'pi', '--extension', fileURLToPath(import.meta.url),
        ...modelWords(settings, tier, model()), ...(settings.arguments ?? []),
      ],
      env: own === undefined ? {} : { ENDSTATE_AGENT_PROGRAM: own },
    }),
  };
}

function modelWords({ model }: Settings, tier: 'small' | 'standard' | 'large', session: SessionModel | undefined): string[] {
  const named = typeof model === 'string' ? model : model?.[tier];
  if (named !== undefined) return ['--model', named];
  // Somebody has set the environment of the role program.
  if (process.env[`ENDSTATE_MODEL_${tier.toUpperCase()}`] ?? process.env['ENDSTATE_MODEL']) return [];
  if (session === undefined) return [];
  return ['--provider', session.provider, '--model', session.id, '--thinking', session.thinking];
}

/** The program of the pi we are in; nothing if this process is another program that has pi inside. */
function ownPi(): string | undefined {
  if (process.versions['bun'] !== undefined) return process.execPath;
  try {
    const program = fs.realpathSync(process.argv[1] ?? '');
    for (let folder = path.dirname(program); folder !== path.dirname(folder); folder = path.dirname(folder)) {
      const manifest = path.join(folder, 'package.json');
      if (!fs.existsSync(manifest)) continue;
      const { name } = JSON.parse(fs.readFileSync(manifest, 'utf8')) as { name?: string };
      return name?.endsWith('/pi-coding-agent') === true ? program : undefined;
    }
  } catch {
    // Then the pi in PATH will do.
  }
  return undefined;
}
