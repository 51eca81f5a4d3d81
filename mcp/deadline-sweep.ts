import type { Cancel, Clock } from '../shared/clock.js';
import { Linked, LinkedList } from './linked-list.js';

/** Something that ends at an instant unless it is removed before. */
export abstract class Expiring extends Linked {
  /** Monotonic milliseconds. Whoever changes it adds the entry again. */
  abstract until: number;
  abstract expire(): void;
}

/**
 * Many deadlines on one timer, armed for the earliest: a call that is answered in time costs a list's insertion and
 * removal, and no timer of its own. Nothing expires before its time. The timer is left to run when an entry is removed:
 * it fires once for nothing, which is cheaper than to arm one for each of many calls, one after the other.
 */
export interface DeadlineSweep {
  add(entry: Expiring): void;
  remove(entry: Expiring): void;
  /** Nothing waits any more: ends the timer. What is added later arms it anew. */
  stop(): void;
}

/** Floating point of instants near the Unix epoch in milliseconds resolves 0.0002 ms. */
const TOLERANCE_MS = 0.01;

export function createDeadlineSweep(clock: Pick<Clock, 'monotonic' | 'timer'>): DeadlineSweep {
  const entries = new LinkedList<Expiring>();
  let armedFor = Number.POSITIVE_INFINITY;
  let disarm: Cancel | undefined;

  const arm = (until: number): void => {
    disarm?.();
    armedFor = until;
    disarm = clock.timer(Math.max(0, until - clock.monotonic()), fire);
  };

  const fire = (): void => {
    disarm = undefined;
    armedFor = Number.POSITIVE_INFINITY;
    const now = clock.monotonic() + TOLERANCE_MS;
    let next = Number.POSITIVE_INFINITY;
    const over: Expiring[] = [];
    for (const entry of entries) {
      if (entry.until <= now) over.push(entry);
      else if (entry.until < next) next = entry.until;
    }
    for (const entry of over) entries.delete(entry);
    if (next !== Number.POSITIVE_INFINITY) arm(next);
    for (const entry of over) entry.expire();
  };

  return {
    add(entry) {
      entries.add(entry);
      if (entry.until < armedFor) arm(entry.until);
    },
    remove(entry) {
      entries.delete(entry);
    },
    stop() {
      disarm?.();
      disarm = undefined;
      armedFor = Number.POSITIVE_INFINITY;
    },
  };
}
