import { systemClock } from '../shared/clock.js';
import { toHermesError } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';

/** Waits for SIGINT or SIGTERM, then stops in order; a second signal leaves at once. */
export async function untilStopped(stop: () => Promise<void>): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        for (const again of ['SIGINT', 'SIGTERM'] as const) process.once(again, () => process.exit(130));
        resolve();
      });
    }
  });
  const late = systemClock().timer(LIMITS.stopMs, () => {
    process.stderr.write('hermes: something did not stop in time; the record is as the log took it\n');
    process.exit(1);
  });
  try {
    await stop();
    late();
    process.exit(0);
  } catch (thrown) {
    process.stderr.write(`hermes: ${toHermesError(thrown).message} (while stopping)\n`);
    process.exit(1);
  }
}
