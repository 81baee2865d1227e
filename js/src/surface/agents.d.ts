// Types of the sessions of real agents; `endstate/node` hands them on.
import type { AgentEnding, AgentLaunch, AgentRequest, AgentTurn, Json } from 'endstate-engine';

/** Stands between a host and a real agent, for one run: what to start, and what its output means. */
export declare class AgentBridge {
  constructor(request: Json<AgentRequest>);
  /** What to start, and what it is told at first. */
  launch(): AgentLaunch;
  /** Takes a piece of the agent's standard output. */
  hear(piece: Uint8Array): AgentTurn;
  /** Takes a piece of its standard error; answers with what is passed on. */
  overhear(piece: Uint8Array): string;
  /** So many milliseconds have gone by since the start; an agent that opens no conversation is given up. */
  waited(ms: number): AgentTurn;
  /** The agent has left, with this exit status if it left by itself. */
  end(status?: number | null): AgentEnding;
  /** Gives the memory back at once. May be called twice. */
  free(): void;
}
