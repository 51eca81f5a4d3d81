import { subjects } from '../../../mcp/index.js';
import type { Log } from '../../../mcp/transport/index.js';
import type { Clock } from '../../../shared/clock.js';
import { HermesError } from '../../../shared/errors.js';
import type { SigningKey } from '../../../shared/keys/index.js';
import type { StoredEntry } from './entry.js';
import { type RecordBook, readEntry } from './record.js';
import { scopes } from './scopes.js';
import type { Vault } from './vault.js';

/** A public key with which a component signs. A component has one for each data folder that it runs from. */
export interface ComponentKey {
  readonly component: string;
  readonly key_id: string;
  readonly public_pem: string;
  /** Unix ms. */
  readonly since: number;
}

/**
 * Where a component says its keys: in its own log, where a broker lets nobody else append. Each entry says all of them,
 * so that the newest is enough.
 */
const SCOPE = scopes.key('signing');

/** All keys that a component ever signed with, oldest first. */
export async function componentKeys(
  { log, vault }: { readonly log: Log; readonly vault: Vault },
  tenant: string,
  component: string,
): Promise<readonly ComponentKey[]> {
  const record = await log.last(subjects.log(tenant, component, SCOPE));
  return record ? keysOf(await readEntry(vault, record)) : [];
}

const keysOf = ({ data }: StoredEntry): readonly ComponentKey[] => (data?.keys ?? []) as readonly ComponentKey[];

export interface PublishDeps {
  readonly log: Log;
  readonly vault: Vault;
  readonly record: RecordBook;
  readonly clock: Clock;
  readonly signing: SigningKey;
}

/** Puts a component's public key into its log, where it is not there yet. */
export async function publishKey(deps: PublishDeps, tenant: string, component: string): Promise<void> {
  const { record, clock, signing } = deps;
  for (;;) {
    const head = await record.head(SCOPE);
    const known = await componentKeys(deps, tenant, component);
    if (known.some(({ key_id }) => key_id === signing.id)) return;
    const since = Math.round(clock.now());
    const own: ComponentKey = { component, key_id: signing.id, public_pem: signing.publicPem, since };
    try {
      await record.claim(SCOPE, head, { kind: 'key', data: { keys: [...known, own] } });
      return;
    } catch (error) {
      if (!(error instanceof HermesError) || error.reason !== 'version_conflict') throw error;
    }
  }
}
