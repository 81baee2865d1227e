// Claude Code as the host of a mission's claiming roles: the plugin folder for its command line, and the same as
// options for programs that start it through its SDK. See docs/hosted.md.

import { ownProgram, stopHook } from 'endstate-node';
import type { StopAsked, StopHookOptions } from 'endstate-node';
import { fileURLToPath } from 'node:url';

export { stopHook } from 'endstate-node';
export type { StopAsked, StopHookOptions } from 'endstate-node';

/** The folder for `claude --plugin-dir`: stop hook, server and skill. */
export const pluginFolder: string = fileURLToPath(new URL('./plugins/claude', import.meta.url));

/** What a session of Claude Code needs to be held, as a part of the options of its SDK. */
export interface ClaudeOptions {
  hooks: { Stop: Array<{ hooks: Array<(asked: StopAsked) => Promise<Record<string, unknown>>>; timeout: number }> };
  mcpServers: { endstate: { type: 'stdio'; command: string; args: string[] } };
}

/** Options for the SDK: `query({ prompt, options: { ...claudeOptions(), … } })`. */
export function claudeOptions(options: StopHookOptions = {}): ClaudeOptions {
  const ask = stopHook(options);
  return {
    hooks: { Stop: [{ hooks: [async (asked) => ({ ...await ask(asked) })], timeout: 60 }] },
    mcpServers: { endstate: { type: 'stdio', command: process.execPath, args: [ownProgram(), 'mcp'] } },
  };
}
