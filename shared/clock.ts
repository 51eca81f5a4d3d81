import { HermesError } from './errors.js';

/**
 * The only door to time. Everything that waits, waits here, so that a whole factory can run on a virtual clock.
 *
 * Invariants: `monotonic()` never goes back and does not follow changes of the wall clock; a cancelled timer never
 * fires; `sleep` rejects with `cancelled` when its signal aborts.
 */
export interface Clock {
  /** Wall time, Unix milliseconds. */
  now(): number;
  /** Milliseconds since an arbitrary start. */
  monotonic(): number;
  timer(ms: number, run: () => void): Cancel;
  every(ms: number, run: () => void): Cancel;
  /** Resolves after `ms`. @throws HermesError `cancelled` when the signal aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export type Cancel = () => void;

/** `sleep` built from `timer`, the same for every clock. */
export function sleepOn(clock: Pick<Clock, 'timer'>, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      cancel();
      reject(new HermesError('cancelled', 'cancelled while waiting'));
    };
    const cancel = clock.timer(ms, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Node fires a timer of more at once: 24.8 days. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** The machine's clock. */
export function systemClock(): Clock {
  const clock: Clock = {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    timer(ms, run) {
      const arm = (left: number): NodeJS.Timeout =>
        setTimeout(
          () => {
            if (left <= TIMER_MAX_MS) run();
            else handle = arm(left - TIMER_MAX_MS);
          },
          Math.min(left, TIMER_MAX_MS),
        );
      let handle = arm(ms);
      return () => clearTimeout(handle);
    },
    every(ms, run) {
      const handle = setInterval(run, ms);
      handle.unref();
      return () => clearInterval(handle);
    },
    sleep: (ms, signal) => sleepOn(clock, ms, signal),
  };
  return clock;
}

/** ISO 8601 in UTC, `2026-11-30T08:00:00.000Z`. */
export const isoTime = (unixMs: number): string => new Date(unixMs).toISOString();
