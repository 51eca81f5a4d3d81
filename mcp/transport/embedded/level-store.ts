import { rm } from 'node:fs/promises';
import { Level } from 'level';
import type { Store, StoreChange, StoreRange } from '../store.js';
import type { OpenStoreOptions } from '../transport.js';
import { lockDataDir, readHolder, storeLocked } from './data-dir-lock.js';
import { isLocked, levelFailure } from './level-failure.js';
import { lacksCurrent } from './salvage.js';
import { noteTables, setAsideTables } from './table-sums.js';
import { writeAll } from './write-all.js';

type Database = Level<string, Uint8Array>;

/** Rows fetched at once. */
const PAGE_ROWS = 256;

/**
 * The view store in one folder, held by one process at a time.
 * @throws HermesError `store_locked` with `data.pid`; `log_unavailable`, with `data.corrupt` when files are damaged.
 */
export async function openLevelStore(path: string, options: OpenStoreOptions = {}): Promise<Store> {
  const lock = await lockDataDir(path);
  try {
    const database = await openDatabase(`${path}/view`, options);
    const release = async (): Promise<void> => {
      await noteTables(`${path}/view`);
      await lock.release();
    };
    return wrap(database, path, release);
  } catch (thrown) {
    await lock.release();
    if (isLocked(thrown)) throw storeLocked(path, await readHolder(path));
    throw levelFailure(thrown, path, 'open');
  }
}

async function openDatabase(path: string, { discardCorrupt = false }: OpenStoreOptions): Promise<Database> {
  const make = (): Database => new Level(path, { keyEncoding: 'utf8', valueEncoding: 'view' });
  const isGone = (await setAsideTables(path)).length > 0 || (await lacksCurrent(path));
  if (isGone && !discardCorrupt) throw new Error(`Corruption: ${path} is missing files, or has damaged ones`);
  if (!isGone) {
    const database = make();
    try {
      await database.open();
      await noteTables(path);
      return database;
    } catch (thrown) {
      const corrupt = levelFailure(thrown, path, 'open').data.corrupt === true;
      if (!corrupt || !discardCorrupt) throw thrown;
    }
  }
  await rm(path, { recursive: true, force: true });
  const fresh = make();
  await fresh.open();
  return fresh;
}

function wrap(database: Database, path: string, release: () => Promise<void>): Store {
  const guard = async <T>(doing: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (thrown) {
      throw levelFailure(thrown, path, doing);
    }
  };
  return {
    get: (key) => guard('read', () => database.get(key)),
    batch: (changes: readonly StoreChange[], { sync = false } = {}) =>
      guard('write', () => writeAll(database, changes, sync)),
    async *range({ from, to, reverse = false, limit = -1 }: StoreRange) {
      const iterator = database.iterator({ gte: from, lt: to, reverse, limit });
      try {
        for (;;) {
          const page = await guard('read', () => iterator.nextv(PAGE_ROWS));
          if (page.length === 0) return;
          yield* page;
        }
      } finally {
        await iterator.close();
      }
    },
    async close() {
      await database.close();
      await release();
    },
  };
}
