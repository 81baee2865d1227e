// Builds target/npm/endstate-<version>.tgz. Needs Node 20, npm and cargo. The package that comes of it
// needs nothing from npm: TypeScript, esbuild and the like (js/package-lock.json) are tools of the build.
//
//   node js/build.mjs
//
// 1. cargo builds the core with the feature `wasm`, with every machine path mapped away.
// 2. wasm-bindgen (in .cache/tools; put there by cargo the first time) writes the glue.
// 3. The glue, the surface (js/src/surface.js) and the bytes become the entry files; the types come
//    from js/src/index.d.ts and, for everything that has a schema, from the schemas themselves.
// 4. js/viewer becomes viewer.mjs and viewer.html.
// 5. pkg-template/ is laid beside them and `npm pack` makes the tarball.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { pathToFileURL, fileURLToPath } from 'node:url';
import { typesOf } from './types.mjs';
import { buildViewer } from './viewer/build.mjs';

const BINDGEN = '0.2.130';
const TARGET = 'wasm32-unknown-unknown';
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const out = path.join(root, 'target', 'npm');
const stage = path.join(out, 'stage');

const run = (program, args, options = {}) =>
  execFileSync(program, args, { cwd: root, stdio: ['ignore', 2, 2], ...options });
const ask = (program, args) => execFileSync(program, args, { cwd: root, encoding: 'utf8' }).trim();
const read = (...names) => fs.readFileSync(path.join(root, ...names), 'utf8');
const write = (name, content) => fs.writeFileSync(path.join(stage, name), content);

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

function buildWasm() {
  // Unpacks the sources, so that their folders are known by name.
  run('cargo', ['fetch', '--locked', '--target', TARGET]);
  const flags = machinePaths().map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
  const env = { ...process.env, CARGO_ENCODED_RUSTFLAGS: flags.join('\x1f') };
  delete env.RUSTFLAGS;
  const args = ['build', '--locked', '--lib', '--profile', 'wasm', '--target', TARGET];
  const target = path.join(root, 'target');
  run('cargo', [...args, '--no-default-features', '--features', 'wasm', '--target-dir', target], { env });
  return path.join(target, TARGET, 'wasm', 'endstate.wasm');
}

function bindgen() {
  const tools = path.join(root, '.cache', 'tools');
  const program = path.join(tools, 'bin', `wasm-bindgen${process.platform === 'win32' ? '.exe' : ''}`);
  const version = fs.existsSync(program) ? ask(program, ['--version']) : '';
  if (version !== `wasm-bindgen ${BINDGEN}`) {
    const args = ['install', 'wasm-bindgen-cli', '--version', BINDGEN, '--debug', '--force'];
    run('cargo', [...args, '--root', tools, '--target-dir', path.join(root, '.cache', 'tools-build')]);
  }
  return program;
}

function makeGlue(wasm) {
  const folder = path.join(out, 'glue');
  fs.rmSync(folder, { recursive: true, force: true });
  const flags = ['--target', 'web', '--omit-default-module-path', '--no-typescript'];
  const lean = ['--remove-name-section', '--remove-producers-section'];
  run(bindgen(), [wasm, ...flags, ...lean, '--out-dir', folder, '--out-name', 'engine']);
  const glue = wrap(fs.readFileSync(path.join(folder, 'engine.js'), 'utf8'));
  fs.writeFileSync(path.join(folder, 'wrapped.js'), glue);
  return { glue, bytes: fs.readFileSync(path.join(folder, 'engine_bg.wasm')) };
}

// The generated module as a function that answers with a fresh copy of it.
function wrap(generated) {
  const names = [...generated.matchAll(/^export (?:class|function) (\w+)/gm)].map((hit) => hit[1]);
  const body = generated
    .replace(/^\/\* @ts-self-types=.*\*\/\n/, '')
    .replace(/^export (class|function) /gm, '$1 ')
    .replace(/^export \{[^}]*\};?\n?/gm, '');
  for (const word of [/^\s*export\b/m, /^\s*import\b/m, /import\.meta/]) {
    if (word.test(body)) throw new Error(`the glue has an unforeseen ${word}`);
  }
  for (const name of ['Engine', 'Replayer', 'Tape', 'start', 'step', 'replay', 'schemas', 'checkReport', 'readDocument']) {
    if (!names.includes(name)) throw new Error(`the glue lacks ${name}`);
  }
  if (!/^function initSync\(/m.test(body)) throw new Error('the glue lacks initSync');
  return `function makeGlue() {\n${body}\nreturn { initSync, ${names.join(', ')} };\n}\n`;
}

const NAMES = ['start', 'step', 'checkReport', 'readDocument', 'replay', 'schemas', 'version', 'rules', 'Engine', 'Replayer', 'Tape'];

function assemble({ glue, bytes }) {
  const surface = read('js', 'src', 'surface.js');
  const base64 = bytes.toString('base64');
  const whole = [
    glue,
    surface,
    `const BYTES = '${base64}';`,
    'function getModule() {',
    '  const text = atob(BYTES);',
    '  const bytes = new Uint8Array(text.length);',
    '  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);',
    '  return new WebAssembly.Module(bytes);',
    '}',
  ].join('\n');
  const make = 'makeSurface(makeGlue, getModule)';
  // Node finds the names of a CommonJS module by reading it, hence one assignment for each.
  const exported = NAMES.map((name) => `exports.${name} = surface.${name};`).join('\n');
  write('index.cjs', `'use strict';\n${whole}\nconst surface = ${make};\n${exported}\n`);
  write('index.mjs', `${whole}\nexport const { ${NAMES.join(', ')} } = ${make};\n`);
  write('index.node.mjs', `export { ${NAMES.join(', ')} } from './index.cjs';\n`);
  write('slim.mjs', `${glue}\n${surface}\n${read('js', 'src', 'slim.js')}
export const { ${NAMES.join(', ')} } = ${make};\n`);
  write('engine_bg.wasm', bytes);
}

async function types() {
  const engine = await import(`${pathToFileURL(path.join(stage, 'index.node.mjs'))}?${Date.now()}`);
  const text = `${read('js', 'src', 'index.d.ts')}\n${typesOf(engine.schemas())}`;
  write('index.d.ts', text);
  write('index.d.cts', text);
  write('slim.d.ts', read('js', 'src', 'slim.d.ts'));
  return engine.version();
}

function copyTemplate(version) {
  fs.cpSync(path.join(root, 'pkg-template'), stage, { recursive: true });
  const manifest = JSON.parse(read('pkg-template', 'package.json'));
  write('package.json', `${JSON.stringify({ ...manifest, version }, null, 2)}\n`);
  fs.chmodSync(path.join(stage, 'bin', 'endstate.mjs'), 0o755);
  for (const name of fs.readdirSync(root).filter((name) => name.startsWith('LICENSE'))) {
    fs.copyFileSync(path.join(root, name), path.join(stage, name));
  }
}

// The package must not tell where it was built.
function refuseMachinePaths() {
  const traces = [root, os.homedir(), ask('rustc', ['--print', 'sysroot'])];
  const shapes = /(?<![\w.])\/(?:home|Users|root|tmp|work)\/[\w.-]+\/|[A-Z]:\\Users\\|index\.crates\.io/;
  for (const name of fs.readdirSync(stage, { recursive: true })) {
    const file = path.join(stage, name);
    if (fs.statSync(file).isDirectory()) continue;
    const text = fs.readFileSync(file, 'latin1');
    const found = traces.find((trace) => trace.length > 1 && text.includes(`${trace}/`)) ?? text.match(shapes)?.[0];
    if (found) throw new Error(`${name} names a place on this machine: ${found}`);
  }
}

function pack(version) {
  const args = ['pack', '--offline', '--silent', '--pack-destination', out];
  run('npm', args, { cwd: stage, shell: process.platform === 'win32' });
  return path.join(out, `endstate-${version}.tgz`);
}

fs.rmSync(stage, { recursive: true, force: true });
fs.mkdirSync(stage, { recursive: true });
const engine = makeGlue(buildWasm());
assemble(engine);
await buildViewer({ ...engine, surface: read('js', 'src', 'surface.js'), stage });
const version = await types();
copyTemplate(version);
refuseMachinePaths();
console.log(path.relative(root, pack(version)));
