// Builds target/npm/endstate-<version>.tgz. Needs Node 20, npm and cargo. The package that comes of it
// needs nothing from npm: TypeScript and esbuild (js/package-lock.json) are tools of this build only.
//
//   node js/build.mjs
//
// 1. cargo builds the core with the feature `wasm`, with every machine path mapped away.
// 2. wasm-bindgen (js/bindgen.mjs) writes the glue.
// 3. Glue, surface (js/src/surface.js) and bytes become the module `endstate-engine`; its types come from
//    js/src/index.d.ts and, for everything that has a schema, from the schemas, which examples/schemas.rs tells.
// 4. tsc checks js/src and declares its types; esbuild makes one file of every entry (ENTRIES), and of the packed engine.
// 5. js/viewer becomes viewer.mjs and viewer.html.
// 6. The schemas and pkg-template/ are laid beside them and `npm pack` makes the tarball.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { pathToFileURL, fileURLToPath } from 'node:url';
import { bindgen } from './bindgen.mjs';
import { cargoWasm, TARGET } from './cargo.mjs';
import { notices, pack } from './pack.mjs';
import { typesOf } from './types.mjs';
import { buildViewer } from './viewer/build.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const out = path.join(root, 'target', 'npm');
const stage = path.join(out, 'stage');
const gen = path.join(out, 'gen');

const run = (program, args, options = {}) =>
  execFileSync(program, args, { cwd: root, stdio: ['ignore', 2, 2], ...options });
const ask = (program, args) => execFileSync(program, args, { cwd: root, encoding: 'utf8' }).trim();
const read = (...names) => fs.readFileSync(path.join(root, ...names), 'utf8');
const write = (name, content) => fs.writeFileSync(path.join(stage, name), content);

// Chromium compiles no more than this at once on the main thread of a page.
const MOST_BYTES = 8 << 20;

// What the glue must have.
const WHOLE = ['Engine', 'Replayer', 'Tape', 'AgentBridge', 'McpServer', 'start', 'step', 'replay', 'checkReport', 'readDocument', 'checkFile', 'readTests'];

function buildWasm() {
  // A protocol of one's own is a feature: ENDSTATE_FEATURES=sixth builds the example of CONTRIBUTING.md, too.
  const features = ['wasm', process.env.ENDSTATE_FEATURES].filter(Boolean).join(',');
  return cargoWasm('endstate', ['--lib', '--no-default-features', '--features', features]);
}

function makeGlue(wasm) {
  const folder = path.join(out, 'glue');
  fs.rmSync(folder, { recursive: true, force: true });
  const flags = ['--target', 'web', '--omit-default-module-path', '--no-typescript'];
  const lean = ['--remove-name-section', '--remove-producers-section'];
  run(bindgen(), [wasm, ...flags, ...lean, '--out-dir', folder, '--out-name', 'engine']);
  const glue = wrap(fs.readFileSync(path.join(folder, 'engine.js'), 'utf8'));
  fs.writeFileSync(path.join(folder, 'wrapped.js'), glue);
  const bytes = fs.readFileSync(path.join(folder, 'engine_bg.wasm'));
  if (bytes.length > MOST_BYTES) throw new Error(`the engine has ${bytes.length} bytes, a page takes ${MOST_BYTES}`);
  return { glue, bytes };
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
  for (const name of WHOLE) {
    if (!names.includes(name)) throw new Error(`the glue lacks ${name}`);
  }
  if (!/^function initSync\(/m.test(body)) throw new Error('the glue lacks initSync');
  return `function makeGlue() {\n${body}\nreturn { initSync, ${names.join(', ')} };\n}\n`;
}

// What a bundler or Node is given, by the name of its source. `engine` says where the engine is from: packed, brought by
// the caller (`slim`), or a module beside it (`static`); those without share the one instance of `index.cjs`. A new entry (`./pi`, say) is one line here and one under
// `exports` in pkg-template/package.json: its source imports `endstate-core` (everything of `.`) and
// `endstate-node` (everything of `./node`).
const ENTRIES = [
  { source: 'index.ts', out: 'index', engine: 'packed', formats: ['cjs', 'esm'], twin: 'index.node.mjs' },
  { source: 'index.ts', out: 'index.workerd', engine: 'static', formats: ['esm'] },
  { source: 'slim.ts', out: 'slim', engine: 'slim', formats: ['esm'] },
  { source: 'node/index.ts', out: 'node', formats: ['cjs'], twin: 'node.mjs', types: true },
  { source: 'pi/index.ts', out: 'pi', formats: ['esm'], types: true },
  { source: 'claude.ts', out: 'claude', formats: ['esm'], types: true },
  { source: 'mcp.ts', out: 'mcp', formats: ['esm'], types: true },
];

const NAMES = ['start', 'step', 'checkReport', 'readDocument', 'checkFile', 'checkedFiles', 'readTests', 'planParse', 'planGraph', 'planFormat', 'planCriterion', 'replay', 'version', 'rules', 'Engine', 'Replayer', 'Tape', 'AgentBridge', 'McpServer'];

// The commit this is built from, for `version()`; nothing where there is no git.
function commit() {
  try {
    const head = ask('git', ['rev-parse', '--short=10', 'HEAD']);
    return ask('git', ['status', '--porcelain', '--untracked-files=no']) === '' ? head : `${head}.dirty`;
  } catch {
    return '';
  }
}

// The JSON Schemas, as the types of the core have them: data in the package, and no code of the engine.
function askSchemas() {
  // The test command has the library in another profile already.
  const args = ['run', '--quiet', '--locked', '--profile', process.env.ENDSTATE_PROFILE ?? 'dev', '--example', 'schemas'];
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26, stdio: ['ignore', 'pipe', 2] };
  return JSON.parse(execFileSync('cargo', [...args, '--target-dir', path.join(root, 'target')], options));
}

// Most schemas share their definitions: each is written once, and `$defs` says by number which it means.
function schemasModule(schemas) {
  const known = new Map();
  const number = (text) => known.get(text) ?? known.set(text, known.size).size - 1;
  const short = Object.entries(schemas).map(([name, { $defs = {}, ...rest }]) =>
    [name, rest, Object.entries($defs).map(([type, value]) => [type, number(JSON.stringify(value))])]);
  const text = `{"short":${JSON.stringify(short)},"types":[${[...known.keys()].join(',')}]}`;
  return `const TEXT = ${JSON.stringify(text)};
export function schemas() {
  const { short, types } = JSON.parse(TEXT);
  return Object.fromEntries(short.map(([name, rest, defs]) =>
    [name, defs.length > 0 ? { $defs: Object.fromEntries(defs.map(([type, at]) => [type, types[at]])), ...rest } : rest]));
}
`;
}

// The engine as modules, for esbuild to inline.
function engineModules({ glue, bytes }, schemas) {
  fs.mkdirSync(gen, { recursive: true });
  const put = (name, text) => fs.writeFileSync(path.join(gen, name), text);
  const make = (from, schemas = './schemas.mjs') => `import { makeGlue } from './glue.js';
import { getModule } from '${from}';
import { makeSurface } from './surface.js';
const surface = makeSurface(makeGlue, getModule, ${JSON.stringify(commit())});
export const { ${NAMES.join(', ')} } = surface;
export { schemas } from '${schemas}';
`;
  put('glue.js', `${glue}\nexport { makeGlue };\n`);
  put('surface.js', read('js', 'src', 'surface.js'));
  put('slim.js', read('js', 'src', 'slim.js'));
  // Four fifths of what `import` would read for names in Node, and seldom asked for.
  const told = schemasModule(schemas);
  write('schemas.mjs', told);
  write('schemas.cjs', `${told.replace('export function', 'function')}module.exports = { schemas };\n`);
  put('schemas-aside.js', "export const schemas = () => require('./schemas.cjs').schemas();\n");
  put('packed.js', "import { engine } from './engine_packed.mjs';\nexport const getModule = () => new WebAssembly.Module(engine());\n");
  put('engine-packed.js', make('./packed.js'));
  // Read as it is where it lies beside this file. A bundle has it packed, in a file of its own that is only read where it is
  // needed, since to parse it makes every start slower (docs/performance.md).
  put('bytes-aside.js', `export const getModule = () => new WebAssembly.Module(beside() ?? require('./engine_packed.mjs').engine());
function beside() {
  try {
    const bytes = process.getBuiltinModule('node:fs').readFileSync(\`\${__dirname}/engine_bg.wasm\`);
    // That of another version is not this one's.
    return bytes.length === ${bytes.length} ? bytes : undefined;
  } catch {
    return undefined;
  }
}
`);
  put('engine-aside.js', make('./bytes-aside.js', './schemas-aside.js'));
  // Where nobody may compile bytes, the runtime imports the compiled module.
  put('static.js', "import module from './engine_bg.wasm';\nexport const getModule = () => module;\n");
  put('engine-static.js', make('./static.js'));
  put('engine-slim.js', `${make('./slim.js')}export { init, initSync } from './slim.js';\n`);
  write('engine_bg.wasm', bytes);
}

// TypeScript and esbuild, as the lock file names them.
function tools() {
  const lock = path.join(root, 'js', 'package-lock.json');
  const stamp = path.join(root, 'js', 'node_modules', '.endstate-lock');
  const wanted = createHash('sha256').update(fs.readFileSync(lock)).digest('hex');
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted) return;
  run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: path.join(root, 'js'), shell: process.platform === 'win32' });
  fs.writeFileSync(stamp, wanted);
}

// Only when it is installed.
const esbuild = () => import(pathToFileURL(path.join(root, 'js', 'node_modules', 'esbuild', 'lib', 'main.js')));

async function bundle() {
  const { build } = await esbuild();
  for (const { source, out: name, engine, formats, twin } of ENTRIES) {
    for (const format of formats) {
      const file = `${name}.${format === 'cjs' ? 'cjs' : 'mjs'}`;
      const result = await build({
        entryPoints: [path.join(root, 'js', 'src', source)],
        outfile: path.join(stage, file),
        bundle: true,
        format,
        // Names of a CommonJS file are found by Node where esbuild writes for it.
        platform: format === 'esm' && engine ? 'neutral' : 'node',
        target: 'es2022',
        sourcemap: true,
        sourcesContent: false,
        logLevel: 'warning',
        metafile: true,
        plugins: [shared(engine === 'packed' && format === 'cjs' ? 'aside' : engine)],
        external: ['./engine_packed.mjs', './engine_bg.wasm', './schemas.cjs', './schemas.mjs'],
      });
      if (twin && format === 'cjs') {
        const [output] = Object.values(result.metafile.outputs).filter((one) => one.entryPoint);
        const probe = await import(`${pathToFileURL(path.join(stage, file))}?${Date.now()}`);
        const names = Object.keys(probe).filter((one) => !['default', 'module.exports'].includes(one));
        if (!output || names.length === 0) throw new Error(`${file} exports nothing`);
        write(twin, `export { ${names.join(', ')} } from './${file}';\n`);
      }
    }
  }
  // The same where a module is asked for by this name.
  const workerd = fs.readFileSync(path.join(stage, 'index.workerd.mjs'), 'utf8');
  write('index.edge-light.mjs', workerd.replace("'./engine_bg.wasm'", "'./engine_bg.wasm?module'").replace('"./engine_bg.wasm"', '"./engine_bg.wasm?module"'));
  const named = new Set();
  for (const map of fs.readdirSync(stage).filter((one) => one.endsWith('.map'))) {
    // Sources lie in src/ of the package; the glue is there in the bundle only.
    const value = JSON.parse(fs.readFileSync(path.join(stage, map), 'utf8'));
    value.sources = value.sources.map((one) => one.replace(/^.*?js\/src\//, 'src/').replace(/^.*?gen\//, 'src/generated/'));
    write(map, JSON.stringify(value));
    value.sources.forEach((one) => named.add(one));
  }
  for (const source of named) {
    const from = path.join(root, 'js', source);
    if (fs.existsSync(from)) fs.cpSync(from, path.join(stage, source));
  }
}

// What an entry shares with others stays outside of it: one engine per process.
function shared(engine) {
  const files = { 'endstate-core': './index.cjs', 'endstate-node': './node.cjs' };
  return {
    name: 'shared',
    setup(build) {
      build.onResolve({ filter: /^endstate-(engine|core|node)$/ }, ({ path: name }) => {
        if (engine && name === 'endstate-engine') return { path: path.join(gen, `engine-${engine}.js`) };
        if (!files[name]) throw new Error(`${name} is not for this entry`);
        if (engine) throw new Error(`${name} would be inside itself`);
        return { path: files[name], external: true };
      });
    },
  };
}

// The declarations of the engine, for tsc, and then those of every entry, each in one file.
function engineTypes(schemas) {
  fs.mkdirSync(gen, { recursive: true });
  fs.writeFileSync(path.join(gen, 'engine.d.ts'), `${read('js', 'src', 'index.d.ts')}\n${typesOf(schemas)}`);
}

function types() {
  const folder = path.join(out, 'types');
  fs.rmSync(folder, { recursive: true, force: true });
  run(process.execPath, [path.join(root, 'js', 'node_modules', 'typescript', 'bin', 'tsc'), '-p', path.join(root, 'js')]);
  const engine = fs.readFileSync(path.join(gen, 'engine.d.ts'), 'utf8');
  const core = flat(folder, 'core.d.ts');
  for (const name of ['index.d.ts', 'index.d.cts']) write(name, `/// <reference lib="esnext.disposable" />\n${engine}\n${core.text}`);
  write('slim.d.ts', read('js', 'src', 'slim.d.ts'));
  for (const { source, out: name, types: own, formats } of ENTRIES.filter((one) => one.types)) {
    const { text, imports, again } = flat(folder, source.replace(/\.ts$/, '.d.ts'));
    for (const [ending, from] of formats.includes('cjs') ? [['d.ts', 'js'], ['d.cts', 'cjs']] : [['d.ts', 'js']]) {
      const file = (module) => ({ 'endstate-core': `./index.${from}`, 'endstate-node': `./node.${from}` })[module] ?? module;
      const lines = [...imports].map(([module, names]) => `import type { ${[...names].sort().join(', ')} } from '${file(module)}';\n`);
      const handed = again.map(({ names, from: module }) => `export ${names} from '${file(module)}';\n`);
      if (own) write(`${name}.${ending}`, `${lines.join('')}${handed.join('')}\n${text}`);
    }
  }
}

// A module's declarations with those of its neighbours laid in front: one file, no relative import. What the entry
// hands on from another entry of the package is told apart.
function flat(folder, entry) {
  const done = new Map();
  const again = [];
  const imports = new Map();
  const visit = (file) => {
    if (done.has(file)) return;
    done.set(file, '');
    let text = fs.readFileSync(file, 'utf8');
    text = text.replace(/^(import|export)\b([^;'"]*?)\bfrom ['"]([^'"]+)['"];\n/gm, (_, verb, names, from) => {
      if (from.startsWith('.')) visit(path.join(path.dirname(file), from.replace(/\.js$/, '.d.ts')));
      else if (verb === 'import' && from !== 'endstate-engine') {
        const known = imports.get(from) ?? new Set();
        names.replace(/^\s*type\b/, '').replace(/[{}\s]/g, ' ').split(',').forEach((one) => {
          const name = one.trim().replace(/^type /, '');
          if (name) known.add(name);
        });
        imports.set(from, known);
      } else if (from !== 'endstate-engine' && file === path.join(folder, entry)) again.push({ names: names.trim(), from });
      return '';
    });
    done.set(file, text.replace(/^export \{\};\n/gm, '').replace(/^import ['"][^'"]+['"];\n/gm, '').trim());
  };
  visit(path.join(folder, entry));
  return { text: `${[...done.values()].reverse().filter(Boolean).join('\n')}\n`, imports, again };
}

// The engine without the rest: tells its version before the rest is compiled.
async function versionOf(bytes) {
  fs.writeFileSync(path.join(gen, 'package.json'), '{"type":"module"}\n');
  fs.copyFileSync(path.join(stage, 'schemas.mjs'), path.join(gen, 'schemas.mjs'));
  const engine = await import(`${pathToFileURL(path.join(gen, 'engine-slim.js'))}?${Date.now()}`);
  engine.initSync(bytes);
  return engine.version().split('+')[0];
}

// The engine for who has no file beside the code: bundles, pages, the viewer.
async function packedEngine(packed) {
  const { build } = await esbuild();
  const contents = `import { fromBase64, unpack } from './unpack.ts';
const PACKED = '${packed.toString('base64')}';
export const engine = () => unpack(fromBase64(PACKED));`;
  const { outputFiles: [file], metafile } = await build({
    stdin: { contents, resolveDir: path.join(root, 'js', 'src') }, bundle: true, write: false, metafile: true, format: 'esm',
    target: 'es2022', minify: true, legalComments: 'none', logLevel: 'warning',
  });
  write('engine_packed.mjs', notices(Object.keys(metafile.inputs)) + file.text);
}

function writeSchemas(schemas) {
  fs.mkdirSync(path.join(stage, 'schemas'));
  for (const [name, value] of Object.entries(schemas)) {
    write(path.join('schemas', `${name}.json`), `${JSON.stringify(value, null, 2)}\n`);
  }
}

function copyTemplate(version) {
  fs.cpSync(path.join(root, 'pkg-template'), stage, { recursive: true });
  const manifest = JSON.parse(read('pkg-template', 'package.json'));
  write('package.json', `${JSON.stringify({ ...manifest, version }, null, 2)}\n`);
  fs.cpSync(path.join(root, 'js', 'src', 'role-agent'), path.join(stage, 'role-agent'), { recursive: true });
  fs.cpSync(path.join(root, 'plugins'), path.join(stage, 'plugins'), { recursive: true });
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

function tarball(version) {
  const args = ['pack', '--offline', '--silent', '--pack-destination', out];
  run('npm', args, { cwd: stage, shell: process.platform === 'win32' });
  return path.join(out, `endstate-${version}.tgz`);
}

fs.rmSync(stage, { recursive: true, force: true });
fs.mkdirSync(stage, { recursive: true });
tools();
// Unpacks the sources, so that their folders are known by name.
run('cargo', ['fetch', '--locked', '--target', TARGET]);
const made = makeGlue(buildWasm());
const schemas = askSchemas();
engineModules(made, schemas);
const version = await versionOf(made.bytes);
engineTypes(schemas);
types();
const packed = await pack(made.bytes);
await packedEngine(packed);
await bundle();
await buildViewer({ glue: made.glue, surface: read('js', 'src', 'surface.js'), engine: packed, stage });
writeSchemas(schemas);
copyTemplate(version);
refuseMachinePaths();
console.log(path.relative(root, tarball(version)));
