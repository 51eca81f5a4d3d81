import { HermesError } from '../../../shared/errors.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { Bus } from '../bus.js';
import type { LivenessLink } from '../in-process-liveness.js';
import type { Liveness } from '../liveness.js';
import type { Appended, AppendOptions, Log, Tail } from '../log.js';
import type { Store } from '../store.js';
import type { Delay } from './latency.js';
import type { Revocation } from './revocation.js';

/** The bus of one component; a crash ends its subscriptions. */
export function guardBus(bus: Bus, life: Revocation): Bus {
  return {
    publish(subject, payload, options) {
      life.check();
      bus.publish(subject, payload, options);
    },
    subscribe(pattern, handle, options) {
      life.check();
      return bus.subscribe(pattern, handle, options);
    },
    flush: () => life.hold(() => bus.flush()),
    close: () => life.hold(() => bus.close()),
  };
}

export interface LogLine {
  readonly log: Log;
  readonly life: Revocation;
  readonly delay: Delay;
  readonly component: string;
  readonly logger: Logger;
  /** Asked when the component dies while an append is on its way: does it still arrive? */
  readonly arrives: () => boolean;
}

/** One component's way to the shared log: an append travels there and its answer back, each in order. */
export function guardLog(line: LogLine): { readonly log: Log; cut(): void } {
  const { log, life, delay, component } = line;
  const tails = new Set<Tail>();
  let closed = false;
  const append = async (subject: string, payload: Uint8Array, options?: AppendOptions): Promise<Appended> => {
    const own = payload.slice();
    await travel(delay, `${component} to log`);
    if (life.revoked && !line.arrives()) return new Promise<never>(() => undefined);
    try {
      return await log.append(subject, own, options);
    } finally {
      await travel(delay, `${component} from log`);
    }
  };
  const check = (): void => {
    life.check();
    if (closed) throw new HermesError('not_ready', 'the log is closed');
  };
  const ask = async <T>(work: () => Promise<T>): Promise<T> => {
    check();
    return life.hold(work);
  };
  const guarded: Log = {
    append: (subject, payload, options) => ask(() => append(subject, payload, options)),
    last: (subject) => ask(() => log.last(subject)),
    headSeq: (pattern) => ask(() => log.headSeq(pattern)),
    read(pattern, options) {
      check();
      return life.holdAll(log.read(pattern, options));
    },
    tail(pattern, fromSeq, handle) {
      check();
      const tail = log.tail(pattern, fromSeq, handle);
      tails.add(tail);
      return {
        stop: () => {
          tails.delete(tail);
          return tail.stop();
        },
      };
    },
    close: () =>
      life.hold(async () => {
        closed = true;
        await stopAll(tails);
      }),
  };
  const cut = (): void => {
    stopAll(tails).catch((thrown: unknown) => line.logger.error({ err: thrown, component }, 'a tail did not stop'));
  };
  return { log: guarded, cut };
}

async function stopAll(tails: Set<Tail>): Promise<void> {
  const all = [...tails];
  tails.clear();
  await Promise.all(all.map((tail) => tail.stop()));
}

const travel = (delay: Delay, way: string): Promise<void> =>
  new Promise((resolve) => {
    delay.after(way, resolve);
  });

export function guardLiveness({ liveness }: LivenessLink, life: Revocation): Liveness {
  return {
    join: (member) =>
      life.hold(async () => {
        const membership = await liveness.join(member);
        return {
          renewedAgoMs: () => membership.renewedAgoMs(),
          update: (state, owns) => life.hold(() => membership.update(state, owns)),
          leave: () => life.hold(() => membership.leave()),
        };
      }),
    members(component) {
      life.check();
      return liveness.members(component);
    },
    watch(changed) {
      life.check();
      return liveness.watch(changed);
    },
    close: () => life.hold(() => liveness.close()),
  };
}

export function guardStore(store: Store, life: Revocation, closed: () => void): Store {
  return {
    get: (key) => life.hold(() => store.get(key)),
    batch: (changes, options) => life.hold(() => store.batch(changes, options)),
    range(range) {
      life.check();
      return life.holdAll(store.range(range));
    },
    close: () =>
      life.hold(async () => {
        await store.close();
        closed();
      }),
  };
}
