import type { Clock } from '../../../shared/clock.js';
import { HermesError, invalidParams } from '../../../shared/errors.js';
import type { Random } from '../../../shared/random.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { Metrics } from '../../../shared/telemetry/metrics.js';
import { createBusCapture } from '../bus-capture.js';
import { createBusHub } from '../in-process-bus.js';
import { createLivenessHub } from '../in-process-liveness.js';
import type { Log } from '../log.js';
import { openSequencedLog } from '../sequenced-log.js';
import type { Store } from '../store.js';
import type { OpenStoreOptions, Transport } from '../transport.js';
import { lockDataDir, readHolder, storeLocked } from './data-dir-lock.js';
import { isLocked } from './level-failure.js';
import { createLevelLog } from './level-log.js';
import { openLevelStore } from './level-store.js';
import { microtaskPolicy } from './microtask-policy.js';

export interface EmbeddedOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Processes of one component on one machine; more is a leak of slots. */
const SLOTS = 64;
const COMPONENT = /^[a-z][a-z0-9_-]{0,63}$/;

/**
 * Everything in one process, durable in one data directory that is locked first.
 * @throws HermesError `store_locked` when another process holds it; `log_unavailable` when it cannot be read.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Transport> {
  const { dataDir, clock, logger, metrics } = options;
  const lock = await lockDataDir(dataDir);
  let log: Log;
  try {
    log = await openLog(dataDir, options);
  } catch (thrown) {
    await lock.release();
    throw thrown;
  }
  const bus = createBusHub({ policy: microtaskPolicy(), logger, metrics }).connect('embedded');
  const { liveness } = createLivenessHub({ clock, logger }).connect();
  const stores = new Set<Store>();
  let closing: Promise<void> | undefined;
  const shutDown = async (): Promise<void> => {
    await bus.close();
    await liveness.close();
    try {
      for (const store of [...stores]) await store.close();
      await log.close();
    } finally {
      await lock.release();
    }
  };
  return {
    kind: 'embedded',
    connected: true,
    bus,
    log,
    liveness,
    capture: createBusCapture(bus, clock),
    async openStore(component, storeOptions) {
      if (closing) throw new HermesError('not_ready', 'the transport is closed');
      const inner = await openInFreeSlot(dataDir, component, storeOptions);
      const store: Store = {
        ...inner,
        close: async () => {
          if (stores.delete(store)) await inner.close();
        },
      };
      stores.add(store);
      return store;
    },
    close() {
      closing ??= shutDown();
      return closing;
    },
  };
}

async function openLog(dataDir: string, { clock, logger }: EmbeddedOptions): Promise<Log> {
  try {
    return await openSequencedLog(createLevelLog(`${dataDir}/log`), { clock, logger });
  } catch (thrown) {
    if (isLocked(thrown)) throw storeLocked(dataDir, await readHolder(dataDir));
    throw thrown;
  }
}

/** `<dataDir>/<component>/<slot>`: the first slot that nobody holds. */
export async function openInFreeSlot(dataDir: string, component: string, options?: OpenStoreOptions): Promise<Store> {
  if (!COMPONENT.test(component) || component === 'log') {
    const problem = 'lower-case letters, digits, _ and -, beginning with a letter; not "log"';
    throw invalidParams(`bad component name "${component}"`, [{ pointer: '/component', problem }]);
  }
  let locked: HermesError | undefined;
  for (let slot = 0; slot < SLOTS; slot++) {
    try {
      return await openLevelStore(`${dataDir}/${component}/${slot}`, options);
    } catch (thrown) {
      if (!(thrown instanceof HermesError) || thrown.reason !== 'store_locked') throw thrown;
      locked = thrown;
    }
  }
  throw locked ?? new HermesError('internal', 'no slots');
}
