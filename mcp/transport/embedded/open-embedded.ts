import type { Clock } from '../../../shared/clock.js';
import type { Random } from '../../../shared/random.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { Metrics } from '../../../shared/telemetry/metrics.js';
import { createBusCapture } from '../bus-capture.js';
import { createBusHub } from '../in-process-bus.js';
import { createLivenessHub } from '../in-process-liveness.js';
import type { Log } from '../log.js';
import { readOnlyLog } from '../read-only-log.js';
import { openSequencedLog } from '../sequenced-log.js';
import type { Transport } from '../transport.js';
import { lockDataDir, readHolder, storeLocked } from './data-dir-lock.js';
import { diskSpace } from './disk-space.js';
import { isLocked } from './level-failure.js';
import { createLevelLog } from './level-log.js';
import { microtaskPolicy } from './microtask-policy.js';
import { createViewStores } from './view-stores.js';

export interface EmbeddedOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * Everything in one process, durable in one data directory that is locked first.
 * @throws HermesError `store_locked` when another process holds it; `log_unavailable` when it cannot be read.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Transport> {
  const { dataDir, clock, logger, metrics } = options;
  const lock = await lockDataDir(dataDir);
  const opened: Log[] = [];
  const damages: string[] = [];
  const open = async (name: string): Promise<Log> => {
    const { log: one, damage } = await openLog(dataDir, name, options);
    opened.push(one);
    if (damage !== undefined) damages.push(damage);
    return one;
  };
  const closeLogs = async (): Promise<void> => {
    for (const one of opened) await one.close();
  };
  let log: Log;
  let heads: Log;
  try {
    log = await open('log');
    heads = await open('heads');
  } catch (thrown) {
    await closeLogs();
    await lock.release();
    throw thrown;
  }
  const [damage] = damages;
  if (damage !== undefined) logger.error({ damage }, 'the record is damaged; it is read, and nothing is written to it');
  const bus = createBusHub({ policy: microtaskPolicy(), logger, metrics }).connect('embedded');
  const { liveness } = createLivenessHub({ clock, logger }).connect();
  const stores = createViewStores(dataDir);
  let closing: Promise<void> | undefined;
  const shutDown = async (): Promise<void> => {
    await bus.close();
    await liveness.close();
    try {
      await stores.close();
      await closeLogs();
    } finally {
      await lock.release();
    }
  };
  return {
    kind: 'embedded',
    connected: true,
    away: [],
    bus,
    log,
    heads,
    ...(damage === undefined ? {} : { damage }),
    liveness,
    capture: createBusCapture(bus, clock),
    openStore: stores.open,
    space: () => diskSpace(dataDir),
    close() {
      closing ??= shutDown();
      return closing;
    },
  };
}

interface OpenedLog {
  readonly log: Log;
  /** What is lost, in words: it takes nothing any more. */
  readonly damage?: string;
}

async function openLog(dataDir: string, name: string, { clock, logger }: EmbeddedOptions): Promise<OpenedLog> {
  try {
    const medium = createLevelLog(`${dataDir}/${name}`);
    const log = await openSequencedLog(medium, { clock, logger });
    return medium.damage === undefined ? { log } : { log: readOnlyLog(log, medium.damage), damage: medium.damage };
  } catch (thrown) {
    if (isLocked(thrown)) throw storeLocked(dataDir, await readHolder(dataDir));
    throw thrown;
  }
}
