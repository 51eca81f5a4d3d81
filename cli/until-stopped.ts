import { systemClock } from '../shared/clock.js';
import { toHermesError } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Until the result is called, a signal ends the process at once: it has not begun, so there is nothing to finish. */
export function leaveOnSignal(): () => void {
  const leave = (): never => process.exit(0);
  for (const signal of SIGNALS) process.once(signal, leave);
  return () => {
    for (const signal of SIGNALS) process.off(signal, leave);
  };
}

/**
 * Waits for SIGINT or SIGTERM, or for the end of the process that started this one, then stops in order within
 * `limitMs`, default 10 s; a second signal leaves at once.
 */
export async function untilStopped(stop: () => Promise<void>, limitMs: number = LIMITS.stopMs): Promise<void> {
  await new Promise<void>((resolve) => {
    process.once('disconnect', resolve);
    for (const signal of SIGNALS) {
      process.once(signal, () => {
        for (const again of SIGNALS) process.once(again, () => process.exit(130));
        resolve();
      });
    }
  });
  const late = systemClock().timer(limitMs, () => {
    process.stderr.write('hermes: something did not stop in time; the record is as the log took it\n');
    process.exit(1);
  });
  try {
    await stop();
    late();
    process.exit();
  } catch (thrown) {
    process.stderr.write(`hermes: ${toHermesError(thrown).message} (while stopping)\n`);
    process.exit(1);
  }
}
