// What lies beside the canonical files, in the directories they lie in: whatever somebody put there who was not asked
// to. Links are never followed. Twin of src/native/beside.rs.

import type { PathDigest } from 'endstate-core';
import * as fs from 'node:fs';
import { digestOf } from './files.js';
import { MOST_PATHS } from './git.js';
import type { Git } from './git.js';

const SLASH = Buffer.from('/');
const NUL = Buffer.of(0);

/**
 * Every file below `within`, sorted, but for the `known` ones and those below `without`. All three are paths from the
 * root; directories end in a slash.
 */
export function beside(git: Git, known: PathDigest[], within: string[], without: string[]): PathDigest[] {
  const ours = new Set(known.map((one) => one.path));
  const paths: Buffer[] = [];
  const left = within.map((one) => Buffer.from(one));
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    const here = Buffer.concat([Buffer.from(`${git.root}/`), folder]);
    if (without.includes(folder.toString()) || !isFolder(here)) continue;
    let entries: fs.Dirent<Buffer>[];
    try {
      entries = fs.readdirSync(here, { encoding: 'buffer', withFileTypes: true });
    } catch {
      paths.push(folder);
      continue;
    }
    for (const entry of entries) {
      const name = Buffer.concat([folder, entry.name]);
      if (entry.isDirectory()) left.push(Buffer.concat([name, SLASH]));
      else paths.push(name);
    }
  }
  const strange = paths.filter((name) => !ours.has(name.toString())).sort(Buffer.compare);
  const rest = strange.splice(MOST_PATHS);
  const seen = strange.map((name) => git.digest(name));
  if (rest.length > 0) {
    // A directory this full is only ever compared with itself.
    const joined = Buffer.concat(rest.flatMap((name, at) => (at === 0 ? [name] : [NUL, name])));
    seen.push({ path: `(${rest.length} more paths)`, digest: digestOf(joined) });
  }
  return seen;
}

function isFolder(name: Buffer): boolean {
  // A slash at the end would follow a link.
  const plain = name.at(-1) === SLASH[0] ? name.subarray(0, -1) : name;
  try {
    return fs.lstatSync(plain).isDirectory();
  } catch {
    return false;
  }
}
