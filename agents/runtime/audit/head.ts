import { z } from 'zod';
import { HermesError } from '../../../shared/errors.js';
import type { SigningKey } from '../../../shared/keys/index.js';
import type { StoredEntry } from '../record/index.js';
import { canonicalText, digestOf, signStatement } from './signed-statement.js';

const HASH = z.string().regex(/^[0-9a-f]{64}$/);
const COUNT = z.number().int().positive();
const place = { tenant: z.string(), component: z.string(), scope: z.string(), seq: COUNT, n: COUNT, hash: HASH };
const signed = { at: z.number().int(), key: z.string(), signature: z.string() };

/** Forms of statements; a later form gets a later number. */
export const SAYS = {
  head: 'hermes.head/1',
  countersignature: 'hermes.countersignature/1',
  package: 'hermes.audit/1',
} as const;

export const headSchema = z.strictObject({ says: z.literal(SAYS.head), ...place, ...signed });
/** "At `at` the newest entry of this scope of mine was number `n`, with this hash." `component` is its name. */
export type Head = z.output<typeof headSchema>;

export const countersignatureSchema = z.strictObject({
  says: z.literal(SAYS.countersignature),
  by: z.string(),
  /** SHA-256 over the canonical JSON of the head, its signature included. */
  head: HASH,
  ...place,
  ...signed,
});
/**
 * "At `at` I, `by`, read this scope's newest entry from the log myself, and it was the one that this head names." It
 * says nothing about whether the head's own signature is good: a verifier looks at that with the component's key.
 */
export type Countersignature = z.output<typeof countersignatureSchema>;

export interface HeadPlace {
  readonly tenant: string;
  /** Name without version: owner of the log subjects. */
  readonly component: string;
}

export function signHead(signing: SigningKey, { tenant, component }: HeadPlace, entry: StoredEntry, at: number): Head {
  const { scope, seq, n, hash } = entry;
  return signStatement(signing, { says: SAYS.head, tenant, component, scope, seq, n, hash, at });
}

export function countersign(signing: SigningKey, by: string, head: Head, at: number): Countersignature {
  const { tenant, component, scope, seq, n, hash } = head;
  const said = { says: SAYS.countersignature, by, head: digestOf(head), tenant, component, scope, seq, n, hash, at };
  return signStatement(signing, said);
}

export const headBytes = (record: Head | Countersignature): Uint8Array => Buffer.from(canonicalText(record), 'utf8');

/** @throws HermesError `log_unavailable` for anything else: who may write there wrote something that is no head. */
export const readHead = (bytes: Uint8Array): Head => read(headSchema, bytes);
export const readCountersignature = (bytes: Uint8Array): Countersignature => read(countersignatureSchema, bytes);

function read<T>(schema: z.ZodType<T>, bytes: Uint8Array): T {
  try {
    return schema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch (cause) {
    throw new HermesError('log_unavailable', 'a record of the heads cannot be read', {}, { cause });
  }
}
