// How a driver is set up, what it tells while it drives, and how it ends.

import type { Applied, Continuation, Effect, Event } from 'endstate-engine';
import type { Report } from '../open.js';

/** How a driver is set up. */
export interface DriverOptions {
  /**
   * Leave everything unperformed that begins something or waits for it (roles, commands, host code, timers), and
   * questions: for those who only begin a mission or command one.
   */
  holdRoles?: boolean;
  /** How long host code has for one answer, in milliseconds; a minute. */
  consultTimeout?: number;
  /** The most wall time of a run of a role, in milliseconds, where that is less than what was ordered. */
  roleTimeout?: number;
}

/** How `Driver.run` ended. */
export interface Ended {
  /**
   * Whether and why the mission goes on. `continue` means that nothing is left to perform although the
   * mission is not at rest: roles are held, or the user left at once.
   */
  continuation: Continuation;
  /** The user asked to stop. */
  interrupted: boolean;
}

/** A question as the engine orders it to be asked. */
export type AskedQuestion = Extract<Effect['order'], { type: 'ask_user' }>['data'];

/** What happens, in the order it happens. */
export type Happening =
  /** An event was accepted and is durable; these effects follow. */
  | { type: 'event'; event: Event; applied: Applied }
  /** A question waits for an answer. */
  | { type: 'question'; id: string; question: AskedQuestion }
  /** The engine has something to say to the user. */
  | { type: 'notice'; level: 'info' | 'warning'; text: string }
  /** Something was found while the mission was opened, or opened again. */
  | { type: 'report'; report: Report }
  /** A letter of the inbox was refused. */
  | { type: 'refused'; id: string; why: unknown }
  /** The driver has come to rest. */
  | { type: 'rest'; ended: Ended };

/** Told what happens. What it throws, at once or later, is left alone: who watches cannot harm the mission. */
export type Observer = (happening: Happening) => void | Promise<void>;
