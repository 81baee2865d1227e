// Serves the viewer: on 127.0.0.1, on a port of the system's choice, under a path nobody can guess. Twin of
// src/cli/view/server.rs.
//
// Whoever has the address may read the journal and command the mission; nobody else may. A page of another
// place cannot: it does not know the path, its requests name another host or another origin, and both are
// looked at before anything else.

import { answerMission, commandMission, HostError, isEngineError, isHostError, words } from 'endstate-core';
import type { Fact } from 'endstate-core';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import * as fs from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nodeHost } from './index.js';
import { Lock } from './lock.js';
import { Places } from './places.js';
import { newest } from './viewer-beside.js';
import { find, Page } from './viewer.js';
import type { ViewerOptions } from './viewer.js';

/** How often the journal is looked at for more, in milliseconds. */
const LOOK = 150;
/** After so many looks without anything new, a sign of life. */
const QUIET_LOOKS = 60;
/** The most bytes in one event of a stream, and in a command. */
const MOST = 256 * 1024;
const MOST_CONNECTIONS = 64;
const PATIENCE = 10_000;

/** What every answer says: nothing of it is kept, framed, guessed or told to others. */
const COMMON = {
  'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer', 'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin', 'cross-origin-opener-policy': 'same-origin', connection: 'close',
};
const TEXT = 'text/plain; charset=utf-8';

/** A viewer that is served until it is closed. */
export interface ViewerServer {
  /** Its address. Whoever has it may read the journal and command the mission. */
  url: string;
  close(): Promise<void>;
}

/** Serves the viewer of a mission, live, or of a document. */
export async function serveViewer({ root, path = '.', page }: ViewerOptions): Promise<ViewerServer> {
  const shown = find(root, path);
  const desk = 'files' in shown
    ? new Desk(new Page(page), shown.files, undefined, undefined)
    : new Desk(new Page(page), [], shown.journal, shown.repository);
  const server = createServer({ headersTimeout: PATIENCE, requestTimeout: PATIENCE }, (request, answer) => {
    // A reader that went away is no error.
    answer.on('error', () => answer.destroy());
    desk.serve(request, answer).catch((error: unknown) => (answer.headersSent ? answer.destroy() : say(answer, 500, TEXT, `${words(error)}\n`)));
  });
  server.maxConnections = MOST_CONNECTIONS;
  await listening(server);
  desk.port = (server.address() as AddressInfo).port;
  const close = (): Promise<void> => new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${desk.port}/${desk.token}/`, close };
}

function listening(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(HostError.io('listen on', '127.0.0.1', error)));
    server.listen(0, '127.0.0.1', resolve);
  });
}

class Desk {
  port = 0;
  readonly token = randomBytes(16).toString('hex');
  /** One command at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    readonly page: Page,
    /** What lies in the page, where it is no journal that may grow. */
    readonly files: [name: string, bytes: Buffer][],
    readonly journal: string | undefined,
    readonly repository: string | undefined,
  ) {}

  async serve(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { host, origin } = request.headers;
    const own = [`127.0.0.1:${this.port}`, `localhost:${this.port}`];
    const hosts = request.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length;
    const foreign = origin !== undefined && !own.some((one) => origin === `http://${one}`);
    if (hosts !== 1 || !own.includes(host ?? '') || foreign) return say(answer, 403, TEXT, 'another host or origin\n');
    const [, token = '', name] = /^\/([^/?]*)\/([^?]*)/.exec(request.url ?? '') ?? [];
    if (!same(token, this.token)) return say(answer, 404, TEXT, 'nothing is here\n');
    switch (`${request.method} ${name}`) {
      case 'GET ': return say(answer, 200, 'text/html; charset=windows-1252', this.#page());
      case 'POST command': return this.#command(request, answer);
      case 'GET journal': if (this.journal !== undefined) return say(answer, 200, 'application/octet-stream', fs.readFileSync(this.journal)); break;
      case 'GET events': if (this.journal !== undefined) return events(this.journal, () => this.#driver(), request, answer); break;
    }
    return say(answer, 404, TEXT, 'nothing is here\n');
  }

  /** Anew for every request: a mission that was begun again has other snapshots. */
  #page(): Buffer {
    return this.journal === undefined ? this.page.withFiles(this.files) : this.page.live(newest(this.journal));
  }

  /**
   * Whether a driver is alive; nothing where no command can be given. This process takes the lock only for a
   * command, and drives nothing.
   */
  #driver(): string | undefined {
    if (this.repository === undefined) return undefined;
    try {
      const holder = Lock.heldBy(new Places(this.repository).lock);
      return holder === undefined || holder.pid === process.pid ? 'none' : 'alive';
    } catch {
      // What is no file that can be read is nobody's lock.
      return 'none';
    }
  }

  async #command(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    try {
      const fact = await this.#read(request);
      const given = this.#turn.then(() => this.#give(fact));
      this.#turn = given.catch(() => undefined);
      await given;
      say(answer, 200, 'application/json', '{"result":"taken"}');
    } catch (error) {
      say(answer, 409, 'application/json', JSON.stringify({ error: fieldsOf(error) }));
    }
  }

  /**
   * Only a page of ours can have sent this: a form of another cannot name this type, and a script of another
   * must show its origin, which was looked at.
   */
  async #read(request: IncomingMessage): Promise<Fact> {
    const { origin, 'content-type': type } = request.headers;
    if (origin === undefined || type !== 'application/json') throw new HostError('usage', 'command', 'an origin and JSON', 'another kind of request');
    const pieces: Buffer[] = [];
    let length = 0;
    for await (const piece of request as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > MOST) throw new HostError('too_large', 'command', `at most ${MOST} bytes`, 'more');
      pieces.push(piece);
    }
    try {
      return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces))) as Fact;
    } catch (error) {
      throw new HostError('syntax', 'command', 'JSON', words(error));
    }
  }

  async #give(fact: Fact | null): Promise<void> {
    if (this.repository === undefined) throw new HostError('usage', 'command', 'a mission in its repository', 'a journal by itself');
    const host = nodeHost({ root: this.repository });
    if (fact?.type === 'user_commanded') return commandMission(host, fact.data?.command);
    if (fact?.type === 'question_answered') {
      // Words would be read as an answer; the page sends answers as the engine wants them.
      if (typeof fact.data?.answer !== 'object') throw new HostError('wrong_type', 'fact.data.answer', 'an answer', typeof fact.data?.answer);
      return answerMission(host, fact.data.answer, String(fact.data.effect));
    }
    throw new HostError('usage', 'fact', 'a command or an answer', String(fact?.type));
  }
}

/**
 * Every further byte of the journal, as it comes, and whether anybody drives the mission. A journal that became
 * shorter was cut or begun anew.
 */
async function events(journal: string, driver: () => string | undefined, request: IncomingMessage, answer: ServerResponse): Promise<void> {
  const asked = request.headers['last-event-id'] ?? new URL(request.url ?? '', 'http://127.0.0.1').searchParams.get('from');
  let offset = /^\d{1,15}$/.test(String(asked)) ? Number(asked) : 0;
  answer.writeHead(200, { 'content-type': 'text/event-stream', ...COMMON });
  answer.write('retry: 1000\n\n');
  let told: string | undefined;
  for (let quiet = 1; !answer.destroyed; quiet += 1) {
    const now = driver();
    if (now !== told) answer.write(`event: driver\nid: ${offset}\ndata: ${(told = now) ?? ''}\n\n`);
    const length = fs.statSync(journal, { throwIfNoEntry: false })?.size ?? 0;
    if (length < offset) return void answer.end('event: again\nid: 0\ndata: the journal became shorter\n\n');
    if (length > offset) {
      const bytes = piece(journal, offset, Math.min(length - offset, MOST));
      offset += bytes.length;
      quiet = 0;
      // A slow reader is waited for, so that no more than a piece is held for it.
      if (!answer.write(`event: bytes\nid: ${offset}\ndata: ${bytes.toString('base64')}\n\n`)) await drained(answer);
    } else {
      if (quiet % QUIET_LOOKS === 0) answer.write(': here\n\n');
      await new Promise((resume) => setTimeout(resume, LOOK));
    }
  }
}

const drained = (answer: ServerResponse): Promise<unknown> =>
  Promise.race(['drain', 'close'].map((name) => new Promise((resume) => answer.once(name, resume))));

function piece(journal: string, offset: number, length: number): Buffer {
  const file = fs.openSync(journal, 'r');
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, fs.readSync(file, bytes, 0, length, offset));
  } finally {
    fs.closeSync(file);
  }
}

function say(answer: ServerResponse, status: number, type: string, body: string | Uint8Array): void {
  answer.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body), ...COMMON });
  answer.end(body);
}

function fieldsOf(error: unknown): Record<string, unknown> {
  if (isHostError(error) || isEngineError(error)) {
    const { code, at, expected, got } = error;
    return { kind: 'kind' in error ? error.kind : 'refused', code, at, expected, got };
  }
  return { kind: 'refused', code: 'host_failed', at: 'command', expected: 'a command that can be given', got: words(error) };
}

/** Compares in a time that does not tell how much was right. */
function same(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}
