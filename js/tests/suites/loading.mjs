// The package is found, loads every way, and says nothing of the machine that built it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { root } from '../package.mjs';

const NAMES = ['AgentBridge', 'Engine', 'Replayer', 'checkReport', 'readDocument', 'replay', 'rules', 'schemas', 'start', 'step', 'version'];

export default function loading(pkg) {
  const { version } = JSON.parse(fs.readFileSync(path.join(pkg.home, 'package.json'), 'utf8'));

  test('import and require give the same engine', () => {
    assert.deepEqual(Object.keys(pkg.imported).sort(), NAMES);
    assert.deepEqual(Object.keys(pkg.required).sort(), NAMES);
    assert.equal(pkg.imported.Engine, pkg.required.Engine);
    assert.equal(pkg.imported.version(), version);
    assert.equal(path.basename(pkg.tarball), `endstate-${version}.tgz`);
    assert.equal(pkg.imported.rules(), 1);
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

  test('a worker has an engine of its own', async () => {
    const source = `const { parentPort, workerData } = require('node:worker_threads');
      parentPort.postMessage(require(workerData).version());`;
    const worker = new Worker(source, { eval: true, workerData: path.join(pkg.home, 'index.cjs') });
    const answer = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    assert.equal(answer, version);
    await worker.terminate();
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
    const named = JSON.stringify(manifest).match(/"\.\/[\w./]+"/g).map((name) => JSON.parse(name)).filter((name) => /\w\.\w/.test(name));
    assert.ok(named.length > 8);
    for (const name of named) assert.ok(fs.existsSync(path.join(pkg.home, name)), name);
    const read = (name) => fs.readFileSync(path.join(pkg.home, name), 'utf8');
    assert.equal(read('index.d.ts'), read('index.d.cts'));
    for (const name of NAMES) assert.match(read('index.d.ts'), new RegExp(`export declare (function|class) ${name}\\b`));
  });

  test('no file names a place on this machine', () => {
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
    // The inlined bytes are those of the raw file, so they have been looked at as well.
    const inlined = fs.readFileSync(path.join(pkg.home, 'index.cjs'), 'utf8').match(/BYTES = '([^']+)'/)[1];
    assert.ok(Buffer.from(inlined, 'base64').equals(fs.readFileSync(path.join(pkg.home, 'engine_bg.wasm'))));
  });
}
