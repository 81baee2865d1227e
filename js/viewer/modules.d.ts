// Modules that the build makes.
declare module 'endstate-engine' {
  export function makeEngine(module: WebAssembly.Module): import('./engine').EngineModule;
}
declare module 'endstate-packed' {
  /** The script of the worker and the engine's WebAssembly, packed by Zstandard; see client.ts. */
  export function packed(): Blob;
}
declare module '*.css' {
  const text: string;
  export default text;
}
