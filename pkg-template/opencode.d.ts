/** What the plugin needs of opencode; its own package has the whole types. */
export interface OpencodeInput {
  client: {
    session: {
      get(options: { path: { id: string } }): Promise<unknown>;
      promptAsync(options: { path: { id: string }; body: { parts: Array<{ type: 'text'; text: string }> } }): Promise<unknown>;
    };
    app: { log(options: { body: { service: string; level: 'warn'; message: string } }): Promise<unknown> };
  };
  directory: string;
}

/** Holds a session of opencode until its mission is done: when it falls idle, the stop hook is asked. */
export declare const Endstate: (input: OpencodeInput) => Promise<{
  event(input: { event: { type: string; properties?: unknown } }): Promise<void>;
}>;
