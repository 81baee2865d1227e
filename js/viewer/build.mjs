// Builds the viewer into the npm package: `viewer.mjs` (the component) and `viewer.html` (the page, one file).
//
// Worker, component and page are each one file that esbuild makes. The engine lies in them gzipped; in the page
// as bytes (see payload.ts), in the module as base64. The page's policy names its one script by its digest.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const here = path.dirname(fileURLToPath(import.meta.url));
const js = path.dirname(here);

/** The tools of the build, from js/package-lock.json. */
function tools() {
  if (!['esbuild', 'uplot', 'typescript', '@gfx/zopfli'].every((name) => fs.existsSync(path.join(js, 'node_modules', name)))) {
    execFileSync('npm', ['ci', '--silent', '--no-audit', '--no-fund'], { cwd: js, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  }
  const require = createRequire(path.join(js, 'package.json'));
  // A twentieth smaller than what zlib makes, for some seconds more of the build.
  return { esbuild: require('esbuild'), gzip: promisify(require('@gfx/zopfli').gzip) };
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

async function bundle(esbuild, entry, format, modules) {
  const { outputFiles: [file] } = await esbuild.build({
    entryPoints: [path.join(here, entry)], bundle: true, write: false, minify: true, format, target: 'es2022',
    charset: 'ascii', legalComments: 'none', loader: { '.css': 'text' }, plugins: [texts(modules)],
  });
  return file.text;
}

/** The engine as makeSurface makes it, from a compiled module. */
const engineText = (glue, surface) => `${glue}
${surface.replace(/^export (?=function makeSurface)/m, '')}
export const makeEngine = (module) => makeSurface(makeGlue, () => module, '');
`;

/** See payload.ts. */
export function encode(bytes) {
  const parts = [];
  let from = 0;
  bytes.forEach((byte, at) => {
    if (byte !== 0 && byte !== 13 && byte !== 0x3c && byte !== 0x3d) return;
    parts.push(bytes.subarray(from, at), Buffer.from([0x3d, byte + 64]));
    from = at + 1;
  });
  parts.push(bytes.subarray(from));
  return Buffer.concat(parts);
}

export async function buildViewer({ glue, surface, bytes, stage }) {
  const { esbuild, gzip } = tools();
  execFileSync(process.execPath, [path.join(js, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', here], { stdio: ['ignore', 2, 2] });
  const packed = Buffer.from(await gzip(bytes, { numiterations: 3 }));
  const worker = await bundle(esbuild, 'worker.ts', 'iife', { 'endstate-engine': engineText(glue, surface) });
  const workerText = `export const WORKER_TEXT = ${JSON.stringify(worker)};`;
  const inlined = `const text = '${packed.toString('base64')}';
export const packed = () => new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]);`;
  const module = await bundle(esbuild, 'component.ts', 'esm', { 'endstate-worker': workerText, 'endstate-packed': inlined });
  fs.writeFileSync(path.join(stage, 'viewer.mjs'), module);
  fs.copyFileSync(path.join(here, 'index.d.ts'), path.join(stage, 'viewer.d.ts'));
  const inPage = `import { payload } from './payload.ts';\nexport const packed = () => new Blob([payload('endstate-engine')]);`;
  const script = await bundle(esbuild, 'page.ts', 'esm', { 'endstate-worker': workerText, 'endstate-packed': inPage });
  fs.writeFileSync(path.join(stage, 'viewer.html'), page(script.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--').trim(), packed));
}

function page(script, packed) {
  const template = fs.readFileSync(path.join(here, 'page.html'), 'latin1');
  const hash = createHash('sha256').update(script).digest('base64');
  const [before, after] = template.replace('%HASH%', hash).split('%ENGINE%');
  return Buffer.concat([Buffer.from(before), encode(packed), Buffer.from(after.replace('%SCRIPT%', () => script))]);
}

// `node js/viewer/build.mjs` builds the viewer alone, with the engine of the last whole build.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const out = path.join(js, '..', 'target', 'npm');
  const read = (name) => fs.readFileSync(path.join(out, 'glue-viewer', name));
  const [glue, surface] = [read('wrapped.js').toString(), fs.readFileSync(path.join(js, 'src', 'surface.js'), 'utf8')];
  await buildViewer({ glue, surface, bytes: read('engine_bg.wasm'), stage: path.join(out, 'stage') });
}
