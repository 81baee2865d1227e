// The engine and the documents as the viewer uses them. The build puts the generated glue and the surface of each behind
// `endstate-engine` and `endstate-plan`; these are the parts of them that are called here.
import type { Decided, Effect, Event, Outstanding, ReadPlan, TapeState, Why } from './wire';

export interface EngineHandle {
  apply(event: Event | string): { effects: Effect[]; decided: Decided; line?: string };
  applyBatch(lines: Uint8Array): { events: number };
  snapshot(): string;
  /** What the start decided; nothing unless this engine made it. */
  started(): { effects: Effect[]; decided: Decided; line?: string } | undefined;
  pending(): Outstanding[];
  why(): Why;
  continuation(): string;
  position(): { lines: number; chain: string } | undefined;
  render(path: string): string;
  fork(): EngineHandle;
  scene(): string;
  picture(): string;
  item(id: string): string;
  free(): void;
}

export interface TapeHandle {
  push(piece: Uint8Array): void;
  state(): TapeState;
  chronicle(): string;
  before(seq: number): EngineHandle;
  free(): void;
}

export interface EngineModule {
  Engine: {
    start(config: unknown, at: number): EngineHandle;
    open(snapshot: string): EngineHandle;
  };
  Tape: new () => TapeHandle;
}

/** Brought when the first document is to be read. */
export interface Documents {
  readDocument(kind: string, text: string, path?: string): Record<string, unknown>;
  planParse(text: string, name: string): ReadPlan;
}
