import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../shared/clock.js';
import { createIds } from '../../shared/ids.js';
import { SIGNING_SEED_BYTES, signingKeyFromSeed } from '../../shared/keys/index.js';
import { systemRandom } from '../../shared/random.js';
import { silentLogger } from '../../shared/telemetry/logger.js';
import { openMetrics } from '../../shared/telemetry/metrics.js';

const clock = systemClock();
const random = systemRandom();

/** What a component of the product stands on: everything real, and a log that nobody reads. */
export const doors = {
  clock,
  random,
  signing: signingKeyFromSeed(random.bytes(SIGNING_SEED_BYTES)),
  ids: createIds(clock, random),
  logger: silentLogger(),
  metrics: openMetrics(),
};

/** A folder that is gone when the process has ended. */
export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'hermes-bench-'));
  process.on('exit', () => rmSync(made, { recursive: true, force: true }));
  return made;
}
