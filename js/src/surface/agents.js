// The surface of the sessions of real agents.
import { asBytes, asText, makeInstance } from './instance.js';

export function makeSurface(makeGlue, getModule) {
  const { guarded, hold } = makeInstance(makeGlue, getModule, 'agents');

  class AgentBridge {
    #held;

    constructor(request) {
      const text = asText(request, 'request');
      this.#held = hold(guarded((g) => new g.AgentBridge(text)), 'bridge', 'the run is lost', (what) => new TypeError(what));
    }

    launch() { return this.#held.with((b) => b.launch()); }
    hear(piece) {
      const bytes = asBytes(piece);
      return this.#held.with((b) => b.hear(bytes));
    }
    overhear(piece) {
      const bytes = asBytes(piece);
      return this.#held.with((b) => b.overhear(bytes));
    }
    waited(ms) { return this.#held.with((b) => b.waited(ms)); }
    end(status) { return this.#held.with((b) => b.end(status)); }
    free() { this.#held.free(); }
  }

  return { AgentBridge };
}
