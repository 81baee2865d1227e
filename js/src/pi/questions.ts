// A question of a mission in pi's dialogs: a choice is selected, a confirmation confirmed, words are typed.
// Leaving a dialog (escape, or a client that cancels) leaves the question open and answers nothing. pi's confirm
// cannot tell leaving from "no", so a no is asked for once more.

import { printable } from 'endstate-core';
import type { Answer, Host, Question } from 'endstate-core';
import type { Ui } from './api.js';
import type { Face } from './face.js';
import { line } from './widget.js';

const OPEN = 'Leave it open';

/** An `ask` for a host, one question at a time. */
export function asker(face: () => Face): NonNullable<Host['ask']> {
  let turn: Promise<unknown> = Promise.resolve();
  return (_, question, signal, refused) => {
    const asked = turn.then(() => face().ask(signal, (ui, over) => dialog(ui, question, over, refused)));
    turn = asked.catch(() => undefined);
    return asked;
  };
}

async function dialog(ui: Ui, question: Question, signal: AbortSignal, refused: string | undefined): Promise<Answer | undefined> {
  const options = { signal };
  const title = printable([refused, question.text].filter((one) => one !== undefined).join('\n'));
  const { kind } = question;
  switch (kind.type) {
    case 'choice': {
      const rows = kind.options.map((one) => line(`${one.id}: ${one.label}. ${one.trade_off}`));
      const picked = await ui.select(title, [...rows, OPEN], options);
      // A client may also answer with the bare id.
      const at = picked === undefined ? -1 : rows.indexOf(picked);
      const option = kind.options[at] ?? kind.options.find((one) => one.id === picked);
      return option && { type: 'choice', option: option.id };
    }
    case 'confirmation': {
      if (await ui.confirm('endstate asks', title, options)) return { type: 'confirmation', yes: true };
      if (signal.aborted) return undefined;
      const no = await ui.select(`${title}\nThe answer is no?`, ['No', OPEN], options);
      return no === 'No' ? { type: 'confirmation', yes: false } : undefined;
    }
    case 'free_text': {
      const text = await ui.input(title, 'some words; leave it empty to answer later', options);
      return text === undefined || text.trim() === '' ? undefined : { type: 'text', text };
    }
    case 'manual_step': {
      const todo = `${title}\nTo do: ${printable(kind.instructions)}`;
      const done = await ui.confirm('Is it done?', todo, options);
      if (signal.aborted) return undefined;
      if (!done && (await ui.select(`${todo}\nIt cannot be done?`, ['It cannot', OPEN], options)) !== 'It cannot') return undefined;
      const note = await ui.input(done ? 'A note on what was done' : 'Why not?', 'a few words', options);
      if (note === undefined) return undefined;
      return { type: 'manual_step', done, note: note.trim() === '' ? (done ? 'done' : 'not done') : note };
    }
  }
}
