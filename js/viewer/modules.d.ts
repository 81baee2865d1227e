// Modules that the build makes.
declare module 'endstate-engine' {
  export function makeSurface(module: WebAssembly.Module): import('./engine').EngineModule;
}
declare module 'endstate-plan' {
  export function makeSurface(module: WebAssembly.Module): import('./engine').Documents;
}
declare module 'endstate-parts' {
  /** The engine's WebAssembly. */
  export function engine(): Uint8Array<ArrayBuffer>;
  /** That of the documents, which few readers need. */
  export function documents(): Promise<Uint8Array<ArrayBuffer>>;
  /** The script of the worker. */
  export function script(): string;
}
declare module '*.css' {
  const text: string;
  export default text;
}
