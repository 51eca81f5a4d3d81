import type { Store, StoreChange } from '../../../mcp/transport/index.js';
import type { Clock } from '../../../shared/clock.js';
import { toHermesError } from '../../../shared/errors.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { StoredEntry } from './entry.js';

/** Entries in one batch, and how many more may wait before the log's reader waits too. */
const BATCH = 256;
const RETRY_MS = 50;
const RETRY_MAX_MS = 5_000;

/**
 * Writes the entries of a log into a view, in their order: what came while one batch was on its way to the disk is the
 * next batch. One entry at a time would be as slow as the disk is deep: two reads and a write, each waited for.
 */
export interface ViewWriter {
  /** Resolves when there is room for more; the entry may still be on its way. */
  take(entry: StoredEntry): Promise<void>;
  /** Resolves when everything that was taken is written. */
  settled(): Promise<void>;
  /** What is on its way is written or given up; nothing is taken any more. */
  stop(): Promise<void>;
}

export interface ViewWriterDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The rows that these entries change, the cursor among them. */
  readonly changes: (entries: readonly StoredEntry[]) => Promise<StoreChange[]>;
  /** Told when they are written. */
  readonly written: (entries: readonly StoredEntry[]) => void;
}

export function createViewWriter({ store, clock, logger, changes, written }: ViewWriterDeps): ViewWriter {
  const waiting: StoredEntry[] = [];
  const stopped = new AbortController();
  let writing: Promise<void> | undefined;
  let room: Array<() => void> = [];

  const write = async (batch: readonly StoredEntry[]): Promise<void> => {
    let rows: readonly StoreChange[] | undefined;
    for (let pause = RETRY_MS; !stopped.signal.aborted; pause = Math.min(RETRY_MAX_MS, pause * 2)) {
      try {
        rows ??= await changes(batch);
        await store.batch(rows);
      } catch (thrown) {
        const { reason, message } = toHermesError(thrown);
        logger.error({ err: thrown, reason, entries: batch.length, pause }, `the view cannot be written: ${message}`);
        await clock.sleep(pause, stopped.signal).catch(() => undefined);
        continue;
      }
      written(batch);
      return;
    }
  };

  const drain = async (): Promise<void> => {
    while (waiting.length > 0 && !stopped.signal.aborted) {
      const batch = waiting.splice(0, BATCH);
      for (const go of room.splice(0)) go();
      await write(batch);
    }
    writing = undefined;
  };

  return {
    async take(entry) {
      if (stopped.signal.aborted) return;
      waiting.push(entry);
      writing ??= drain();
      if (waiting.length < BATCH) return;
      await new Promise<void>((resolve) => room.push(resolve));
    },
    async settled() {
      while (writing) await writing;
    },
    async stop() {
      stopped.abort();
      for (const go of room.splice(0)) go();
      room = [];
      await writing;
    },
  };
}
