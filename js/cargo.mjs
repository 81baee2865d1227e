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

/** The modules of packages of this workspace, with every machine path mapped away. */
export function cargoWasm(names, features = []) {
  const flags = machinePaths().map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
  const env = { ...process.env, CARGO_ENCODED_RUSTFLAGS: flags.join('\x1f') };
  delete env.RUSTFLAGS;
  const target = path.join(root, 'target');
  // They link the library, which is compiled once for all of them, and each is optimised as a whole.
  const all = ['build', '--locked', '--profile', 'wasm', '--target', TARGET, '--target-dir', target];
  const which = [...names.flatMap((name) => ['--package', name]), ...features.flatMap((one) => ['--features', one])];
  execFileSync('cargo', [...all, ...which], { cwd: root, env, stdio: ['ignore', 2, 2] });
  return names.map((name) => path.join(target, TARGET, 'wasm', `${name.replaceAll('-', '_')}.wasm`));
}
