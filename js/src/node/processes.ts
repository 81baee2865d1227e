// What the system shows of processes: when they were started, their groups, what they were started with. Twin of
// src/native/processes.rs.

import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isCode } from './durable.js';
import { listed } from './places.js';

/** How often a process is looked at, in milliseconds. */
export const TICK = 20;
/** How long a process may be between two programs, in milliseconds: the machine may be busy. */
const MOST_EXEC = 1_000;

/** The ids of all processes; none where the system does not tell. */
const all = (): number[] => listed('/proc').filter((name) => /^\d+$/.test(name)).map(Number);

/** Whether a group has a process that is more than an unreaped exit status. */
export function aliveInGroup(group: number): boolean {
  const pids = all();
  return pids.length === 0 || pids.some((pid) => {
    const fields = stat(pid);
    return fields?.[2] === String(group) && !'ZX'.includes(fields[0] ?? 'X');
  });
}

/** The fields of `/proc/<pid>/stat` from the third (state) on. */
function stat(pid: string | number): string[] | undefined {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name in parentheses and may hold anything.
    return text.slice(text.lastIndexOf(') ') + 2).trim().split(/\s+/);
  } catch {
    return undefined;
  }
}

/**
 * When a process was started, in the words of the system; nothing if there is no such process. Together with
 * the id it names one process for as long as the machine is up.
 */
export function startTime(pid: number): string | undefined {
  if (fs.existsSync('/proc/self/stat')) {
    const fields = stat(pid);
    // An unreaped process does nothing any more.
    return fields === undefined || 'ZX'.includes(fields[0] ?? 'X') ? undefined : fields[19];
  }
  try {
    const said = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return said.trim() || undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether the process `pid` is the one that was started at `start` and writes into this file. (Where the system does
 * not show what a process writes into, its id and its start must do.)
 */
export function isOurs(pid: number, start: string, stdout: string): boolean {
  if (!(pid > 1) || start === '' || startTime(pid) !== start) return false;
  if (fs.lstatSync('/proc/self/fd/1', { throwIfNoEntry: false }) === undefined) return true;
  try {
    const [one, other] = [`/proc/${pid}/fd/1`, stdout].map((name) => fs.statSync(name));
    return one?.dev === other?.dev && one?.ino === other?.ino;
  } catch {
    return false;
  }
}

/** The processes that this one was started by, from its parent up, as far as the system tells. */
export function ancestors(): number[] {
  const parents: number[] = [];
  for (let fields = stat('self'); fields !== undefined; fields = stat(parents.at(-1) ?? 0)) parents.push(Number(fields[1]));
  return parents;
}

/** The group of a process, unless it is our own. */
export function groupOf(pid: number): number | undefined {
  const [theirs, ours] = [stat(pid)?.[2], stat('self')?.[2]];
  return theirs === undefined || theirs === ours ? undefined : Number(theirs);
}

/**
 * Processes whose environment has all of `variables`, as far as the system tells. Between two programs (in `exec`) a process shows none:
 * it is asked again. A thread of the kernel, and what is only to be reaped, has no program.
 */
export async function carrying(variables: Record<string, string>): Promise<number[]> {
  const wanted = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const found: number[] = [];
  let asked = all().filter((pid) => pid !== process.pid);
  for (const began = performance.now(); ; await sleep(TICK)) {
    asked = asked.filter((pid) => {
      try {
        const shown = fs.readFileSync(`/proc/${pid}/environ`, 'utf8');
        const entries = shown.split('\0');
        if (wanted.every((entry) => entries.includes(entry))) found.push(pid);
        return shown === '' && fs.readlinkSync(`/proc/${pid}/exe`) !== '';
      } catch {
        return false;
      }
    });
    if (asked.length === 0 || performance.now() - began > MOST_EXEC) return found;
  }
}

/**
 * Whether a git may be at work in one of these directories (given by their real paths) or below; yes where the
 * system does not tell.
 */
export function gitWorksIn(directories: string[]): boolean {
  const pids = all();
  return pids.length === 0 || pids.some((pid) => {
    try {
      if (!fs.readFileSync(`/proc/${pid}/comm`, 'latin1').startsWith('git')) return false;
      if ('ZX'.includes(stat(pid)?.[0] ?? 'X')) return false;
      const place = fs.readlinkSync(`/proc/${pid}/cwd`);
      return directories.some((directory) => place === directory || place.startsWith(directory + path.sep));
    } catch (error) {
      // A git of another user does not say where it works.
      return isCode(error, 'EACCES', 'EPERM');
    }
  });
}
