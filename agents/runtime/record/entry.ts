import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Principal } from '../../../mcp/index.js';
import type { WireError } from '../../../shared/errors.js';
import type { Scope, SnapshotId } from '../../../shared/ids.js';
import type { Storable } from '../../../shared/model-text.js';
import type { Outcome, Verification } from '../../../shared/outcome.js';

/** Kinds of entries in the log. */
export const ENTRY_KINDS = [
  'goal',
  'session',
  'dispatch',
  'started',
  'finished',
  'snapshot',
  'owned',
  'approval',
  'alarm',
  'hold',
  'refused',
  'config',
  'key',
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** One thing that was done to the world, with what stood there before. */
export interface Effect {
  readonly capability: string;
  readonly target: string;
  readonly before?: unknown;
  readonly after?: unknown;
  /** As it went over the wire, for comparison with a packet trace. */
  readonly registers?: {
    readonly link: string;
    readonly unit: number;
    readonly function_code: number;
    readonly address: number;
    readonly values: readonly number[];
  };
  /** `unknown` when no answer came. */
  readonly outcome: Outcome;
  readonly at: number;
  /** Concluded from a read-back after a crash; registers and time of the write are not known. */
  readonly inferred?: boolean;
  /** Done to undo the others. */
  readonly rollback?: boolean;
}

/** One version of one scope of memory: state, never prose. */
export interface Snapshot {
  readonly snapshot_id: SnapshotId;
  readonly version: number;
  readonly scope: Scope;
  readonly created_at: string;
  readonly expires_at?: string;
  readonly data: { readonly [key: string]: Storable };
  readonly access_control: { readonly readers: readonly string[]; readonly writers: readonly string[] };
  readonly session_context_id?: string;
  readonly goal_id?: string;
  readonly operation_id?: string;
  readonly tenant: string;
  readonly supersedes?: SnapshotId;
}

export interface RollbackRecord {
  readonly available: boolean;
  readonly name?: string;
  readonly reason?: string;
  readonly executed: boolean;
  readonly ms?: number;
  readonly outcome?: Outcome;
  readonly past_deadline?: boolean;
  readonly error?: WireError;
}

/** What a writer says; the record adds place, time and chain. */
export interface EntryDraft {
  readonly kind: EntryKind;
  readonly principal?: Principal;
  readonly caller?: string;
  /**
   * How far this instance's clock was ahead of the caller's, as the caller had measured it (RFC 5905 §8); default 0,
   * which is also what stands where nothing was measured.
   */
  readonly clock_offset_ms?: number;
  readonly operation_id?: string;
  readonly request_id?: string;
  readonly goal_id?: string;
  readonly step_id?: string;
  readonly session_context_id?: string;
  readonly trace_id?: string;
  readonly tool?: { readonly name: string; readonly version: string; readonly digest: string };
  readonly params?: Readonly<Record<string, unknown>>;
  readonly pre_state?: Readonly<Record<string, unknown>>;
  readonly effects?: readonly Effect[];
  readonly verification?: Verification;
  readonly rollback?: RollbackRecord;
  readonly outcome?: Outcome;
  readonly error?: WireError;
  readonly result?: unknown;
  readonly snapshots?: readonly SnapshotDraft[];
  /** What only this kind says. */
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface SnapshotDraft {
  /** Facts of an operation's output; text that a model wrote does not type-check. */
  readonly data: { readonly [key: string]: Storable };
  /** Its life, where that is not the one of its kind. */
  readonly expires_in_ms?: number | null;
  /** Of a kind whose life begins when it is closed, `work_order`: as long as it is open it has no end. */
  readonly open?: boolean;
  /** Ids of people, or roles; where there are any, nobody else reads this version. */
  readonly readers?: readonly string[];
  /** Ids of people, or roles; where there are any, nobody else has the next version written. */
  readonly writers?: readonly string[];
}

/** One record of the log. `n` counts the scope's entries from 1; `hash` covers everything but itself. */
export interface Entry extends Omit<EntryDraft, 'snapshots'> {
  readonly scope: Scope;
  readonly tenant: string;
  readonly component: string;
  readonly instance: string;
  readonly at: number;
  readonly clock_offset_ms: number;
  readonly n: number;
  readonly snapshots?: readonly Snapshot[];
  readonly snapshot_ids?: readonly string[];
  /** Versions that the scope has after this entry. */
  readonly last_version: number;
  readonly last_snapshot_id?: SnapshotId;
  readonly prev: string;
  readonly hash: string;
}

export interface StoredEntry extends Entry {
  /** The log's sequence. */
  readonly seq: number;
}

export const CHAIN_START = '0'.repeat(64);

/** SHA-256 over the canonical JSON (RFC 8785) of the entry without its hash. */
export function entryHash(entry: Omit<Entry, 'hash'>): string {
  const { hash: _hash, seq: _seq, ...rest } = entry as StoredEntry;
  return createHash('sha256')
    .update(canonicalize(rest) as string)
    .digest('hex');
}

/**
 * Whether a scope's entries, oldest first, are one unbroken chain. @returns undefined when they are, otherwise the
 * number that the first wrong entry should have had: what a forged entry says of itself is not believed.
 */
export function verifyChain(entries: readonly Entry[], start = { n: 0, hash: CHAIN_START }): number | undefined {
  let expected = start;
  for (const entry of entries) {
    const n = expected.n + 1;
    const linked = entry.prev === expected.hash && entry.n === n;
    if (!linked || entry.hash !== hashOrNone(entry)) return n;
    expected = { n, hash: entry.hash };
  }
  return undefined;
}

/** A value that JSON cannot say was not in the entry when it was hashed. */
function hashOrNone(entry: Entry): string | undefined {
  try {
    return entryHash(entry);
  } catch {
    return undefined;
  }
}
