// Ours and its peers over one story, in one run: `bash bench/peers.sh` sets it up and says how.
//
//   node bench/peers/run.mjs DATA PACKAGE NATIVE [--quick] [--json]
//
// Every contender is a process of its own that waits on its standard input; a round has each do the story once, one after the other,
// and the next round begins with the next of them. First all must come to the same outcomes; otherwise this ends with 1.
import { spawn } from 'node:child_process';
import * as path from 'node:path';
import * as readline from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { writeStory } from './story.mjs';

const { values: options, positionals } = parseArgs({ allowPositionals: true, options: { quick: { type: 'boolean' }, json: { type: 'boolean' } } });
const [data, engine, native] = positionals;
const SIZES = [10, 1_000, 100_000];
/** How often, by size: to warm up, and measured. */
const ROUNDS = options.quick ? { 10: [150, 60], 1_000: [10, 20], 100_000: [1, 3] } : { 10: [300, 300], 1_000: [20, 100], 100_000: [2, 15] };
const WHAT = {
  native: 'Engine::apply(&event), the event decoded: prompt texts are made, no journal line; time on the clock',
  wasm: 'Engine.apply(event) of the package, the event an object: made JSON, read, prompt texts and journal line made, answer made objects',
  xstate_transition: 'XState transition(machine, snapshot, event)',
  xstate_send: 'XState actor.send(event)',
  immer: 'immer produce, curried',
  robot3: 'robot3 service.send(event)',
  reducer: 'reducer by hand, plan in an array with an index',
  reducer_record: 'the same, plan in a record by id',
};
const OURS = ['native', 'wasm'];
const NAMES = Object.keys(WHAT);
const say = (text) => { if (!options.json) console.log(text); };

function begin(name) {
  const here = path.join(path.dirname(fileURLToPath(import.meta.url)), 'contender.mjs');
  const args = name === 'native' ? [native, data, '--native'] : [process.execPath, '--expose-gc', here, name, data, engine];
  const child = spawn(args[0], args.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (line) => {
    child.stdin.write(`${line}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error(`${name} ended before it answered ${line}`);
    return JSON.parse(value);
  };
  return { name, ask, end: () => child.stdin.end() };
}

/** Every outcome must be ours: those of the peers field by field, native as a whole. */
async function check(contender, items, outcomes) {
  const said = await contender.ask(`check ${items}`);
  if (said.length !== outcomes.length) throw new Error(`${contender.name}, ${items} slices: ${said.length} outcomes for ${outcomes.length} events`);
  for (const [place, { decided, ...outcome }] of outcomes.entries()) {
    const expected = OURS.includes(contender.name) ? decided : outcome;
    for (const [field, value] of Object.entries(expected)) {
      const [ours, theirs] = [JSON.stringify(value), JSON.stringify(said[place][field])];
      if (ours !== theirs) throw new Error(`${contender.name}, ${items} slices, event ${place + 1}: ${field} is ${theirs}, ours ${ours}`);
    }
  }
}

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];

/** The rounds of one size: microseconds an event, by contender. */
async function measure(contenders, items, events) {
  const counted = events - Math.ceil(events / 3);
  const [warm, rounds] = ROUNDS[items];
  const costs = new Map(contenders.map(({ name }) => [name, []]));
  for (let round = -warm; round < rounds; round += 1) {
    const turn = (round + warm) % contenders.length;
    for (const { name, ask } of [...contenders.slice(turn), ...contenders.slice(0, turn)]) {
      const ns = await ask(items);
      if (round >= 0) costs.get(name).push(ns / counted / 1_000);
    }
  }
  return [...costs].map(([name, all]) => {
    const sorted = all.toSorted((a, b) => a - b);
    return { name, items, us: at(sorted, 0.5), p10: at(sorted, 0.1), p90: at(sorted, 0.9), rounds };
  });
}

function table(rows) {
  say('\n   items  contender           µs/event   p10–p90              over wasm   over native   rounds');
  for (const { name, items, us, p10, p90, rounds } of rows) {
    const over = (ours) => (us / rows.find((one) => one.name === ours && one.items === items).us).toFixed(2);
    const spread = `${p10.toFixed(2)}–${p90.toFixed(2)}`;
    say(`${String(items).padStart(8)}  ${name.padEnd(18)}${us.toFixed(2).padStart(10)}   ${spread.padEnd(18)}${over('wasm').padStart(12)}${over('native').padStart(14)}${String(rounds).padStart(9)}`);
  }
}

function ratios(rows) {
  const us = (name, items) => rows.find((one) => one.name === name && one.items === items).us;
  const over = (name, items) => Number((us(name, items) / us('wasm', items)).toPrecision(4));
  const peers = NAMES.filter((name) => !OURS.includes(name));
  const all = Object.fromEntries(peers.flatMap((name) => SIZES.map((items) => [`${name}_${items}`, over(name, items)])));
  const flat = Number((us('wasm', 100_000) / us('wasm', 10)).toPrecision(4));
  const wasm = Number((us('wasm', 10) / us('native', 10)).toPrecision(4));
  return { ...all, flat_100000_over_10: flat, wasm_over_native: wasm };
}

const { Engine, version } = await import(pathToFileURL(engine));
const contenders = NAMES.map(begin);
try {
  const rows = [];
  say(`endstate ${version()}, Node ${process.version}. Microseconds an event of the story, medians over rounds in turn; what is measured:`);
  for (const name of NAMES) say(`  ${name.padEnd(18)} ${WHAT[name]}`);
  for (const items of SIZES) {
    const outcomes = writeStory(Engine, data, items);
    for (const contender of contenders) await check(contender, items, outcomes);
    say(`${items} slices: the same outcomes after each of ${outcomes.length} events, the whole plan after ${outcomes.filter((one) => one.statuses).length}, ${contenders.length} contenders`);
    rows.push(...await measure(contenders, items, outcomes.length));
  }
  table(rows);
  for (const row of options.json ? rows : []) console.log(JSON.stringify(row));
  console.log(JSON.stringify({ ratios: ratios(rows) }));
} catch (error) {
  console.error(`peers: ${error.message}`);
  process.exitCode = 1;
} finally {
  for (const { end } of contenders) end();
}
