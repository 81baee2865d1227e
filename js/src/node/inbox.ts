// Commands and answers from other processes. Twin of src/native/inbox.rs.
//
// A file `.agent/endstate/inbox/<id>.json` with `{"id":…,"fact":…}` comes into being by a rename, so it is there
// whole or not at all. The driver takes the files in the order of their names and removes each after its event
// is journaled. What cannot be read or is refused goes to `inbox/refused/`, with a `.why` beside it.

import { HostError, words } from 'endstate-core';
import type { Fact, Letter } from 'endstate-core';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { isCode, remove, replace, syncDir } from './durable.js';

/** The longest file that is read, in bytes. */
const MOST_BYTES = 4 * 1024 * 1024;
/** How many files one look takes, so that a flood cannot keep the driver from its work. */
const MOST_FILES = 64;

/** What a letter says: a fact of the user, or the report of a run that an agent was given. */
export type Says = { fact: Fact } | { report: { run: string; text: string } };

/** Leaves a letter for the driver; answers with the name of its file. */
export function send(directory: string, id: string, says: Says): string {
  if (!/^[0-9A-Za-z_-][0-9A-Za-z_.-]{0,127}$/.test(id)) {
    throw new HostError('usage', 'id', 'letters, digits, `-`, `_` and `.`', id);
  }
  const name = path.join(directory, `${id}.json`);
  if (fs.existsSync(name)) throw HostError.io('create', name, new Error('it is there already'));
  try {
    replace(name, directory, Buffer.from(JSON.stringify({ id, ...says })));
  } catch (error) {
    throw HostError.io('write', name, error);
  }
  return name;
}

/** The letters that wait, by name; a missing inbox is empty. */
export function waiting(directory: string): Letter[] {
  let names: string[];
  try {
    names = fs.readdirSync(directory);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return [];
    throw HostError.io('read', directory, error);
  }
  const letters = names.filter((name) => name.endsWith('.json') && !name.startsWith('.')).sort();
  return letters.slice(0, MOST_FILES).map((name) => letter(directory, name));
}

function letter(directory: string, name: string): Letter {
  const file = path.join(directory, name);
  const id = name.slice(0, -'.json'.length);
  return {
    id,
    read: async () => read(file, name, id),
    remove: async () => remove(file),
    refuse: async (why) => {
      const refused = path.join(directory, 'refused');
      fs.mkdirSync(refused, { recursive: true });
      fs.writeFileSync(path.join(refused, `${name}.why`), `${told(why)}\n`);
      fs.renameSync(file, path.join(refused, name));
      syncDir(directory);
    },
  };
}

/** An error as `code: …`, so that who sent the letter can tell the codes apart. */
function told(why: unknown): string {
  const code = (why as { code?: unknown } | null)?.code;
  const text = words(why);
  return typeof code === 'string' && !text.startsWith(`${code}:`) ? `${code}: ${text}` : text;
}

function read(file: string, name: string, id: string): Fact {
  const wrong = (code: 'invalid_value' | 'too_large' | 'not_utf8' | 'syntax' | 'wrong_answer', at: string, expected: string, got: string): HostError =>
    new HostError(code, at, expected, got);
  const found = fs.lstatSync(file);
  if (!found.isFile()) throw wrong('invalid_value', file, 'a file', 'something else');
  if (found.size > MOST_BYTES) throw wrong('too_large', file, `at most ${MOST_BYTES} bytes`, 'more');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(fs.readFileSync(file));
  } catch {
    throw wrong('not_utf8', name, 'UTF-8', 'other bytes');
  }
  let value: { id?: unknown; fact?: Fact };
  try {
    value = JSON.parse(text) as typeof value;
  } catch (error) {
    throw wrong('syntax', name, 'JSON', words(error));
  }
  if (value?.id !== id) throw wrong('invalid_value', `${name}.id`, id, String(value?.id));
  const { fact } = value;
  // Whoever works could write it: what is enough is not lowered while there is work.
  if (fact?.type === 'user_commanded' && fact.data?.command?.command === 'accept') {
    throw wrong('wrong_answer', `${name}.fact`, 'what is enough to be said before the work or after its end', 'accept');
  }
  const answer = fact?.type === 'question_answered' ? fact.data?.answer : undefined;
  if (answer?.type === 'choice' && ['take_and_judge', 'judge'].includes(answer.option)) {
    throw wrong('wrong_answer', `${name}.fact`, "a judge's word to be accepted while nobody drives the mission", 'an answer for it');
  }
  // The engine checks the rest; a command without an id of its own is given the letter's.
  if (fact?.type === 'user_commanded' && typeof fact.data === 'object' && fact.data !== null) {
    return { ...fact, data: { ...fact.data, id: fact.data.id ?? id } };
  }
  if (fact?.type === 'question_answered') return fact;
  throw wrong('wrong_answer', `${name}.fact`, 'user_commanded or question_answered', String(fact?.type));
}
