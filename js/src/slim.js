// The slim entry: the caller brings the module, made from `endstate/engine_bg.wasm`.
let brought;

export function initSync(source) {
  brought = source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source);
}

export async function init(source) {
  const given = await source;
  if (typeof Response === 'function' && given instanceof Response) {
    const bytes = await given.arrayBuffer();
    brought = await WebAssembly.compile(bytes);
  } else if (typeof given === 'string' || given instanceof URL) {
    await init(fetch(given));
  } else if (given instanceof WebAssembly.Module) {
    brought = given;
  } else {
    brought = await WebAssembly.compile(given);
  }
}

export function getModule() {
  if (brought === undefined) throw new TypeError('call init(source) or initSync(source) first');
  return brought;
}
