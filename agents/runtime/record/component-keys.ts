import { lastToken, packValue, subjects, unpackValue } from '../../../mcp/index.js';
import type { Log } from '../../../mcp/transport/index.js';
import type { Clock } from '../../../shared/clock.js';
import { HermesError } from '../../../shared/errors.js';
import type { SigningKey } from '../../../shared/keys/index.js';
import type { EntryKind } from './entry.js';
import { scopes } from './scopes.js';

/** A public key with which a component signs. A component has one for each data folder that it runs from. */
export interface ComponentKey {
  readonly component: string;
  readonly key_id: string;
  readonly public_pem: string;
  /** Unix ms. */
  readonly since: number;
}

interface KeyEntry extends ComponentKey {
  readonly kind: EntryKind;
}

const subjectOf = (tenant: string, component: string): string =>
  subjects.log(tenant, 'site', scopes.key(component.replace(/_/g, '-')));

/** All keys that a component ever signed with, oldest first. */
export async function componentKeys(log: Log, tenant: string, component: string): Promise<readonly ComponentKey[]> {
  const found: ComponentKey[] = [];
  for await (const { payload } of log.read(subjectOf(tenant, component))) {
    const { kind: _kind, ...key } = unpackValue(payload) as KeyEntry;
    found.push(key);
  }
  return found;
}

/** The keys of all components of the tenant. */
export async function readComponentKeys(log: Log, tenant: string): Promise<readonly ComponentKey[]> {
  const found: ComponentKey[] = [];
  for await (const { payload, subject } of log.read(subjects.logOf(tenant, 'site'))) {
    if (lastToken(subject) === scopes.key('data')) continue;
    const { kind: _kind, ...key } = unpackValue(payload) as KeyEntry;
    found.push(key);
  }
  return found;
}

/** Puts a component's public key into the log, where it is not there yet. */
export async function publishKey(
  { log, clock, signing }: { log: Log; clock: Clock; signing: SigningKey },
  tenant: string,
  component: string,
): Promise<void> {
  const subject = subjectOf(tenant, component);
  for (;;) {
    const last = await log.last(subject);
    const known = last ? await componentKeys(log, tenant, component) : [];
    if (known.some(({ key_id }) => key_id === signing.id)) return;
    const since = Math.round(clock.now());
    const entry: KeyEntry = { kind: 'key', component, key_id: signing.id, public_pem: signing.publicPem, since };
    try {
      await log.append(subject, packValue(entry), { expectedLastSeq: last?.seq ?? 0 });
      return;
    } catch (error) {
      if (!(error instanceof HermesError) || error.reason !== 'version_conflict') throw error;
    }
  }
}
