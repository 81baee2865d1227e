export * from './index.js';

/** Gives the module made from `endstate/engine_bg.wasm`, before the first other call. */
export declare function initSync(source: WebAssembly.Module | BufferSource): void;

/** As {@link initSync}; also takes an address to fetch or a response. */
export declare function init(
  source: string | URL | Response | WebAssembly.Module | BufferSource | PromiseLike<Response>,
): Promise<void>;
