// Builds target/npm/endstate-<version>.tgz. Needs Node 20, npm and cargo. The package that comes of it
// needs nothing from npm: TypeScript and esbuild (js/package-lock.json) are tools of this build only.
//
//   node js/build.mjs
//
// 1. js/modules.mjs builds the modules of WebAssembly and what a bundle is made of; the engine's types come from
//    js/src/surface/engine.d.ts and, for everything that has a schema, from the schemas, which examples/schemas.rs tells.
// 2. tsc checks js/src and declares its types; esbuild makes one file of every entry (ENTRIES), and of the packed modules.
// 3. js/viewer becomes viewer.mjs and viewer.html.
// 4. The schemas and pkg-template/ are laid beside them and `npm pack` makes the tarball.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { pathToFileURL, fileURLToPath } from 'node:url';
import { TARGET } from './cargo.mjs';
import { buildModules, BYTES, MODULES, writeSources } from './modules.mjs';
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

// What a bundler or Node is given, by the name of its source, if it has more than its module. `own` is the module of WebAssembly within, and `way` says where
// its bytes are from: packed, brought by the caller (`slim`), or a module beside it (`static`). What an entry has not within it
// shares the one instance of the entry that has. A new entry (`./pi`, say) is one line here and one under
// `exports` in pkg-template/package.json: its source imports those of SHARED.
const ENTRIES = [
  { source: 'index.ts', out: 'index', own: 'engine', way: 'packed', formats: ['cjs', 'esm'], twin: 'index.node.mjs' },
  { source: 'index.ts', out: 'index.workerd', own: 'engine', way: 'static', formats: ['esm'] },
  { source: 'index.ts', out: 'slim', own: 'engine', way: 'slim', formats: ['esm'] },
  { out: 'plan', own: 'plan', way: 'packed', formats: ['cjs', 'esm'], twin: 'plan.node.mjs' },
  { out: 'plan.workerd', own: 'plan', way: 'static', formats: ['esm'] },
  { out: 'plan-slim', own: 'plan', way: 'slim', formats: ['esm'] },
  { out: 'agents', own: 'agents', way: 'packed', formats: ['cjs'], twin: 'agents.mjs' },
  { source: 'node/index.ts', out: 'node', formats: ['cjs'], twin: 'node.mjs', types: true },
  { source: 'pi/index.ts', out: 'pi', formats: ['esm'], types: true },
  { source: 'claude.ts', out: 'claude', formats: ['esm'], types: true },
  { source: 'mcp.ts', out: 'mcp', formats: ['esm'], types: true },
];
/** What an entry has of others: everything of `.`, of `./node` and of `./plan`, and the sessions of agents. */
const SHARED = { 'endstate-core': 'index', 'endstate-node': 'node', 'endstate-plan': 'plan', 'endstate-agents': 'agents' };

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

// The modules as sources, for esbuild to inline.
function sources(made, schemas) {
  fs.mkdirSync(gen, { recursive: true });
  // Four fifths of what `import` would read for names in Node, and seldom asked for.
  const told = schemasModule(schemas);
  write('schemas.mjs', told);
  write('schemas.cjs', `${told.replace('export function', 'function')}module.exports = { schemas };\n`);
  fs.writeFileSync(path.join(gen, 'schemas-aside.js'), "export const schemas = () => require('./schemas.cjs').schemas();\n");
  const also = (way) => `export { schemas } from './${way === 'aside' ? 'schemas-aside.js' : 'schemas.mjs'}';\n`;
  for (const name of Object.keys(MODULES)) {
    writeSources(name, made[name], commit(), gen, name === 'engine' ? also : undefined);
    write(`${name}_bg.wasm`, made[name].bytes);
  }
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
  for (const { source, out: name, own, way, formats, twin } of ENTRIES) {
    for (const format of formats) {
      const file = `${name}.${format === 'cjs' ? 'cjs' : 'mjs'}`;
      const bytes = way === 'packed' && format === 'cjs' ? 'aside' : way;
      const result = await build({
        entryPoints: [source ? path.join(root, 'js', 'src', source) : path.join(gen, `${own}-${bytes}.js`)],
        outfile: path.join(stage, file),
        bundle: true,
        format,
        // Names of a CommonJS file are found by Node where esbuild writes for it.
        platform: format === 'esm' && own ? 'neutral' : 'node',
        target: 'es2022',
        sourcemap: true,
        sourcesContent: false,
        logLevel: 'warning',
        metafile: true,
        plugins: [shared(own, bytes)],
        external: [...BYTES, './schemas.cjs', './schemas.mjs'],
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
  for (const { out: name } of ENTRIES.filter(({ way }) => way === 'static')) {
    const workerd = fs.readFileSync(path.join(stage, `${name}.mjs`), 'utf8');
    write(`${name.replace('workerd', 'edge-light')}.mjs`, workerd.replace(/(["'])(\.\/\w+_bg\.wasm)\1/, '$1$2?module$1'));
  }
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

// What an entry shares with others stays outside of it: one instance of a module per process.
function shared(own, way) {
  return {
    name: 'shared',
    setup(build) {
      build.onResolve({ filter: /^endstate-\w+$/ }, ({ path: name }) => {
        if (own && name === `endstate-${own}`) return { path: path.join(gen, `${own}-${way}.js`) };
        if (!SHARED[name]) throw new Error(`${name} is not for this entry`);
        if (own) throw new Error(`${name} would be inside itself`);
        return { path: `./${SHARED[name]}.cjs`, external: true };
      });
    },
  };
}

// The declarations of the engine, for tsc, and then those of every entry, each in one file.
function engineTypes(schemas) {
  fs.writeFileSync(path.join(gen, 'engine.d.ts'), `${read('js', 'src', 'surface', 'engine.d.ts')}\n${typesOf(schemas)}`);
}

function types() {
  const folder = path.join(out, 'types');
  fs.rmSync(folder, { recursive: true, force: true });
  run(process.execPath, [path.join(root, 'js', 'node_modules', 'typescript', 'bin', 'tsc'), '-p', path.join(root, 'js')]);
  const engine = fs.readFileSync(path.join(gen, 'engine.d.ts'), 'utf8');
  const core = flat(folder, 'core.d.ts');
  for (const name of ['index.d.ts', 'index.d.cts']) write(name, `/// <reference lib="esnext.disposable" />\n${engine}\n${core.text}`);
  const slim = read('js', 'src', 'slim.d.ts');
  write('slim.d.ts', slim);
  write('plan-slim.d.ts', slim.replace('./index.js', './plan.js').replace('engine_bg.wasm', 'plan_bg.wasm'));
  for (const name of ['plan', 'agents']) {
    const text = read('js', 'src', 'surface', `${name}.d.ts`);
    for (const [ending, from] of [['d.ts', 'js'], ['d.cts', 'cjs']]) write(`${name}.${ending}`, text.replace("'endstate-engine'", `'./index.${from}'`));
  }
  for (const { source, out: name, types: own, formats } of ENTRIES.filter((one) => one.types)) {
    const { text, imports, again } = flat(folder, source.replace(/\.ts$/, '.d.ts'));
    for (const [ending, from] of formats.includes('cjs') ? [['d.ts', 'js'], ['d.cts', 'cjs']] : [['d.ts', 'js']]) {
      const file = (module) => (SHARED[module] ? `./${SHARED[module]}.${from}` : module);
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

// A module for who has no file beside the code: bundles, pages, the viewer.
async function packedModule(name, packed) {
  const { build } = await esbuild();
  const contents = `import { fromBase64, unpack } from './unpack.ts';
const PACKED = '${packed.toString('base64')}';
export const bytes = () => unpack(fromBase64(PACKED));`;
  const { outputFiles: [file], metafile } = await build({
    stdin: { contents, resolveDir: path.join(root, 'js', 'src') }, bundle: true, write: false, metafile: true, format: 'esm',
    target: 'es2022', minify: true, legalComments: 'none', logLevel: 'warning',
  });
  write(`${name}_packed.mjs`, notices(Object.keys(metafile.inputs)) + file.text);
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
const made = buildModules(path.join(out, 'glue'));
const schemas = askSchemas();
sources(made, schemas);
const version = await versionOf(made.engine.bytes);
engineTypes(schemas);
types();
for (const name of Object.keys(MODULES)) {
  made[name].packed = await pack(made[name].bytes);
  await packedModule(name, made[name].packed);
}
await bundle();
await buildViewer(made, stage);
writeSchemas(schemas);
copyTemplate(version);
refuseMachinePaths();
console.log(path.relative(root, tarball(version)));
