// The slim entry: the caller brings the module, made from `endstate/engine_bg.wasm`.

export * from './core.js';
