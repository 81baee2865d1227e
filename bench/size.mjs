// How large the engine is, and where it says the same twice: `node bench/size.mjs [root]`.
//
// Lines are those of `wc -l`: comments, blank lines and inline tests counted. A concern is a file name (or a folder's) that
// stands in several protocols. A function reaches from its `fn` line to the brace in the same column; those of tests do not
// count. A passage is six lines in a row that stand elsewhere in the same shape: names, numbers and strings set aside.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

const root = process.argv[2] ?? '.';
const WINDOW = 6;
const folders = [
  'src/mission',
  ...['completion', 'promise', 'sprint', 'iteration', 'grid', 'shared'].map((name) => `src/protocols/${name}`),
];

/** Every file below a folder. */
function below(folder) {
  let names;
  try {
    names = readdirSync(folder).sort();
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? below(path) : [path];
  });
}

const read = (path) => readFileSync(path, 'utf8').split('\n').slice(0, -1);
const sum = (all) => all.reduce((one, other) => one + other, 0);
const table = (rows) => {
  const widths = rows[0].map((_, at) => Math.max(...rows.map((row) => String(row[at]).length)));
  const cell = (value, at) => (at ? String(value).padStart(widths[at]) : String(value).padEnd(widths[at]));
  console.log(rows.map((row) => row.map(cell).join('  ')).join('\n') + '\n');
};

/** The functions of a Rust file outside its tests: name, first line, length. */
function functions(lines) {
  const tests = lines.findIndex((line) => line.startsWith('#[cfg(test)]'));
  const own = tests < 0 ? lines : lines.slice(0, tests);
  return own.flatMap((line, at) => {
    const found = line.match(/^(\s*)(?:pub(?:\([^)]*\))? )?(?:const )?fn (\w+)/);
    if (!found || line.trimEnd().endsWith(';')) return [];
    const end = own.findIndex((other, place) => place >= at && (other === `${found[1]}}` || other === `${found[1]}};`));
    const length = line.trimEnd().endsWith('}') ? 1 : end - at + 1;
    return end < 0 && length !== 1 ? [] : [{ name: found[2], line: at + 1, length }];
  });
}

const words = /^(?:let|mut|match|if|else|for|in|while|return|fn|pub|impl|struct|enum|use|Some|None|Ok|Err|self|true|false|as|ref|move|where)$/;

/** A line without what it names; nothing for comments and lines without a word. */
function shape(line) {
  const bare = line.trim();
  if (/^(\/\/|#\[|use |mod )/.test(bare) || !/\w/.test(bare)) return '';
  return bare
    .replace(/"(?:[^"\\]|\\.)*"/g, '"')
    .replace(/\b\d\w*/g, '0')
    .replace(/[A-Za-z_]\w*/g, (word) => (words.test(word) ? word : 'x'));
}

/** How many lines of these files stand in a passage whose shape occurs more than once. */
function repeated(files) {
  const seen = new Map();
  const texts = files.map(({ path, lines }) => {
    const said = lines.map((line, at) => ({ at, shape: shape(line) })).filter((one) => one.shape);
    return { path, said };
  });
  texts.forEach(({ said }, file) => {
    for (let at = 0; at + WINDOW <= said.length; at += 1) {
      const key = said.slice(at, at + WINDOW).map((one) => one.shape).join('\n');
      seen.set(key, [...(seen.get(key) ?? []), [file, at]]);
    }
  });
  const hit = texts.map(() => new Set());
  for (const places of seen.values()) {
    if (places.length < 2) continue;
    for (const [file, at] of places) {
      for (let step = 0; step < WINDOW; step += 1) hit[file].add(texts[file].said[at + step].at);
    }
  }
  return new Map(texts.map(({ path }, file) => [path, hit[file].size]));
}

const files = folders.flatMap((folder) =>
  below(join(root, folder)).map((path) => ({ folder, path, lines: read(path), rust: path.endsWith('.rs') })),
);
const rust = files.filter((file) => file.rust);
const twice = repeated(rust);

const rows = [['folder', 'files', 'Rust', 'templates', 'in repeated shapes']];
for (const folder of folders) {
  const own = files.filter((file) => file.folder === folder);
  if (own.length === 0) continue;
  const count = (all) => sum(all.map((file) => file.lines.length));
  const code = own.filter((file) => file.rust);
  rows.push([folder, own.length, count(code), count(own) - count(code), sum(code.map((file) => twice.get(file.path)))]);
}
rows.push(['together', ...[1, 2, 3, 4].map((at) => sum(rows.slice(1).map((row) => row[at])))]);
table(rows);

const concerns = new Map();
for (const { folder, path, lines } of rust.filter((file) => file.folder.startsWith('src/protocols/'))) {
  const inner = relative(join(root, folder), path).split('/')[0];
  const name = basename(inner, '.rs');
  const known = concerns.get(name) ?? new Map();
  known.set(folder, (known.get(folder) ?? 0) + lines.length);
  concerns.set(name, known);
}
const short = folders.slice(1, 6);
const shared = [...concerns].filter(([, known]) => short.filter((folder) => known.has(folder)).length > 1);
shared.sort((one, other) => sum([...other[1].values()]) - sum([...one[1].values()]));
table([
  ['concern', ...short.map((folder) => basename(folder)), 'together'],
  ...shared.map(([name, known]) => {
    const lines = short.map((folder) => known.get(folder) ?? 0);
    return [name, ...lines, sum(lines)];
  }),
]);
const ten = ['apply', 'answers', 'commands', 'observe', 'ask', 'check', 'explain', 'prompt', 'decide', 'start'];
const of = (name) => short.map((folder) => concerns.get(name)?.get(folder) ?? 0);
console.log(`the ten concerns (${ten.join(', ')}): ${sum(ten.flatMap(of))} lines\n`);

const all = rust.flatMap(({ path, lines }) => functions(lines).map((one) => ({ path: relative(root, path), ...one })));
all.sort((one, other) => other.length - one.length);
console.log(
  `${all.length} functions, median ${all[Math.floor(all.length / 2)].length} lines, ` +
    `${all.filter((one) => one.length > 60).length} over 60; the longest:`,
);
for (const one of all.slice(0, 8)) console.log(`  ${one.length}  ${one.path}:${one.line} ${one.name}`);
const large = rust.filter((file) => file.lines.length > 500).map((file) => `${relative(root, file.path)} ${file.lines.length}`);
console.log(`files over 500 lines: ${large.join(', ') || 'none'}`);
