// The paths of a mission. Twin of `Places` in src/native/store.

import { HostError } from 'endstate-core';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { isCode } from './durable.js';

/** The engine's directory, from the root of the repository. */
export const ENGINE_DIRECTORY = '.agent/endstate';

/** Where everything of a mission is. */
export class Places {
  /** `.agent/endstate`. */
  readonly engine: string;
  /** `.agent/endstate/tmp`, for files on their way. */
  readonly staging: string;
  readonly journal: string;
  readonly lock: string;
  readonly inbox: string;

  constructor(readonly root: string) {
    this.engine = path.join(root, ENGINE_DIRECTORY);
    this.staging = path.join(this.engine, 'tmp');
    this.journal = path.join(this.engine, 'journal.jsonl');
    this.lock = path.join(this.engine, 'lock');
    this.inbox = path.join(this.engine, 'inbox');
  }

  /** The folder of a run's record. */
  run(id: string): string {
    return path.join(this.engine, 'runs', id);
  }

  /** Refuses a state directory that leads elsewhere. */
  check(): void {
    for (const part of ['.agent', ENGINE_DIRECTORY, '.agent/endstate/runs', '.agent/endstate/inbox']) {
      const found = fs.lstatSync(path.join(this.root, part), { throwIfNoEntry: false });
      if (found === undefined || found.isDirectory()) continue;
      const kind = found.isSymbolicLink() ? 'a symbolic link' : 'no directory';
      throw new HostError('unsafe_state_directory', part, 'a directory inside the repository', kind);
    }
  }

  /**
   * Refuses snapshots, runs and letters of a mission whose journal is gone: nobody can go on with it, and in a new one
   * their ids would be taken for its own.
   */
  refuseLeftovers(): void {
    const letters = (name: string): boolean => fs.statSync(path.join(this.inbox, name)).isFile();
    const snapshot = listed(this.engine).find((name) => /^snapshot-\d{1,15}\.json$/.test(name));
    const runs = listed(path.join(this.engine, 'runs')).length > 0 ? 'runs' : undefined;
    const left = snapshot ?? runs ?? (listed(this.inbox).some(letters) ? 'inbox' : undefined);
    if (left === undefined) return;
    const expected = "the journal beside the mission's other files; `endstate archive --unfinished` takes the rest aside";
    throw new HostError('journal_missing', this.journal, expected, `only ${path.join(this.engine, left)}`);
  }

  /** Makes the directories. The engine's own is hidden from git, whatever `.gitignore` says. */
  prepare(): void {
    this.check();
    try {
      fs.mkdirSync(this.staging, { recursive: true });
    } catch (error) {
      throw HostError.io('create', this.staging, error);
    }
    this.check();
    const ignore = path.join(this.engine, '.gitignore');
    try {
      fs.writeFileSync(ignore, '*\n', { flag: 'wx' });
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw HostError.io('create', ignore, error);
    }
  }

  /** Sweeps what a crash left on its way. */
  sweep(): void {
    for (const name of listed(this.staging)) fs.rmSync(path.join(this.staging, name), { force: true });
  }
}

/** The names in a directory; none if it is not there. */
export function listed(directory: string): string[] {
  try {
    return fs.readdirSync(directory);
  } catch {
    return [];
  }
}
