import type { Store, StoreChange } from '../../../mcp/transport/index.js';
import type { Scope, SnapshotId } from '../../../shared/ids.js';
import type { Snapshot } from './entry.js';
import { expiryKey, expiryPrefix, pad, sessionKey } from './view-rows.js';

/** Versions of one scope that left the hot view; their entries stay in the log. */
export interface Evicted {
  readonly scope: Scope;
  readonly versions: readonly number[];
  /** Of the newest of them: names this eviction, however often it is told. */
  readonly snapshot_id: SnapshotId;
}

export interface EvictionDeps {
  readonly store: Store;
  /** Opened values of `[from, to)`. */
  readonly between: (from: string, to: string) => Promise<Snapshot[]>;
}

/**
 * Takes expired snapshots out of the hot view, the earliest first, at most `limit` at a time.
 *  1. No version outlives its successor: a scope whose newest version is over shows none of the older ones.
 *  2. One batch: killed at any moment, a version is there with all its rows, or gone with all.
 *  3. What goes depends on the log and on `now` alone: a view that is built anew ends the same.
 * @param told Before it happens, so that nothing goes unheard; after a kill the same is told again, by the same id.
 * @returns how many versions went; fewer than `limit` means that no more have expired.
 */
export async function evictExpired(
  { store, between }: EvictionDeps,
  now: number,
  limit: number,
  told: (evicted: Evicted) => void,
): Promise<number> {
  const newest = new Map<Scope, number>();
  const changes: StoreChange[] = [];
  let due = 0;
  for await (const [key] of store.range({ from: expiryPrefix, to: `${expiryPrefix}${instant(now + 1)}`, limit })) {
    const [, , scope, version] = key.split('/') as [string, string, Scope, string];
    newest.set(scope, Math.max(newest.get(scope) ?? 0, Number(version)));
    changes.push({ type: 'del', key });
    due += 1;
  }
  for (const [scope, version] of newest) {
    const gone = await between(`s/${scope}/`, `s/${scope}/${pad(version + 1)}`);
    for (const snapshot of gone) changes.push(...rowsOf(snapshot));
    const last = gone.at(-1);
    if (last) told({ scope, versions: gone.map((one) => one.version), snapshot_id: last.snapshot_id });
  }
  if (changes.length > 0) await store.batch(changes);
  return due;
}

const instant = (ms: number): string => expiryKey({ expires_at: new Date(ms).toISOString() }, '').slice(2, 15);

function rowsOf(snapshot: Snapshot): StoreChange[] {
  const { scope, version } = snapshot;
  const keys = [`s/${scope}/${pad(version)}`, sessionKey(snapshot), expiryKey(snapshot, `${scope}/${pad(version)}`)];
  return keys.flatMap((key) => (key ? [{ type: 'del' as const, key }] : []));
}
