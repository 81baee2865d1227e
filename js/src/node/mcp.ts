// Serves a mission that the Rust program drives (`endstate run … --hosted ROLE`) to an agent over standard
// input and output. Twin of src/native/mcp.rs, but that it never drives itself; what is said is decided in
// the engine (`McpServer`), so both say the same.

import { answerMission, commandMission, HostError, isEngineError, isHostError, McpServer, open, words } from 'endstate-core';
import type { Engine, ErrorData, Host, McpErrand, McpIn, McpPolicy } from 'endstate-core';
import * as fs from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { nodeHost } from './index.js';
import { Lock } from './lock.js';
import { Places } from './places.js';
import { post } from './post.js';
import { DiskRecords } from './store.js';
import { openRegular } from './regular.js';

/** The pause between two looks while somebody waits, in milliseconds. */
const LOOK_EVERY = 100;
/** The longest line that is read, in characters: more than any that is taken. */
const MOST_LINE = 8 * 1024 * 1024 + 1;
/** How much of the end of the journal the history is read from, in bytes, and how many events it tells. */
const MOST_HISTORY_BYTES = 512 * 1024;
const MOST_HISTORY = 200;

/** How a session is served. */
export interface ServeMcpOptions {
  /** The root of the repository. */
  root: string;
  /** What the agent may do. */
  policy?: McpPolicy;
  /** Where lines come from; standard input unless told otherwise. */
  input?: Readable;
  /** Where lines go to; standard output unless told otherwise. */
  output?: Writable;
}

/** Serves until the input ends. */
export async function serveMcp(options: ServeMcpOptions): Promise<void> {
  const session = new Session(options);
  await session.serve(options.input ?? process.stdin);
}

class Session {
  readonly #places: Places;
  readonly #host: Host;
  readonly #server: McpServer;
  readonly #output: Writable;
  readonly #errands = new Set<Promise<void>>();
  #seen: { length: number; engine: Engine } | undefined;
  /** One thing is heard at a time. */
  #turn: Promise<void> = Promise.resolve();

  constructor({ root, policy, output = process.stdout }: ServeMcpOptions) {
    this.#host = nodeHost({ root });
    this.#places = new Places(fs.realpathSync(root));
    this.#server = new McpServer(policy);
    this.#output = output;
  }

  async serve(input: Readable): Promise<void> {
    const timer = setInterval(() => {
      if (this.#server.waits()) this.#hear({ in: 'tick' });
    }, LOOK_EVERY);
    try {
      for await (const text of linesOf(input)) this.#hear({ in: 'line', text });
      await this.#turn;
      await Promise.all(this.#errands);
      await this.#turn;
    } finally {
      clearInterval(timer);
      this.#seen?.engine.free();
      this.#server.free();
    }
  }

  #hear(what: McpIn): void {
    this.#turn = this.#turn.then(() => this.#heard(what));
  }

  async #heard(what: McpIn): Promise<void> {
    const now = Date.now();
    const driven = Lock.heldBy(this.#places.lock) !== undefined;
    const scene = await this.#look().then((engine) => ({ engine, driven, now }), (error: unknown) => ({ why: words(error), now }));
    for (const one of this.#server.hear(what, scene)) {
      if (one.out === 'line') this.#output.write(`${one.text}\n`);
      else this.#sendOff(one.ticket, one.errand);
    }
  }

  /** The mission as it was when its journal last grew. */
  async #look(): Promise<Engine> {
    const length = fs.statSync(this.#places.journal, { throwIfNoEntry: false })?.size;
    if (this.#seen !== undefined && this.#seen.length === length) return this.#seen.engine;
    this.#seen?.engine.free();
    this.#seen = undefined;
    const { engine, offset } = await open(new DiskRecords(this.#places));
    this.#seen = { length: offset, engine };
    return engine;
  }

  #sendOff(ticket: number, errand: McpErrand): void {
    const done = this.#run(errand).then(
      (answer) => this.#hear({ in: 'done', ticket, answer }),
      (error: unknown) => this.#hear({ in: 'refused', ticket, error: fault(error) }),
    );
    this.#errands.add(done);
    void done.finally(() => this.#errands.delete(done));
  }

  async #run(errand: McpErrand): Promise<string> {
    switch (errand.errand) {
      case 'report': {
        const { run, text } = errand;
        // Only a driver that gave the run out knows that it did.
        if (Lock.heldBy(this.#places.lock) === undefined) {
          throw new HostError('host_failed', 'report', 'a driver that is alive: `endstate run … --hosted ROLE` of the Rust program', 'none');
        }
        await post(this.#places, { report: { run, text } });
        return '';
      }
      case 'answer':
        await answerMission(this.#host, errand.answer, errand.question);
        return '';
      case 'command':
        await commandMission(this.#host, errand.command);
        return '';
      case 'history':
        return history(this.#places);
    }
  }
}

/** An error of a host under a code of the engine's list. */
function fault(error: unknown): ErrorData {
  const known = isHostError(error) || isEngineError(error) ? error : undefined;
  const { at = '', expected = 'a call that succeeds', got = words(error) } = known ?? {};
  const host = ['io', 'usage', 'no_mission', 'journal_missing', 'mission_exists', 'locked'];
  const code = known === undefined || host.includes(known.code) ? 'host_failed' : known.code;
  return { kind: 'refused', code: code as ErrorData['code'], at, expected, got };
}

/** The last events, the oldest first, as JSON text. */
function history(places: Places): string {
  const file = openRegular(places.journal);
  try {
    const { size } = fs.fstatSync(file);
    const from = Math.max(0, size - MOST_HISTORY_BYTES);
    const bytes = Buffer.alloc(size - from);
    const read = fs.readSync(file, bytes, 0, bytes.length, from);
    // The first piece may be half a line, and the last one may be on its way: neither can be read.
    const events = bytes.toString('utf8', 0, read).split('\n').flatMap(event);
    return JSON.stringify(events.slice(-MOST_HISTORY));
  } finally {
    fs.closeSync(file);
  }
}

/** One line of the journal in short. */
function event(line: string): unknown[] {
  try {
    const { seq, body } = JSON.parse(line);
    const { rule, continuation, effects } = body.decided;
    const ordered = effects.map((one: { order: string }) => one.order);
    return [{ seq, at: (body.event ?? body).at, event: body.event?.fact.type ?? 'started', rule, continuation, ordered }];
  } catch {
    return [];
  }
}

/** Lines, each cut off where it is longer than any that is taken. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8');
  let line = '';
  for await (const piece of input) {
    const parts = decoder.decode(typeof piece === 'string' ? Buffer.from(piece) : piece, { stream: true }).split('\n');
    for (const [place, part] of parts.entries()) {
      line = (line + part).slice(0, MOST_LINE);
      if (place === parts.length - 1) continue;
      yield line;
      line = '';
    }
  }
  if (line !== '') yield line;
}
