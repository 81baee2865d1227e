// The only place that makes bytes durable, so that the kill tests can stop the driver at each. Twin of
// src/native/durable.rs, with the same crash points: `ENDSTATE_CRASH_AT=<n>` ends this process by SIGKILL
// right after its n-th step (from 1), `ENDSTATE_CRASH_AT=<n>:half` in the middle of it;
// `ENDSTATE_CRASH_LOG=<file>` appends one line per step. Children never inherit these.

import * as fs from 'node:fs';
import * as path from 'node:path';

/** Variables that steer crash points; taken out of every child's environment. */
export const CRASH_VARIABLES = ['ENDSTATE_CRASH_AT', 'ENDSTATE_CRASH_LOG'] as const;

/** Whether this is an error of the system with that code. */
export function isCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? '');
}

/** Appends to an open file and makes it durable; what was written of it is cut off again on an error. */
export function append(file: number, name: string, bytes: Uint8Array): void {
  const before = fs.fstatSync(file).size;
  const step = new Step('append', name);
  try {
    step.write(file, bytes);
    fs.fdatasyncSync(file);
  } catch (error) {
    // Best effort: if even this fails, the torn tail is cut off when the file is next opened.
    quietly(() => fs.ftruncateSync(file, before));
    quietly(() => fs.fdatasyncSync(file));
    throw error;
  }
  step.end();
}

/** Puts a file in the place of `name`, whole or not at all; first written beside it, in `staging`. */
export function replace(name: string, staging: string, bytes: Uint8Array, executable = false): void {
  const step = new Step('replace', name);
  const parent = path.dirname(name);
  fs.mkdirSync(parent, { recursive: true });
  fs.mkdirSync(staging, { recursive: true });
  const staged = path.join(staging, `.new-${path.basename(name)}`);
  try {
    stage(step, staged, bytes, executable);
    rename(staged, name);
  } catch (error) {
    quietly(() => fs.unlinkSync(staged));
    throw error;
  }
  syncDir(parent);
  step.end();
}

/** Creates a file; fails if there is something already. */
export function createNew(name: string, bytes: Uint8Array): void {
  const step = new Step('create', name);
  const file = fs.openSync(name, 'wx');
  try {
    step.write(file, bytes);
    fs.fsyncSync(file);
  } catch (error) {
    quietly(() => fs.unlinkSync(name));
    throw error;
  } finally {
    fs.closeSync(file);
  }
  syncDir(path.dirname(name));
  step.end();
}

/** Creates a file, whole from its first moment; fails if there is something already. */
export function createWhole(name: string, staging: string, own: string, bytes: Uint8Array): void {
  const step = new Step('create', name);
  const staged = path.join(staging, own);
  stage(step, staged, bytes, false);
  try {
    fs.linkSync(staged, name);
  } catch (error) {
    quietly(() => fs.unlinkSync(staged));
    // A file system without links: exclusive creation has a moment in which the file is empty.
    if (isCode(error, 'EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS')) return createNew(name, bytes);
    throw error;
  }
  quietly(() => fs.unlinkSync(staged));
  syncDir(path.dirname(name));
  step.end();
}

/** Removes a file for good. A file that is not there is removed already. */
export function remove(name: string): void {
  const step = new Step('remove', name);
  try {
    fs.unlinkSync(name);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return;
    throw error;
  }
  syncDir(path.dirname(name));
  step.end();
}

/** Cuts a file to a length. */
export function truncate(file: number, name: string, length: number): void {
  const step = new Step('truncate', name);
  fs.ftruncateSync(file, length);
  fs.fsyncSync(file);
  step.end();
}

/** Counts something durable that another program did for us: a commit. */
export function doneElsewhere(what: string, name: string): void {
  new Step(what, name).end();
}

/** Makes the names in a directory durable. */
export function syncDir(directory: string): void {
  const file = fs.openSync(directory, 'r');
  try {
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

/** Does what may fail without harm. */
export function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // As said.
  }
}

/** Writes all of it. */
export function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += fs.writeSync(file, bytes, at);
}

function stage(step: Step, staged: string, bytes: Uint8Array, executable: boolean): void {
  quietly(() => fs.unlinkSync(staged));
  const file = fs.openSync(staged, 'wx', executable ? 0o777 : 0o666);
  try {
    step.write(file, bytes);
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

/** Renames; where the staging directory is on another file system, copies beside the target first. */
function rename(staged: string, name: string): void {
  try {
    fs.renameSync(staged, name);
  } catch (error) {
    if (!isCode(error, 'EXDEV')) throw error;
    const beside = path.join(path.dirname(name), `.new-${path.basename(name)}`);
    fs.copyFileSync(staged, beside);
    fs.chmodSync(beside, fs.statSync(staged).mode);
    const file = fs.openSync(beside, 'r');
    fs.fsyncSync(file);
    fs.closeSync(file);
    fs.renameSync(beside, name);
    fs.unlinkSync(staged);
  }
}

let steps = 0;

/** One step on its way; its number is settled when it begins, because it may be cut in half. */
class Step {
  readonly #number = (steps += 1);

  constructor(private readonly what: string, private readonly name: string) {}

  write(file: number, bytes: Uint8Array): void {
    if (this.#dies(':half')) {
      writeAll(file, bytes.subarray(0, bytes.length >> 1));
      fs.fsyncSync(file);
      this.#log('half');
      die();
    }
    writeAll(file, bytes);
  }

  end(): void {
    this.#log('done');
    if (this.#dies('')) die();
  }

  #dies(how: '' | ':half'): boolean {
    return process.env[CRASH_VARIABLES[0]] === `${this.#number}${how}`;
  }

  #log(how: string): void {
    const log = process.env[CRASH_VARIABLES[1]];
    if (log !== undefined) quietly(() => fs.appendFileSync(log, `${this.#number} ${this.what} ${how} ${this.name}\n`));
  }
}

/** Ends this process as a power cut would: nothing is unwound, nothing is released. */
function die(): never {
  process.kill(process.pid, 'SIGKILL');
  process.abort();
}
