// wasm-bindgen, in the version of the crate: installed by cargo into the cache of tests/cache.mjs the first time.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { cached } from '../tests/cache.mjs';

const VERSION = '0.2.130';

/** The path of the program. */
export function bindgen() {
  const tools = cached(`wasm-bindgen-${VERSION}`, (place) => {
    // Quick to build: without what it could fetch, and without what a debugger asks for.
    const args = ['install', 'wasm-bindgen-cli', '--version', VERSION, '--debug', '--force', '--bin', 'wasm-bindgen', '--no-default-features'];
    const built = path.join(place, 'build');
    execFileSync('cargo', [...args, '--root', place, '--target-dir', built], { stdio: ['ignore', 2, 2], env: { ...process.env, CARGO_PROFILE_DEV_DEBUG: '0' } });
    fs.rmSync(built, { recursive: true, force: true });
  });
  return path.join(tools, 'bin', `wasm-bindgen${process.platform === 'win32' ? '.exe' : ''}`);
}
