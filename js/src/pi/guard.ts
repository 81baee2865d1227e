// The main session only drives. While a mission is live in its project, what would change the tree is refused, with the
// reason: a slice is implemented and judged by runs of their own, and an edit beside them would be found out
// as a foreign change. Reading stays free. The user's own `!command` is the user's.

import type { ToolCall } from './api.js';
import { line } from './widget.js';

/** Tools that only read. Any other may write, as far as we can know. */
const READERS = new Set(['read', 'grep', 'find', 'ls']);

/** Who works on the tree now. */
export interface Live {
  /** The item it works on, if that is known. */
  item?: string | undefined;
  /** Another process that drives the mission. */
  elsewhere?: number | undefined;
}

/** Why a tool must not be used now; nothing if it may be. */
export function refusal({ toolName }: ToolCall, live: Live | undefined): string | undefined {
  if (live === undefined || READERS.has(toolName)) return undefined;
  const what = live.item === undefined ? 'a mission' : `item ${line(live.item)} of a mission`;
  const who = live.elsewhere === undefined ? '' : `, driven by process ${live.elsewhere}`;
  return `endstate: ${what} is live in this project${who}, and its roles alone change the tree. `
    + `The tool ${line(toolName)} may write, so it is refused until the mission rests. You may read, and tell the user: `
    + '/endstate status shows where it is, /endstate pause or /endstate stop brings it to rest.';
}
