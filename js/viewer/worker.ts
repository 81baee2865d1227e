// The worker: a desk behind messages. The first message brings the packed engine; every further one is a call.
import { makeEngine } from 'endstate-engine';
import { Desk, faultOf } from './desk';
import { inflate } from './engine';
import { answer, type Call } from './calls';

type Message = { packed: Blob } | Call;

let desk: Promise<Desk> | undefined;

addEventListener('message', async ({ data }: MessageEvent<Message>) => {
  if ('packed' in data) {
    desk = inflate(data.packed)
      .then((bytes) => WebAssembly.compile(bytes))
      .then((module) => new Desk(makeEngine(module), (progress) => postMessage({ progress })));
    return;
  }
  try {
    if (!desk) throw new Error('the engine has not been brought');
    postMessage({ id: data.id, value: await answer(await desk, data) });
  } catch (error) {
    postMessage({ id: data.id, fault: faultOf(error) });
  }
});
