import { createLruMap } from '../lru-map.js';

/** Samples kept of one instance, after NTP's clock filter (RFC 5905 §10). */
const WINDOW = 8;
/** A slower exchange says more about the way than about the clock. */
const ROUND_TRIP_MAX_MS = 1_000;
const INSTANCES = 10_000;

/** Four instants of one exchange, Unix ms: sent and heard by our clock, received and replied by the other's. */
export interface Exchange {
  readonly sent: number;
  readonly received: number;
  readonly replied: number;
  readonly heard: number;
}

/**
 * How far the clock of each instance is ahead of ours, ms, from the exchange with the least delay among the last eight
 * (RFC 5905 §8: offset = ((T1 − T0) + (T2 − T3)) / 2, delay = (T3 − T0) − (T2 − T1)). A message that a broker held
 * back is not taken for another clock: an exchange whose way took more than a second is not used.
 */
export interface ClockOffsets {
  of(instance: string | undefined): number;
  /** Takes a sample; false when it was too slow, or no exchange at all. */
  offer(instance: string, exchange: Exchange): boolean;
  /** The instance has proved us wrong: what was learnt of it counts no more. */
  forget(instance: string): void;
}

interface Samples {
  readonly offsets: number[];
  readonly delays: number[];
  next: number;
  best: number;
}

export function createClockOffsets(): ClockOffsets {
  const known = createLruMap<Samples>(INSTANCES);
  return {
    of: (instance) => (instance === undefined ? 0 : (known.get(instance)?.best ?? 0)),
    offer(instance, { sent, received, replied, heard }) {
      const delay = heard - sent - (replied - received);
      const offset = (received - sent + (replied - heard)) / 2;
      // Clocks are told in whole milliseconds: a delay may come out just under zero.
      if (!(delay >= -2 && delay <= ROUND_TRIP_MAX_MS) || !Number.isFinite(offset)) return false;
      let samples = known.get(instance);
      if (samples === undefined) {
        samples = { offsets: [], delays: [], next: 0, best: 0 };
        known.set(instance, samples);
      }
      samples.offsets[samples.next] = offset;
      samples.delays[samples.next] = delay;
      samples.next = (samples.next + 1) % WINDOW;
      samples.best = Math.round(samples.offsets[indexOfLeast(samples.delays)] as number);
      return true;
    },
    forget: (instance) => known.delete(instance),
  };
}

function indexOfLeast(values: readonly number[]): number {
  let least = 0;
  for (let index = 1; index < values.length; index++) {
    if ((values[index] as number) < (values[least] as number)) least = index;
  }
  return least;
}
