import type { Cancel, Clock } from '../../../shared/clock.js';
import type { Random } from '../../../shared/random.js';

/** Milliseconds a message takes, drawn uniformly from [min, max). */
export interface LatencyRange {
  readonly min: number;
  readonly max: number;
}

/** Lines on which things arrive late but in order. */
export interface Delay {
  /** Runs after a drawn latency, and after everything sent before on the same line. */
  after(line: string, run: () => void): Cancel;
}

export function createDelay(clock: Clock, random: Random, range: LatencyRange): Delay {
  const last = new Map<string, { readonly at: number }>();
  return {
    after(line, run) {
      const now = clock.now();
      const drawn = now + range.min + random.float() * (range.max - range.min);
      const arrival = { at: Math.max(drawn, last.get(line)?.at ?? 0) };
      last.set(line, arrival);
      return clock.timer(arrival.at - now, () => {
        if (last.get(line) === arrival) last.delete(line);
        run();
      });
    },
  };
}
