// What the words behind `/endstate` mean where they are no command. A mission costs money, so what looks like a slip, a
// command with a word too many, a single word, a path that is not there, begins none: it is told how it is said. A sentence that only
// begins like a command is asked about.

import * as fs from 'node:fs';
import * as path from 'node:path';

/** The commands of `/endstate`, as they are completed. */
export const WORDS = ['status', 'why', 'answer', 'pause', 'resume', 'stop', 'view', 'archive', 'begin'];
/** How it is said. */
export const HELP = '/endstate MISSION | FILE | begin MISSION | status | why | answer [ID] WORDS | pause | resume | '
  + 'stop [drain|wait|kill] | view | archive [--unfinished]';

/** Commands of the program `endstate` that people type here as well. */
const PROGRAM = [
  'adopt', 'amend', 'check', 'completions', 'defer', 'demo', 'grant', 'help', 'hook', 'init', 'journal', 'kill', 'killall', 'mcp', 'plan',
  'refine', 'reopen', 'replay', 'run', 'schema', 'skip', 'skip-verification',
];
/** So many words are a sentence. */
const SENTENCE = 4;
const DOCUMENT = /\.(md|ya?ml|json)$/;

/** What a mission is to be begun with, or why none is. */
export type Meant =
  | { do: 'begin'; words: string }
  /** Begun only if the person says so. */
  | { do: 'ask'; words: string; why: string }
  | { do: 'refuse'; why: string };

/** What these words mean. What stands in quotes, or behind `begin`, is a mission whatever it looks like. */
export function meant(root: string, args: string): Meant {
  const quoted = /^(["'])(.*)\1$/s.exec(args)?.[2] ?? /^“(.*)”$/s.exec(args)?.[1];
  if (quoted !== undefined) return explicit(quoted.trim());
  const [word = '', ...rest] = args.split(/\s+/);
  if (word === 'begin') {
    const words = args.slice(word.length).trim();
    return isFile(root, words) || !likePath(root, words) ? explicit(words) : refused(notThere(words));
  }
  if (isFile(root, args)) return { do: 'begin', words: args };
  if (rest.length + 1 < SENTENCE && (likePath(root, word) || likePath(root, args))) return refused(notThere(args));
  const command = WORDS.includes(word.toLowerCase()) || PROGRAM.includes(word.toLowerCase());
  const sentence = rest.length + 1 >= SENTENCE;
  if (command && !sentence) return refused(`that is not how it is said: ${HELP}`);
  if (rest.length === 0) return refused(`“${word}” is no command, and one word is hardly a mission: ${HELP}`);
  const option = [word, ...rest].find((one) => /^--\w/.test(one));
  if (option !== undefined && !sentence) return refused(`/endstate takes no ${option}: ${HELP}`);
  if (!command && option === undefined) return { do: 'begin', words: args };
  return { do: 'ask', words: args, why: command ? `“${word}” is a command, too` : `/endstate takes no ${option}` };
}

/** Words of a person that begin a mission without a question; what to say where nobody can be asked. */
export function howToBegin(words: string): string {
  return `/endstate begin ${words}`;
}

/** Whether a file of the project has this name. */
export function isFile(root: string, words: string): boolean {
  const file = path.normalize(words);
  if (!DOCUMENT.test(file) || path.isAbsolute(file)) return false;
  return fs.statSync(path.join(root, file), { throwIfNoEntry: false })?.isFile() ?? false;
}

function explicit(words: string): Meant {
  return words === '' ? refused(`a mission is missing: ${HELP}`) : { do: 'begin', words };
}

function refused(why: string): Meant {
  return { do: 'refuse', why: `${why}\nNothing was begun.` };
}

/** Whether a word, or some with a document behind, is a path rather than words: a document, something with a folder, or something that is there. */
function likePath(root: string, words: string): boolean {
  if (DOCUMENT.test(words)) return true;
  if (/\s/.test(words) || words === '') return false;
  return /^(~|\.{0,2}\/)|\/$|^[^/]+\/.+\.\w{1,5}$|\\/.test(words) || fs.existsSync(path.join(root, words));
}

function notThere(words: string): string {
  return `there is no plan ${words} in this project: a mission is begun from a file of it, .md, .yaml or .json, named from its root`;
}
