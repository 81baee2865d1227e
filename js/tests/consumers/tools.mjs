// The tools that the package is used with in tests, at the versions of package-lock.json, in .cache/consumers.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const cache = path.resolve(here, '..', '..', '..', '.cache', 'consumers');

/** Puts them there if they are not, and says how to call and load them. */
export function tools() {
  fs.mkdirSync(cache, { recursive: true });
  const lock = fs.readFileSync(path.join(here, 'package-lock.json'), 'utf8');
  const kept = path.join(cache, 'installed.json');
  if (!fs.existsSync(kept) || fs.readFileSync(kept, 'utf8') !== lock) {
    for (const name of ['package.json', 'package-lock.json', '.npmrc']) fs.copyFileSync(path.join(here, name), path.join(cache, name));
    console.error('installing the tools of the package tests (once, about half a minute)');
    // Not `npm ci`: it wants the optional parts of every other platform in the lock file, which npm leaves out.
    execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund'], { cwd: cache, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
    fs.writeFileSync(kept, lock);
  }
  const require = createRequire(path.join(cache, 'package.json'));
  return {
    bin: (name) => path.join(cache, 'node_modules', '.bin', name),
    load: (name) => import(pathToFileURL(require.resolve(name))),
  };
}

/** The Chromium of this machine; on a machine of Debian's family whose root we are, one that is installed now. */
export function chromium() {
  const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];
  const find = () => places.find((place) => place !== undefined && fs.existsSync(place));
  if (find() === undefined && fs.existsSync('/usr/bin/apt-get') && process.getuid?.() === 0) {
    console.error('installing Chromium (once, about a minute)');
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    for (const words of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']]) {
      execFileSync('apt-get', ['-qq', ...words], { env, stdio: ['ignore', 'ignore', 2] });
    }
  }
  const found = find();
  if (found === undefined) throw new Error('no Chromium: `apt-get install chromium`, or name one in CHROMIUM');
  return found;
}
