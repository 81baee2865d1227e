// Debian's packages for the tests, where the machine is Debian and this is root. One at a time: suites run beside each other.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';

/** Whether packages can be installed here. */
export const hasApt = () => fs.existsSync('/usr/bin/apt-get') && process.getuid?.() === 0;

/** Installs a package. */
export function apt(name) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const words of [['update'], ['install', '-y', '--no-install-recommends', name]]) {
    execFileSync('flock', ['/var/lock/endstate-apt', 'apt-get', '-qq', ...words], { env, stdio: ['ignore', 'ignore', 2] });
  }
}
