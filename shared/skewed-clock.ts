import type { Clock } from './clock.js';

/** A clock whose wall time is `aheadMs()` ahead of the given one; what is monotonic, timers and sleeps are the same. */
export function skewedClock(clock: Clock, aheadMs: () => number): Clock {
  return {
    now: () => clock.now() + aheadMs(),
    monotonic: () => clock.monotonic(),
    timer: (ms, run) => clock.timer(ms, run),
    every: (ms, run) => clock.every(ms, run),
    sleep: (ms, signal) => clock.sleep(ms, signal),
  };
}
