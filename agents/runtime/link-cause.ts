import { HermesError } from '../../shared/errors.js';

/**
 * What the link says about a device that could not be read, one of CONNECTION_CAUSES: then silence is an answer.
 * @throws what was thrown, when it is anything else: a defect, a missing right, a cancel.
 */
export function linkCause(thrown: unknown): string {
  const cause = thrown instanceof HermesError ? thrown.data.cause : undefined;
  if (typeof cause !== 'string' || cause === 'cancelled') throw thrown;
  return cause;
}
