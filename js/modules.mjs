// The modules of WebAssembly that the package is made of. Each has a crate (`js/NAME`), a surface (`js/src/surface/NAME.js`) and
// bytes, which lie in the package once as a file and once packed; who imports one pays for no other.
//
// 1. cargo builds them beside one another, with every machine path mapped away.
// 2. wasm-bindgen (js/bindgen.mjs) writes the glue of each.
// 3. Glue, surface and a way to the bytes (WAYS) become a module `NAME-WAY.js`, for esbuild to bundle.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bindgen } from './bindgen.mjs';
import { cargoWasm } from './cargo.mjs';

const js = path.dirname(fileURLToPath(import.meta.url));

/** What each gives. */
export const MODULES = {
  engine: ['start', 'step', 'checkReport', 'checkFile', 'checkedFiles', 'readTests', 'replay', 'version', 'rules', 'Engine', 'Replayer', 'Tape', 'McpServer'],
  plan: ['readDocument', 'planParse', 'planGraph', 'planFormat', 'planCriterion'],
  agents: ['AgentBridge'],
};

/** The files of the package with bytes in them; a bundle leaves them out. */
export const BYTES = Object.keys(MODULES).flatMap((name) => [`./${name}_packed.mjs`, `./${name}_bg.wasm`]);

// Chromium compiles no more than this at once on the main thread of a page.
const MOST_BYTES = 8 << 20;

/** Builds all of them into `folder`; answers with glue and bytes of each. */
export function buildModules(folder) {
  fs.rmSync(folder, { recursive: true, force: true });
  // A protocol of one's own is a feature: ENDSTATE_FEATURES=sixth builds the example of CONTRIBUTING.md, too.
  const features = (process.env.ENDSTATE_FEATURES ?? '').split(',').filter(Boolean).map((one) => `endstate-engine/${one}`);
  const files = cargoWasm(Object.keys(MODULES).map((name) => `endstate-${name}`), features);
  return Object.fromEntries(Object.keys(MODULES).map((name, at) => [name, makeGlue(name, files[at], folder)]));
}

function makeGlue(name, wasm, folder) {
  const flags = ['--target', 'web', '--omit-default-module-path', '--no-typescript'];
  const lean = ['--remove-name-section', '--remove-producers-section'];
  execFileSync(bindgen(), [wasm, ...flags, ...lean, '--out-dir', folder, '--out-name', name], { stdio: ['ignore', 2, 2] });
  const glue = wrap(fs.readFileSync(path.join(folder, `${name}.js`), 'utf8'), MODULES[name]);
  fs.writeFileSync(path.join(folder, `${name}_wrapped.js`), glue);
  const bytes = fs.readFileSync(path.join(folder, `${name}_bg.wasm`));
  if (bytes.length > MOST_BYTES) throw new Error(`${name} has ${bytes.length} bytes, a page takes ${MOST_BYTES}`);
  return { glue, bytes };
}

// The generated module as a function that answers with a fresh copy of it.
function wrap(generated, wanted) {
  const names = [...generated.matchAll(/^export (?:class|function) (\w+)/gm)].map((hit) => hit[1]);
  const body = generated
    .replace(/^\/\* @ts-self-types=.*\*\/\n/, '')
    .replace(/^export (class|function) /gm, '$1 ')
    .replace(/^export \{[^}]*\};?\n?/gm, '');
  for (const word of [/^\s*export\b/m, /^\s*import\b/m, /import\.meta/]) {
    if (word.test(body)) throw new Error(`the glue has an unforeseen ${word}`);
  }
  for (const name of wanted) {
    if (!names.includes(name)) throw new Error(`the glue lacks ${name}`);
  }
  if (!/^function initSync\(/m.test(body)) throw new Error('the glue lacks initSync');
  return `function makeGlue() {\n${body}\nreturn { initSync, ${names.join(', ')} };\n}\n`;
}

/** Where the bytes of a module are from: the source of `getModule`. */
const WAYS = {
  packed: (name) => `import { bytes } from './${name}_packed.mjs';
export const getModule = () => new WebAssembly.Module(bytes());
`,
  // Read as it is where it lies beside this file. A bundle has it packed, in a file of its own that is only read where it is
  // needed, since to parse it makes every start slower (docs/performance.md).
  aside: (name, { bytes }) => `export const getModule = () => new WebAssembly.Module(beside() ?? require('./${name}_packed.mjs').bytes());
function beside() {
  try {
    const bytes = process.getBuiltinModule('node:fs').readFileSync(\`\${__dirname}/${name}_bg.wasm\`);
    // That of another version is not this one's.
    return bytes.length === ${bytes.length} ? bytes : undefined;
  } catch {
    return undefined;
  }
}
`,
  // Where nobody may compile bytes, the runtime imports the compiled module.
  static: (name) => `import module from './${name}_bg.wasm';\nexport const getModule = () => module;\n`,
  slim: (name, { folder }) => `export { getModule, init, initSync } from ${source(folder, 'slim.js')};\n`,
};

/** A source of ours, as it is named in an import of a file in `folder`. */
const source = (folder, name) => JSON.stringify(path.relative(folder, path.join(js, 'src', name)).replaceAll(path.sep, '/'));

/** A module as sources in `folder`, one for each way; `more` is what else one gives. */
export function writeSources(name, made, build, folder, more = () => '') {
  const put = (file, text) => fs.writeFileSync(path.join(folder, `${name}-${file}.js`), text);
  put('glue', `${made.glue}\nexport { makeGlue };\n`);
  for (const [way, from] of Object.entries(WAYS)) {
    put(`${way}-bytes`, from(name, { ...made, folder }));
    put(way, `import { makeGlue } from './${name}-glue.js';
import { getModule } from './${name}-${way}-bytes.js';
import { makeSurface } from ${source(folder, `surface/${name}.js`)};
export const { ${MODULES[name].join(', ')} } = makeSurface(makeGlue, getModule, ${JSON.stringify(build)});
${way === 'slim' ? `export { init, initSync } from './${name}-slim-bytes.js';\n` : ''}${more(way)}`);
  }
}

/** A module as the text of a file in `folder`: `makeSurface` makes it of what the bytes were compiled to. */
export const asSource = (name, glue, folder) => `${glue}
import { makeSurface as make } from ${source(folder, `surface/${name}.js`)};
export const makeSurface = (module) => make(makeGlue, () => module, '');
`;
