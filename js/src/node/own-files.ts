// Files that the mission writes beside the plan are kept out of git's sight, so that a look at what is not committed
// does not find them and nobody's `git add -A` takes them along. Twin of src/native/own_files.rs.

import * as fs from 'node:fs';
import * as path from 'node:path';
import { isCode, replace } from './durable.js';
import { Git } from './git.js';
import type { Places } from './places.js';
import { readRegular } from './regular.js';
import { pathOf } from './git-hidden.js';

/** What the rules stand below, so that a person knows whose they are. */
const COMMENT = '# endstate: what a mission writes by itself; `git add -f` takes a file all the same';

/**
 * Adds the rule for a file that the mission is about to write, if it is one of those, git does not track it and the rule
 * is not there yet. Answers whether nothing more is to be done about this file.
 */
export async function hide(places: Places, relative: string): Promise<boolean> {
  const rule = ruleFor(relative);
  if (rule === undefined) return true;
  const git = new Git(places.root);
  const exclude = await pathOf(git, 'info/exclude');
  if (exclude === undefined) return true;
  if ((await git.read('ls-files', '-z', '--', relative)).stdout.length > 0) return false;
  // A link stays one: what it leads to is written.
  const at = fs.existsSync(exclude) ? fs.realpathSync(exclude) : exclude;
  const rules = withRule(readOrNothing(at), rule);
  if (rules !== undefined) replace(at, path.dirname(at), rules);
  // A `!` in a .gitignore goes before these rules.
  const shown = (await git.read('--no-literal-pathspecs', 'check-ignore', '-q', '--', relative)).status === 1;
  if (shown) throw new Error('a rule of .gitignore shows it; name it at the end of .gitignore');
  return true;
}

/** Whether these rules hide a file by the rule that {@link hide} adds, for whatever mission it did. */
export function hides(rules: Buffer, relative: string): boolean {
  const rule = ruleFor(relative);
  return rule !== undefined && withRule(rules, rule) === undefined;
}

function readOrNothing(name: string): Buffer {
  try {
    return readRegular(name);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return Buffer.alloc(0);
    throw error;
  }
}

/** The rule that hides exactly this file; nothing for what is no file beside a plan. */
function ruleFor(relative: string): string | undefined {
  const name = relative.split('/').at(-1) ?? '';
  const ours = name === 'SUPERVISOR_STATE.md' || name.startsWith('COMPLETE_') && name.endsWith('.md');
  const elsewhere = ['.agent/', '.grid/', '/'].some((start) => relative.startsWith(start));
  if (!ours || elsewhere || /\p{Cc}/u.test(relative)) return undefined;
  return `/${relative.replace(/[*?[\]\\ ]/g, '\\$&')}`;
}

/** The rules with one more, below the comment; nothing if it is there. Every other byte stays. */
function withRule(old: Buffer, rule: string): Buffer | undefined {
  // One letter for each byte: what is no UTF-8 comes out as it went in.
  const [text, wanted, comment] = [old.toString('latin1'), bytes(rule), bytes(COMMENT)];
  const lines = text.split(/(?<=\n)/);
  const same = (line: string, as: string): boolean => line.replace(/\n$/, '').replace(/\r$/, '') === as;
  if (lines.some((line) => same(line, wanted))) return undefined;
  const place = lines.findIndex((line) => same(line, comment)) + 1;
  const before = lines.slice(0, place === 0 ? lines.length : place).join('');
  const after = place === 0 ? '' : lines.slice(place).join('');
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  const more = place === 0 ? `${comment}\n${wanted}\n` : `${wanted}\n`;
  return Buffer.from(before + gap + more + after, 'latin1');
}

function bytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}
