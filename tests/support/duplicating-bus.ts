import type { Bus } from '../../mcp/transport/index.js';
import type { Clock } from '../../shared/clock.js';
import type { Random } from '../../shared/random.js';

/** A bus that now and then delivers a call twice, the second up to `maxDelayMs` later, as networks do. */
export function duplicatingBus(bus: Bus, clock: Clock, random: Random, share: number, maxDelayMs: number): Bus {
  return {
    publish(subject, payload, options) {
      bus.publish(subject, payload, options);
      if (!subject.includes('.call.') || random.float() >= share) return;
      clock.timer(random.int(maxDelayMs), () => {
        try {
          bus.publish(subject, payload, options);
        } catch (error) {
          if (!(error instanceof Error)) throw error;
        }
      });
    },
    subscribe: (pattern, handle, options) => bus.subscribe(pattern, handle, options),
    flush: () => bus.flush(),
    close: () => bus.close(),
  };
}
