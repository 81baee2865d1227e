// The page's end of the desk, which works in a worker.
import type { Asked } from './calls';
import { CALLS, OF_DOCUMENTS } from './calls';
import { lostText } from './seal';
import type { Fault, Progress } from './wire';

/** What the desk could not do, with the fields of the engine's errors. */
export class DeskError extends Error {
  fault: Fault;
  constructor(fault: Fault) {
    super(fault.code === 'file_changed' ? lostText(fault) : `${fault.code}: expected ${fault.expected}, got ${fault.got}${fault.at ? ` (${fault.at})` : ''}`);
    this.fault = fault;
  }
}

export interface Client {
  ask: Asked;
  close(): void;
}

type Answer = { progress: Progress } | { id: number; value: unknown } | { id: number; fault: Fault };

/** What the worker is made of. */
interface Parts { engine(): Uint8Array<ArrayBuffer>; documents(): Promise<Uint8Array<ArrayBuffer>>; script(): string }
interface Unpacked { url: string; engine: ArrayBuffer }

/** Behind what is drawn first: it takes a while. */
async function unpacked(parts: Parts): Promise<Unpacked> {
  await new Promise((resume) => setTimeout(resume));
  const script = new Blob([parts.script()], { type: 'text/javascript' });
  return { engine: parts.engine().slice().buffer, url: URL.createObjectURL(script) };
}

export function connect(parts: Parts, told: (progress: Progress) => void, lost: (why: string) => void): Client {
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  let number = 0;
  let closed = false;
  const hear = ({ data }: MessageEvent<Answer>): void => {
    if ('progress' in data) return heard(data.progress);
    const waits = waiting.get(data.id);
    waiting.delete(data.id);
    if ('fault' in data) waits?.reject(new DeskError(data.fault));
    else waits?.resolve(data.value as never);
  };
  /** The desk reads on when it hears this, which comes behind what is asked here: first the picture, then the next piece. */
  const heard = (progress: Progress): void => {
    try {
      told(progress);
    } finally {
      void begun.then(({ worker }) => worker?.postMessage({ seen: true }));
    }
  };
  const start = ({ url, engine }: Unpacked): Worker => {
    const worker = new Worker(url);
    worker.addEventListener('message', hear);
    worker.addEventListener('error', (event) => lost(event.message || 'the worker could not be started'));
    worker.postMessage({ engine }, [engine]);
    return worker;
  };
  const begun = unpacked(parts).then((made) => ({ worker: closed ? undefined : start(made), url: made.url }));
  /** What reads documents, for the first who asks. */
  let brought: Promise<void> | undefined;
  const bring = async (): Promise<void> => {
    const documents = (await parts.documents()).slice().buffer;
    (await begun).worker?.postMessage({ documents }, [documents]);
  };
  const damaged = (error: unknown): Error => new Error(`the engine of this page could not be started; perhaps it is damaged: ${error instanceof Error ? error.message : String(error)}`);
  begun.catch((error: unknown) => lost(damaged(error).message));
  const call = (name: string) => (...args: unknown[]) => new Promise((resolve, reject) => {
    number += 1;
    const id = number;
    waiting.set(id, { resolve, reject });
    const ready = OF_DOCUMENTS.includes(name) ? (brought ??= bring()) : undefined;
    Promise.all([begun, ready]).then(([{ worker }]) => worker?.postMessage({ id, name, args }), (error: unknown) => reject(damaged(error)));
  });
  const ask = Object.fromEntries(Object.keys(CALLS).map((name) => [name, call(name)])) as unknown as Asked;
  const end = ({ worker, url }: { worker: Worker | undefined; url: string }): void => {
    worker?.terminate();
    URL.revokeObjectURL(url);
  };
  return { ask, close: () => { closed = true; void begun.then(end, () => undefined); } };
}
