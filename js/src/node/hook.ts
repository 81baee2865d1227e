// The stop hook on this machine: an agent that hosts roles wants to stop; may it? Twin of src/native/hook.rs, and the
// same count beside the mission; what is answered is decided in the engine (`Engine.mayStop`).

import { isEngineError, isHostError, open, printable } from 'endstate-core';
import type { Engine, MayStop, StopAnswer, StopCount } from 'endstate-core';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { replace } from './durable.js';
import { Lock } from './lock.js';
import { Places } from './places.js';
import { begun, DiskRecords } from './store.js';
import { readRegular } from './regular.js';

/** The pause between two looks while others are at work. */
const LOOK_EVERY = 200;
/** How long a driver that is between two turns may be away. */
const AWAY = 2_000;

/** How the hook behaves. */
export interface StopHookOptions {
  /** Where the agent works, if the hook is not told; the mission is the nearest one above it. */
  root?: string;
  /** How long it waits itself while others are at work, in seconds; 20 unless told otherwise. */
  wait?: number;
  /** How often in a row an agent is held without anything happening; 5 unless told otherwise. */
  patience?: number;
}

/** What a host tells its hook; everything else in there is passed over. */
export interface StopAsked {
  /** `Stop` or `SubagentStop`. */
  hook_event_name?: string;
  /** Where the agent works. */
  cwd?: string;
}

/**
 * A stop hook: asked by a host of an agent, it answers with what the host understands, or with nothing, and never
 * throws. Inside of a run of a mission (`ENDSTATE_RUN` is set) nobody is held.
 */
export function stopHook(options: StopHookOptions = {}): (asked?: StopAsked) => Promise<StopAnswer | undefined> {
  return async (asked) => {
    if (process.env.ENDSTATE_RUN) return undefined;
    try {
      const given = asked?.cwd;
      const place = options.root ?? (typeof given === 'string' ? given : process.cwd());
      return await stop(new Places(missionAbove(place)), asked?.hook_event_name === 'SubagentStop', options);
    } catch (error) {
      const why = isEngineError(error) || isHostError(error) ? `${error.code}: ${error.message}` : String(error);
      return told(`the mission cannot be read: ${why}`);
    }
  };
}

const told = (words: string): StopAnswer => ({ systemMessage: printable(`endstate: ${words}`).replaceAll('\n', ' ').slice(0, 2_000) });

/** The nearest folder above that has a mission, or this one. */
function missionAbove(place: string): string {
  const from = fs.existsSync(place) ? fs.realpathSync(place) : process.cwd();
  for (let at = from; ; at = path.dirname(at)) {
    if (fs.existsSync(new Places(at).journal)) return at;
    if (path.dirname(at) === at) return from;
  }
}

async function stop(places: Places, subagent: boolean, { wait = 20, patience = 5 }: StopHookOptions): Promise<StopAnswer | undefined> {
  try {
    if (!begun(places)) return undefined;
  } catch {
    // What cannot be driven keeps nobody from stopping.
    return undefined;
  }
  const file = path.join(places.engine, 'hook.json');
  const ask = (engine: Engine, isDriven: boolean): MayStop => {
    const count = counted(file);
    return engine.mayStop({ subagent, driven: isDriven, patience, at: Date.now(), ...(count && { count }) });
  };
  const { answer, count } = await settled(places, wait * 1_000, ask);
  try {
    replace(file, places.staging, Buffer.from(JSON.stringify(count)));
  } catch (error) {
    // What cannot be counted cannot be bounded.
    if (answer && 'decision' in answer) return told(`the agent was let go, the hook cannot count: ${String(error)}`);
  }
  return answer ?? undefined;
}

/** What the engine says once it is not others' turn any more, or nobody drives them, or the time is up. */
async function settled(places: Places, wait: number, ask: (engine: Engine, isDriven: boolean) => MayStop): Promise<MayStop> {
  const began = performance.now();
  for (;;) {
    const { engine } = await open(new DiskRecords(places));
    try {
      const said = ask(engine, true);
      if (!said.others) return said;
      const isDriven = await driven(places);
      if (!isDriven || performance.now() - began >= wait) return ask(engine, isDriven);
    } finally {
      engine.free();
    }
    await sleep(LOOK_EVERY);
  }
}

/** Whether a driver is alive, also one that is just between two turns. */
async function driven(places: Places): Promise<boolean> {
  const began = performance.now();
  while (performance.now() - began < AWAY) {
    if (Lock.heldBy(places.lock) !== undefined) return true;
    await sleep(LOOK_EVERY);
  }
  return false;
}

/** What the hook has done so far; what cannot be read is as good as nothing. */
function counted(file: string): StopCount | undefined {
  try {
    const { seq, held, heard_at, holds } = JSON.parse(readRegular(file).toString()) as StopCount;
    const whole = [seq, held, heard_at, holds].every((one) => Number.isSafeInteger(one) && one >= 0);
    return whole ? { seq, held, heard_at, holds } : undefined;
  } catch {
    return undefined;
  }
}
