// Two states side by side: every JSON path at which they differ. Rows that have an id are told by it, not by
// their place.
import type { Difference, Differences } from './wire';

const MOST = 300;
const NAMES = ['id', 'slice_id', 'counter'];

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

export function difference(before: Json, after: Json): Differences {
  const changes: Difference[] = [];
  let more = 0;
  const add = (path: string, left: Json | undefined, right: Json | undefined): void => {
    if (changes.length >= MOST) more += 1;
    else changes.push({ path: path || 'state', before: short(left), after: short(right) });
  };
  const walk = (path: string, left: Json | undefined, right: Json | undefined): void => {
    if (left === right) return;
    if (!isTree(left) || !isTree(right) || Array.isArray(left) !== Array.isArray(right)) {
      return add(path, left, right);
    }
    if (Array.isArray(left) && Array.isArray(right)) {
      const name = nameOf(left, right);
      const [old, now] = [keyed(left, name), keyed(right, name)];
      for (const key of new Set([...old.keys(), ...now.keys()])) walk(`${path}[${key}]`, old.get(key), now.get(key));
      return;
    }
    const [old, now] = [left as Record<string, Json>, right as Record<string, Json>];
    for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
      walk(path ? `${path}.${key}` : key, own(old, key), own(now, key));
    }
  };
  walk('', before, after);
  return { changes, more };
}

const isTree = (value: Json | undefined): value is Json[] | { [name: string]: Json } =>
  typeof value === 'object' && value !== null;

const own = (value: Record<string, Json>, key: string): Json | undefined =>
  Object.hasOwn(value, key) ? value[key] : undefined;

/** The field that names the rows of both lists, each once. */
function nameOf(left: Json[], right: Json[]): string | undefined {
  return NAMES.find((name) => [left, right].every((rows) => {
    const names = rows.map((row) => (isTree(row) && !Array.isArray(row) ? own(row, name) : undefined));
    return names.every((one) => typeof one === 'string') && new Set(names).size === names.length;
  }));
}

function keyed(rows: Json[], name: string | undefined): Map<string, Json> {
  return new Map(rows.map((row, at) => [name ? String((row as Record<string, Json>)[name]) : String(at), row]));
}

function short(value: Json | undefined): string | null {
  if (value === undefined) return null;
  const text = JSON.stringify(value);
  return text.length > 600 ? `${text.slice(0, 600)}… (${text.length} characters)` : text;
}
