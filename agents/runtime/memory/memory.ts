import type { Principal } from '../../../mcp/index.js';
import type { Clock } from '../../../shared/clock.js';
import { HermesError } from '../../../shared/errors.js';
import type { Scope } from '../../../shared/ids.js';
import { parseScope, type RecordBook, type Snapshot, type StoredEntry, type View } from '../record/index.js';
import type { MemoryGuard } from './guard.js';

export type Consistency = 'strong' | 'eventual';

export interface FieldChange {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Memory: versioned, permissioned, expiring state, read from the view. There is no write here: a snapshot is written
 * only as part of an operation's entry, so text made by a model has no way in.
 */
export interface Memory {
  read(scope: string, how: ReadHow & { version?: number }): Promise<Snapshot>;
  history(scope: string, how: ReadHow): Promise<Snapshot[]>;
  diff(scope: string, from: number, to: number, how: ReadHow): Promise<FieldChange[]>;
  bySession(sessionId: string, how: ReadHow): Promise<Snapshot[]>;
  audit(scope: string, how: ReadHow & { fromN?: number; limit?: number }): Promise<StoredEntry[]>;
}

export interface ReadHow {
  readonly principal: Principal;
  readonly consistency?: Consistency;
  readonly signal?: AbortSignal;
}

export interface MemoryDeps {
  readonly view: View;
  readonly record: RecordBook;
  readonly clock: Clock;
  readonly guard: MemoryGuard;
}

export function createMemory({ view, record, clock, guard }: MemoryDeps): Memory {
  /** Canonical spelling of a scope that was asked for: case and dashes do not matter. */
  const resolve = async (text: string): Promise<Scope> => {
    const asked = parseScope(text);
    return (await view.scopeLike(asked)) ?? asked;
  };

  const prepare = async (text: string, how: ReadHow, what: string): Promise<Scope> => {
    const scope = await resolve(text);
    await guard.reach({ principal: how.principal, what }, scope);
    if (how.consistency !== 'eventual') {
      const { seq } = await record.head(scope);
      await view.waitFor(seq, how.signal);
    }
    return scope;
  };

  const live = (snapshot: Snapshot): boolean =>
    snapshot.expires_at === undefined || Date.parse(snapshot.expires_at) > clock.now();

  const readAs = async (text: string, how: ReadHow & { version?: number }, what: string): Promise<Snapshot> => {
    const scope = await prepare(text, how, what);
    const snapshot = await view.snapshot(scope, how.version);
    if (!snapshot || !live(snapshot)) {
      const which = how.version === undefined ? '' : ` version ${how.version}`;
      throw new HermesError('not_found', `no snapshot of ${scope}${which}`, { scope });
    }
    await guard.open({ principal: how.principal, what }, snapshot);
    return snapshot;
  };

  return {
    read: (text, how) => readAs(text, how, 'memory_read'),
    async history(text, how) {
      const scope = await prepare(text, how, 'memory_history');
      return (await view.snapshots(scope)).filter((snapshot) => live(snapshot) && guard.sees(how.principal, snapshot));
    },
    async diff(text, from, to, how) {
      const before = await readAs(text, { ...how, version: from }, 'memory_diff');
      const after = await readAs(text, { ...how, version: to }, 'memory_diff');
      return changes('', before.data, after.data);
    },
    async bySession(sessionId, how) {
      const found = await view.bySession(sessionId);
      return found.filter((snapshot) => live(snapshot) && guard.sees(how.principal, snapshot));
    },
    async audit(text, how) {
      const scope = await prepare(text, how, 'audit_query');
      const entries = await view.entries(scope, {
        ...(how.fromN ? { fromN: how.fromN } : {}),
        ...(how.limit ? { limit: how.limit } : {}),
      });
      return entries.map((entry) => withoutClosed(entry, (snapshot) => guard.sees(how.principal, snapshot)));
    },
  };
}

/** An entry without the data of snapshots that the reader may not see; their ids stay. */
function withoutClosed(entry: StoredEntry, open: (snapshot: Snapshot) => boolean): StoredEntry {
  if (!entry.snapshots || entry.snapshots.every(open)) return entry;
  return { ...entry, snapshots: entry.snapshots.filter(open) };
}

/** Field by field, leaves only. */
function changes(path: string, before: unknown, after: unknown): FieldChange[] {
  if (isMap(before) && isMap(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys.flatMap((key) => changes(`${path}/${key}`, before[key], after[key]));
  }
  return JSON.stringify(before) === JSON.stringify(after)
    ? []
    : [{ path, before: before ?? null, after: after ?? null }];
}

const isMap = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
