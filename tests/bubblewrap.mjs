// Debian's bubblewrap for the tests, in the cache and not on the PATH: codex would take it for its own there. `node
// tests/bubblewrap.mjs` prints its path, or nothing where there is none. ENDSTATE_BWRAP names another.
import { execFileSync, spawnSync } from 'node:child_process';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasApt } from './apt.mjs';
import { isCached, placeOf } from './cache.mjs';

const NAME = 'bubblewrap-debian';
const GET = '[ -e "$1/.whole" ] || { rm -rf "$1" && mkdir -p "$1" && cd "$1" && apt-get -qq update && '
  + 'apt-get -qq download bubblewrap && dpkg -x bubblewrap_*.deb . && touch .whole; } >&2';

/** The path of the program; nothing where the machine has none, or none that works. */
export function bubblewrap() {
  if (process.env.ENDSTATE_BWRAP) return process.env.ENDSTATE_BWRAP;
  if (!isCached(NAME)) {
    if (!hasApt()) return undefined;
    // Suites run beside each other.
    execFileSync('flock', ['/var/lock/endstate-apt', 'sh', '-c', GET, 'get', placeOf(NAME)], { stdio: ['ignore', 'ignore', 2] });
  }
  const program = path.join(placeOf(NAME), 'usr/bin/bwrap');
  return works(program) ? program : undefined;
}

/** Whether this machine lets it make namespaces, which a container may not have. */
function works(program) {
  const { status, stderr } = spawnSync(program, ['--dev-bind', '/', '/', '--unshare-pid', '--proc', '/proc', 'true']);
  if (status !== 0) console.error(`bubblewrap does not work here: ${stderr}`);
  return status === 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(bubblewrap() ?? '');
