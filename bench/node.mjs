// The cost of one event given to a WebAssembly engine that is held open, with 10, 1,000 and 100,000
// items. It must not grow with the number of items.
//
//   cargo run --release --no-default-features --example bench_data
//   node js/build.mjs
//   node bench/node.mjs [--data DIR] [--package FILE] [--check RATIO]
//
// Prints a table, and as its last line one object of JSON. With --check it fails if any size costs
// more than RATIO times another.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const here = path.dirname(fileURLToPath(import.meta.url));
const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: path.join(here, 'data') },
    package: { type: 'string', default: path.join(here, '..', 'target', 'npm', 'stage', 'index.node.mjs') },
    check: { type: 'string' },
    seconds: { type: 'string', default: '2' },
  },
});
const { Engine, version } = await import(pathToFileURL(path.resolve(options.package)));
const SIZES = [10, 1_000, 100_000];

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

/** Nanoseconds each event of the story costs, once through; opening is not counted. */
function once(snapshot, events) {
  const engine = Engine.open(snapshot);
  const costs = events.map((event) => {
    const begin = process.hrtime.bigint();
    engine.apply(event);
    return Number(process.hrtime.bigint() - begin);
  });
  engine.free();
  return costs;
}

/** The mean over the events, of each event's median over the rounds: what else the machine does
 *  falls on single events of single rounds. The first slice only warms the engine up. */
function typical(rounds) {
  const medians = rounds[0].map((_, place) => median(rounds.map((round) => round[place])));
  const counted = medians.slice(Math.ceil(medians.length / 3));
  return counted.reduce((sum, ns) => sum + ns, 0) / counted.length;
}

function measure(items) {
  const read = (name) => fs.readFileSync(path.join(options.data, name), 'utf8');
  const snapshot = read(`snapshot-${items}.json`);
  const events = read(`events-${items}.jsonl`).trimEnd().split('\n');
  const opened = performance.now();
  Engine.open(snapshot).free();
  const open_ms = performance.now() - opened;
  for (let round = 0; round < 3; round += 1) once(snapshot, events);
  const rounds = [];
  const until = performance.now() + Number(options.seconds) * 1_000;
  while (rounds.length < 9 || (performance.now() < until && rounds.length < 2_000)) rounds.push(once(snapshot, events));
  return { items, ns: typical(rounds), open_ms, rounds: rounds.length, events: events.length };
}

// The first story through warms the code up for all sizes.
measure(SIZES[0]);
const rows = SIZES.map(measure);
for (const row of rows) row.ratio = row.ns / rows[0].ns;
const spread = Math.max(...rows.map((row) => row.ns)) / Math.min(...rows.map((row) => row.ns));

console.log('   items   ns/event   ratio   open ms   rounds');
for (const { items, ns, ratio, open_ms, rounds } of rows) {
  const columns = [[items, 8], [ns.toFixed(0), 11], [ratio.toFixed(2), 8], [open_ms.toFixed(1), 10], [rounds, 9]];
  console.log(columns.map(([value, width]) => String(value).padStart(width)).join(''));
}
console.log(JSON.stringify({ bench: 'events_into_open_engine', host: `node ${process.version}`, version: version(), spread, rows }));
if (options.check && spread > Number(options.check)) {
  console.error(`the sizes cost ${spread.toFixed(2)} times each other; at most ${options.check} is allowed`);
  process.exitCode = 1;
}
