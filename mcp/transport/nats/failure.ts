import { JetStreamApiError } from '@nats-io/jetstream';
import { HermesError, invalidParams } from '../../../shared/errors.js';

export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

const nameOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.name : '');

/** The number of a JetStream API error, 10071 for a wrong last sequence; undefined for everything else. */
export const apiCode = (thrown: unknown): number | undefined =>
  thrown instanceof JetStreamApiError ? thrown.code : undefined;

/** Somewhere in the chain of causes the server said that this identity may not do it. */
export function isDenied(thrown: unknown): boolean {
  for (let inner = thrown; inner instanceof Error; inner = inner.cause) {
    if (inner.name === 'PermissionViolationError' || inner.name === 'AuthorizationError') return true;
  }
  return false;
}

/**
 * A failed append as the log's contract has it. An answer of the server, or nobody there to ask, means that nothing
 * was written; silence and a lost connection mean that nobody knows.
 */
export function appendFailure(thrown: unknown): HermesError {
  if (nameOf(thrown) === 'InvalidArgumentError') {
    const problem = messageOf(thrown);
    return invalidParams(`payload too large: ${problem}`, [{ pointer: '/payload', problem }]);
  }
  const certain = apiCode(thrown) !== undefined || nameOf(thrown) === 'JetStreamNotEnabled';
  return failure(thrown, { unknown: !certain });
}

/** A read that failed has changed nothing. */
export const readFailure = (thrown: unknown): HermesError => failure(thrown, { unknown: false });

function failure(thrown: unknown, { unknown }: { readonly unknown: boolean }): HermesError {
  if (thrown instanceof HermesError) {
    if (thrown.reason !== 'not_ready') return thrown;
    return new HermesError('log_unavailable', thrown.message, { unknown: false }, { cause: thrown });
  }
  if (isDenied(thrown)) {
    const suggestion = 'check the permissions of this component in the NATS configuration';
    return new HermesError('not_allowed', messageOf(thrown), { suggestion }, { cause: thrown });
  }
  return new HermesError('log_unavailable', `JetStream: ${messageOf(thrown)}`, { unknown }, { cause: thrown });
}
