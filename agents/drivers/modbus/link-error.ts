import type { ConnectionCause } from '../../../shared/device.js';
import { HermesError, type Reason } from '../../../shared/errors.js';

export interface FailureFacts {
  readonly link: string;
  readonly unit?: number;
  /** The request left this machine: a write's outcome is unknown. */
  readonly sent: boolean;
  /** Modbus exception code, where a device refused. */
  readonly exception?: number;
  readonly detail?: string;
}

/** A failure of the link, always with its cause. */
export function linkError(cause: ConnectionCause, facts: FailureFacts, thrown?: unknown): HermesError {
  const { link, detail } = facts;
  return new HermesError(
    'tool_failed',
    `link ${link}: ${detail ?? MEANING[cause]}`,
    { ...facts, cause },
    { cause: thrown },
  );
}

/** The caller's signal ended the request: its own reason, or the deadline. */
export function abortError(signal: AbortSignal, facts: FailureFacts): HermesError {
  const why: unknown = signal.reason;
  const reason = abortReason(why);
  const cause: ConnectionCause = reason === 'deadline' ? 'timeout' : 'cancelled';
  const data = { ...facts, cause, started: facts.sent };
  return new HermesError(reason, `link ${facts.link}: given up by the caller`, data, { cause: why });
}

/** What a Modbus exception code asks of the driver (13-domain-facts §4.1); a code that nobody knows is the device's. */
export function exceptionCause(code: number): ConnectionCause {
  if (code >= 1 && code <= 3) return 'exception_permanent';
  if (code === 5 || code === 6) return 'exception_busy';
  if (code === 10 || code === 11) return 'gateway_target_silent';
  return 'exception_device';
}

export const causeOf = (error: unknown): ConnectionCause | undefined =>
  error instanceof HermesError ? (error.data.cause as ConnectionCause | undefined) : undefined;

const MEANING: Readonly<Record<ConnectionCause, string>> = {
  refused: 'no connection could be made',
  closed: 'the connection was closed',
  timeout: 'no answer in time',
  bad_frame: 'the answer is not sound Modbus',
  exception_permanent: 'the device refuses this request',
  exception_busy: 'the device is busy',
  exception_device: 'the device reports a failure',
  gateway_target_silent: 'the gateway cannot reach the unit',
  cancelled: 'cancelled',
};

function abortReason(why: unknown): Reason {
  if (why instanceof HermesError) return why.reason;
  return why instanceof Error && why.name === 'AbortError' ? 'cancelled' : 'deadline';
}
