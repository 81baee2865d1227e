// The surface of the package, on top of the glue that wasm-bindgen generates.
//
// What this layer adds, and nothing else:
// - the module is made at first use, from bytes the entry file knows how to get;
// - values are turned into JSON text here, outside WebAssembly, so that a getter of the caller can
//   throw without harm; text and bytes are passed on as they are;
// - a handle that was freed, or whose instance was lost to a trap, says so in words.
//
// `makeGlue` answers with a fresh copy of the generated bindings; `getModule` with a compiled
// module; `build` names the commit the package was built from. Every entry file has its own copy.
export function makeSurface(makeGlue, getModule, build) {
  let instance;
  let generation = 0;
  let trapNext = false;

  function glue() {
    if (instance === undefined) {
      const fresh = makeGlue();
      const module = compiled();
      fresh.initSync({ module });
      instance = fresh;
      generation += 1;
    }
    return instance;
  }

  // Bytes that are missing or damaged, and a page or process that forbids WebAssembly.
  function compiled() {
    try {
      return getModule();
    } catch (cause) {
      if (cause?.name === 'NotInitialized') throw cause;
      const [at, expected, got] = ['engine.wasm', 'WebAssembly, and the bytes of the engine', `${cause?.name}: ${cause?.message}`];
      const error = new Error(`engine_unavailable: expected ${expected}, got ${got}`, { cause });
      throw Object.assign(error, { name: 'EndstateError', kind: 'refused', code: 'engine_unavailable', at, expected, got });
    }
  }

  // A trap means a bug of ours. The instance is dropped; the next call makes a new one, and the
  // host opens its last snapshot again.
  function guarded(work) {
    try {
      const g = glue();
      if (trapNext) {
        trapNext = false;
        trap();
      }
      return work(g);
    } catch (error) {
      if (globalThis.WebAssembly !== undefined && error instanceof WebAssembly.RuntimeError) instance = undefined;
      throw error;
    }
  }

  // A real trap, for tests of what comes after one: a module that does nothing but that.
  function trap() {
    const code = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 8, 1, 0, 10, 5, 1, 3, 0, 0, 11];
    new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(code)));
  }

  // The host opens its last snapshot again when it sees this name.
  function lost(what) {
    return Object.assign(new TypeError(what), { name: 'EngineLost' });
  }

  function malformed(code, at, expected, got, cause) {
    const error = new Error(`${code}: expected ${expected}, got ${got}`, { cause });
    return Object.assign(error, { name: 'EndstateError', kind: 'malformed', code, at, expected, got });
  }

  function asText(value, at) {
    if (typeof value !== 'object' || value === null) return value;
    try {
      return JSON.stringify(value);
    } catch (cause) {
      throw malformed('invalid_value', at, 'a value that JSON can write', String(cause), cause);
    }
  }

  // A fresh view on the same memory, so that nothing hung on to the caller's array is looked at.
  function asBytes(value) {
    if (!ArrayBuffer.isView(value)) return value;
    const prototype = Object.getPrototypeOf(Uint8Array.prototype);
    const own = (name) => Reflect.get(prototype, name, value);
    if (Object.prototype.toString.call(value) === '[object DataView]') return value;
    if (own(Symbol.toStringTag) !== 'Uint8Array') return value;
    return new Uint8Array(own('buffer'), own('byteOffset'), own('byteLength'));
  }

  // How one handle of ours reaches into another; nobody else has it.
  const WITH = Symbol('with');

  class Engine {
    #inner;
    #born;

    constructor(inner) {
      if (inner === undefined || !(inner instanceof glue().Engine)) {
        throw new TypeError('use Engine.start(config, at) or Engine.open(snapshot, position)');
      }
      this.#inner = inner;
      this.#born = generation;
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

    #with(work) {
      if (this.#inner === undefined) throw new TypeError('this engine was freed');
      if (instance === undefined || this.#born !== generation) {
        throw lost('this engine was lost to a trap: open its last snapshot');
      }
      return guarded(() => work(this.#inner));
    }

    [WITH](work) { return this.#with(work); }
    started() { return this.#with((e) => e.started()) ?? undefined; }
    apply(event) {
      const text = asText(event, 'event');
      return this.#with((e) => e.apply(text));
    }
    applyBatch(lines) {
      const bytes = asBytes(lines);
      return this.#with((e) => e.applyBatch(bytes));
    }
    older() { return this.#with((e) => e.older()) ?? undefined; }
    upgrade(at) { return this.#with((e) => e.upgrade(at)) ?? undefined; }
    snapshot() { return this.#with((e) => e.snapshot()); }
    divergence() { return this.#with((e) => e.divergence()) ?? undefined; }
    outbox() { return this.#with((e) => e.outbox()); }
    find(effect) { return this.#with((e) => e.find(effect)) ?? undefined; }
    pending() { return this.#with((e) => e.pending()); }
    why() { return this.#with((e) => e.why()); }
    view() { return this.#with((e) => e.view()); }
    projections() { return this.#with((e) => e.projections()); }
    histories() { return this.#with((e) => e.histories()); }
    mayStop(stopping) {
      const text = asText(stopping, 'stopping');
      return this.#with((e) => e.mayStop(text));
    }
    render(path) { return this.#with((e) => e.render(path)); }
    continuation() { return this.#with((e) => e.continuation()); }
    isOver() { return this.#with((e) => e.isOver()); }
    programs() { return this.#with((e) => e.programs()); }
    dangerousCommands() { return this.#with((e) => e.dangerousCommands()); }
    position() { return this.#with((e) => e.position()) ?? undefined; }
    fork() { return new Engine(this.#with((e) => e.fork())); }
    scene() { return this.#with((e) => e.scene()); }
    picture() { return this.#with((e) => e.picture()); }
    item(id) { return this.#with((e) => e.item(id)); }
    checkReport(run, report) { return this.#with((e) => e.checkReport(run, report)); }

    free() {
      const inner = this.#inner;
      this.#inner = undefined;
      if (inner !== undefined && instance !== undefined && this.#born === generation) inner.free();
    }
  }
  // For tests only: the next call traps.
  Object.defineProperty(Engine, Symbol.for('endstate.test'), { value: { trapNext: () => { trapNext = true; } } });
  if (typeof Symbol.dispose === 'symbol') {
    Object.defineProperty(Engine.prototype, Symbol.dispose, { value: Engine.prototype.free });
  }

  class Replayer {
    #inner = guarded((g) => new g.Replayer());
    #born = generation;

    #with(work) {
      if (this.#inner === undefined) throw new TypeError('this replayer was freed');
      if (instance === undefined || this.#born !== generation) {
        throw lost('this replayer was lost to a trap: begin again');
      }
      return guarded(() => work(this.#inner));
    }

    push(piece) {
      const bytes = asBytes(piece);
      this.#with((r) => r.push(bytes));
    }
    finish() { return this.#with((r) => r.finish()); }
    free() {
      const inner = this.#inner;
      this.#inner = undefined;
      if (inner !== undefined && instance !== undefined && this.#born === generation) inner.free();
    }
  }

  class AgentBridge {
    #inner;
    #born;

    constructor(request) {
      const text = asText(request, 'request');
      this.#inner = guarded((g) => new g.AgentBridge(text));
      this.#born = generation;
    }

    #with(work) {
      if (this.#inner === undefined) throw new TypeError('this bridge was freed');
      if (instance === undefined || this.#born !== generation) {
        throw new TypeError('this bridge was lost to a trap: the run is lost');
      }
      return guarded(() => work(this.#inner));
    }

    launch() { return this.#with((b) => b.launch()); }
    hear(piece) {
      const bytes = asBytes(piece);
      return this.#with((b) => b.hear(bytes));
    }
    overhear(piece) {
      const bytes = asBytes(piece);
      return this.#with((b) => b.overhear(bytes));
    }
    waited(ms) { return this.#with((b) => b.waited(ms)); }
    end(status) { return this.#with((b) => b.end(status)); }
    free() {
      const inner = this.#inner;
      this.#inner = undefined;
      if (inner !== undefined && instance !== undefined && this.#born === generation) inner.free();
    }
  }

  class McpServer {
    #inner;
    #born;

    constructor(policy) {
      const text = asText(policy, 'policy');
      this.#inner = guarded((g) => new g.McpServer(text));
      this.#born = generation;
    }

    #with(work) {
      if (this.#inner === undefined) throw new TypeError('this server was freed');
      if (instance === undefined || this.#born !== generation) {
        throw lost('this server was lost to a trap: begin again');
      }
      return guarded(() => work(this.#inner));
    }

    hear(what, { engine, why = 'no mission', now, driven = false }) {
      const text = asText(what, 'in');
      if (engine === undefined) return this.#with((s) => s.hearAlone(why, text, now));
      if (!(engine instanceof Engine)) throw new TypeError('expected an Engine, or none');
      return engine[WITH]((e) => this.#with((s) => s.hear(e, text, now, driven)));
    }
    waits() { return this.#with((s) => s.waits()); }
    free() {
      const inner = this.#inner;
      this.#inner = undefined;
      if (inner !== undefined && instance !== undefined && this.#born === generation) inner.free();
    }
  }

  class Tape {
    #inner = guarded((g) => new g.Tape());
    #born = generation;

    #with(work) {
      if (this.#inner === undefined) throw new TypeError('this tape was freed');
      if (instance === undefined || this.#born !== generation) {
        throw new TypeError('this tape was lost to a trap: begin again');
      }
      return guarded(() => work(this.#inner));
    }

    push(piece) {
      const bytes = asBytes(piece);
      this.#with((t) => t.push(bytes));
    }
    state() { return this.#with((t) => t.state()); }
    chronicle() { return this.#with((t) => t.chronicle()); }
    before(seq) { return new Engine(this.#with((t) => t.before(seq))); }
    free() {
      const inner = this.#inner;
      this.#inner = undefined;
      if (inner !== undefined && instance !== undefined && this.#born === generation) inner.free();
    }
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
    readDocument: (kind, text, path, project) => guarded((g) => g.readDocument(kind, text, path, project)),
    replay,
    checkFile(path, content) {
      const bytes = asBytes(content);
      return guarded((g) => g.checkFile(path, bytes));
    },
    checkedFiles: () => guarded((g) => g.checkedFiles()),
    readTests: (format, report, output) => guarded((g) => g.readTests(format, report, output)),
    planParse: (text, path) => guarded((g) => g.planParse(text, path)),
    planGraph: (text, path) => guarded((g) => g.planGraph(text, path)),
    planFormat: (text, path) => guarded((g) => g.planFormat(text, path)),
    planCriterion: (text) => guarded((g) => g.planCriterion(text)),
    version: () => guarded((g) => (build ? `${g.version()}+${build}` : g.version())),
    rules: () => guarded((g) => g.rules()),
    Engine,
    Replayer,
    Tape,
    AgentBridge,
    McpServer,
  };
}
