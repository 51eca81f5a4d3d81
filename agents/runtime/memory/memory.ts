import type { Principal } from '../../../mcp/index.js';
import type { Clock } from '../../../shared/clock.js';
import { HermesError } from '../../../shared/errors.js';
import type { Scope } from '../../../shared/ids.js';
import { LIMITS } from '../../../shared/limits.js';
import { parseScope, type RecordBook, type Snapshot, type StoredEntry, type View } from '../record/index.js';
import { checkMemory, type MemoryProblem } from './check.js';
import { changes, type FieldChange } from './field-changes.js';
import type { MemoryGuard } from './guard.js';
import { isLive, liveVersions } from './life.js';
import { type SnapshotStats, statsOf } from './stats.js';

export type Consistency = 'strong' | 'eventual';

/**
 * Memory: versioned, permissioned, expiring state, read from the view. There is no write here: a snapshot is written
 * only as part of an operation's entry, so text made by a model has no way in.
 */
export interface Memory {
  read(scope: string, how: ReadHow & { version?: number }): Promise<Snapshot>;
  history(scope: string, how: ReadHow & Page): Promise<{ versions: Snapshot[]; next?: number }>;
  diff(scope: string, from: number, to: number, how: ReadHow): Promise<FieldChange[]>;
  /** Of one session, or of all scopes with a prefix; those that the principal may not see are left out. */
  query(what: MemoryQuery, how: ReadHow): Promise<{ snapshots: Snapshot[]; next?: string }>;
  /** `what` is how a refusal is noted; default `audit_query`. */
  audit(scope: string, how: ReadHow & { fromN?: number; limit?: number; what?: string }): Promise<StoredEntry[]>;
  stats(): Promise<SnapshotStats>;
  /** Chain, versions and index rows of one scope, or of all that the principal may read. */
  check(scope: string | undefined, how: ReadHow): Promise<{ scopes: number; problems: MemoryProblem[] }>;
}

export interface ReadHow {
  readonly principal: Principal;
  readonly consistency?: Consistency;
  readonly signal?: AbortSignal;
  /** Expired versions too, out of the entries that they came with. */
  readonly archive?: boolean;
}

export interface Page {
  /** The first version of the page. */
  readonly fromVersion?: number;
  readonly limit?: number;
}

export interface MemoryQuery {
  readonly session?: string;
  /** The beginning of a scope, up to a whole word: `device`, `device_inspection_`. */
  readonly prefix?: string;
  /** Unix ms, of the time of writing; both belong to it. */
  readonly from?: number;
  readonly to?: number;
  /** Where a page of a prefix ended. */
  readonly after?: string;
  readonly limit?: number;
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

  /** All versions ever, from the entries that stand in the log. */
  const archived = async (scope: Scope): Promise<Snapshot[]> =>
    (await view.entries(scope)).flatMap(({ snapshots }) => snapshots ?? []);
  const versionsOf = async (scope: Scope, { archive }: ReadHow): Promise<Snapshot[]> =>
    archive ? archived(scope) : liveVersions(await view.snapshots(scope), clock.now());

  const find = async (scope: Scope, how: ReadHow & { version?: number }): Promise<Snapshot | undefined> => {
    if (how.version === undefined && !how.archive) {
      const newest = await view.snapshot(scope);
      return newest && isLive(newest, clock.now()) ? newest : undefined;
    }
    const versions = await versionsOf(scope, how);
    return how.version === undefined ? versions.at(-1) : versions.find(({ version }) => version === how.version);
  };

  const read = async (text: string, how: ReadHow & { version?: number }, what: string): Promise<Snapshot> => {
    const scope = await prepare(text, how, what);
    const snapshot = await find(scope, how);
    if (!snapshot) {
      const which = how.version === undefined ? '' : ` version ${how.version}`;
      const suggestion = 'one that has expired is in the archive: ask with archive';
      throw new HermesError('not_found', `no snapshot of ${scope}${which}`, {
        scope,
        ...(how.archive ? {} : { suggestion }),
      });
    }
    await guard.open({ principal: how.principal, what }, snapshot);
    return snapshot;
  };

  const query: Memory['query'] = async ({ session, prefix, from, to, after, limit = LIMITS.pageRows }, how) => {
    if (how.consistency !== 'eventual') await view.catchUp(how.signal);
    const now = clock.now();
    const wanted = (snapshot: Snapshot): boolean => {
      const at = Date.parse(snapshot.created_at);
      const inTime = (from === undefined || at >= from) && (to === undefined || at <= to);
      return inTime && isLive(snapshot, now) && guard.sees(how.principal, snapshot);
    };
    if (prefix === undefined) return { snapshots: (await view.bySession(session ?? '')).filter(wanted) };
    const word = prefix.endsWith('_') ? prefix : `${prefix}_`;
    parseScope(`${word}x`);
    const page = await view.snapshotsUnder(word, { limit, ...(after ? { after } : {}) });
    const last = page.at(-1);
    const snapshots = page.filter(
      (one) => wanted(one) && (session === undefined || one.session_context_id === session),
    );
    return { snapshots, ...(last && page.length === limit ? { next: view.placeOf(last) } : {}) };
  };

  return {
    read: (text, how) => read(text, how, 'memory_read'),
    query,
    async history(text, { fromVersion = 1, limit = LIMITS.pageRows, ...how }) {
      const scope = await prepare(text, how, 'memory_history');
      const all = (await versionsOf(scope, how)).filter(({ version }) => version >= fromVersion);
      const versions = all.slice(0, limit).filter((snapshot) => guard.sees(how.principal, snapshot));
      const next = all[limit]?.version;
      return { versions, ...(next === undefined ? {} : { next }) };
    },
    async diff(text, from, to, how) {
      const before = await read(text, { ...how, version: from }, 'memory_diff');
      const after = await read(text, { ...how, version: to }, 'memory_diff');
      return changes('', before.data, after.data);
    },
    async audit(text, how) {
      const scope = await prepare(text, how, how.what ?? 'audit_query');
      const entries = await view.entries(scope, {
        ...(how.fromN ? { fromN: how.fromN } : {}),
        ...(how.limit ? { limit: how.limit } : {}),
      });
      return entries.map((entry) => withoutClosed(entry, (snapshot) => guard.sees(how.principal, snapshot)));
    },
    stats: async () => statsOf(await view.snapshotSizes()),
    async check(text, how) {
      if (text === undefined) {
        await view.catchUp(how.signal);
        const seen = (await view.scopes()).filter((scope) => guard.reaches(how.principal, scope));
        return checkMemory(view, seen, clock.now());
      }
      return checkMemory(view, [await prepare(text, how, 'memory_check')], clock.now());
    },
  };
}

/**
 * An entry without the data of snapshots that the reader may not see, nor what they were made of: result, parameters
 * and evidence. Ids and effects stay.
 */
function withoutClosed(entry: StoredEntry, open: (snapshot: Snapshot) => boolean): StoredEntry {
  if (!entry.snapshots || entry.snapshots.every(open)) return entry;
  const { result: _result, params: _params, pre_state: _before, verification: _evidence, ...rest } = entry;
  return { ...rest, snapshots: entry.snapshots.filter(open) };
}
