import { packValue, subjects, unpackValue } from '../../../mcp/index.js';
import type { Log } from '../../../mcp/transport/index.js';
import { HermesError } from '../../../shared/errors.js';
import { type KeyProvider, open, seal } from '../../../shared/keys/index.js';
import type { Random } from '../../../shared/random.js';
import type { EntryKind } from './entry.js';
import { scopes } from './scopes.js';

/**
 * Encryption at rest of one tenant: AES-256-GCM under the tenant's data key, which stands in the log wrapped by the
 * master key for this tenant, so that every host of the tenant can read. The associated data binds tenant and place: a
 * value moved to another scope, version or tenant does not open.
 */
export interface Vault {
  seal(plain: Uint8Array, place: string): Uint8Array;
  /** @throws HermesError `log_unavailable` when the value was altered, moved or sealed by another key. */
  open(sealed: Uint8Array, place: string): Uint8Array;
}

interface KeyRecord {
  readonly kind: EntryKind;
  readonly master: string;
  readonly wrapped: Uint8Array;
}

const VERSION = 1;

export async function openVault(deps: { log: Log; keys: KeyProvider; random: Random }, tenant: string): Promise<Vault> {
  const dataKey = await tenantKey(deps, tenant);
  return {
    seal(plain, place) {
      const body = seal(dataKey, plain, `${tenant}|${place}`, deps.random.bytes(12));
      return Buffer.concat([Buffer.from([VERSION]), body]);
    },
    open(sealed, place) {
      try {
        if (sealed[0] !== VERSION) throw new Error('not a sealed value');
        return open(dataKey, sealed.subarray(1), `${tenant}|${place}`);
      } catch (cause) {
        throw new HermesError('log_unavailable', `the value at ${place} does not open`, { place }, { cause });
      }
    },
  };
}

/** The tenant's data key: the first entry of its key scope wins, whoever wrote it. */
async function tenantKey(deps: { log: Log; keys: KeyProvider; random: Random }, tenant: string): Promise<Uint8Array> {
  const { log, keys, random } = deps;
  const subject = subjects.log(tenant, 'site', scopes.key('data'));
  let record = await log.last(subject);
  if (!record) {
    const fresh: KeyRecord = { kind: 'key', master: keys.id, wrapped: keys.wrap(random.bytes(32), tenant) };
    await log.append(subject, packValue(fresh), { expectedLastSeq: 0 }).catch((error: unknown) => {
      if (error instanceof HermesError && error.reason === 'version_conflict') return;
      throw error;
    });
    record = await log.last(subject);
  }
  const key = unpackValue((record as { payload: Uint8Array }).payload) as KeyRecord;
  if (key.master !== keys.id) {
    throw new HermesError('log_unavailable', `the data is sealed under master key ${key.master}, given is ${keys.id}`, {
      needed: key.master,
      given: keys.id,
      suggestion: 'start with the master key that the data was written with (HERMES_MASTER_KEY or the key file)',
    });
  }
  return keys.unwrap(key.wrapped, tenant);
}
