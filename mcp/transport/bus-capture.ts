import type { Clock } from '../../shared/clock.js';
import type { Bus } from './bus.js';
import type { Capture } from './capture.js';

/** Capture by listening: nothing is stored, so it begins now. */
export function createBusCapture(bus: Bus, clock: Clock): Capture {
  return {
    follow(patterns, _afterSeq, handle) {
      const subscriptions = patterns.map((pattern) =>
        bus.subscribe(pattern, ({ subject, payload }) =>
          handle({ subject, payload, at: Math.round(clock.now()), seq: 0 }),
        ),
      );
      return {
        async stop() {
          for (const subscription of subscriptions) subscription.unsubscribe();
        },
      };
    },
  };
}
