/**
 * Files of a mission are files: what an agent may have put in the place of one, a pipe that nobody writes
 * to or a device without an end, would be waited for or read for ever, and nothing else would go on.
 */

import * as fs from 'node:fs';

/** Opens a regular file; to be read, unless the flags say otherwise. */
export function openRegular(name: string, flags: number = fs.constants.O_RDONLY): number {
  // Without waiting for the other end of a pipe; that means nothing where there is a file.
  const file = fs.openSync(name, flags | fs.constants.O_NONBLOCK, 0o666);
  if (fs.fstatSync(file).isFile()) return file;
  fs.closeSync(file);
  throw Object.assign(new Error('not a regular file'), { code: 'EINVAL' });
}

/** Reads a regular file whole. */
export function readRegular(name: string): Buffer {
  const file = openRegular(name);
  try {
    return fs.readFileSync(file);
  } finally {
    fs.closeSync(file);
  }
}
