// Locks that a killed git has left. Twin of src/native/stale_locks.rs.
//
// A git that is killed while it changes something leaves its `*.lock` files, and every git after it refuses to
// work until a person takes them away. Where the driver itself ended what was running, or found that it was
// ended, it takes them away: only locks that stand still, and only where the system shows that no git works in
// the repository.

import * as fs from 'node:fs';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { quietly } from './durable.js';
import { Git } from './git.js';
import { gitWorksIn } from './processes.js';

/** How long a lock stands before it can count as left, in milliseconds. */
const STANDING = 2_000;

/**
 * Takes away the locks of the repository at `root` that nobody holds; answers with their names. What cannot be
 * known or done is left as it is: git then says itself what stands in its way.
 */
export async function releaseLeftLocks(root: string): Promise<string[]> {
  const released: string[] = [];
  for (const [name, file] of await locks(root)) {
    const found = lockAt(file);
    if (found === undefined) continue;
    await sleep(Math.max(0, Math.min(STANDING, STANDING - (Date.now() - Number(found.mtimeMs)))));
    const now = lockAt(file);
    const same = now !== undefined && now.ino === found.ino && now.mtimeNs === found.mtimeNs;
    if (!same || gitWorksIn(directories(root, file))) continue;
    quietly(() => {
      fs.unlinkSync(file);
      released.push(name);
    });
  }
  return released;
}

function lockAt(file: string): fs.BigIntStats | undefined {
  const found = fs.lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return found?.isFile() ? found : undefined;
}

/** The locks that the making of a commit takes, with the names git has for them. */
async function locks(root: string): Promise<[string, string][]> {
  const git = new Git(root);
  const branch = await git.line('symbolic-ref', '--quiet', 'HEAD');
  const names = ['index', 'HEAD', 'packed-refs', ...(branch === undefined ? [] : [branch])].map((name) => `${name}.lock`);
  const paths = await Promise.all(names.map((name) => git.line('rev-parse', '--git-path', name)));
  return names.flatMap((name, at): [string, string][] => (paths[at] === undefined ? [] : [[name, path.resolve(root, paths[at])]]));
}

/** Where a git that could hold this lock works: in the worktree, or beside the lock. */
function directories(root: string, lock: string): string[] {
  const real: string[] = [];
  for (const place of [root, path.dirname(lock)]) quietly(() => real.push(fs.realpathSync(place)));
  return real;
}
