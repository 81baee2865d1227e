// The package is found, loads every way, and says nothing of the machine that built it.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as os from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { root } from '../package.mjs';

// What the engine gives, and what the driver on top of it adds; and what the documents give.
const ENGINE = ['Engine', 'McpServer', 'Replayer', 'Tape', 'checkFile', 'checkReport', 'checkedFiles', 'readTests', 'replay', 'rules', 'schemas', 'start', 'step', 'version'];
const PLAN = ['planCriterion', 'planFormat', 'planGraph', 'planParse', 'readDocument'];
const MODULES = ['engine', 'plan', 'agents'];
const DRIVER = [
  'Driver', 'HostError', 'Mission', 'PROGRESS_EVERY', 'SESSION', 'Signs', 'Stop', 'StopFlag', 'answerMission', 'clip', 'commandMission',
  'consultHandler', 'createMission', 'diagnostic', 'effectOf', 'expectedAnswer', 'isEngineError', 'isHostError', 'isStructured', 'lastOf', 'lostRun',
  'memoryHost', 'noMission', 'open', 'openMission', 'peekMission', 'playInProcess', 'printable', 'problem', 'prove', 'readAnswer', 'requestOf',
  'snapshotText', 'startedRun', 'unproven', 'words',
];
const NAMES = [...ENGINE, ...DRIVER].sort();

export default function loading(pkg) {
  const { version: packed } = JSON.parse(fs.readFileSync(path.join(pkg.home, 'package.json'), 'utf8'));

  // The version says which commit it was built from.
  const version = pkg.imported.version();

  test('the version names the commit', () => {
    const head = execFileSync('git', ['rev-parse', '--short=10', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
    assert.match(version, new RegExp(`^${packed.replaceAll('.', '\\.')}\\+${head}(\\.dirty)?$`));
  });

  test('import and require give the same engine', () => {
    assert.deepEqual(Object.keys(pkg.imported).sort(), NAMES);
    assert.deepEqual(Object.keys(pkg.required).sort(), NAMES);
    assert.equal(pkg.imported.Engine, pkg.required.Engine);
    assert.equal(path.basename(pkg.tarball), `endstate-${packed}.tgz`);
    assert.equal(pkg.imported.rules(), 4);
  });

  test('the entry for browsers and bundlers works on its own', async () => {
    const web = await import(pathToFileURL(path.join(pkg.home, 'index.mjs')));
    assert.equal(web.version(), version);
    assert.deepEqual(Object.keys(web).sort(), NAMES);
  });

  test('the slim entry works with a module that is brought, and says so without', async () => {
    const slim = await import(pathToFileURL(path.join(pkg.home, 'slim.mjs')));
    assert.throws(() => slim.version(), /call init/);
    await slim.init(fs.readFileSync(path.join(pkg.home, 'engine_bg.wasm')));
    assert.equal(slim.version(), version);
  });

  test('the documents load every way, each by itself and without the engine', async () => {
    const from = createRequire(path.join(pkg.folder, 'entry.mjs'));
    const [web, slim] = await Promise.all(['plan.mjs', 'plan-slim.mjs'].map((name) => import(pathToFileURL(path.join(pkg.home, name)))));
    assert.throws(() => slim.planCriterion('It greets.'), /call init/);
    await slim.init(fs.readFileSync(path.join(pkg.home, 'plan_bg.wasm')));
    const ways = { imported: pkg.plan, required: from('endstate/plan'), web, slim };
    assert.equal(ways.imported.planParse, ways.required.planParse);
    for (const [way, one] of Object.entries(ways)) {
      assert.deepEqual(Object.keys(one).filter((name) => !/^init/.test(name)).sort(), PLAN, way);
      assert.deepEqual(one.planCriterion('It greets.'), { commands: [], judged: true }, way);
    }
    const read = (name) => fs.readFileSync(path.join(pkg.home, name), 'utf8');
    assert.doesNotMatch(read('plan.mjs') + read('plan.cjs'), /engine_(packed|bg)|index\.cjs/);
    assert.doesNotMatch(read('index.mjs') + read('index.cjs'), /(plan|agents)_(packed|bg)/);
  });

  test('what nobody asks of the engine is not in it, and what is asked is in the package twice, once packed', () => {
    const exported = (name) => WebAssembly.Module.exports(new WebAssembly.Module(fs.readFileSync(path.join(pkg.home, `${name}_bg.wasm`))))
      .map((one) => one.name).filter((one) => PLAN.includes(one) || /^agentbridge_/.test(one));
    assert.deepEqual([exported('engine'), exported('plan').sort()], [[], PLAN]);
    assert.ok(exported('agents').length > 5);
    const all = fs.readdirSync(pkg.home).filter((name) => /\.wasm$|_packed\.mjs$/.test(name)).sort();
    assert.deepEqual(all, MODULES.flatMap((name) => [`${name}_bg.wasm`, `${name}_packed.mjs`]).sort());
  });

  test('a worker has an engine of its own', async () => {
    const source = `const { parentPort, workerData } = require('node:worker_threads');
      parentPort.postMessage(require(workerData).version());`;
    const worker = new Worker(source, { eval: true, workerData: path.join(pkg.home, 'index.cjs') });
    const answer = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    assert.equal(answer, version);
    await worker.terminate();
  });

  test('the Node host shares the one engine of the process, and says what it has', () => {
    const required = createRequire(path.join(pkg.folder, 'entry.mjs'))('endstate/node');
    const names = [
      'AgentBridge', 'Redactor', 'archiveMission', 'archivedWords', 'completionConfig', 'docsSurfaces', 'drivenBy', 'execAgent', 'findProgram', 'gridConfig', 'iterationConfig', 'lookForAgent', 'nodeHost', 'ownProgram', 'parseAgent',
      'playScenario', 'promiseConfig', 'realAgent', 'refuseRun', 'repositoryRoot', 'roomFiles', 'scriptAgent', 'serveMcp', 'serveViewer', 'splitWords', 'sprintConfig', 'stopHook', 'terminal', 'testCommands', 'viewerFile', 'writeViewer',
    ];
    assert.deepEqual(Object.keys(pkg.host).sort(), names);
    assert.equal(required.nodeHost, pkg.host.nodeHost);
    assert.throws(() => pkg.host.parseAgent('shell:ls'), pkg.imported.HostError);
  });

  test('the raw engine and every schema have an address of their own', () => {
    const resolve = (name) => createRequire(path.join(pkg.folder, 'entry.mjs')).resolve(name);
    assert.equal(resolve('endstate/engine.wasm'), resolve('endstate/engine_bg.wasm'));
    assert.equal(resolve('endstate/plan.wasm'), resolve('endstate/plan_bg.wasm'));
    for (const [name, schema] of Object.entries(pkg.imported.schemas())) {
      assert.deepEqual(JSON.parse(fs.readFileSync(resolve(`endstate/schemas/${name}.json`), 'utf8')), schema);
    }
  });

  test('types of every entry stand up to a strict compiler', () => {
    const file = path.join(pkg.folder, 'uses.mts');
    fs.writeFileSync(file, `import { createMission, memoryHost, type Agent, type Happening, type View } from 'endstate';
      import { AgentBridge, nodeHost, execAgent } from 'endstate/node';
      import { planParse, readDocument } from 'endstate/plan';
      export const read: string = [readDocument('agent', '{}').name, ...planParse('').remarks.map(({ got }) => got)].join();
      export const bridge = (): string => new AgentBridge('{}').launch().install;
      const agent: Agent = execAgent(['true']);
      const host = nodeHost({ root: '.', agent });
      export async function drive(): Promise<View> {
        const settings = { mission: 'm', project_name: 'p' };
        const mission = await createMission({ host: memoryHost(), config: { mission: { protocol: 'completion', settings } } });
        for await (const one of mission) { const h: Happening = one; if (h.type === 'event') console.log(h.event.fact.type, host.root); }
        return mission.status();
      }\n`);
    fs.writeFileSync(path.join(pkg.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: {
      strict: true, module: 'nodenext', target: 'es2022', lib: ['es2023', 'dom', 'dom.asynciterable'], noEmit: true, skipLibCheck: false,
      types: ['node'], typeRoots: [path.join(root, 'js', 'node_modules', '@types')],
    }, files: ['uses.mts'] }));
    const tsc = path.join(root, 'js', 'node_modules', 'typescript', 'bin', 'tsc');
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', pkg.folder], { encoding: 'utf8' });
    assert.equal(status, 0, stdout.slice(0, 2_000));
    // And without a word of Node's types or of a library, for a caller who has only what a compiler brings.
    const bare = path.join(pkg.folder, 'bare');
    fs.mkdirSync(bare);
    fs.writeFileSync(path.join(bare, 'uses.mts'), "import { createMission, memoryHost } from 'endstate';\nexport const made = { createMission, memoryHost };\n");
    fs.writeFileSync(path.join(bare, 'tsconfig.json'), JSON.stringify({ compilerOptions: {
      strict: true, module: 'nodenext', target: 'es2022', types: [], noEmit: true, skipLibCheck: false,
    } }));
    const alone = spawnSync(process.execPath, [tsc, '-p', bare], { encoding: 'utf8' });
    assert.equal(alone.status, 0, alone.stdout.slice(0, 2_000));
  });

  test('schemas have their marks', () => {
    const schemas = pkg.imported.schemas();
    for (const name of ['snapshot', 'event', 'effect', 'config', 'journal-header', 'journal-entry', 'decided', 'why', 'view', 'error']) {
      assert.equal(schemas[name].$id, `endstate:${name}`);
      assert.equal(schemas[name].$schema, 'https://json-schema.org/draft/2020-12/schema');
    }
    assert.equal(JSON.stringify(schemas), JSON.stringify(pkg.required.schemas()));
  });

  test('everything that package.json names is there, and every type has its twin', () => {
    const manifest = JSON.parse(fs.readFileSync(path.join(pkg.home, 'package.json'), 'utf8'));
    const named = JSON.stringify(manifest).match(/"\.\/[\w./]+"/g).map((name) => JSON.parse(name)).filter((name) => /\w\.\w/.test(name))
      // An address of its own for a file that has another name.
      .map((name) => (/^\.\/(engine|plan)\.wasm$/.test(name) ? manifest.exports[name] : name));
    assert.ok(named.length > 8);
    for (const name of named) assert.ok(fs.existsSync(path.join(pkg.home, name)), name);
    const read = (name) => fs.readFileSync(path.join(pkg.home, name), 'utf8');
    assert.equal(read('index.d.ts'), read('index.d.cts'));
    for (const name of ['plan', 'agents']) assert.equal(read(`${name}.d.ts`).replaceAll('.js\'', ''), read(`${name}.d.cts`).replaceAll('.cjs\'', ''));
    assert.equal(read('node.d.ts').replaceAll('.js\'', ''), read('node.d.cts').replaceAll('.cjs\'', ''));
    for (const name of NAMES) assert.match(read('index.d.ts'), new RegExp(`export declare (function|class|const) ${name}\\b`));
  });

  test('no file names a place on this machine', async () => {
    const places = [root, os.homedir(), pkg.folder, process.env.CARGO_HOME].filter((place) => place?.length > 1);
    places.push(execFileSync('rustc', ['--print', 'sysroot'], { cwd: root, encoding: 'utf8' }).trim());
    const shapes = /(?<![\w.])\/(?:home|Users|root|tmp|work|opt)\/[\w.-]+\/|crates\.io-/;
    let seen = 0;
    for (const name of fs.readdirSync(pkg.home, { recursive: true })) {
      const file = path.join(pkg.home, name);
      if (fs.statSync(file).isDirectory()) continue;
      const text = fs.readFileSync(file, 'latin1');
      for (const place of places) assert.ok(!text.includes(`${place}/`), `${name} names ${place}`);
      assert.equal(text.match(shapes)?.[0], undefined, name);
      seen += 1;
    }
    assert.ok(seen >= 10);
    // The packed bytes are those of the raw file, so they have been looked at as well.
    for (const name of MODULES) {
      const raw = fs.readFileSync(path.join(pkg.home, `${name}_bg.wasm`));
      const { bytes } = await import(pathToFileURL(path.join(pkg.home, `${name}_packed.mjs`)));
      assert.ok(Buffer.from(bytes()).equals(raw), name);
    }
  });

  test('a packed engine with a changed letter is none', async () => {
    const copy = path.join(pkg.folder, 'damaged');
    fs.mkdirSync(copy);
    for (const name of ['index.mjs', 'schemas.mjs', 'engine_packed.mjs']) fs.copyFileSync(path.join(pkg.home, name), path.join(copy, name));
    const file = path.join(copy, 'engine_packed.mjs');
    const text = fs.readFileSync(file, 'utf8');
    const middle = text.length >> 1;
    fs.writeFileSync(file, text.slice(0, middle) + (text[middle] === 'A' ? 'B' : 'A') + text.slice(middle + 1));
    const { version } = await import(pathToFileURL(path.join(copy, 'index.mjs')));
    assert.throws(() => version(), { name: 'EndstateError', code: 'engine_unavailable', at: 'engine.wasm' });
  });
}
