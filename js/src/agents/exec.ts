// Process agents. `execAgent(argv)` is any program; where its arguments contain `{prompt_file}`, that is replaced
// by the path of a file with the prompt. `scriptAgent(file)` is the scripted team: this package's own hidden
// command `role-script FILE`, for demos and tests. See `agent.ts` for what a program says.

import { HostError } from 'endstate-core';
import type { ProcessAgent } from 'endstate-core';
import { AgentBridge } from 'endstate-agents';
import * as path from 'node:path';
import { ownProgram } from '../node/own.js';
import { findProgram } from '../node/program.js';
import { readScenario, SCENARIO } from '../node/script.js';
import { splitWords } from './words.js';

/** An agent that is a program with arguments. */
export function execAgent(argv: readonly string[], env: Readonly<Record<string, string>> = {}): ProcessAgent {
  if (argv.length === 0 || argv[0] === '') throw new HostError('usage', 'agent', 'a program with its arguments', 'nothing');
  const fill = (word: string, file: string): string => word.replaceAll('{prompt_file}', () => file);
  return {
    name: `exec:${argv.join(' ')}`,
    command: ({ promptFile }) => ({ argv: argv.map((word) => fill(word, promptFile)), env }),
  };
}

/** The most that goes along with a run as a variable; the system's own limit is a little higher. */
const MOST_VARIABLE = 100_000;

/** The scripted team of a scenario file; see `docs/scenarios.md`. */
export function scriptAgent(file: string): ProcessAgent {
  // Roles run in the repository; the caller speaks of its own directory.
  const scenario = path.resolve(file);
  // Read once, here: a run that is given it needs no engine to read YAML with.
  let read: string | undefined;
  return {
    name: `script:${file}`,
    command: () => {
      read ??= JSON.stringify(readScenario(scenario));
      const env: Record<string, string> = read.length < MOST_VARIABLE ? { [SCENARIO]: read } : {};
      return { argv: [process.execPath, ownProgram(), 'role-script', scenario], env };
    },
  };
}

/** The agents behind the role program; see `docs/agents.md`. */
const REAL = ['acp', 'pi', 'claude', 'codex', 'opencode'];

/** A real agent by its name, with arguments of its own behind a colon: this package's command `role-agent NAME`. */
export function realAgent(name: string): ProcessAgent {
  return { name, command: () => ({ argv: [process.execPath, ownProgram(), 'role-agent', name] }) };
}

/**
 * Reads `exec:COMMAND` (split as a shell would, and never given to one), `script:FILE`, or the name of a real
 * agent: `pi`, `claude`, `codex`, `opencode`, `acp:COMMAND`.
 */
export function parseAgent(text: string): ProcessAgent {
  const bad = (got: string): HostError => new HostError('usage', 'agent', 'exec:COMMAND, script:FILE, acp:COMMAND, pi, claude, codex or opencode', got);
  const [, kind, rest = ''] = /^(\w+):([^]*)$/.exec(text) ?? [];
  if (kind === 'acp' && rest.trim() === '') throw bad('an empty command');
  if (REAL.includes(kind ?? text)) return realAgent(text);
  if (kind === 'script' && rest !== '') return scriptAgent(rest);
  if (kind !== 'exec') throw bad(text);
  const argv = splitWords(rest);
  if (argv === undefined) throw bad('a quote that is not closed');
  if (argv.length === 0) throw bad('an empty command');
  return execAgent(argv);
}

/**
 * Looks whether an agent that a line names is there, before anything is begun: the program of a real one in the PATH (from
 * `root`), the scenario of a scripted team. Throws `usage` with the command that installs it.
 */
export function lookForAgent(text: string, root: string): void {
  const [, kind, rest = ''] = /^(\w+):([^]*)$/.exec(text) ?? [];
  if (kind === 'script') return void readScenario(path.resolve(rest));
  if (!REAL.includes(kind ?? text)) return;
  const request = { agent: text, access: 'read_only', root: '', prompt: '' } as const;
  const bridge = new AgentBridge({ ...request, tier: null, model: null, max_turns: null, session: null, session_tokens: 0, session_cost_micros: 0 });
  try {
    const { argv: [program = ''], install } = bridge.launch();
    try {
      findProgram(program, root);
    } catch (error) {
      throw new HostError('usage', 'agent', `the program \`${program}\` (${install})`, 'none in the PATH', error);
    }
  } finally {
    bridge.free();
  }
}
