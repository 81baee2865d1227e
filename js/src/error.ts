// What can go wrong in a host, beside the errors of the engine.
//
// Every error has the same four parts: a stable code, the place, what was expected and what came.
// What happens in the world while an effect is performed is no error of the driver but a fact: a
// host throws, the driver turns it into a diagnostic and tells the engine.

import type { Code, Diagnostic, EndstateError } from 'endstate-engine';
import { clip } from './text.js';

/** The most characters of a foreign text (git's words, a system message) that a diagnostic keeps. */
const MOST_WORDS = 2_000;

/** Codes of a host: one of the engine's, or `locked`, `no_mission`, `journal_missing`, `mission_exists`, `io`, `usage`. */
export type HostCode = Code | 'locked' | 'no_mission' | 'journal_missing' | 'mission_exists' | 'io' | 'usage';

/** An error of a host or of the driver. Nothing was journaled for it. */
export class HostError extends Error {
  override readonly name = 'HostError';

  constructor(
    /** The stable code. */
    readonly code: HostCode,
    /** Where: a path, a line of the journal, an option. */
    readonly at: string,
    /** What would have been right. */
    readonly expected: string,
    /** What came. */
    readonly got: string,
    cause?: unknown,
  ) {
    super(`${code}: at ${at}: expected ${expected}, got ${got}`, { cause });
  }

  /** An error of the system: what was being done, to what, and what the system said. */
  static io(doing: string, path: string, cause: unknown): HostError {
    return new HostError('io', path, `to ${doing} it`, words(cause), cause);
  }

  /** A diagnostic as an error. */
  static of({ code, at, expected, got }: Diagnostic): HostError {
    return new HostError(code, at, expected, got);
  }
}

/** Whether this is an error of a host, of whichever copy of this package. */
export function isHostError(error: unknown): error is HostError {
  return error instanceof Error && error.name === 'HostError' && typeof (error as { code?: unknown }).code === 'string';
}

/** The words of anything that was thrown. */
export function words(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Whether this is an error that the engine threw: nothing has changed then. */
export function isEngineError(error: unknown): error is EndstateError {
  return error instanceof Error && error.name === 'EndstateError';
}

/** A diagnostic with at most 2,000 characters of what was found. */
export function problem(code: Code, at: string, expected: string, got: string): Diagnostic {
  return { code, at, expected, got: clip(got.trim(), MOST_WORDS) };
}

/** Codes of a host that the engine does not have in its list. */
const HOST_ONLY = new Set(['locked', 'no_mission', 'journal_missing', 'mission_exists', 'io', 'usage']);

/** Whatever was thrown while an effect was performed, under a code of the engine's list. */
export function diagnostic(error: unknown, otherwise: Code, at: string): Diagnostic {
  if (isHostError(error) || isEngineError(error)) {
    const code = HOST_ONLY.has(error.code) ? otherwise : (error.code as Code);
    return problem(code, error.at, error.expected, error.got);
  }
  return problem(otherwise, at, 'to perform it', words(error));
}
