// Modules that the build makes.
declare module 'endstate-engine' {
  export function makeEngine(module: WebAssembly.Module): import('./engine').EngineModule;
}
declare module 'endstate-worker' {
  export const WORKER_TEXT: string;
}
declare module 'endstate-packed' {
  /** The engine's WebAssembly, gzipped. */
  export function packed(): Blob;
}
declare module '*.css' {
  const text: string;
  export default text;
}
