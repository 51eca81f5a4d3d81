import { packValue, subjects, unpackValue } from '../../../mcp/index.js';
import type { Log, LogRecord } from '../../../mcp/transport/index.js';
import type { Clock } from '../../../shared/clock.js';
import { HermesError } from '../../../shared/errors.js';
import type { Ids, Scope, SnapshotId } from '../../../shared/ids.js';
import { createLines } from '../../../shared/lines.js';
import { plainJson } from '../../../shared/plain-json.js';
import type { Metrics } from '../../../shared/telemetry/metrics.js';
import {
  CHAIN_START,
  type Entry,
  type EntryDraft,
  entryHash,
  type Snapshot,
  type SnapshotDraft,
  type StoredEntry,
} from './entry.js';
import { createRetention, type Retention, type RetentionPolicy } from './retention.js';
import { type FoundSecret, findSecrets, withoutSecrets } from './secrets.js';
import type { Vault } from './vault.js';

/** The newest entry of a scope, as far as a writer must know it. */
export interface ScopeHead {
  readonly seq: number;
  readonly n: number;
  readonly hash: string;
  readonly version: number;
  readonly snapshotId?: SnapshotId;
}

/**
 * The record: appends entries to the log, one hash chain a scope.
 *  1. One append is one entry; record and memory never disagree, because a snapshot stands in its operation's entry.
 *  2. Compare-and-swap on the scope's subject keeps the chain linear and the versions gapless.
 *  3. If it cannot be written, the caller learns it (`log_unavailable`), and no effect may follow.
 */
export interface RecordBook {
  readonly retention: Retention;
  /** The true head, from the log. */
  head(scope: Scope): Promise<ScopeHead>;
  /** The head as this instance saw it last: somebody may have written since, which a claim on it finds out. */
  seen(scope: Scope): ScopeHead | undefined;
  /** Appends after whatever is there. */
  append(scope: Scope, draft: EntryDraft): Promise<StoredEntry>;
  /**
   * Appends on top of the entry at `after`, or, where more has been written since, only if `first` finds no entry that
   * says the same: of several who end one operation, one does.
   */
  appendOnce(
    scope: Scope,
    draft: EntryDraft,
    after: number,
    first: () => Promise<StoredEntry | undefined>,
  ): Promise<StoredEntry>;
  /** Appends only on top of `head`. @throws HermesError `version_conflict` when somebody was first. */
  claim(scope: Scope, head: ScopeHead, draft: EntryDraft): Promise<StoredEntry>;
}

export interface RecordDeps {
  readonly log: Log;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly metrics: Metrics;
  /** Told of an entry that was written without a snapshot, because a value of it looked like a credential. */
  readonly secretRefused?: (entry: StoredEntry, fields: readonly FoundSecret[]) => void;
}

export interface RecordOptions {
  readonly tenant: string;
  /** Component id with version. */
  readonly component: string;
  /** Name without version: owner of the log subjects. */
  readonly name: string;
  readonly instance: string;
  /** Lives of snapshots that the site wants otherwise. */
  readonly retention?: RetentionPolicy;
}

/** Scopes whose head is remembered. */
const HEADS = 10_000;
const EMPTY: ScopeHead = { seq: 0, n: 0, hash: CHAIN_START, version: 0 };

export function createRecord(deps: RecordDeps, options: RecordOptions): RecordBook {
  const { log, vault, clock, metrics } = deps;
  const subjectOf = (scope: Scope): string => subjects.log(options.tenant, options.name, scope);
  const retention = createRetention(options.retention);
  const heads = new Map<Scope, ScopeHead>();
  /** One writer a scope within this process: conflicts are left to other processes. */
  const lines = createLines();

  /** The newest heads seen; an older one is read from the log again. */
  const remember = (scope: Scope, newest: ScopeHead): void => {
    heads.set(scope, newest);
    if (heads.size > HEADS) heads.delete(heads.keys().next().value as Scope);
  };

  const head = async (scope: Scope): Promise<ScopeHead> => {
    const last = await log.last(subjectOf(scope));
    const fresh = last ? headOf(await readEntry(vault, last)) : EMPTY;
    remember(scope, fresh);
    return fresh;
  };

  const put = async (scope: Scope, on: ScopeHead, draft: EntryDraft): Promise<StoredEntry> => {
    const { safe, fields } = clearOfSecrets(draft);
    const entry = buildEntry(deps, options, scope, on, safe);
    const subject = subjectOf(scope);
    const payload = vault.seal(packValue(entry), subject);
    const { seq } = await log.append(subject, payload, { expectedLastSeq: on.seq });
    const stored = { ...entry, seq };
    remember(scope, headOf(stored));
    metrics.count('recordAppends', { kind: draft.kind });
    if (fields.length > 0) deps.secretRefused?.(stored, fields);
    return stored;
  };

  const append = async (scope: Scope, draft: EntryDraft): Promise<StoredEntry> => {
    for (let tries = 0; ; tries++) {
      const on = (tries === 0 ? heads.get(scope) : undefined) ?? (await head(scope));
      try {
        return await put(scope, on, draft);
      } catch (error) {
        const conflict = error instanceof HermesError && error.reason === 'version_conflict';
        if (!conflict || tries >= 64) throw error;
      }
    }
  };

  const appendOnce: RecordBook['appendOnce'] = async (scope, draft, after, first) => {
    for (let known = heads.get(scope); ; known = undefined) {
      const on = known?.seq === after ? known : await head(scope);
      const said = on.seq === after ? undefined : await first();
      if (said) return said;
      try {
        return await put(scope, on, draft);
      } catch (error) {
        if (!(error instanceof HermesError) || error.reason !== 'version_conflict') throw error;
      }
    }
  };

  return {
    retention,
    head,
    seen: (scope) => heads.get(scope),
    appendOnce: (scope, draft, after, first) => lines.inLine(scope, () => appendOnce(scope, draft, after, first)),
    append: (scope, draft) => lines.inLine(scope, () => append(scope, draft)),
    claim: (scope, on, draft) => lines.inLine(scope, () => put(scope, on, draft)),
  };

  function buildEntry(d: RecordDeps, o: RecordOptions, scope: Scope, on: ScopeHead, draft: EntryDraft): Entry {
    const at = Math.round(clock.now());
    const { snapshots: drafts, ...rest } = draft;
    const snapshots: Snapshot[] = [];
    let previous = on.snapshotId;
    for (const made of drafts ?? []) {
      const snapshot: Snapshot = {
        snapshot_id: d.ids.snapshot(),
        version: on.version + snapshots.length + 1,
        scope,
        created_at: new Date(at).toISOString(),
        ...retention.expiryOf(scope, at, lifeOf(made)),
        data: made.data,
        access_control: { readers: made.readers ?? [], writers: [o.component, ...(made.writers ?? [])] },
        ...(draft.session_context_id ? { session_context_id: draft.session_context_id } : {}),
        ...(draft.goal_id ? { goal_id: draft.goal_id } : {}),
        ...(draft.operation_id ? { operation_id: draft.operation_id } : {}),
        tenant: o.tenant,
        ...(previous ? { supersedes: previous } : {}),
      };
      previous = snapshot.snapshot_id;
      snapshots.push(snapshot);
    }
    const body = plainJson({
      ...rest,
      scope,
      tenant: o.tenant,
      component: o.component,
      instance: o.instance,
      at,
      clock_offset_ms: draft.clock_offset_ms ?? 0,
      n: on.n + 1,
      ...(snapshots.length > 0 ? { snapshots, snapshot_ids: snapshots.map((s) => s.snapshot_id) } : {}),
      last_version: on.version + snapshots.length,
      ...(previous ? { last_snapshot_id: previous } : {}),
      prev: on.hash,
    }) as Omit<Entry, 'hash'>;
    return { ...body, hash: entryHash(body) };
  }
}

/**
 * Opens one record of the log; a promise where its key has to be learnt first.
 * @throws HermesError `log_unavailable` when it was altered.
 */
export function readEntry(vault: Vault, record: LogRecord): StoredEntry | Promise<StoredEntry> {
  const learning = vault.learn(record.payload);
  return learning ? learning.then(() => opened(vault, record)) : opened(vault, record);
}

function opened(vault: Vault, record: LogRecord): StoredEntry {
  const entry = unpackValue(vault.open(record.payload, record.subject)) as Entry;
  return { ...entry, seq: record.seq };
}

const headOf = (entry: StoredEntry): ScopeHead => ({
  seq: entry.seq,
  n: entry.n,
  hash: entry.hash,
  version: entry.last_version,
  ...(entry.last_snapshot_id ? { snapshotId: entry.last_snapshot_id } : {}),
});

const lifeOf = ({ expires_in_ms: ms, open }: SnapshotDraft): { ms?: number | null; open?: boolean } => ({
  ...(ms === undefined ? {} : { ms }),
  ...(open === undefined ? {} : { open }),
});

/**
 * A snapshot with a value that looks like a credential is not written, nor is that value as a result: the log keeps
 * what it has for ever. What was done stays on the record, with the fields that were refused.
 */
function clearOfSecrets(draft: EntryDraft): { safe: EntryDraft; fields: readonly FoundSecret[] } {
  const { snapshots, ...rest } = draft;
  if (!snapshots) return { safe: draft, fields: [] };
  const fields = snapshots.flatMap(({ data }) => findSecrets(data));
  if (fields.length === 0) return { safe: draft, fields };
  const data = { ...rest.data, snapshot_refused: fields };
  const result = rest.result === undefined ? {} : { result: withoutSecrets(rest.result) };
  return { safe: { ...rest, ...result, data }, fields };
}
