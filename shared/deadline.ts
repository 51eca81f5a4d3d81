import type { Clock } from './clock.js';
import { HermesError, type Reason } from './errors.js';

/**
 * An instant by which work must be over, as an AbortSignal and as a number. A child never ends later than its parent.
 */
export interface Deadline {
  readonly at: number;
  readonly signal: AbortSignal;
  remainingMs(): number;
  /** @throws HermesError `deadline` or `cancelled`, with `started`. */
  check(started: boolean): void;
  /** Ends the work now; the signal's reason is a HermesError of this reason, default `cancelled`. */
  cancel(why: string, reason?: Reason): void;
  /** Frees the timer. Always call it. */
  close(): void;
}

export function openDeadline(clock: Clock, at: number, parent?: AbortSignal): Deadline {
  const controller = new AbortController();
  const expire = () => controller.abort(new HermesError('deadline', 'the deadline is over', { deadline_unix_ms: at }));
  const follow = () => controller.abort(parent?.reason);
  const cancelTimer = clock.timer(Math.max(0, at - clock.now()), expire);
  if (parent?.aborted) follow();
  else parent?.addEventListener('abort', follow, { once: true });
  return {
    at,
    signal: controller.signal,
    remainingMs: () => Math.max(0, at - clock.now()),
    check(started) {
      if (!controller.signal.aborted && clock.now() < at) return;
      const reason: unknown = controller.signal.reason;
      if (reason instanceof HermesError && reason.reason !== 'deadline') {
        throw new HermesError(reason.reason, reason.message, { ...reason.data, started });
      }
      throw new HermesError('deadline', 'the deadline is over', { deadline_unix_ms: at, started });
    },
    cancel: (why, reason = 'cancelled') => controller.abort(new HermesError(reason, why)),
    close() {
      cancelTimer();
      parent?.removeEventListener('abort', follow);
    },
  };
}

/** `work` or the signal's reason, whichever is first; the loser is ignored, not lost: its rejection is observed. */
export function raceSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
