import type { Clock } from '../../shared/clock.js';
import { toHermesError } from '../../shared/errors.js';
import type { Stage } from '../protocol/envelope.js';

/** Collects the stretches of time of one call for the timeline. */
export class Stages {
  readonly #clock: Clock;
  readonly #component: string;
  readonly #origin: number;
  readonly #stages: Stage[] = [];

  /** @param origin monotonic: what offsets count from. */
  constructor(clock: Clock, component: string, origin = clock.monotonic()) {
    this.#clock = clock;
    this.#component = component;
    this.#origin = origin;
  }

  async time<T>(name: string, work: () => Promise<T>, marks: { rollback?: boolean } = {}): Promise<T> {
    const began = this.#clock.monotonic();
    const put = (error?: string): void => {
      this.#stages.push({
        name,
        offset_ms: thousandths(began - this.#origin),
        ms: thousandths(this.#clock.monotonic() - began),
        component: this.#component,
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
  }

  add(name: string, startedMonotonic: number, ms: number): void {
    const offset_ms = thousandths(startedMonotonic - this.#origin);
    this.#stages.push({ name, offset_ms, ms: thousandths(ms), component: this.#component });
  }

  list(): readonly Stage[] {
    const stages = this.#stages;
    return stages.length < 2 ? stages : [...stages].sort((a, b) => a.offset_ms - b.offset_ms);
  }
}

const thousandths = (ms: number): number => Math.round(ms * 1000) / 1000;
