import { startBroker } from './broker.js';
import { openPair } from './pair.js';
import type { Measured } from './process.js';
import { atLeast, median, type Row } from './row.js';
import { LINKS_PER_WORKER, WORKERS } from './stacks/index.js';

export interface WorkerBenchOptions {
  readonly rounds: number;
  readonly msPerRun: number;
  readonly profileDir?: string;
}

/**
 * So many workers, each with as many links as keep it busy: a worker serves 16 calls at once, a link one, so that with
 * 32 links for each and one call for each link no worker waits for work and no call for another's link. The ideal is
 * so many times the rate of one worker.
 */
export async function benchWorkers(
  options: WorkerBenchOptions,
): Promise<{ rows: Row[]; runs: Record<string, Measured[]> }> {
  const runs: Record<string, Measured[]> = {};
  for (const workers of WORKERS) {
    const broker = await startBroker();
    const pair = await openPair(`workers ${workers}`, { ...options, url: broker.url, workers });
    const inFlight = LINKS_PER_WORKER * workers;
    try {
      await pair.measure({ inFlight, ms: options.msPerRun });
      const measured: Measured[] = [];
      for (let round = 0; round < options.rounds; round++) {
        measured.push(await pair.measure({ inFlight, ms: options.msPerRun }));
      }
      runs[`workers ${workers}`] = measured;
    } finally {
      await pair.stop();
      await broker.stop();
    }
  }
  const rate = (workers: number): number => median((runs[`workers ${workers}`] ?? []).map((one) => one.perSecond));
  const rows = WORKERS.filter((workers) => workers > 1).map((workers) =>
    atLeast(`workers 1 → ${workers}: speed-up ÷ ideal`, [rate(workers), workers * rate(1)], 0.95, 'calls/s'),
  );
  return { rows, runs };
}
