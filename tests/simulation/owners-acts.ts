import type { LinkDriver } from '../../shared/device.js';
import type { Violation } from './checkers.js';

/** Writes that devices acknowledged, in the order of their acknowledgements, with the token of the one who wrote. */
export interface OwnersActs {
  tap(place: string, link: string, driver: LinkDriver): LinkDriver;
  /** Places that wrote. */
  writers(): readonly string[];
  /** Writes under a token that is older than one under which was written before. */
  overtaken(): Violation[];
}

interface Act {
  readonly place: string;
  readonly link: string;
  readonly unit: number;
  readonly epoch: number;
}

/** No two owners of one link act at once: once a newer owner has written, no older one does. */
export function createOwnersActs(): OwnersActs {
  const acts: Act[] = [];
  return {
    tap(place, link, driver) {
      let token = 0;
      return {
        get state() {
          return driver.state;
        },
        read: (request, call) => driver.read(request, call),
        async fence(unit, register, epoch, call) {
          token = epoch;
          return driver.fence(unit, register, epoch, call);
        },
        async write(request, call) {
          const epoch = token;
          const done = await driver.write(request, call);
          acts.push({ place, link, unit: request.unit, epoch });
          return done;
        },
        close: () => driver.close(),
      };
    },
    writers: () => acts.map(({ place }) => place),
    overtaken() {
      const newest = new Map<string, Act>();
      return acts.flatMap((act) => {
        const before = newest.get(act.link);
        if (!before || act.epoch >= before.epoch) {
          newest.set(act.link, act);
          return [];
        }
        const what = `${act.place} wrote to ${act.link} unit ${act.unit} under ${act.epoch} after ${before.place} had under ${before.epoch}`;
        return [{ rule: 'one owner at once', what }];
      });
    },
  };
}
