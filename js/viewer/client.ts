// The page's end of the desk, which works in a worker. The script of the worker and the engine come in one
// piece, packed by Zstandard: four bytes with the length of the script, four with the CRC-32 of what follows, the script,
// the engine.
import { decompress } from 'fzstd';
import type { Asked } from './calls';
import { CALLS } from './calls';
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

interface Unpacked { url: string; engine: ArrayBuffer }

async function unpack(packed: Blob): Promise<Unpacked> {
  const whole = new Uint8Array(decompress(new Uint8Array(await packed.arrayBuffer())));
  const head = new DataView(whole.buffer);
  const both = whole.subarray(8);
  if (crc32(both) !== head.getUint32(4, true)) throw new Error('its checksum does not hold');
  const length = head.getUint32(0, true);
  const script = new Blob([both.subarray(0, length)], { type: 'text/javascript' });
  return { url: URL.createObjectURL(script), engine: whole.buffer.slice(8 + length) };
}

/** The checksum of zip and PNG; Zstandard's own is not looked at by who unpacks here. */
function crc32(bytes: Uint8Array): number {
  const table = Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
  });
  let sum = 0xffffffff;
  // Six million bytes, and the reader waits: a plain loop takes a sixth of the time of an iterator.
  for (let at = 0; at < bytes.length; at += 1) sum = table[(sum ^ bytes[at]!) & 0xff]! ^ (sum >>> 8);
  return (sum ^ 0xffffffff) >>> 0;
}

export function connect(packed: Blob, told: (progress: Progress) => void, lost: (why: string) => void): Client {
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
  const begun = unpack(packed).then((unpacked) => ({ worker: closed ? undefined : start(unpacked), url: unpacked.url }));
  const damaged = (error: unknown): Error => new Error(`the engine of this page could not be started; perhaps it is damaged: ${error instanceof Error ? error.message : String(error)}`);
  begun.catch((error: unknown) => lost(damaged(error).message));
  const call = (name: string) => (...args: unknown[]) => new Promise((resolve, reject) => {
    number += 1;
    const id = number;
    waiting.set(id, { resolve, reject });
    begun.then(({ worker }) => worker?.postMessage({ id, name, args }), (error: unknown) => reject(damaged(error)));
  });
  const ask = Object.fromEntries(Object.keys(CALLS).map((name) => [name, call(name)])) as unknown as Asked;
  const end = ({ worker, url }: { worker: Worker | undefined; url: string }): void => {
    worker?.terminate();
    URL.revokeObjectURL(url);
  };
  return { ask, close: () => { closed = true; void begun.then(end, () => undefined); } };
}
