import type { Logger } from '../shared/telemetry/logger.js';

/** What a process opened, closed in the opposite order. */
export interface Opened {
  keep(close: () => void | Promise<void>): void;
  /** Closes all of it, also when one cannot be closed. @throws what the first of those threw. */
  close(): Promise<void>;
}

export function createOpened(): Opened {
  const closers: (() => void | Promise<void>)[] = [];
  return {
    keep: (close) => void closers.push(close),
    async close() {
      const failures: unknown[] = [];
      for (const close of closers.splice(0).reverse()) {
        try {
          await close();
        } catch (thrown) {
          failures.push(thrown);
        }
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Runs a start; one that fails closes what it had opened, and throws as it threw. */
export async function opening<T>(logger: Logger, start: (opened: Opened) => Promise<T>): Promise<T> {
  const opened = createOpened();
  try {
    return await start(opened);
  } catch (error) {
    await opened.close().catch((thrown: unknown) => {
      logger.error({ err: thrown }, 'what did not start could not be closed');
    });
    throw error;
  }
}
