// Test runners for the tests, of exact versions where they come from npm and PyPI, in the cache of tests/cache.mjs. Go is the
// system's package.
import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { apt, hasApt } from '../../../tests/apt.mjs';
import { cached } from '../../../tests/cache.mjs';

const run = (program, args, options = {}) => execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });

function pytest() {
  const place = cached('runners/pytest-9.2.0', (folder) => {
    run('python3', ['-m', 'venv', folder]);
    run(path.join(folder, 'bin/pip'), ['install', '-q', '--disable-pip-version-check', 'pytest==9.2.0']);
  });
  return path.join(place, 'bin');
}

function vitest() {
  const place = cached('runners/vitest-4.1.12', (folder) => {
    fs.writeFileSync(path.join(folder, 'package.json'), '{"private": true}\n');
    run('npm', ['install', '--no-audit', '--no-fund', '--loglevel', 'error', 'vitest@4.1.12'], { cwd: folder });
  });
  return path.join(place, 'node_modules/.bin');
}

function go() {
  if (spawnSync('go', ['version']).status === 0) return;
  if (!hasApt()) throw new Error('no go, and no apt-get to install it with');
  apt('golang-go');
}

/** Makes the runners ready. Answers with what `PATH` must begin with, and why some cannot be had. */
export function ready() {
  const [places, absent] = [[], {}];
  for (const [name, install] of Object.entries({ pytest, vitest, go })) {
    try {
      places.push(install());
    } catch (error) {
      absent[name] = `${name} could not be installed: ${error.message}`;
      console.error(absent[name]);
    }
  }
  return { path: places.filter(Boolean).join(path.delimiter), absent };
}
