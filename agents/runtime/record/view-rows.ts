import type { Store, StoreChange } from '../../../mcp/transport/index.js';
import type { Scope } from '../../../shared/ids.js';
import type { Snapshot, StoredEntry } from './entry.js';
import { foldScope } from './scopes.js';

/** Where an operation stands, by its request id: the duplicate index and the operation table in one. */
export interface OperationRow {
  readonly request_id: string;
  readonly scope: Scope;
  readonly started?: number;
  readonly finished?: number;
}

/** A projection adds rows of its own to the view; keys begin with `x/<name>/`. */
export interface Projection {
  readonly name: string;
  rows(entry: StoredEntry): readonly { readonly key: string; readonly value: unknown | undefined }[];
}

/** Scopes that are known by name, and open operations that are known, without a look into the store. */
const NAMED = 10_000;
const BEGUN = 10_000;

export const pad = (n: number): string => String(n).padStart(10, '0');
/** Cursor of this layout of rows: another layout has another key, so that an older view is rebuilt. */
export const META = 'meta/applied/3';
export const foldedKey = (scope: string): string => `f/${foldScope(scope)}/`;
/** Session ids come from outside and may hold any character; the key must not. */
export const bySession = (session: string): string => `ss/${Buffer.from(session).toString('base64url')}/`;

/** Where a snapshot stands among those of its session, in the order of time; empty where it has none. */
export const sessionKey = ({ session_context_id: session, created_at, scope, version }: Snapshot): string =>
  session ? `${bySession(session)}${created_at}/${scope}/${pad(version)}` : '';
/** The snapshot's own key, out of its session's. */
export const snapshotKeyOf = (inSession: string): string => `s/${inSession.split('/').slice(-2).join('/')}`;

/** Index of ends: `t/<unix ms>/<scope>/<version>`, in the order of time. Keys without a value: nothing is sealed. */
export const expiryPrefix = 't/';
const INSTANT_DIGITS = 13;
/** Empty for what never expires. */
export const expiryKey = ({ expires_at }: Pick<Snapshot, 'expires_at'>, rest: string): string =>
  expires_at ? `${expiryPrefix}${String(Date.parse(expires_at)).padStart(INSTANT_DIGITS, '0')}/${rest}` : '';
const NOTHING = new Uint8Array();

export interface ViewRowsDeps {
  readonly store: Store;
  readonly load: <T>(key: string) => Promise<T | undefined>;
  readonly sealed: (key: string, value: unknown) => StoreChange;
}

/**
 * From entries to the rows that they change: `e/` the entry, `o/` and `p/` its operation (all, and those that are
 * open), `s/` and `ss/` its snapshots by scope and by session, `t/` when they end, `c/` and `f/` the name of its
 * scope, `x/` what projections add; and the cursor.
 */
export interface ViewRows {
  /** Of entries that follow one another. May be called again for entries that could not be written. */
  changes(entries: readonly StoredEntry[]): Promise<StoreChange[]>;
  /** These are in the store now. */
  written(entries: readonly StoredEntry[]): void;
}

export function createViewRows({ store, load, sealed }: ViewRowsDeps, projections: readonly Projection[]): ViewRows {
  /** Scopes whose names are in the view. */
  const named = new Set<string>();
  const nameOf = async (scope: Scope): Promise<StoreChange[]> => {
    // The names of a scope are the same in all its entries.
    if (named.has(scope)) return [];
    const isKnown = (await store.get(`c/${scope}`)) !== undefined;
    return isKnown ? [] : [sealed(`c/${scope}`, scope), sealed(`${foldedKey(scope)}${scope}`, scope)];
  };

  /** Operations that began a short while ago: most ends need no look into the store. */
  const begun = new Map<string, OperationRow>();
  /** The row of an operation that ends in this batch and began before it. */
  const beginning = async ({ kind, request_id }: StoredEntry, batch: Map<string, OperationRow>): Promise<void> => {
    if (kind !== 'finished' || !request_id) return;
    const row = begun.get(request_id) ?? (await load<OperationRow>(`o/${request_id}`));
    if (row) batch.set(request_id, row);
  };

  const changes = async (entries: readonly StoredEntry[]): Promise<StoreChange[]> => {
    // Between batches only: what began before this one stands in the store and is loaded again.
    if (begun.size >= BEGUN) begun.clear();
    const names = await Promise.all([...new Set(entries.map(({ scope }) => scope))].map(nameOf));
    const begins = new Set(entries.filter(({ kind }) => kind === 'started').map(({ request_id }) => request_id));
    const batch = new Map<string, OperationRow>();
    const before = entries.filter(({ request_id }) => !begins.has(request_id));
    await Promise.all(before.map((entry) => beginning(entry, batch)));
    const made = names.flat();
    for (const entry of entries) {
      made.push(sealed(`e/${entry.scope}/${pad(entry.n)}`, entry));
      operationRows(entry, batch, made);
      for (const snapshot of entry.snapshots ?? []) snapshotRows(snapshot, made);
      for (const projection of projections) {
        for (const row of projection.rows(entry)) {
          const key = `x/${projection.name}/${row.key}`;
          made.push(row.value === undefined ? { type: 'del', key } : sealed(key, row.value));
        }
      }
    }
    made.push(sealed(META, (entries.at(-1) as StoredEntry).seq));
    return made;
  };

  /** A beginning begins anew; an end keeps what it ends. */
  const operationRows = (
    { kind, request_id, scope, n }: StoredEntry,
    batch: Map<string, OperationRow>,
    made: StoreChange[],
  ): void => {
    if ((kind !== 'started' && kind !== 'finished') || !request_id) return;
    const row: OperationRow = { ...(kind === 'finished' && batch.get(request_id)), request_id, scope, [kind]: n };
    batch.set(request_id, row);
    made.push(sealed(`o/${request_id}`, row));
    const openKey = `p/${request_id}`;
    if (kind === 'started') {
      begun.set(request_id, row);
      made.push(sealed(openKey, row));
    } else {
      begun.delete(request_id);
      made.push({ type: 'del', key: openKey });
    }
  };

  const snapshotRows = (snapshot: Snapshot, made: StoreChange[]): void => {
    const place = `${snapshot.scope}/${pad(snapshot.version)}`;
    made.push(sealed(`s/${place}`, snapshot));
    const inSession = sessionKey(snapshot);
    if (inSession) made.push({ type: 'put', key: inSession, value: NOTHING });
    const end = expiryKey(snapshot, place);
    if (end) made.push({ type: 'put', key: end, value: NOTHING });
  };

  return {
    changes,
    written(entries) {
      if (named.size >= NAMED) named.clear();
      for (const { scope } of entries) named.add(scope);
    },
  };
}
