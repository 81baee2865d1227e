// The surface of the engine; `build` names the commit the package was built from.
import { asBytes, asText, makeInstance } from './instance.js';

export function makeSurface(makeGlue, getModule, build) {
  const { glue, guarded, hold, trapNext } = makeInstance(makeGlue, getModule, 'engine');

  // How one handle of ours reaches into another; nobody else has it.
  const WITH = Symbol('with');

  class Engine {
    #held;

    constructor(inner) {
      if (inner === undefined || !(inner instanceof glue().Engine)) {
        throw new TypeError('use Engine.start(config, at) or Engine.open(snapshot, position)');
      }
      this.#held = hold(inner, 'engine', 'open its last snapshot');
    }

    static start(config, at) {
      const text = asText(config, 'config');
      return new Engine(guarded((g) => g.Engine.start(text, at)));
    }

    static open(snapshot, position) {
      const [text, place] = [asText(snapshot, 'snapshot'), asText(position, 'position')];
      return new Engine(guarded((g) => g.Engine.open(text, place)));
    }

    static openJournal(lines) {
      const bytes = asBytes(lines);
      return new Engine(guarded((g) => g.Engine.openJournal(bytes)));
    }

    [WITH](work) { return this.#held.with(work); }
    started() { return this.#held.with((e) => e.started()) ?? undefined; }
    apply(event) {
      const text = asText(event, 'event');
      return this.#held.with((e) => e.apply(text));
    }
    applyBatch(lines) {
      const bytes = asBytes(lines);
      return this.#held.with((e) => e.applyBatch(bytes));
    }
    older() { return this.#held.with((e) => e.older()) ?? undefined; }
    upgrade(at) { return this.#held.with((e) => e.upgrade(at)) ?? undefined; }
    snapshot() { return this.#held.with((e) => e.snapshot()); }
    divergence() { return this.#held.with((e) => e.divergence()) ?? undefined; }
    outbox() { return this.#held.with((e) => e.outbox()); }
    find(effect) { return this.#held.with((e) => e.find(effect)) ?? undefined; }
    pending() { return this.#held.with((e) => e.pending()); }
    why() { return this.#held.with((e) => e.why()); }
    view() { return this.#held.with((e) => e.view()); }
    projections() { return this.#held.with((e) => e.projections()); }
    histories() { return this.#held.with((e) => e.histories()); }
    mayStop(stopping) {
      const text = asText(stopping, 'stopping');
      return this.#held.with((e) => e.mayStop(text));
    }
    render(path) { return this.#held.with((e) => e.render(path)); }
    continuation() { return this.#held.with((e) => e.continuation()); }
    isOver() { return this.#held.with((e) => e.isOver()); }
    programs() { return this.#held.with((e) => e.programs()); }
    dangerousCommands() { return this.#held.with((e) => e.dangerousCommands()); }
    position() { return this.#held.with((e) => e.position()) ?? undefined; }
    fork() { return new Engine(this.#held.with((e) => e.fork())); }
    scene() { return this.#held.with((e) => e.scene()); }
    picture() { return this.#held.with((e) => e.picture()); }
    item(id) { return this.#held.with((e) => e.item(id)); }
    checkReport(run, report) { return this.#held.with((e) => e.checkReport(run, report)); }

    free() { this.#held.free(); }
  }
  // For tests only: the next call traps.
  Object.defineProperty(Engine, Symbol.for('endstate.test'), { value: { trapNext } });
  if (typeof Symbol.dispose === 'symbol') {
    Object.defineProperty(Engine.prototype, Symbol.dispose, { value: Engine.prototype.free });
  }

  class Replayer {
    #held = hold(guarded((g) => new g.Replayer()), 'replayer', 'begin again');

    push(piece) {
      const bytes = asBytes(piece);
      this.#held.with((r) => r.push(bytes));
    }
    finish() { return this.#held.with((r) => r.finish()); }
    free() { this.#held.free(); }
  }

  class McpServer {
    #held;

    constructor(policy) {
      const text = asText(policy, 'policy');
      this.#held = hold(guarded((g) => new g.McpServer(text)), 'server', 'begin again');
    }

    hear(what, { engine, why = 'no mission', now, driven = false }) {
      const text = asText(what, 'in');
      if (engine === undefined) return this.#held.with((s) => s.hearAlone(why, text, now));
      if (!(engine instanceof Engine)) throw new TypeError('expected an Engine, or none');
      return engine[WITH]((e) => this.#held.with((s) => s.hear(e, text, now, driven)));
    }
    waits() { return this.#held.with((s) => s.waits()); }
    free() { this.#held.free(); }
  }

  class Tape {
    #held = hold(guarded((g) => new g.Tape()), 'tape', 'begin again', (what) => new TypeError(what));

    push(piece) {
      const bytes = asBytes(piece);
      this.#held.with((t) => t.push(bytes));
    }
    state() { return this.#held.with((t) => t.state()); }
    chronicle() { return this.#held.with((t) => t.chronicle()); }
    before(seq) { return new Engine(this.#held.with((t) => t.before(seq))); }
    free() { this.#held.free(); }
  }

  // In pieces, because the memory of an instance grows and never shrinks.
  const PIECE = 1 << 20;
  function replay(journal) {
    const bytes = asBytes(journal);
    if (!(bytes instanceof Uint8Array) || bytes.length <= PIECE) {
      return guarded((g) => g.replay(bytes));
    }
    const replayer = new Replayer();
    try {
      for (let at = 0; at < bytes.length; at += PIECE) replayer.push(bytes.subarray(at, at + PIECE));
      return replayer.finish();
    } finally {
      replayer.free();
    }
  }

  return {
    start(config, at) {
      const text = asText(config, 'config');
      return guarded((g) => g.start(text, at));
    },
    step(snapshot, event) {
      const [before, fact] = [asText(snapshot, 'snapshot'), asText(event, 'event')];
      return guarded((g) => g.step(before, fact));
    },
    checkReport(snapshot, run, report) {
      const text = asText(snapshot, 'snapshot');
      return guarded((g) => g.checkReport(text, run, report));
    },
    replay,
    checkFile(path, content) {
      const bytes = asBytes(content);
      return guarded((g) => g.checkFile(path, bytes));
    },
    checkedFiles: () => guarded((g) => g.checkedFiles()),
    readTests: (format, report, output) => guarded((g) => g.readTests(format, report, output)),
    version: () => guarded((g) => (build ? `${g.version()}+${build}` : g.version())),
    rules: () => guarded((g) => g.rules()),
    Engine,
    Replayer,
    Tape,
    McpServer,
  };
}
