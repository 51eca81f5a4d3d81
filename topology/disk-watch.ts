import { type Cell, raiseAlarm } from '../agents/runtime/index.js';
import type { DiskSpace } from '../mcp/transport/index.js';
import { LIMITS } from '../shared/limits.js';

/** Looks at the disk of a process' data folder, so that somebody hears of it before nothing more can be recorded. */
export interface DiskWatch {
  /** In words, while there is little space. */
  problems(): readonly string[];
  stop(): void;
}

/**
 * Every ten seconds, once a process: its agents share one disk. One alarm when space runs low, and again only after
 * there was enough; where the record takes no alarm any more, it is raised when it does. A transport without a disk is
 * not watched.
 */
export function openDiskWatch(cell: Cell): DiskWatch {
  const { transport, clock, logger, metrics } = cell.doors;
  let low: DiskSpace | undefined;
  let isRaised = false;
  let looking = false;

  const look = async (): Promise<void> => {
    const space = await transport.space?.();
    if (!space) return;
    metrics.measure('diskFree', space.freeBytes);
    low = isLow(space) ? space : undefined;
    if (!low) isRaised = false;
    else if (!isRaised) {
      logger.error({ ...low }, 'little space is left on the disk of the record');
      const { path, freeBytes, totalBytes } = low;
      await raiseAlarm(cell, 'disk_low', cell.component, { path, free_bytes: freeBytes, total_bytes: totalBytes });
      isRaised = true;
    }
  };
  const round = (): void => {
    if (looking) return;
    looking = true;
    look()
      .catch((thrown: unknown) => logger.error({ err: thrown }, 'the disk of the record could not be looked at'))
      .finally(() => {
        looking = false;
      });
  };
  round();
  const cancel = transport.space ? clock.every(LIMITS.diskCheckMs, round) : undefined;
  return {
    problems: () => (low ? [`little space on the disk of ${low.path}: ${megabytes(low)}`] : []),
    stop: () => cancel?.(),
  };
}

const isLow = ({ freeBytes, totalBytes }: DiskSpace): boolean =>
  freeBytes < Math.min(LIMITS.diskLowBytes, totalBytes * LIMITS.diskLowShare);

const megabytes = ({ freeBytes, totalBytes }: DiskSpace): string =>
  `${Math.floor(freeBytes / 1e6)} MB of ${Math.round(totalBytes / 1e6)} MB are free`;
