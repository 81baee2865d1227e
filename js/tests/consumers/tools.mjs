// The tools that the package is used with in tests, at the versions of package-lock.json, in the cache of tests/cache.mjs.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { apt, hasApt } from '../../../tests/apt.mjs';
import { cached } from '../../../tests/cache.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));

/** Puts them there if they are not, and says how to call and load them. */
export function tools() {
  const lock = createHash('sha256').update(fs.readFileSync(path.join(here, 'package-lock.json'))).digest('hex');
  const cache = cached(`consumers-${lock.slice(0, 12)}`, (place) => {
    for (const name of ['package.json', 'package-lock.json', '.npmrc']) fs.copyFileSync(path.join(here, name), path.join(place, name));
    console.error('installing the tools of the package tests (once, about half a minute)');
    // Not `npm ci`: it wants the optional parts of every other platform in the lock file, which npm leaves out.
    execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund'], { cwd: place, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  });
  const require = createRequire(path.join(cache, 'package.json'));
  return {
    bin: (name) => path.join(cache, 'node_modules', '.bin', name),
    load: (name) => import(pathToFileURL(require.resolve(name))),
  };
}

/** The Chromium of this machine; on a machine of Debian's family whose root we are, one that is installed now. */
export function chromium() {
  const named = process.env.CHROMIUM;
  if (named && !fs.existsSync(named)) throw new Error(`CHROMIUM names ${named}, which is not there`);
  const places = [named, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];
  const find = () => places.find((place) => place && fs.existsSync(place));
  if (find() === undefined && hasApt()) {
    console.error('installing Chromium (once, about a minute)');
    apt('chromium');
  }
  const found = find();
  if (found === undefined) throw new Error('no Chromium: `apt-get install chromium`, or name one in CHROMIUM');
  return found;
}
