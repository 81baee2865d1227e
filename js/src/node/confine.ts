// Agents are confined where the system can. Twin of src/native/confine.rs, which tells the story: bubblewrap starts a run in
// namespaces of its own, in which the engine's directory and the rooms are read-only, the folder with the user's key is empty, and
// with which whatever the run left ends.

import { HostError, words as told } from 'endstate-core';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import type { Places } from './places.js';
import { findProgram } from './program.js';
import { makeFolder } from './room.js';

/** How long the trial may take, in milliseconds. */
const TRIAL = 10_000;
/** Becomes the program with the signals ignored that a group is ended by. */
const IGNORES_SIGNALS = ['/bin/sh', '-c', 'trap \'\' HUP INT TERM; exec "$@"', 'confine'];
/** Gives them back. */
const HEARS_SIGNALS = ['--', 'env', '--default-signal=HUP,INT,TERM'];
/** The new namespaces. Without this capability root cannot change its mounts; other users have none. */
const NAMESPACES = ['--unshare-pid', '--proc', '/proc', '--cap-drop', 'CAP_SYS_ADMIN'];

/** Whether agents are confined: where the system can, or else no run is started, or never. */
export type Confine = 'auto' | 'required' | 'never';

/** How the runs of one host are confined. */
export class Confinement {
  /** The program, or why there is none. */
  #tried: { program: string } | { why: string } | undefined;

  /** With this program; without one, with `bwrap` in PATH. */
  constructor(private readonly how: Confine, private readonly program: string | undefined) {}

  /**
   * What comes before the words of a program, to which `writable` is left of what is read-only for it. Nothing where it is
   * not confined. What is to be `offline` is confined in any case, and reaches nothing but itself. Throws `not_confined` where it
   * must be and cannot.
   */
  words(places: Places, writable: readonly string[], offline = false): string[] {
    if (this.how === 'never' && !offline) return [];
    this.#tried ??= this.#try(places);
    if ('program' in this.#tried) return words(this.#tried.program, '--ro-bind', readOnly(places), writable, offline ? ['--unshare-net'] : []);
    if (this.how !== 'required' && !offline) return [];
    const expected = 'bubblewrap (`bwrap` in PATH, or ENDSTATE_BWRAP) that works here';
    throw new HostError('not_confined', 'agents', expected, this.#tried.why);
  }

  /** Why they are not, where that was found out. */
  get whyNot(): string | undefined {
    return this.#tried !== undefined && 'why' in this.#tried ? this.#tried.why : undefined;
  }

  /** Throws `not_confined` for what cannot be confined, where it must be. */
  refuse(what: string): void {
    if (this.how === 'required') throw new HostError('not_confined', 'agents', 'agents that are processes', what);
  }

  #try(places: Places): { program: string } | { why: string } {
    try {
      const program = this.program ?? findProgram('bwrap', places.root);
      if (program.startsWith(places.root + path.sep)) return { why: `${program}, which agents can write` };
      const [engine, rooms] = readOnly(places);
      const [name = '', ...rest] = words(program, '--ro-bind', [engine, rooms], []);
      execFileSync(name, [...rest, 'true'], { timeout: TRIAL, stdio: ['ignore', 'ignore', 'pipe'] });
      // At the end of the mission its rooms are away.
      gits.set(places.root, words(program, '--ro-bind-try', [engine], []));
      return { program };
    } catch (error) {
      return { why: told(error) };
    }
  }
}

/** What the host's own git is started by, by the root of its mission: it runs the hooks and filters that an agent may have left. */
const gits = new Map<string, string[]>();

/** What comes before git in the worktree at `root`. */
export const beforeGit = (root: string): readonly string[] => gits.get(root) ?? [];

/** What is read-only, by its real path, and is there. */
function readOnly(places: Places): [string, string] {
  fs.mkdirSync(places.engine, { recursive: true });
  return [fs.realpathSync(places.engine), makeFolder(places.root)];
}

function words(program: string, bind: string, kept: readonly string[], writable: readonly string[], more: readonly string[] = []): string[] {
  // In the order of their names a folder comes before what is in it.
  const above = [...new Set(kept.flatMap(ancestors))].sort();
  const mounts = (how: string, places: readonly string[]): string[] => places.flatMap((place) => [how, place, place]);
  const keys = path.join(process.env['XDG_CONFIG_HOME'] || path.join(os.homedir(), '.config'), 'endstate');
  const hidden = fs.statSync(keys, { throwIfNoEntry: false })?.isDirectory() ? ['--tmpfs', keys, '--remount-ro', keys] : [];
  return [
    ...IGNORES_SIGNALS, program, ...mounts('--dev-bind', above), ...mounts(bind, kept), ...mounts('--bind', writable), ...hidden,
    ...more, ...NAMESPACES, ...HEARS_SIGNALS,
  ];
}

/** The folders above one. */
function ancestors(folder: string): string[] {
  const above = path.dirname(folder);
  return above === folder ? [] : [above, ...ancestors(above)];
}

/** The program that the environment names. */
export const namedProgram = (): string | undefined => process.env['ENDSTATE_BWRAP'] || undefined;
