// Keys that work wherever the focus is, and what tells of them.
import { h, pairs } from './dom';

export type Keys = Record<string, () => void>;

/** Whether a key was for the viewer as a whole; it is done then. */
export function handle(event: KeyboardEvent, keys: Keys, slider: HTMLElement): boolean {
  const target = event.composedPath()[0];
  const tag = target instanceof Element ? target.tagName : '';
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(tag) && target !== slider) return false;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false;
  const act = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
  if (!act || (event.key === ' ' && /^(BUTTON|SUMMARY)$/.test(tag))) return false;
  event.preventDefault();
  act();
  return true;
}

export function help(place: Element): void {
  const dialog = h('dialog', { class: 'help', 'aria-label': 'Keys' }, h('h2', {}, 'Keys'),
    pairs([[', and .', 'one event back, one event on'], ['space', 'play and stop'], ['1 to 4', 'plan, timeline, events, what if'],
      ['/', 'search items; Enter chooses the next, with shift the one before'],
      ['arrows in the plan', 'from item to item; with shift: move the picture'], ['+ − 0', 'larger, smaller, all of it'], ['c in the plan', 'fold the lane of the chosen item'],
      ['arrows in lists and tabs', 'from row to row, from tab to tab']]),
    h('form', { method: 'dialog' }, h('button', {}, 'Close')));
  dialog.addEventListener('close', () => dialog.remove());
  place.append(dialog);
  dialog.showModal();
}
