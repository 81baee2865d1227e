// What the package and the viewer have in common when they are built: how bytes are packed, and the licences that go with it.
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { crc32 } from 'node:zlib';

const js = path.dirname(fileURLToPath(import.meta.url));
const require = createRequire(path.join(js, 'package.json'));

/**
 * For src/unpack.ts: a quarter smaller than what browsers unpack by themselves, for 7 kB of unpacker and a fifth of a second.
 */
export async function pack(bytes) {
  const { Zstd } = await import(pathToFileURL(require.resolve('@hpcc-js/wasm-zstd')).href);
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(crc32(bytes));
  return Buffer.from((await Zstd.load()).compress(Buffer.concat([sum, bytes]), 22));
}

/** The licences of all that was packed in from npm, which every copy has to carry; `inputs` are files as esbuild names them. */
export function notices(inputs) {
  const names = new Set(inputs.map((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]).filter(Boolean));
  const told = [...names].sort().map((name) => {
    const folder = path.join(js, 'node_modules', name);
    const { version } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
    const text = fs.readFileSync(path.join(folder, 'LICENSE'), 'utf8').trim();
    // The page is no UTF-8, and its policy has the digest of its script.
    if (/\*\/|[^\n\x20-\x7e]/.test(text)) throw new Error(`the licence of ${name} cannot stand in a comment as it is`);
    return `With ${name} ${version}:\n\n${text}\n`;
  });
  return told.length > 0 ? `/*!\n${told.join('\n')}*/\n` : '';
}
