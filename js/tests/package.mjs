// Builds the tarball and installs it into a new folder, as somebody else would.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as os from 'node:os';
import * as path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

/** The installed package (built now, or the tarball that ENDSTATE_TARBALL names): its folder, what `import` and `require` give, and its bin. */
export async function installed() {
  const built = process.env.ENDSTATE_TARBALL ?? execFileSync(process.execPath, [path.join(root, 'js', 'build.mjs')], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const tarball = path.resolve(root, built.trim());
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'endstate-npm-'));
  fs.writeFileSync(path.join(folder, 'package.json'), '{"name":"somebody-else","private":true,"type":"module"}\n');
  const args = ['install', '--offline', '--no-audit', '--no-fund', '--silent', tarball];
  execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  // A module of that folder does the importing, so that its own node_modules is what is found.
  const entry = path.join(folder, 'entry.mjs');
  fs.writeFileSync(entry, "export * from 'endstate';\n");
  const plan = path.join(folder, 'plan.mjs');
  fs.writeFileSync(plan, "export * from 'endstate/plan';\n");
  return {
    folder,
    tarball,
    home: path.join(folder, 'node_modules', 'endstate'),
    bin: path.join(folder, 'node_modules', '.bin', 'endstate'),
    imported: await import(pathToFileURL(entry)),
    plan: await import(pathToFileURL(plan)),
    host: await import(pathToFileURL(path.join(folder, 'node_modules', 'endstate', 'node.mjs'))),
    required: createRequire(entry)('endstate'),
    remove: () => fs.rmSync(folder, { recursive: true, force: true }),
  };
}

/** What a call throws; fails if it throws nothing. */
export function thrownBy(work) {
  let answer;
  try {
    answer = work();
  } catch (error) {
    return error;
  }
  throw new Error(`nothing was thrown; the answer was ${JSON.stringify(answer)?.slice(0, 200)}`);
}

/** The five fields of an error. */
export const fields = ({ kind, code, at, expected, got }) => ({ kind, code, at, expected, got });
