// A running mission: its journal as it grows, and what the reader says to it. All of it goes to the server that
// gave the page, under the token of its address.
import type { Fact } from './wire';

/** The server is heard; or it is not, and tried again; or it has sent us away for good. */
export type Connection = 'open' | 'lost' | 'closed';

/** What the server is heard to say. */
export interface Heard {
  /** One more piece of the journal. */
  piece(bytes: Uint8Array): void;
  /** The journal was begun anew or cut. */
  again(): void;
  state(connection: Connection): void;
  /** Whether a driver of the mission is alive. */
  driver(alive: boolean): void;
}

export interface Live {
  /** The journal so far. */
  start(): Promise<Uint8Array>;
  /** What comes from now on. */
  follow(heard: Heard): void;
  /** Says something; answers with why it was refused, if it was. */
  say(fact: Fact): Promise<string | undefined>;
  close(): void;
}

export function connectLive(base: string): Live {
  const address = (name: string): string => `${base.replace(/\/$/, '')}/${name}`;
  let source: EventSource | undefined;
  let length = 0;
  return {
    async start() {
      const answer = await fetch(address('journal'), { cache: 'no-store' });
      if (!answer.ok) throw new Error(`the server answered ${answer.status}: ${await answer.text()}`);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      length = bytes.length;
      return bytes;
    },
    follow({ piece, again, state, driver }) {
      source = new EventSource(address(`events?from=${length}`));
      source.addEventListener('bytes', (event) => piece(decode((event as MessageEvent<string>).data)));
      source.addEventListener('driver', (event) => driver((event as MessageEvent<string>).data === 'alive'));
      source.addEventListener('again', () => again());
      source.addEventListener('open', () => state('open'));
      source.addEventListener('error', () => state(source?.readyState === EventSource.CLOSED ? 'closed' : 'lost'));
    },
    async say(fact) {
      const answer = await fetch(address('command'), {
        method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(fact),
      });
      if (answer.ok) return undefined;
      const told = await answer.json().catch(() => undefined) as { error?: { code: string; expected: string; got: string } } | undefined;
      return told?.error ? `${told.error.code}: expected ${told.error.expected}, got ${told.error.got}` : `the server answered ${answer.status}`;
    },
    close() { source?.close(); },
  };
}

function decode(text: string): Uint8Array {
  const letters = atob(text);
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
}
