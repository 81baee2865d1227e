// The words a person typed, as an answer of the question's kind. The engine checks it once more.

import type { Answer, QuestionKind } from 'endstate-engine';
import { HostError } from './error.js';

/** Reads words as an answer. Throws `answer_type` with what would do. */
export function readAnswer(kind: QuestionKind, words: string): Answer {
  const word = words.trim();
  const lower = word.toLowerCase();
  const wrong = (): HostError => new HostError('answer_type', 'answer', expectedAnswer(kind), word);
  switch (kind.type) {
    case 'free_text':
      if (word === '') throw wrong();
      return { type: 'text', text: word };
    case 'choice':
      if (!kind.options.some((option) => option.id === word)) throw wrong();
      return { type: 'choice', option: word };
    case 'confirmation':
      if (['y', 'yes', 'true'].includes(lower)) return { type: 'confirmation', yes: true };
      if (['n', 'no', 'false'].includes(lower)) return { type: 'confirmation', yes: false };
      throw wrong();
    case 'manual_step':
      // "doneish" is neither.
      if (/^done(?![\p{L}\p{N}])/u.test(lower)) return { type: 'manual_step', done: true, note: word };
      if (/^not done(?![\p{L}\p{N}])/u.test(lower)) return { type: 'manual_step', done: false, note: word };
      throw wrong();
  }
}

/** What an answer must look like, for people. */
export function expectedAnswer(kind: QuestionKind): string {
  switch (kind.type) {
    case 'free_text':
      return 'some words';
    case 'choice':
      return `one of ${kind.options.map((option) => option.id).join(', ')}`;
    case 'confirmation':
      return 'yes or no';
    case 'manual_step':
      return 'done or not done, with a note';
  }
}
