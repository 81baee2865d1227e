// Types of `endstate/viewer`.

/** What is shown. */
export type Source =
  /** A journal: a file or its bytes. */
  | { journal: Blob | Uint8Array | string }
  /** A snapshot as JSON text. */
  | { snapshot: string }
  /** Files of a state directory, or a plan document. */
  | { files: File[] }
  /** The address of a server as `endstate view` is one, without the name of the page. */
  | { live: string }
  /** What a mission would be started with: its plan before anything has happened. */
  | { config: unknown };

export interface Options {
  /** Write the shown event, item and part into the address of the page, and begin there. */
  link?: boolean;
  /** Otherwise as the system wants it. */
  theme?: 'light' | 'dark';
  /** The reader wants to open something else; without it there is no button for that. */
  open?: () => void;
}

export interface Viewer {
  /** Shows the moment after this event. */
  go(seq: number): Promise<void>;
  /** Puts it away: the worker ends and the element is empty again. */
  close(): void;
  /** The root everything is in. */
  root: ShadowRoot;
}

/**
 * Shows a source inside of an element. The engine runs in a worker made from a blob, so a page with a
 * Content-Security-Policy needs `script-src 'wasm-unsafe-eval'` and `worker-src blob:`.
 */
export declare function mount(element: HTMLElement, source: Source, options?: Options): Promise<Viewer>;
