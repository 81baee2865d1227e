// Questions on a terminal.

import { expectedAnswer, printable, readAnswer, words } from 'endstate-core';
import type { Answer, Host, Question } from 'endstate-core';
import { createInterface } from 'node:readline/promises';

/** Where questions are asked. */
export interface Terminal {
  input?: NodeJS.ReadableStream;
  output?: NodeJS.WritableStream;
}

/**
 * An `ask` for a host: shows a question, with what each way costs, and reads a line. An empty line, or the end
 * of the input, leaves the question open. Words that are no answer are said so, and asked for again.
 */
export function terminal({ input = process.stdin, output = process.stderr }: Terminal = {}): NonNullable<Host['ask']> {
  // One question at a time, however many are open.
  let turn: Promise<unknown> = Promise.resolve();
  return (_, question, signal, refused) => {
    const asked = turn.then(() => askOnce(input, output, question, signal, refused));
    turn = asked.catch(() => undefined);
    return asked;
  };
}

async function askOnce(
  input: NodeJS.ReadableStream, output: NodeJS.WritableStream, question: Question, signal: AbortSignal, refused?: string,
): Promise<Answer | undefined> {
  const lines = [refused, question.text];
  if (question.kind.type === 'choice') lines.push(...question.kind.options.map((one) => `  ${one.id}: ${one.label}. ${one.trade_off}.`));
  if (question.kind.type === 'manual_step') lines.push(`  to do: ${question.kind.instructions}`);
  output.write(`${lines.filter((line) => line !== undefined).map(printable).join('\n')}\n`);
  const reader = createInterface({ input, output });
  const closed = new Promise<string>((resolve) => reader.once('close', () => resolve('')));
  try {
    while (!signal.aborted) {
      const typed = await Promise.race([reader.question(`<${expectedAnswer(question.kind)}> `, { signal }), closed]);
      if (typed.trim() === '') return undefined;
      try {
        return readAnswer(question.kind, typed);
      } catch (error) {
        output.write(`${printable(words(error))}\n`);
      }
    }
    return undefined;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    reader.close();
  }
}
