import { packValue, subjects, unpackValue } from '../../../mcp/index.js';
import type { Log, LogRecord, Tail } from '../../../mcp/transport/index.js';
import { prefixRange, type Store, type StoreChange } from '../../../mcp/transport/index.js';
import type { Clock } from '../../../shared/clock.js';
import { raceSignal } from '../../../shared/deadline.js';
import { HermesError } from '../../../shared/errors.js';
import type { Scope } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { Snapshot, StoredEntry } from './entry.js';
import { type Evicted, evictExpired } from './eviction.js';
import { readEntry } from './record.js';
import { snapshotSizes } from './snapshot-sizes.js';
import type { Vault } from './vault.js';
import {
  bySession,
  createViewRows,
  foldedKey,
  META,
  type OperationRow,
  type Projection,
  pad,
  snapshotKeyOf,
} from './view-rows.js';
import { startingPoint } from './view-start.js';
import { createViewWriter } from './view-writer.js';

/**
 * The agent's view of its own log: audit entries by scope, operations by request, snapshots by scope and session.
 * A projection in the strict sense: it can be deleted and comes back equal. Values are sealed, keys name places.
 */
export interface View {
  /** Sequence up to which the log is applied. */
  readonly applied: number;
  /** Waits until the view has applied `seq`. */
  waitFor(seq: number, signal?: AbortSignal): Promise<void>;
  /** Waits until the view has applied the log's head as it is now. */
  catchUp(signal?: AbortSignal): Promise<void>;
  entry(scope: Scope, n: number): Promise<StoredEntry | undefined>;
  entries(scope: Scope, options?: { fromN?: number; limit?: number }): Promise<StoredEntry[]>;
  /** The scope's newest entry. */
  lastEntry(scope: Scope): Promise<StoredEntry | undefined>;
  operation(requestId: string): Promise<OperationRow | undefined>;
  /** Operations that began and have not ended. */
  openOperations(): Promise<OperationRow[]>;
  snapshot(scope: Scope, version?: number): Promise<Snapshot | undefined>;
  snapshots(scope: Scope, limit?: number): Promise<Snapshot[]>;
  bySession(sessionId: string): Promise<Snapshot[]>;
  /** Takes expired snapshots out, as `evictExpired` says. */
  evict(now: number, limit: number, told: (evicted: Evicted) => void): Promise<number>;
  /** Live and expired versions of all scopes that begin so, in the order of scopes; `after` begins behind one. */
  snapshotsUnder(prefix: string, page: { after?: string; limit: number }): Promise<Snapshot[]>;
  /** Where a snapshot stands among those of `snapshotsUnder`. */
  placeOf(snapshot: Snapshot): string;
  /** Snapshots of the hot view by kind of scope. */
  snapshotSizes(): Promise<ReadonlyMap<string, { readonly count: number; readonly bytes: number }>>;
  /** Scopes that have entries. */
  scopes(): Promise<Scope[]>;
  /** The scope that is spelt so, or else the first whose spelling differs only in case and dashes. */
  scopeLike(text: string): Promise<Scope | undefined>;
  /** Rows of a projection by key prefix; `before` ends the range at a key. */
  rows<T>(
    projection: string,
    prefix: string,
    options?: { reverse?: boolean; limit?: number; before?: string },
  ): Promise<T[]>;
  /** Records of the log that did not open since this view was. */
  quarantined(): readonly { readonly subject: string; readonly seq: number }[];
  onEntry(heard: (entry: StoredEntry) => void): { stop(): void };
  close(): Promise<void>;
}

export interface ViewDeps {
  readonly log: Log;
  readonly store: Store;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told when a row was found damaged: only a new start builds the view again. */
  readonly damaged?: () => void;
}

export async function openView(
  deps: ViewDeps,
  options: { tenant: string; component: string; projections?: readonly Projection[] },
): Promise<View> {
  const { log, store, vault, clock, logger } = deps;
  let damaged = false;
  const pattern = subjects.logOf(options.tenant, options.component);
  const place = (key: string): string => `view|${options.component}|${key}`;
  const sealed = (key: string, value: unknown): StoreChange => ({
    type: 'put',
    key,
    value: vault.seal(packValue(value), place(key)),
  });
  /** A row that does not open was damaged on the disk: the view is built again from the log at the next start. */
  const opened = <T>(key: string, bytes: Uint8Array): T => {
    try {
      return unpackValue(vault.open(bytes, place(key))) as T;
    } catch (error) {
      if (!damaged) {
        damaged = true;
        logger.error({ err: error, key }, 'a row of the view does not open; the view is built again');
        store.batch([{ type: 'del', key: META }]).then(deps.damaged, (err: unknown) => {
          logger.error({ err }, 'that the view has to be built again could not be noted');
        });
      }
      throw error;
    }
  };
  const load = async <T>(key: string): Promise<T | undefined> => {
    const bytes = await store.get(key);
    return bytes === undefined ? undefined : opened<T>(key, bytes);
  };
  const range = async <T>(
    prefix: string,
    how: { reverse?: boolean; limit?: number; from?: string; to?: string } = {},
  ): Promise<T[]> => {
    const found: T[] = [];
    const span = prefixRange(prefix);
    for await (const [key, bytes] of store.range({ ...span, ...how })) {
      found.push(opened<T>(key, bytes));
    }
    return found;
  };

  let applied = await startingPoint(deps, pattern, place);
  const quarantined: { readonly subject: string; readonly seq: number }[] = [];
  const waiters = new Set<{ seq: number; done: () => void }>();
  const listeners = new Set<(entry: StoredEntry) => void>();

  const reached = (seq: number): void => {
    applied = seq;
    for (const waiter of [...waiters]) if (waiter.seq <= applied) waiter.done();
  };
  const tell = (heard: (entry: StoredEntry) => void, entry: StoredEntry): void => {
    try {
      heard(entry);
    } catch (thrown) {
      logger.error({ err: thrown, scope: entry.scope, n: entry.n }, 'who listens to a view failed');
    }
  };
  const rows = createViewRows({ store, load, sealed }, options.projections ?? []);
  const writer = createViewWriter({
    store,
    clock,
    logger,
    changes: (entries) => rows.changes(entries),
    written(entries) {
      rows.written(entries);
      reached((entries.at(-1) as StoredEntry).seq);
      for (const entry of entries) for (const heard of listeners) tell(heard, entry);
    },
  });
  /**
   * A record that does not open is left aside: what came before it is served, its scope takes nothing more (a writer
   * cannot read its head), and the gap in its chain is found by whoever verifies it.
   */
  const readOrQuarantine = async (record: LogRecord): Promise<StoredEntry | undefined> => {
    try {
      return await readEntry(vault, record);
    } catch (error) {
      if (!(error instanceof HermesError) || error.data.sealed !== false) throw error;
      const { subject, seq } = record;
      logger.error({ err: error, subject, seq }, 'a record of the log does not open; it is left aside');
      quarantined.push({ subject, seq });
      await writer.settled();
      await store.batch([sealed(META, seq)]);
      reached(seq);
      return undefined;
    }
  };
  const tail: Tail = log.tail(pattern, applied + 1, async (record) => {
    const entry = await readOrQuarantine(record);
    if (entry) await writer.take(entry);
  });
  const waitFor = async (seq: number, signal?: AbortSignal): Promise<void> => {
    if (applied >= seq) return;
    let waiter: { seq: number; done: () => void } | undefined;
    const reached = new Promise<void>((resolve) => {
      waiter = { seq, done: resolve };
      waiters.add(waiter);
    });
    try {
      await (signal ? raceSignal(reached, signal) : reached);
    } finally {
      if (waiter) waiters.delete(waiter);
    }
  };

  logger.debug({ component: options.component, applied }, 'view opened');
  return {
    get applied() {
      return applied;
    },
    waitFor,
    catchUp: async (signal) => waitFor(await log.headSeq(pattern), signal),
    entry: (scope, n) => load(`e/${scope}/${pad(n)}`),
    entries: (scope, { fromN = 1, limit } = {}) =>
      range(`e/${scope}/`, { from: `e/${scope}/${pad(fromN)}`, ...(limit ? { limit } : {}) }),
    lastEntry: async (scope) => (await range<StoredEntry>(`e/${scope}/`, { reverse: true, limit: 1 }))[0],
    operation: (requestId) => load(`o/${requestId}`),
    openOperations: () => range('p/'),
    snapshot: async (scope, version) =>
      version === undefined
        ? (await range<Snapshot>(`s/${scope}/`, { reverse: true, limit: 1 }))[0]
        : load(`s/${scope}/${pad(version)}`),
    snapshots: (scope, limit) => range(`s/${scope}/`, limit ? { limit } : {}),
    async bySession(sessionId) {
      const keys: string[] = [];
      for await (const [key] of store.range(prefixRange(bySession(sessionId)))) keys.push(snapshotKeyOf(key));
      const found = await Promise.all(keys.map((key) => load<Snapshot>(key)));
      return found.filter((snapshot) => snapshot !== undefined);
    },
    snapshotsUnder: (prefix, { after, limit }) =>
      range(`s/${prefix}`, { limit, ...(after ? { from: `s/${after}\u0000` } : {}) }),
    placeOf: ({ scope, version }) => `${scope}/${pad(version)}`,
    snapshotSizes: () => snapshotSizes(store),
    evict: (now, limit, told) =>
      evictExpired({ store, between: (from, to) => range('s/', { from, to }) }, now, limit, told),
    scopes: () => range('c/'),
    scopeLike: async (text) =>
      (await load<Scope>(`c/${text}`)) ?? (await range<Scope>(foldedKey(text), { limit: 1 }))[0],
    rows: (projection, prefix, { before, ...how } = {}) =>
      range(`x/${projection}/${prefix}`, { ...how, ...(before ? { to: `x/${projection}/${before}` } : {}) }),
    quarantined: () => quarantined,
    onEntry(heard) {
      listeners.add(heard);
      return { stop: () => listeners.delete(heard) };
    },
    async close() {
      // The tail may wait for room at the writer, which a disk that fails never makes.
      await Promise.all([writer.stop(), tail.stop()]);
      await store.close();
    },
  };
}
