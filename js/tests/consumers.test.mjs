// The packed package in the hands of others: every way of loading it drives a mission to its end.
//
//   node --test js/tests/consumers.test.mjs
//
// The tools (TypeScript, Vite, esbuild, Deno, …) are those of js/tests/consumers/package-lock.json, put into
// the cache of tests/cache.mjs the first time. Pages run in the Chromium of this machine (CHROMIUM names another).
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as http from 'node:http';
import * as os from 'node:os';
import * as path from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { chromium, tools } from './consumers/tools.mjs';
import { installed, root } from './package.mjs';

const pkg = await installed();
after(() => pkg.remove());
const { bin, load } = tools();

const folder = (name) => {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), `endstate-${name}-`));
  after(() => fs.rmSync(made, { recursive: true, force: true }));
  fs.mkdirSync(path.join(made, 'node_modules'));
  fs.cpSync(pkg.home, path.join(made, 'node_modules', 'endstate'), { recursive: true });
  fs.writeFileSync(path.join(made, 'package.json'), '{"name":"somebody-else","private":true,"type":"module"}\n');
  return made;
};

const run = (program, args, cwd) => {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } });
  assert.equal(status, 0, `${program} ${args.join(' ')}\n${stdout}\n${stderr}`);
  return stdout.trim();
};

/** A mission in memory: an agent that is done when it says so, at its second run. */
const DRIVE = `
const definition = readDocument('agent', JSON.stringify({
  name: 'helper',
  behavior: { completionType: 'manual', completionConfig: { completionKeyword: 'ALL DONE' } },
}));
const host = memoryHost({ agent: ({ visit }) => ({ report: visit < 2 ? 'Half of it.' : 'The rest.\\nALL DONE' }) });
const settings = { mission: 'Write a page.', definition };
const config = { mission: { protocol: 'iteration' as const, settings } };
const mission = await createMission({ host, config });
let runs = 0;
for await (const happening of mission) {
  if (happening.type === 'event' && happening.event.fact.type === 'run_ended') runs += 1;
}
const ended: string = await mission.continuation();
const chain = replay(new TextEncoder().encode(host.journal())).chain;
await mission.close();
`;
const TOLD = /^done after 2 runs, chain [0-9a-f]{64}$/;
const TELL = '`${ended} after ${runs} runs, chain ${chain}`';
/** The engine and, as a module of its own, the documents; those of `endstate/plan` by this name where they are no package. */
const imports = (engine = 'endstate', plan = `${engine}/plan`) => `import { createMission, memoryHost, replay } from '${engine}';
import { readDocument } from '${plan}';
`;
const plain = DRIVE.replace(/ as const|: string/g, '');
const esm = `${imports()}${plain}`;

test('Node imports it', () => {
  const here = folder('esm');
  fs.writeFileSync(path.join(here, 'main.mjs'), `${esm}console.log(${TELL});\n`);
  assert.match(run(process.execPath, ['main.mjs'], here), TOLD);
});

test('Node requires it', () => {
  const here = folder('cjs');
  const body = `const { createMission, memoryHost, replay } = require('endstate');\nconst { readDocument } = require('endstate/plan');\n(async () => {${plain}console.log(${TELL});\n})();\n`;
  fs.writeFileSync(path.join(here, 'main.cjs'), body);
  assert.match(run(process.execPath, ['main.cjs'], here), TOLD);
});

for (const [module, resolution] of [['nodenext', 'nodenext'], ['esnext', 'bundler']]) {
  for (const extension of resolution === 'nodenext' ? ['mts', 'cts'] : ['mts']) {
    test(`TypeScript compiles it with ${resolution} (.${extension})`, () => {
      const here = folder('ts');
      const body = extension === 'mts' ? `${imports()}${DRIVE}console.log(${TELL});\n`
        : `${imports()}void (async () => {${DRIVE}console.log(${TELL});\n})();\n`;
      fs.writeFileSync(path.join(here, `main.${extension}`), body);
      const options = ['--strict', '--target', 'es2022', '--module', module, '--moduleResolution', resolution, '--types', ''];
      const lib = ['--lib', 'es2022,dom,esnext.disposable,dom.asynciterable'];
      run(bin('tsc'), [...options, ...lib, '--skipLibCheck', 'false', `main.${extension}`], here);
      assert.match(run(process.execPath, [`main.${extension.replace('ts', 'js')}`], here), TOLD);
    });
  }
}

test('esbuild bundles it for Node and for browsers', () => {
  const here = folder('esbuild');
  fs.writeFileSync(path.join(here, 'main.mjs'), `${esm}console.log(${TELL});\n`);
  for (const platform of ['node', 'browser']) {
    const args = ['main.mjs', '--bundle', `--platform=${platform}`, '--format=esm', `--outfile=${platform}.mjs`, '--log-level=warning'];
    assert.equal(run(bin('esbuild'), args, here), '');
    fs.rmSync(path.join(here, 'alone'), { recursive: true, force: true });
    fs.mkdirSync(path.join(here, 'alone'));
    fs.copyFileSync(path.join(here, `${platform}.mjs`), path.join(here, 'alone', 'main.mjs'));
    assert.match(run(process.execPath, ['main.mjs'], path.join(here, 'alone')), TOLD);
  }
});

test('Deno runs it', () => {
  const here = folder('deno');
  fs.writeFileSync(path.join(here, 'main.mjs'), `${esm}console.log(${TELL});\n`);
  const args = ['run', '--quiet', '--no-remote', '--no-lock', '--node-modules-dir=manual', 'main.mjs'];
  assert.match(run(bin('deno'), args, here), TOLD);
});

test('Bun runs it', () => {
  const here = folder('bun');
  fs.writeFileSync(path.join(here, 'main.mjs'), `${esm}console.log(${TELL});\n`);
  assert.match(run(bin('bun'), ['main.mjs'], here), TOLD);
});

const WASM = ['engine_bg.wasm', 'plan_bg.wasm'];

/** A worker of one fetch that drives the mission, bundled as its platform does: with its conditions, the modules beside it. */
function workers(conditions) {
  const here = folder('workers');
  const handler = `${imports()}export default { async fetch() {${plain}return new Response(${TELL}); } };\n`;
  fs.writeFileSync(path.join(here, 'main.mjs'), handler);
  const args = ['main.mjs', '--bundle', '--format=esm', `--conditions=${conditions}`, ...WASM.map((name) => `--external:./${name}*`), '--outfile=out/worker.mjs', '--log-level=warning'];
  assert.equal(run(bin('esbuild'), args, here), '');
  for (const name of WASM) fs.copyFileSync(path.join(pkg.home, name), path.join(here, 'out', name));
  return path.join(here, 'out');
}

/** What `workerd` answers that serves this worker, on a port of its own choice. */
async function fetched(out) {
  fs.writeFileSync(path.join(out, 'worker.capnp'), `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    compatibilityDate = "2026-01-01",
    modules = [(name = "worker.mjs", esModule = embed "worker.mjs"), ${WASM.map((name) => `(name = "${name}", wasm = embed "${name}")`).join(', ')}],
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`);
  const child = spawn(bin('workerd'), ['serve', 'worker.capnp', '--control-fd=3'], { cwd: out, stdio: ['ignore', 'inherit', 'pipe', 'pipe'] });
  return served(child, child.stdio[3], /"event":"listen"[^\n]*"port":(\d+)/, async (at, said) => {
    const answer = await fetch(at);
    assert.equal(answer.status, 200, said());
    return answer.text();
  });
}

/** Looks at what a server serves on the port that it says it listens on, and ends the server. */
async function served(child, tells, port, look) {
  const faults = [];
  child.stderr.on('data', (piece) => faults.push(piece));
  const said = () => String(Buffer.concat(faults));
  try {
    const found = await new Promise((resolve, reject) => {
      let all = '';
      tells.on('data', (piece) => {
        all += piece;
        if (port.test(all)) resolve(port.exec(all)[1]);
      });
      child.once('error', reject);
      child.once('exit', (status) => reject(new Error(`the server ended with ${status}: ${all}\n${said()}`)));
    });
    return await look(`http://127.0.0.1:${found}/`, said);
  } finally {
    const gone = child.exitCode ?? new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }
}

test('a worker of Cloudflare imports it: workerd compiles no bytes and is given the module', async () => {
  assert.match(await fetched(workers('workerd,worker,browser')), TOLD);
});

test('an edge function imports it with the module that its platform makes', async () => {
  const out = workers('edge-light,worker,browser');
  const file = path.join(out, 'worker.mjs');
  // What such a platform puts in the place of these imports; nothing there may compile bytes.
  const text = fs.readFileSync(file, 'utf8');
  const made = text.replace(/^import (\w+) from "\.\/(\w+_bg\.wasm)\?module";$/gm, "const $1 = globalThis.modules['$2'];");
  assert.equal(made.split('globalThis.modules').length, 1 + WASM.length);
  fs.writeFileSync(file, made);
  fs.writeFileSync(path.join(out, 'main.mjs'), `import fs from 'node:fs';
globalThis.modules = Object.fromEntries(${JSON.stringify(WASM)}.map((name) => [name, new WebAssembly.Module(fs.readFileSync(name))]));
WebAssembly.Module = new Proxy(WebAssembly.Module, { construct() { throw new WebAssembly.CompileError('disallowed by embedder'); } });
const { default: worker } = await import('./worker.mjs');
console.log(await (await worker.fetch()).text());
`);
  assert.match(run(process.execPath, ['main.mjs'], out), TOLD);
});

/** Serves a folder on loopback; answers with its address and a way to end it. */
async function serve(root) {
  const types = { '.html': 'text/html', '.mjs': 'text/javascript', '.js': 'text/javascript', '.wasm': 'application/wasm' };
  const server = http.createServer((request, response) => {
    const file = path.join(root, path.normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname)));
    if (!fs.existsSync(file) || fs.statSync(file).isDirectory()) return response.writeHead(404).end();
    response.setHeader('content-type', types[path.extname(file)] ?? 'application/octet-stream');
    response.setHeader('content-security-policy', "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'");
    response.end(fs.readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { at: `http://127.0.0.1:${server.address().port}`, end: () => new Promise((resolve) => server.close(resolve)) };
}

/** Opens an address in a real browser and waits until its page has told how the mission came out. */
async function shown(address, look = (tab) => tab.title()) {
  const { default: { chromium: browsers } } = await load('playwright-core');
  const browser = await browsers.launch({ executablePath: chromium(), args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const tab = await browser.newPage();
    const faults = [];
    tab.on('pageerror', (error) => faults.push(String(error)));
    tab.on('console', (line) => line.type() === 'error' && faults.push(line.text()));
    await tab.goto(address);
    await tab.waitForFunction(() => document.title !== '', undefined, { timeout: 30_000 }).catch((error) => {
      throw new Error(`${error}\n${faults.join('\n')}`);
    });
    return await look(tab);
  } finally {
    await browser.close();
  }
}

/** The same of a page in a folder. */
async function told(root, page, look) {
  const server = await serve(root);
  try {
    return await shown(`${server.at}/${page}`, look);
  } finally {
    await server.end();
  }
}

const HOME = './node_modules/endstate';
const MAP = imports(`${HOME}/index.mjs`, `${HOME}/plan.mjs`);

test('a page loads it as a module', async () => {
  const here = folder('page');
  fs.writeFileSync(path.join(here, 'main.mjs'), `${MAP}${plain}document.title = ${TELL};\n`);
  fs.writeFileSync(path.join(here, 'page.html'), '<!doctype html><html lang="en"><script type="module" src="main.mjs"></script></html>\n');
  assert.match(await told(here, 'page.html'), TOLD);
});

test('the example of a page is played by hand', async () => {
  const here = folder('example');
  fs.cpSync(path.join(root, 'examples', 'page'), here, { recursive: true });
  const said = await told(here, 'index.html', async (tab) => {
    for (const report of ['one', 'two \u0007<b>', 'COUNTED']) {
      await tab.getByText(/^Run \d+ is yours/).waitFor();
      await tab.getByLabel('Report').fill(report);
      await tab.getByRole('button').click();
    }
    await tab.getByText(/^done: /).waitFor();
    return tab.getByRole('status').textContent();
  });
  assert.match(said, /^done: after iteration 3: /);
});

test('a worker loads it as a module', async () => {
  const here = folder('worker');
  fs.writeFileSync(path.join(here, 'worker.mjs'), `${MAP}${plain}postMessage(${TELL});\n`);
  const page = "new Worker('worker.mjs', { type: 'module' }).onmessage = ({ data }) => { document.title = data; };\n";
  fs.writeFileSync(path.join(here, 'main.mjs'), page);
  fs.writeFileSync(path.join(here, 'page.html'), '<!doctype html><html lang="en"><script type="module" src="main.mjs"></script></html>\n');
  assert.match(await told(here, 'page.html'), TOLD);
});

test('the slim entry takes the bytes that the page fetched', async () => {
  const here = folder('slim');
  const slim = `${imports(`${HOME}/slim.mjs`, `${HOME}/plan-slim.mjs`)}import { init } from '${HOME}/slim.mjs';
import { init as initPlan } from '${HOME}/plan-slim.mjs';
await init(new URL('${HOME}/engine_bg.wasm', import.meta.url));
await initPlan(fetch('${HOME}/plan_bg.wasm'));
`;
  fs.writeFileSync(path.join(here, 'main.mjs'), `${slim}${plain}document.title = ${TELL};\n`);
  fs.writeFileSync(path.join(here, 'page.html'), '<!doctype html><html lang="en"><script type="module" src="main.mjs"></script></html>\n');
  assert.match(await told(here, 'page.html'), TOLD);
});

test('Vite builds a page with it', async () => {
  const here = folder('vite');
  fs.writeFileSync(path.join(here, 'main.mjs'), `${esm}document.title = ${TELL};\n`);
  fs.writeFileSync(path.join(here, 'index.html'), '<!doctype html><html lang="en"><script type="module" src="/main.mjs"></script></html>\n');
  run(bin('vite'), ['build', '--logLevel', 'warn'], here);
  assert.match(await told(path.join(here, 'dist'), 'index.html'), TOLD);
});

test('Vite builds a page whose worker is a module', async () => {
  const here = folder('vite-worker');
  fs.writeFileSync(path.join(here, 'worker.mjs'), `${esm}postMessage(${TELL});\n`);
  const page = "new Worker(new URL('./worker.mjs', import.meta.url), { type: 'module' }).onmessage = ({ data }) => { document.title = data; };\n";
  fs.writeFileSync(path.join(here, 'main.mjs'), page);
  fs.writeFileSync(path.join(here, 'index.html'), '<!doctype html><html lang="en"><script type="module" src="/main.mjs"></script></html>\n');
  fs.writeFileSync(path.join(here, 'vite.config.mjs'), "export default { worker: { format: 'es' } };\n");
  run(bin('vite'), ['build', '--logLevel', 'warn'], here);
  assert.match(await told(path.join(here, 'dist'), 'index.html'), TOLD);
});

test('Next.js drives it in a component of the server and in one of the page', async () => {
  const here = folder('next');
  // Links to the tools, which lie elsewhere.
  for (const name of ['next', 'react', 'react-dom']) fs.symlinkSync(path.join(bin('.'), '..', name), path.join(here, 'node_modules', name));
  const files = {
    'next.config.mjs': "export default { turbopack: { root: '/' } };\n",
    'app/layout.jsx': 'export default function Layout({ children }) { return <html lang="en"><body>{children}</body></html>; }\n',
    'app/drive.mjs': `${imports()}export async function drive() {${plain}return ${TELL};\n}\n`,
    'app/client.jsx': `'use client';
import { useEffect } from 'react';
import { drive } from './drive.mjs';
export default function Client() { useEffect(() => { drive().then((told) => { document.title = told; }); }, []); return null; }\n`,
    'app/page.jsx': `import Client from './client.jsx';
import { drive } from './drive.mjs';
export const dynamic = 'force-dynamic';
export default async function Page() { return <><output>{await drive()}</output><Client /></>; }\n`,
  };
  fs.mkdirSync(path.join(here, 'app'));
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(here, name), text);
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };
  execFileSync(bin('next'), ['build'], { cwd: here, env, stdio: 'pipe' });
  const child = spawn(bin('next'), ['start', '-H', '127.0.0.1', '-p', '0'], { cwd: here, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [page, server] = await served(child, child.stdout, /http:\/\/127\.0\.0\.1:(\d+)[^]*Ready/, (at) =>
    shown(at, async (tab) => [await tab.title(), await tab.getByRole('status').textContent()]));
  assert.match(page, TOLD);
  assert.match(server, TOLD);
});

test('a page whose policy forbids WebAssembly says so', async () => {
  const here = folder('blocked');
  const call = "import { version } from './node_modules/endstate/index.mjs';\ntry { version(); document.title = 'loaded'; } catch (error) { document.title = `${error.code} ${error.cause.name}`; }\n";
  fs.writeFileSync(path.join(here, 'main.mjs'), call);
  const policy = '<meta http-equiv="content-security-policy" content="script-src \'self\'">';
  fs.writeFileSync(path.join(here, 'page.html'), `<!doctype html><html lang="en">${policy}<script type="module" src="main.mjs"></script></html>\n`);
  assert.equal(await told(here, 'page.html'), 'engine_unavailable CompileError');
});

test('a wrong entry of the package is refused by name', () => {
  const here = folder('wrong');
  fs.writeFileSync(path.join(here, 'main.mjs'), "import 'endstate/nothing-of-the-kind';\n");
  const { status, stderr } = spawnSync(process.execPath, ['main.mjs'], { cwd: here, encoding: 'utf8' });
  assert.notEqual(status, 0);
  assert.match(stderr, /ERR_PACKAGE_PATH_NOT_EXPORTED/);
});

test('publint finds nothing', async () => {
  const { publint } = await load('publint');
  const { messages } = await publint({ pkgDir: pkg.home, strict: true });
  assert.deepEqual(messages.map(({ code, path: place }) => `${code} ${place.join('.')}`), []);
});

test('are the types wrong? No.', () => {
  // Entries that are data, and no module.
  const data = ['./engine_bg.wasm', './engine.wasm', './plan_bg.wasm', './plan.wasm', './viewer.html'];
  const args = [pkg.tarball, '--format', 'ascii', '--no-emoji', '--profile', 'node16', '--exclude-entrypoints', ...data,
    // The slim entry is for browsers and workers, and a module only.
    '--ignore-rules', 'cjs-resolves-to-esm'];
  run(bin('attw'), args, pkg.folder);
});

test('the schemas of the package are those the engine tells', async () => {
  const { schemas } = await import(pathToFileURL(path.join(pkg.folder, 'entry.mjs')));
  for (const [name, schema] of Object.entries(schemas())) {
    const file = path.join(pkg.home, 'schemas', `${name}.json`);
    assert.deepEqual(JSON.parse(fs.readFileSync(file, 'utf8')), schema, name);
  }
});

test('two copies of the package drive one mission, one after the other', () => {
  const here = folder('first');
  const other = folder('second');
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: here });
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-q', '--allow-empty', '-m', 'first'], { cwd: here });
  const open = (what) => `import { ${what} } from 'endstate';
import { readDocument } from 'endstate/plan';
import { nodeHost } from 'endstate/node';
const agent = { name: 'two runs', play: ({ visit }) => ({ report: visit < 2 ? 'Half.' : 'ALL DONE' }) };
const host = nodeHost({ root: ${JSON.stringify(here)}, agent });
`;
  const begin = `${open('createMission')}${plain.match(/const definition[^]*?\}\)\);/)[0]}
const config = { mission: { protocol: 'iteration', settings: { mission: 'Write a page.', definition } } };
const mission = await createMission({ host, config });
await mission.run({ on: ({ type, event }) => { if (type === 'event' && event.fact.type === 'run_ended') void mission.pause(); } });
console.log(await mission.continuation());
await mission.close();
`;
  const goOn = `${open('openMission')}
const mission = await openMission({ host });
await mission.resume();
await mission.run();
console.log(await mission.continuation());
await mission.close();
`;
  fs.writeFileSync(path.join(here, 'begin.mjs'), begin);
  fs.writeFileSync(path.join(other, 'go-on.mjs'), goOn);
  assert.equal(run(process.execPath, ['begin.mjs'], here), 'paused');
  assert.equal(run(process.execPath, ['go-on.mjs'], other), 'done');
});
