// One instance of a module of WebAssembly, on top of the glue that wasm-bindgen generates, and what goes into it.
//
// What the surfaces add to the glue, and nothing else:
// - the module is made at first use, from bytes the entry file knows how to get;
// - values are turned into JSON text here, outside WebAssembly, so that a getter of the caller can
//   throw without harm; text and bytes are passed on as they are;
// - a handle that was freed, or whose instance was lost to a trap, says so in words.
//
// `makeGlue` answers with a fresh copy of the generated bindings; `getModule` with a compiled
// module; `name` is that of the module. Every entry file has its own copy.
export function makeInstance(makeGlue, getModule, name) {
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
      const [at, expected, got] = [`${name}.wasm`, 'WebAssembly, and the bytes of the engine', `${cause?.name}: ${cause?.message}`];
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

  // What a handle of the caller's has of the instance. `then` says what is to be done after a trap; `error` makes the error of it.
  function hold(inner, what, then, error = lost) {
    const born = generation;
    let held = inner;
    return {
      with(work) {
        if (held === undefined) throw new TypeError(`this ${what} was freed`);
        if (instance === undefined || born !== generation) throw error(`this ${what} was lost to a trap: ${then}`);
        return guarded(() => work(held));
      },
      free() {
        const last = held;
        held = undefined;
        if (last !== undefined && instance !== undefined && born === generation) last.free();
      },
    };
  }

  return { glue, guarded, hold, trapNext: () => { trapNext = true; } };
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

export function asText(value, at) {
  if (typeof value !== 'object' || value === null) return value;
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw malformed('invalid_value', at, 'a value that JSON can write', String(cause), cause);
  }
}

// A fresh view on the same memory, so that nothing hung on to the caller's array is looked at.
export function asBytes(value) {
  if (!ArrayBuffer.isView(value)) return value;
  const prototype = Object.getPrototypeOf(Uint8Array.prototype);
  const own = (name) => Reflect.get(prototype, name, value);
  if (Object.prototype.toString.call(value) === '[object DataView]') return value;
  if (own(Symbol.toStringTag) !== 'Uint8Array') return value;
  return new Uint8Array(own('buffer'), own('byteOffset'), own('byteLength'));
}
