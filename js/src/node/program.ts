// The program that a name stands for. Twin of src/native/program.rs.

import { HostError } from 'endstate-core';
import * as fs from 'node:fs';
import * as path from 'node:path';

/** The program a name stands for: a path as it is, a bare name through `PATH`. */
export function findProgram(name: string, directory: string, search = process.env['PATH']): string {
  const runs = (file: string): boolean => {
    const found = fs.statSync(file, { throwIfNoEntry: false });
    return found !== undefined && found.isFile() && (found.mode & 0o111) !== 0;
  };
  const places = name.includes('/') ? [''] : (search ?? '').split(path.delimiter);
  const found = places.map((place) => path.resolve(directory, place, name)).find((file) => name !== '' && safely(() => runs(file)));
  if (found === undefined) {
    const at = name === '' ? 'argv' : name;
    throw new HostError('host_failed', at, 'a program that can be started', `there is no program ${JSON.stringify(name)}`);
  }
  return found;
}

function safely(work: () => boolean): boolean {
  try {
    return work();
  } catch {
    return false;
  }
}
