import type { Events } from '../../../mcp/index.js';
import type { Clock } from '../../../shared/clock.js';
import { LIMITS } from '../../../shared/limits.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { Metrics } from '../../../shared/telemetry/metrics.js';
import type { Evicted, View } from '../record/index.js';
import type { Refusals } from './refusals.js';
import { overLimit, type SnapshotStats, statsOf } from './stats.js';

/**
 * What memory does beside its work, every ten minutes: expired snapshots leave the hot view, refusals that were only
 * counted are written down, and a memory that grows beyond its limit is told.
 */
export interface Upkeep {
  /** One round, to its end. @returns how many versions left the hot view. */
  round(): Promise<number>;
  /** Ends after the batch that is on its way. */
  stop(): Promise<void>;
}

export interface UpkeepDeps {
  readonly component: string;
  readonly view: View;
  readonly events: Events;
  readonly refusals: Refusals;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly raiseAlarm: (kind: string, about: string, facts: Readonly<Record<string, unknown>>) => Promise<string>;
}

export function openUpkeep(deps: UpkeepDeps): Upkeep {
  const { component, view, events, refusals, clock, logger, metrics } = deps;
  let stopped = false;
  let running: Promise<number> | undefined;
  /** Told once, until it is below the limit again. */
  let isOver = false;

  const told = ({ scope, versions, snapshot_id }: Evicted): void => {
    events.emit('memory.evicted', { scope, versions: [...versions], snapshot_id }, `evicted-${snapshot_id}`);
    metrics.count('memoryEvicted', {}, versions.length);
  };

  const evict = async (): Promise<number> => {
    let gone = 0;
    const now = clock.now();
    for (let due: number = LIMITS.evictBatch; due >= LIMITS.evictBatch && !stopped; gone += due) {
      due = await view.evict(now, LIMITS.evictBatch, told);
    }
    return gone;
  };

  const watchSize = async (): Promise<void> => {
    const stats: SnapshotStats = statsOf(await view.snapshotSizes());
    for (const { kind, count } of stats.kinds) metrics.measure('memorySnapshots', count, { component, kind });
    const over = overLimit(stats);
    if (over && !isOver) await deps.raiseAlarm('memory_large', component, { ...over });
    isOver = over !== undefined;
  };

  const work = async (): Promise<number> => {
    try {
      const gone = await evict();
      if (!stopped) await refusals.flush();
      if (!stopped) await watchSize();
      return gone;
    } catch (thrown) {
      logger.error({ err: thrown }, 'the upkeep of memory failed; it is tried again with the next round');
      return 0;
    } finally {
      running = undefined;
    }
  };
  const round = (): Promise<number> => {
    running ??= work();
    return running;
  };

  const cancel = clock.every(LIMITS.upkeepMs, () => void round());
  return {
    round,
    async stop() {
      stopped = true;
      cancel();
      await running;
    },
  };
}
