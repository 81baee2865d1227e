// The command line of this tree, as the suites run it: built if it is not there, since a build would take it away from
// tests that run it now. `ENDSTATE_PROFILE` names the profile of Cargo it is built in, as the test command does; `ENDSTATE_BIN`
// names another program.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const profile = process.env.ENDSTATE_PROFILE ?? 'dev';

/** The path of the program. */
export function program() {
  if (process.env.ENDSTATE_BIN) return path.resolve(process.env.ENDSTATE_BIN);
  const folder = profile === 'dev' ? 'debug' : profile;
  const file = path.join(root, 'target', folder, process.platform === 'win32' ? 'endstate.exe' : 'endstate');
  const build = ['build', '--locked', '--quiet', '--bin', 'endstate', '--profile', profile];
  if (!fs.existsSync(file)) execFileSync('cargo', build, { cwd: root, stdio: ['ignore', 2, 2] });
  return file;
}
