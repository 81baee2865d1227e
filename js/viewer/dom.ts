// Small helpers for the page. Text is only ever set as text: there is no way in here to make markup of it.

type Child = Node | string | number | null | undefined | false;
type Props = { [name: string]: unknown };

/** An element. `class`, `on…` handlers, properties of the element, and attributes (`role`, `tabindex`, anything with a dash). */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === 'class') element.className = String(value);
    else if (name.startsWith('on')) element.addEventListener(name.slice(2), value as EventListener);
    else if (name.includes('-') || name === 'role' || name === 'tabindex') element.setAttribute(name, value === true ? '' : String(value));
    else Reflect.set(element, name, value);
  }
  fill(element, ...children);
  return element;
}

/** Replaces what is in an element. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren(...children
    .filter((one): one is Node | string | number => one !== null && one !== undefined && one !== false)
    .map((one) => (one instanceof Node ? one : document.createTextNode(visible(String(one))))));
}

/** Control characters and marks that reverse text are shown, not obeyed. */
export function visible(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, (letter) =>
    letter < ' ' ? String.fromCharCode(0x2400 + letter.charCodeAt(0)) : `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A heading with content under it, folded unless `open`. */
export function fold(title: string, open: boolean, ...children: Child[]): HTMLDetailsElement {
  return h('details', { open }, h('summary', {}, title), ...children);
}

/** A list of names and values. */
export function pairs(rows: [string, Child][]): HTMLElement {
  return h('dl', { class: 'pairs' }, ...rows.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}

export { roleName, words } from './names';

/** A state as people see it: a colour, a shape and a word. */
export const mark = (tone: string, glyph: string, word: string): HTMLElement => h('span', { class: `mark ${tone}` }, `${glyph} ${word}`);

export function time(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString().replace('T', ' ').replace('Z', ' UTC');
}

export function duration(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  const seconds = ms / 1000;
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  const minutes = seconds / 60;
  return minutes < 120 ? `${minutes.toFixed(0)} min` : `${(minutes / 60).toFixed(1)} h`;
}

/** A cost, of which runs tell millionths: as exact as they told it, and not longer. */
export const money = (micros: number): string => (Math.round(micros) / 1e6).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 6 });

export function bytes(size: number): string {
  return size < 10_000 ? `${size} bytes` : size < 10_000_000 ? `${(size / 1000).toFixed(0)} kB` : `${(size / 1e6).toFixed(1)} MB`;
}

/** JSON laid out for reading; texts in it are whole lines of their own where they have line ends. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** A value as people read it: prose as prose, the rest as JSON. */
export function valueBlock(value: unknown): HTMLElement {
  const text = typeof value === 'string' ? value : jsonText(value);
  return h('pre', { class: 'block', 'tabindex': '0', role: 'region', 'aria-label': 'text' }, text);
}

/** Hands a file to the reader. */
export function save(name: string, content: Uint8Array): void {
  const url = URL.createObjectURL(new Blob([content as BlobPart], { type: 'application/jsonl' }));
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
