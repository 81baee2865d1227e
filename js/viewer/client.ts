// The page's end of the desk, which works in a worker.
import { WORKER_TEXT } from 'endstate-worker';
import type { Asked } from './calls';
import { CALLS } from './calls';
import type { Fault, Progress } from './wire';

/** What the desk could not do, with the fields of the engine's errors. */
export class DeskError extends Error {
  fault: Fault;
  constructor(fault: Fault) {
    super(`${fault.code}: expected ${fault.expected}, got ${fault.got}${fault.at ? ` (${fault.at})` : ''}`);
    this.fault = fault;
  }
}

export interface Client {
  ask: Asked;
  close(): void;
}

type Answer = { progress: Progress } | { id: number; value: unknown } | { id: number; fault: Fault };

export function connect(packed: Blob, told: (progress: Progress) => void, lost: (why: string) => void): Client {
  const url = URL.createObjectURL(new Blob([WORKER_TEXT], { type: 'text/javascript' }));
  const worker = new Worker(url);
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  let number = 0;
  worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
    if ('progress' in data) return told(data.progress);
    const waits = waiting.get(data.id);
    waiting.delete(data.id);
    if ('fault' in data) waits?.reject(new DeskError(data.fault));
    else waits?.resolve(data.value as never);
  });
  worker.addEventListener('error', (event) => lost(event.message || 'the worker could not be started'));
  worker.postMessage({ packed });
  const call = (name: string) => (...args: unknown[]) => new Promise((resolve, reject) => {
    number += 1;
    waiting.set(number, { resolve, reject });
    worker.postMessage({ id: number, name, args });
  });
  const ask = Object.fromEntries(Object.keys(CALLS).map((name) => [name, call(name)])) as unknown as Asked;
  return {
    ask,
    close() {
      worker.terminate();
      URL.revokeObjectURL(url);
    },
  };
}
