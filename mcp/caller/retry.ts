import type { Clock } from '../../shared/clock.js';
import { HermesError, toHermesError } from '../../shared/errors.js';
import type { Random } from '../../shared/random.js';
import type { RetryPolicy } from '../protocol/envelope.js';

export interface RetryOptions {
  readonly policy: RetryPolicy;
  readonly clock: Clock;
  readonly random: Random;
  /** No attempt begins after this instant, no back-off sleeps past it. */
  readonly deadlineAt: number;
  readonly signal: AbortSignal;
  readonly onRetry?: (error: HermesError, attempt: number, waitMs: number) => void;
}

/**
 * Exponential back-off with full jitter (Brooker, "Exponential Backoff and Jitter", 2015). Only errors that say they
 * are retryable are tried again; an abort during back-off ends it at once. The final error keeps the first and the
 * last cause, the number of attempts and the time they took.
 */
export async function withRetry<T>(attempt: (n: number) => Promise<T>, options: RetryOptions): Promise<T> {
  const { policy, clock, random, deadlineAt, signal } = options;
  const started = clock.monotonic();
  let first: HermesError | undefined;
  for (let n = 1; ; n++) {
    try {
      return await attempt(n);
    } catch (thrown) {
      const error = toHermesError(thrown);
      first ??= error;
      const ceiling = Math.min(policy.max_backoff_ms, policy.initial_backoff_ms * policy.backoff_factor ** (n - 1));
      const waitMs = Math.round(random.float() * ceiling);
      const timeLeft = deadlineAt - clock.now() > waitMs;
      if (!mayRetry(error) || n >= policy.max_attempts || !timeLeft || signal.aborted) {
        throw n === 1 ? error : summary(error, first, n, clock.monotonic() - started);
      }
      options.onRetry?.(error, n, waitMs);
      await clock.sleep(waitMs, signal).catch(() => {
        throw summary(toHermesError(signal.reason), first as HermesError, n, clock.monotonic() - started);
      });
    }
  }
}

/** Nobody there is said at once: it is presence that knows, not a time-out. */
const mayRetry = (error: HermesError): boolean =>
  (error.retryable && error.reason !== 'no_worker') || error.data.no_answer === true;

function summary(last: HermesError, first: HermesError, attempts: number, elapsed: number): HermesError {
  const data = {
    ...last.data,
    attempts,
    elapsed_ms: Math.round(elapsed),
    first_cause: { reason: first.reason, message: first.message },
  };
  return new HermesError(last.reason, last.message, data, { cause: last });
}
