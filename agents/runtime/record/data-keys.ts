import { packValue, subjects, unpackValue } from '../../../mcp/index.js';
import type { Log, LogRecord } from '../../../mcp/transport/index.js';
import type { Clock } from '../../../shared/clock.js';
import { HermesError } from '../../../shared/errors.js';
import type { KeyProvider } from '../../../shared/keys/index.js';
import type { Random } from '../../../shared/random.js';
import type { EntryKind } from './entry.js';
import { scopes } from './scopes.js';

/**
 * A tenant's data keys as they stand in the log, wrapped by the master key: the first record makes key 1, a rotation
 * adds the next, a re-wrap says all of them anew under another master. Each record but the first says all of them, so
 * that the newest is enough. Nothing is taken away: what was sealed under an older key stays readable.
 */
export interface DataKeys {
  /** Id of the master key that wraps them. */
  readonly master: string;
  /** By number, wrapped. */
  readonly wrapped: ReadonlyMap<number, Uint8Array>;
  /** The newest: what is sealed now. */
  readonly current: number;
  /** When each came, Unix ms, by the log. */
  readonly since: ReadonlyMap<number, number>;
  /** Sequence of the record. */
  readonly seq: number;
}

interface KeyRecord {
  readonly kind: EntryKind;
  readonly master: string;
  /** The first record: key 1. */
  readonly wrapped?: Uint8Array;
  /** The others: all keys by number, and when each came; the newest has the highest number. */
  readonly all?: Readonly<Record<string, Uint8Array>>;
  readonly since?: Readonly<Record<string, number>>;
}

const KEY_BYTES = 32;
const KIND: EntryKind = 'key';

/** Where the wrapped data keys of a tenant stand in the log. */
export const dataKeysSubject = (tenant: string): string => subjects.log(tenant, 'site', scopes.key('data'));

/** The keys as the log has them; undefined when there are none yet. */
export async function readDataKeys(log: Log, tenant: string): Promise<DataKeys | undefined> {
  const record = await log.last(dataKeysSubject(tenant));
  return record && keysIn(record);
}

/** Sequence of the newest record about them: the same, and nothing has changed. */
export const lastKeySeq = async (log: Log, tenant: string): Promise<number> =>
  (await log.last(dataKeysSubject(tenant)))?.seq ?? 0;

function keysIn({ payload, seq, at }: LogRecord): DataKeys {
  const { master, wrapped, all, since } = unpackValue(payload) as KeyRecord;
  const keys = all ?? { 1: wrapped as Uint8Array };
  return {
    master,
    wrapped: byNumber(keys),
    current: Math.max(...Object.keys(keys).map(Number)),
    since: byNumber(since ?? { 1: at }),
    seq,
  };
}

const byNumber = <T>(named: Readonly<Record<string, T>>): ReadonlyMap<number, T> =>
  new Map(Object.entries(named).map(([number, value]) => [Number(number), value]));

export interface DataKeyDeps {
  readonly log: Log;
  readonly random: Random;
}

/** The keys; the first key is made by whoever comes first, and all read the same. */
export async function firstDataKeys(
  { log, random }: DataKeyDeps,
  keys: KeyProvider,
  tenant: string,
): Promise<DataKeys> {
  const known = await readDataKeys(log, tenant);
  if (known) return known;
  const fresh: KeyRecord = { kind: KIND, master: keys.id, wrapped: keys.wrap(random.bytes(KEY_BYTES), tenant) };
  await append(log, tenant, fresh, 0);
  return (await readDataKeys(log, tenant)) as DataKeys;
}

/** Adds a key: what is sealed from now on is sealed under it. @returns its number. */
export async function rotateDataKey(
  { log, random, clock }: DataKeyDeps & { readonly clock: Clock },
  keys: KeyProvider,
  tenant: string,
): Promise<number> {
  for (;;) {
    const known = await firstDataKeys({ log, random }, keys, tenant);
    checkMaster(known, keys);
    const number = known.current + 1;
    const all = { ...Object.fromEntries(known.wrapped), [number]: keys.wrap(random.bytes(KEY_BYTES), tenant) };
    const since = { ...Object.fromEntries(known.since), [number]: Math.round(clock.now()) };
    if (await append(log, tenant, { kind: KIND, master: keys.id, all, since }, known.seq)) return number;
  }
}

/** Says all keys anew, wrapped by another master key: from then on the old one opens nothing. @returns how many. */
export async function rewrapDataKeys(
  log: Log,
  { from, to }: { readonly from: KeyProvider; readonly to: KeyProvider },
  tenant: string,
): Promise<number> {
  for (;;) {
    const known = await readDataKeys(log, tenant);
    if (!known) throw new HermesError('not_found', `tenant ${tenant} has no data keys yet`);
    if (known.master === to.id) return known.wrapped.size;
    checkMaster(known, from);
    const all = Object.fromEntries(
      [...known.wrapped].map(([number, key]) => [String(number), to.wrap(from.unwrap(key, tenant), tenant)]),
    );
    const since = Object.fromEntries(known.since);
    if (await append(log, tenant, { kind: KIND, master: to.id, all, since }, known.seq)) return known.wrapped.size;
  }
}

/** @throws HermesError `log_unavailable` naming both keys, when this is not the one that wraps them. */
export function checkMaster({ master }: DataKeys, ...given: readonly KeyProvider[]): void {
  if (given.some(({ id }) => id === master)) return;
  const ids = given.map(({ id }) => id).join(', ');
  throw new HermesError('log_unavailable', `the data is sealed under master key ${master}, given is ${ids}`, {
    ...{ needed: master, given: ids },
    suggestion: 'start with the master key that the data was written with (HERMES_MASTER_KEY or the key file)',
  });
}

/** False when somebody else was first. */
async function append(log: Log, tenant: string, record: KeyRecord, expectedLastSeq: number): Promise<boolean> {
  try {
    await log.append(dataKeysSubject(tenant), packValue(record), { expectedLastSeq });
    return true;
  } catch (error) {
    if (error instanceof HermesError && error.reason === 'version_conflict') return false;
    throw error;
  }
}
