// Builds target/npm/plan-reader: reader, validator and writer of canonical plans in WebAssembly, and nothing else of the engine.
//
//   node js/plan-reader.mjs        prints the folder, and how many bytes the module has
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bindgen } from './bindgen.mjs';
import { cargoWasm } from './cargo.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Builds it: the folder, for `require`, and the size of the module in bytes. */
export function planReader() {
  const folder = path.join(root, 'target', 'npm', 'plan-reader');
  const [wasm] = cargoWasm(['endstate-plan-reader']);
  const lean = ['--remove-name-section', '--remove-producers-section', '--no-typescript'];
  execFileSync(bindgen(), [wasm, '--target', 'nodejs', ...lean, '--out-dir', folder, '--out-name', 'plan'], { cwd: root, stdio: ['ignore', 2, 2] });
  fs.writeFileSync(path.join(folder, 'package.json'), '{"type":"commonjs"}\n');
  return { folder, bytes: fs.statSync(path.join(folder, 'plan_bg.wasm')).size };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { folder, bytes } = planReader();
  console.log(`${path.relative(root, folder)}: ${bytes} bytes`);
}
