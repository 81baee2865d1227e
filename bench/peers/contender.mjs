// One contender in a process of its own, so that none pays for another's garbage, nor for shapes that another one taught shared code.
//
//   node --expose-gc bench/peers/contender.mjs NAME DATA PACKAGE
//
// As `bench/native.rs`: reads sizes from standard input. `check N` answers with where it stood after each event, `N` with the
// nanoseconds of the events after the first third. To come to the beginning of the story is not counted.
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as readline from 'node:readline';
import { pathToFileURL } from 'node:url';
import { reducer, robot, xstateSend, xstateTransition } from './contenders.mjs';
import { immer } from './drafts.mjs';
import { nextRole } from './rules.mjs';
import { statusDigest } from './story.mjs';
import { listTable, recordTable } from './table.mjs';

const [name, folder, engine] = process.argv.slice(2);
const read = (file) => fs.readFileSync(path.join(folder, file), 'utf8');

/** A peer, with the plan in this kind of table. */
const peer = (make, makeTable) => (items) => {
  const { initial, events, outcomes } = JSON.parse(read(`story-${items}.json`));
  const table = makeTable(initial.slices);
  const contender = make({ initial: { ...initial, slices: table.start() }, table });
  function check() {
    const held = contender.open();
    return events.map((event, place) => {
      try {
        contender.feed(held, [event]);
        return outcomeOf(contender.now(held), table, outcomes[place].statuses !== undefined);
      } catch (error) {
        return { effects: String(error) };
      }
    });
  }
  return { events, check, ...contender };
};

function outcomeOf({ active, effects, continuation, done, slices, open }, table, whole) {
  return {
    role: nextRole({ active, open }),
    active: `${active.id} ${active.status}`,
    continuation,
    effects: effects.map(({ id, kind, name: what }) => `${id} ${kind} ${what}`).join(', '),
    ...(whole && { done, statuses: statusDigest(table.all(slices)) }),
  };
}

/** The package: `Engine.apply` with the event as an object, as hosts have it. */
async function wasm() {
  const { Engine } = await import(pathToFileURL(engine));
  return (items) => {
    const [snapshot, lines] = [read(`snapshot-${items}.json`), read(`events-${items}.jsonl`)];
    const events = lines.trimEnd().split('\n').map((line) => JSON.parse(line));
    const open = () => Engine.open(snapshot);
    const feed = (held, some) => { for (const event of some) held.apply(event); };
    const check = () => {
      const held = open();
      return events.map((event) => held.apply(event).decided);
    };
    return { events, open, feed, check, close: (held) => held.free() };
  };
}

const CONTENDERS = {
  wasm,
  xstate_transition: () => peer(xstateTransition, listTable),
  xstate_send: () => peer(xstateSend, listTable),
  immer: () => peer(immer, listTable),
  robot3: () => peer(robot, listTable),
  reducer: () => peer(reducer, listTable),
  reducer_record: () => peer(reducer, recordTable),
};

/** The lesser of the time on the clock and on the processor: a long pass is not charged for what else runs on a busy machine, and a
 *  collector's threads are not charged for on a quiet one. */
function nanoseconds({ events, open, feed, close }) {
  const warm = Math.ceil(events.length / 3);
  const [first, rest] = [events.slice(0, warm), events.slice(warm)];
  const held = open();
  feed(held, first);
  globalThis.gc({ type: 'minor' });
  const [begin, used] = [process.hrtime.bigint(), process.cpuUsage()];
  feed(held, rest);
  const ns = Number(process.hrtime.bigint() - begin);
  const { user, system } = process.cpuUsage(used);
  close?.(held);
  return Math.min(ns, (user + system) * 1_000);
}

const make = await CONTENDERS[name]();
const stories = new Map();
for await (const line of readline.createInterface({ input: process.stdin })) {
  const [items, checks] = [Number(line.replace('check ', '')), line.startsWith('check ')];
  if (!stories.has(items)) stories.set(items, make(items));
  const story = stories.get(items);
  process.stdout.write(`${JSON.stringify(checks ? story.check() : nanoseconds(story))}\n`);
}
