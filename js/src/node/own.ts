// Where this package's own program is: for the scripted team, and for scripts of a mission that check its files.

import * as path from 'node:path';

declare const __dirname: string;

/** `bin/endstate.mjs`, beside the file this is bundled into. */
export function ownProgram(): string {
  return path.join(__dirname, 'bin', 'endstate.mjs');
}

/** `ENDSTATE_BIN` for a child, so that generated scripts find this very program. A caller's own choice is left alone. */
export function ownVariables(): Record<string, string> {
  return process.env['ENDSTATE_BIN'] === undefined ? { ENDSTATE_BIN: ownProgram() } : {};
}
