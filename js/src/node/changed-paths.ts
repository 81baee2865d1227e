// What each of several commits changed: together they only tell what changed between the first and the last. Twin of
// src/native/changed_paths.rs.
import type { Change } from 'endstate-core';
import { byBytes, MOST_PATHS, parts, READ_TIMEOUT, type Git } from './git.js';

/**
 * Of a merge only what is as in none of its parents. A path follows an entry that begins with `:`, so that no name of a file is taken for
 * a commit.
 */
const TREES = ['diff-tree', '--stdin', '-r', '-c', '--root', '--raw', '--no-renames', '-z', '--ignore-submodules=none'];

/** The change with the paths of each of its commits, in their order; of one commit alone the change has them. Cut at MOST_PATHS in all. */
export async function byCommit(git: Git, change: Change): Promise<Change> {
  const commits = change.commits ?? [];
  if (commits.length < 2) return change;
  const { stdout } = await git.change(TREES, Buffer.from(`${commits.join('\n')}\n`), READ_TIMEOUT);
  const rows = new Map(commits.map((id): [string, string[]] => [id, []]));
  const room = enter(rows, parts(stdout));
  const touched = [...rows].map(([id, paths]) => ({ id, paths: paths.sort(byBytes) }));
  return { ...change, touched, truncated: change.truncated || room === 0 };
}

/** Enters each path with its commit; how many more there could be. */
function enter(rows: Map<string, string[]>, said: Buffer[]): number {
  let room = MOST_PATHS;
  let paths: string[] | undefined;
  for (let at = 0; at < said.length; at += 1) {
    const part = said[at]!.toString();
    if (!part.startsWith(':')) {
      paths = rows.get(part);
      continue;
    }
    at += 1;
    if (paths === undefined || room === 0) continue;
    paths.push(said[at]?.toString() ?? '');
    room -= 1;
  }
  return room;
}
