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
  await stop();
  process.exit(0);
}
