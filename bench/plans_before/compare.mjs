// Counts what differs between two lists of configs, by kind: `node compare.mjs before.jsonl now.jsonl`.
import { readFileSync } from 'node:fs';

const read = (path) =>
  new Map(
    readFileSync(path, 'utf8').split('\n').filter(Boolean).map((line) => {
      const { file, config } = JSON.parse(line);
      return [file, config];
    }),
  );
const [before, now] = process.argv.slice(2).map(read);

/** The sprints of a config by their label, with the place of their unit where a label occurs twice. */
function sprints(config) {
  const all = config.units.flatMap((unit, place) => unit.sprints.map((one) => ({ ...one, unit: unit.id, place })));
  const twice = (label) => all.filter((one) => one.label === label).length > 1;
  return new Map(all.map((one) => [twice(one.label) ? `${one.place}/${one.label}` : one.label, one]));
}

const line = (command) => (command.argv[1] === '-c' ? command.argv[2] : command.argv.join(' '));
const commands = (sprint) => new Map(
  sprint.criteria.filter((one) => one.check?.by === 'command').map((one) => [line(one.check.line), JSON.stringify(one.check.line.expect)]),
);
const judged = (sprint) => sprint.criteria.some((one) => one.check?.by !== 'command');
const ids = (sprint) => JSON.stringify([...new Set(sprint.criteria.map((one) => one.id))]);

const counts = new Map();
const told = [];
function count(kind, where) {
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
  told.push(`${kind}: ${where}`);
}

function compare(file, key, old, one) {
  const where = `${file} ${key}`;
  const [was, is] = [commands(old), commands(one)];
  for (const text of is.keys()) if (!was.has(text)) count('a command newly run', `${where} ${text}`);
  for (const text of was.keys()) if (!is.has(text)) count('a command not run any more', `${where} ${text}`);
  for (const [text, expect] of is) {
    if (was.has(text) && was.get(text) !== expect) count('other: a command must do something else', `${where} ${text} ${was.get(text)} ${expect}`);
  }
  if (judged(one) && !judged(old)) count('a verifier added', where);
  if (!judged(one) && judged(old)) count('a verifier gone', where);
  const { floor, ...traits } = one.traits ?? {};
  if (floor || JSON.stringify(traits) !== JSON.stringify(old.traits ?? {})) count('what the tier is chosen by', where);
  if (ids(old) !== ids(one) || old.unit !== one.unit) count('ids of places', where);
  for (const part of ['kind', 'begins', 'reads', 'after']) {
    const [before, now] = [old[part], one[part]].map((value) => JSON.stringify(value ?? null));
    if (before !== now) count(`other: ${part}`, `${where} ${before} ${now}`);
  }
}

let both = 0;
let all = 0;
for (const [file, config] of now) {
  const old = before.get(file);
  if (!old) continue;
  both += 1;
  const [was, is] = [sprints(old), sprints(config)];
  const order = (map) => [...map.keys()].join(' ');
  if (order(was) !== order(is)) count('other: the sprints and their order', `${file}: ${order(was)} | ${order(is)}`);
  for (const [key, one] of is) {
    if (!was.has(key)) continue;
    all += 1;
    compare(file, key, was.get(key), one);
  }
}
if (process.env.ENDSTATE_ALL) console.log(told.join('\n'));
console.log(`${before.size} documents were read before, ${now.size} are read now, ${both} by both: ${all} sprints`);
for (const [kind, many] of [...counts].sort()) console.log(`${many}  ${kind}`);
