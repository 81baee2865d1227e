// A short command of our own, run to its end. Twin of src/native/capture.rs.

import { HostError } from 'endstate-core';
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { endGroup, GRACE } from './process.js';

/** What a short command of our own said. */
export interface Said {
  /** Its exit status; `null` if a signal ended it. */
  status: number | null;
  stdout: Buffer;
  /** Its standard error, lossily. */
  stderr: string;
}

/** Runs a short command of our own (git), and ends its group after `timeout` milliseconds. */
export async function capture(
  argv: readonly string[], directory: string, env: NodeJS.ProcessEnv, input: Uint8Array, timeout: number,
): Promise<Said> {
  const [name = '', ...rest] = argv;
  // Files and not pipes: what a hook leaves running cannot keep us waiting at the other end.
  const files = temporary(input);
  try {
    const child = spawn(name, rest, { cwd: directory, env, detached: true, stdio: files });
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      void endGroup(child.pid ?? 0, GRACE);
    }, timeout);
    const status = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', resolve);
    }).finally(() => clearTimeout(timer));
    if (late) throw new Error('it took too long');
    return { status, stdout: whole(files[1]), stderr: whole(files[2]).toString() };
  } catch (error) {
    throw HostError.io('run', name, error);
  } finally {
    for (const file of files) fs.closeSync(file);
  }
}

/** Three open files without a name: one to read, with this content, and two to write to. */
function temporary(content: Uint8Array): [number, number, number] {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'endstate-'));
  const open: number[] = [];
  try {
    if (content.length > 0) fs.writeFileSync(path.join(folder, 'in'), content, { mode: 0o600 });
    open.push(fs.openSync(content.length > 0 ? path.join(folder, 'in') : '/dev/null', 'r'));
    for (const name of ['out', 'err']) open.push(fs.openSync(path.join(folder, name), 'wx+', 0o600));
    return open as [number, number, number];
  } catch (error) {
    open.forEach((file) => fs.closeSync(file));
    throw HostError.io('write', folder, error);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function whole(file: number): Buffer {
  const bytes = Buffer.alloc(fs.fstatSync(file).size);
  for (let at = 0; at < bytes.length; ) {
    const count = fs.readSync(file, bytes, at, bytes.length - at, at);
    if (count === 0) return bytes.subarray(0, at);
    at += count;
  }
  return bytes;
}
