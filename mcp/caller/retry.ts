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
  readonly signal?: AbortSignal | undefined;
  /** Asked before each retry: does the callee's budget allow one more? */
  readonly mayRetry?: () => boolean;
  /** Deliveries so far, those to other instances included. Default: the attempts. */
  readonly deliveries?: () => number;
  /** Whether a delivery stayed unanswered, also one that the attempt went on from to the next instance. */
  readonly unanswered: () => boolean;
  /** A read: what is answered at last is the outcome, whatever became of earlier deliveries. */
  readonly reads?: boolean | undefined;
  readonly onRetry?: (error: HermesError, attempt: number, waitMs: number) => void;
}

/**
 * Exponential back-off with full jitter (Brooker, "Exponential Backoff and Jitter", 2015). Only errors that say they
 * are retryable are tried again; an abort during back-off ends it at once. The final error keeps the first and the
 * last cause, the number of attempts and the time they took; once a delivery stayed unanswered, only an answer that
 * says `started: true` makes the outcome known.
 * @param started monotonic, ms. @param options asked for only when there is something to retry.
 */
export async function withRetry<T>(
  attempt: (n: number) => Promise<T>,
  started: number,
  options: () => RetryOptions,
): Promise<T> {
  try {
    return await attempt(1);
  } catch (thrown) {
    return await tryAgain(toHermesError(thrown), started, attempt, options());
  }
}

async function tryAgain<T>(
  first: HermesError,
  started: number,
  attempt: (n: number) => Promise<T>,
  options: RetryOptions,
): Promise<T> {
  const { policy, clock, random, deadlineAt, signal } = options;
  let error = first;
  const ended = (last: HermesError, n: number): HermesError => {
    const attempts = options.deliveries?.() ?? n;
    const isAnswered = last.data.started === true || (options.reads === true && last.code !== 408);
    const open = options.unanswered() && !isAnswered;
    return attempts <= 1 && !open ? last : summary(last, first, attempts, clock.monotonic() - started, open);
  };
  let free = 0;
  for (let n = 1; ; n++) {
    const asksAgain = options.unanswered() && AFTER_A_DEATH.has(error.reason);
    if (asksAgain) free++;
    const cap = asksAgain ? Math.min(ASK_AGAIN_MAX_MS, policy.max_backoff_ms) : policy.max_backoff_ms;
    const ceiling = Math.min(cap, policy.initial_backoff_ms * policy.backoff_factor ** (n - 1));
    const waitMs = Math.round(random.float() * ceiling);
    const timeLeft = deadlineAt - clock.now() > waitMs;
    const again =
      isWorthIt(error, options.unanswered()) && n - free < policy.max_attempts && timeLeft && signal?.aborted !== true;
    if (!again || options.mayRetry?.() === false) throw ended(error, n);
    options.onRetry?.(error, n, waitMs);
    try {
      await clock.sleep(waitMs, signal);
    } catch {
      throw ended(toHermesError(signal?.reason, 'cancelled'), n);
    }
    try {
      return await attempt(n + 1);
    } catch (thrown) {
      error = toHermesError(thrown);
    }
  }
}

/**
 * What is said after a callee has died with the call. Asking again under the same id executes nothing, so it is not
 * counted as an attempt: whoever comes in its place knows from the record what became of it.
 */
const AFTER_A_DEATH: ReadonlySet<string> = new Set(['instance_lost', 'no_worker', 'owner_moved', 'not_ready']);
const ASK_AGAIN_MAX_MS = 2_000;

/**
 * Nobody there is said at once: it is presence that knows, not a time-out. Unless somebody was there a moment ago and
 * died with the call: whoever comes in its place knows from the record what became of it.
 */
function isWorthIt(error: HermesError, unanswered: boolean): boolean {
  if (error.reason === 'no_worker') return unanswered;
  return error.retryable || error.data.no_answer === true;
}

function summary(
  last: HermesError,
  first: HermesError,
  attempts: number,
  elapsed: number,
  outcomeOpen: boolean,
): HermesError {
  const { started, ...rest } = last.data;
  const known = outcomeOpen ? { outcome: 'unknown' } : started === undefined ? {} : { started };
  const data = {
    ...rest,
    ...known,
    attempts,
    elapsed_ms: Math.round(elapsed),
    first_cause: { reason: first.reason, message: first.message },
  };
  return new HermesError(last.reason, last.message, data, { cause: last });
}
