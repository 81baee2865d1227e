// Builds crates for WebAssembly as they are published: for all of them alike, so that what they share is built once.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';

export const TARGET = 'wasm32-unknown-unknown';
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const ask = (program, args) => execFileSync(program, args, { cwd: root, encoding: 'utf8' }).trim();

// Where sources lie on this machine, and what the file shall say instead. The later of two that fit
// wins, so the longer ones come last.
function machinePaths() {
  const cargo = process.env.CARGO_HOME ?? path.join(os.homedir(), '.cargo');
  const registry = path.join(cargo, 'registry', 'src');
  const sources = fs.existsSync(registry) ? fs.readdirSync(registry) : [];
  return [
    [os.homedir(), 'home'],
    [cargo, 'cargo'],
    [path.join(cargo, 'git', 'checkouts'), 'crates'],
    ...sources.map((name) => [path.join(registry, name), 'crates']),
    [path.join(ask('rustc', ['--print', 'sysroot']), 'lib', 'rustlib', 'src', 'rust'), 'rust'],
    [root, 'endstate'],
  ];
}

/** The module of a package of this workspace, with every machine path mapped away. */
export function cargoWasm(name, args) {
  const flags = machinePaths().map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
  const env = { ...process.env, CARGO_ENCODED_RUSTFLAGS: flags.join('\x1f') };
  delete env.RUSTFLAGS;
  const target = path.join(root, 'target');
  // Without the Rust library beside the module: only then is it optimised across crates.
  const all = ['rustc', '--crate-type', 'cdylib', '--locked', '--package', name, '--profile', 'wasm', '--target', TARGET, '--target-dir', target];
  execFileSync('cargo', [...all, ...args], { cwd: root, env, stdio: ['ignore', 2, 2] });
  return path.join(target, TARGET, 'wasm', `${name.replaceAll('-', '_')}.wasm`);
}
