// Builds the viewer into the npm package: `viewer.mjs` (the component) and `viewer.html` (the page, one file).
//
// Worker, component and page are each one file that esbuild makes. The component takes the engine from `engine_packed.mjs` of
// the package, the documents from `plan_packed.mjs` once it needs them, and has the script of the worker as text; in the page all
// three lie packed, as bytes (see payload.ts). The page's policy names its one script by its digest.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { asSource, MODULES } from '../modules.mjs';
import { notices, pack } from '../pack.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const js = path.dirname(here);

/** The tools of the build, from js/package-lock.json. */
function tools() {
  if (!['esbuild', 'uplot', 'typescript', 'fzstd', '@hpcc-js/wasm-zstd'].every((name) => fs.existsSync(path.join(js, 'node_modules', name)))) {
    execFileSync('npm', ['ci', '--silent', '--no-audit', '--no-fund'], { cwd: js, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  }
  const require = createRequire(path.join(js, 'package.json'));
  return require('esbuild');
}

/** Modules by name, given as text. */
const texts = (modules) => ({
  name: 'texts',
  setup(build) {
    const names = new RegExp(`^(${Object.keys(modules).join('|')})$`);
    build.onResolve({ filter: names }, ({ path: name }) => ({ path: name, namespace: 'texts' }));
    build.onLoad({ filter: /.*/, namespace: 'texts' }, ({ path: name }) => ({ contents: modules[name], resolveDir: here, loader: 'js' }));
  },
});

/** Style sheets as text, without what only people need. */
const styles = (esbuild) => ({
  name: 'styles',
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path: name }) => {
      const { code } = await esbuild.transform(fs.readFileSync(name, 'utf8'), { loader: 'css', minify: true, target: 'es2022' });
      return { contents: code.trim(), loader: 'text' };
    });
  },
});

/** The chart's numbers are written as all others of the page. By itself it dies of a browser whose language is no tag (`en-US@posix`). */
const english = {
  name: 'english',
  setup(build) {
    build.onLoad({ filter: /uPlot\.esm\.js$/ }, ({ path: name }) => {
      const text = fs.readFileSync(name, 'utf8');
      const contents = text.replace("new Intl.NumberFormat(domEnv ? nav.language : 'en-US')", "new Intl.NumberFormat('en')");
      if (contents === text) throw new Error('the chart has another way to write numbers');
      return { contents, loader: 'js' };
    });
  },
};

async function bundle(esbuild, entry, format, modules) {
  const { outputFiles: [file], metafile } = await esbuild.build({
    entryPoints: [path.join(here, entry)], bundle: true, write: false, metafile: true, minify: true, format, target: 'es2022',
    charset: 'ascii', legalComments: 'none', external: ['./engine_packed.mjs', './plan_packed.mjs'], plugins: [texts(modules), styles(esbuild), english],
  });
  return notices(Object.keys(metafile.inputs)) + file.text;
}

/** See payload.ts. */
export function encode(bytes) {
  const parts = [];
  let from = 0;
  bytes.forEach((byte, at) => {
    if (byte !== 0 && byte !== 10 && byte !== 13 && byte !== 0x3c && byte !== 0x3d) return;
    parts.push(bytes.subarray(from, at), Buffer.from([0x3d, byte + 64]));
    from = at + 1;
  });
  parts.push(bytes.subarray(from));
  return Buffer.concat(parts);
}

/** Of the modules of WebAssembly, with what each is when it is packed. */
export async function buildViewer({ engine, plan }, stage) {
  const esbuild = tools();
  execFileSync(process.execPath, [path.join(js, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', here], { stdio: ['ignore', 2, 2] });
  const within = { 'endstate-engine': asSource('engine', engine.glue, here), 'endstate-plan': asSource('plan', plan.glue, here) };
  const worker = await bundle(esbuild, 'worker.ts', 'iife', within);
  const beside = `export { bytes as engine } from './engine_packed.mjs';
export const documents = async () => (await import('./plan_packed.mjs')).bytes();
export const script = () => ${JSON.stringify(worker)};`;
  const module = await bundle(esbuild, 'component.ts', 'esm', { 'endstate-parts': beside });
  fs.writeFileSync(path.join(stage, 'viewer.mjs'), module);
  fs.copyFileSync(path.join(here, 'index.d.ts'), path.join(stage, 'viewer.d.ts'));
  const inPage = `import { payload } from './payload.ts';
import { unpack } from '../src/unpack.ts';
export const engine = () => unpack(payload('endstate-engine'));
export const documents = async () => unpack(payload('endstate-plan'));
export const script = () => new TextDecoder().decode(unpack(payload('endstate-worker')));`;
  const script = await bundle(esbuild, 'page.ts', 'esm', { 'endstate-parts': inPage });
  const parts = { engine: engine.packed, plan: plan.packed, worker: await pack(Buffer.from(worker)) };
  fs.writeFileSync(path.join(stage, 'viewer.html'), page(script.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--').trim(), parts));
}

function page(script, parts) {
  const template = fs.readFileSync(path.join(here, 'page.html'), 'latin1');
  const hash = createHash('sha256').update(script).digest('base64');
  const pieces = template.replace('%HASH%', hash).split(/%(WORKER|ENGINE|PLAN)%/);
  const last = pieces.pop().replace('%SCRIPT%', () => script);
  return Buffer.concat([...pieces.map((piece, at) => (at % 2 === 1 ? encode(parts[piece.toLowerCase()]) : Buffer.from(piece))), Buffer.from(last)]);
}

// `node js/viewer/build.mjs` builds the viewer alone, with the modules of the last whole build.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const out = path.join(js, '..', 'target', 'npm');
  const made = {};
  for (const name of Object.keys(MODULES)) {
    const read = (file) => fs.readFileSync(path.join(out, 'glue', `${name}_${file}`));
    made[name] = { glue: read('wrapped.js').toString(), packed: await pack(read('bg.wasm')) };
  }
  await buildViewer(made, path.join(out, 'stage'));
}
