import type { Clock } from '../../shared/clock.js';
import { toHermesError } from '../../shared/errors.js';
import type { Stage } from '../protocol/envelope.js';

/** Collects the stretches of time of one call for the timeline. */
export interface Stages {
  time<T>(name: string, work: () => Promise<T>, marks?: { rollback?: boolean }): Promise<T>;
  add(name: string, startedMonotonic: number, ms: number): void;
  list(): readonly Stage[];
}

export function createStages(clock: Clock, component: string, origin = clock.monotonic()): Stages {
  const stages: Stage[] = [];
  const round = (ms: number): number => Math.round(ms * 1000) / 1000;
  return {
    async time(name, work, marks = {}) {
      const began = clock.monotonic();
      const put = (error?: string): void => {
        stages.push({
          name,
          offset_ms: round(began - origin),
          ms: round(clock.monotonic() - began),
          component,
          ...(error ? { error } : {}),
          ...(marks.rollback ? { rollback: true } : {}),
        });
      };
      try {
        const value = await work();
        put();
        return value;
      } catch (thrown) {
        put(toHermesError(thrown).reason);
        throw thrown;
      }
    },
    add: (name, startedMonotonic, ms) => {
      stages.push({ name, offset_ms: round(startedMonotonic - origin), ms: round(ms), component });
    },
    list: () => (stages.length < 2 ? stages : [...stages].sort((a, b) => a.offset_ms - b.offset_ms)),
  };
}
