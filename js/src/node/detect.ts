// Finds out how a repository tests itself, and which documentation it has. Twin of src/cli/detect.rs.

import * as fs from 'node:fs';
import * as path from 'node:path';
import { listed } from './places.js';

/** Every test command that the files at `root` speak of; all of them are run. */
export function testCommands(root: string): string[][] {
  const there = (name: string): boolean => fs.existsSync(path.join(root, name));
  const python = ['pyproject.toml', 'pytest.ini', 'setup.cfg'].some(there) || hasPythonTests(root);
  const all: [boolean, string[]][] = [
    [there('Cargo.toml'), ['cargo', 'test']],
    [npmTest(root), ['npm', 'test']],
    [python, ['python3', '-m', 'pytest']],
    [there('go.mod'), ['go', 'test', './...']],
    [makeTest(root), ['make', 'test']],
  ];
  return all.filter(([found]) => found).map(([, argv]) => argv);
}

/** Documentation that must stay true to what is shipped. */
export function docsSurfaces(root: string): string[] {
  const is = (name: string, kind: 'isFile' | 'isDirectory'): boolean =>
    fs.statSync(path.join(root, name), { throwIfNoEntry: false })?.[kind]() === true;
  return [...(is('README.md', 'isFile') ? ['README.md'] : []), ...(is('docs', 'isDirectory') ? ['docs/'] : [])];
}

/** A `test` script that is not the placeholder npm writes. */
function npmTest(root: string): boolean {
  try {
    const { scripts } = JSON.parse(text(root, 'package.json')) as { scripts?: { test?: unknown } };
    const script = typeof scripts?.test === 'string' ? scripts.test.trim() : '';
    return script !== '' && !script.includes('no test specified');
  } catch {
    return false;
  }
}

function hasPythonTests(root: string): boolean {
  return listed(path.join(root, 'tests')).some((name) => /^test_.*\.py$|_test\.py$/.test(name));
}

/** A rule for the target `test`. */
function makeTest(root: string): boolean {
  const makefile = ['GNUmakefile', 'makefile', 'Makefile'].map((name) => text(root, name)).find((one) => one !== '') ?? '';
  return makefile.split('\n').some((line) => {
    const [, targets, rest] = /^([^\t# :][^:]*):(.*)$/.exec(line) ?? [];
    return targets !== undefined && rest?.startsWith('=') === false && targets.split(/\s+/).includes('test');
  });
}

function text(root: string, name: string): string {
  try {
    return fs.readFileSync(path.join(root, name), 'utf8');
  } catch {
    return '';
  }
}
