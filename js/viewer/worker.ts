// The worker: a desk behind messages. The first message brings the engine; every further one is a call, brings what reads
// documents, or says that the page has seen how far the reading is.
import { makeSurface as makeEngine } from 'endstate-engine';
import { makeSurface as makeDocuments } from 'endstate-plan';
import { Desk, faultOf } from './desk';
import { answer, type Call } from './calls';
import type { Documents } from './engine';
import type { Progress } from './wire';

type Message = { engine: ArrayBuffer } | { documents: ArrayBuffer } | { seen: true } | Call;

let desk: Promise<Desk> | undefined;
let documents: Promise<Documents> | undefined;
let seen = (): void => undefined;
const tell = (progress: Progress): Promise<void> => new Promise((resume) => {
  seen = resume;
  postMessage({ progress });
});

addEventListener('message', async ({ data }: MessageEvent<Message>) => {
  if ('engine' in data) {
    desk = WebAssembly.compile(data.engine)
      .then((module) => new Desk(makeEngine(module), tell, () => documents));
    return;
  }
  if ('documents' in data) {
    documents = WebAssembly.compile(data.documents).then(makeDocuments);
    return;
  }
  if ('seen' in data) return seen();
  try {
    if (!desk) throw new Error('the engine has not been brought');
    postMessage({ id: data.id, value: await answer(await desk, data) });
  } catch (error) {
    postMessage({ id: data.id, fault: faultOf(error) });
  }
});
