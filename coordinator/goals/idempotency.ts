import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { GoalId } from '../../shared/ids.js';
import { plainJson } from '../../shared/plain-json.js';

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/**
 * The goal id of an idempotency key: the same key of the same principal is the same goal, and the record's
 * compare-and-swap lets one of any number of concurrent requests create it. `round` grows when a key is used again
 * after its window.
 */
export function goalIdOf(tenant: string, principal: string, key: string, round: number): GoalId {
  const digest = createHash('sha256')
    .update(JSON.stringify([tenant, principal, key, round]))
    .digest();
  return `g-${Array.from(digest.subarray(0, 16), (byte) => BASE32[byte & 31]).join('')}` as GoalId;
}

/** Over the canonical JSON (RFC 8785): the order of the fields does not matter. */
export const bodyHash = (body: unknown): string =>
  createHash('sha256')
    .update(canonicalize(plainJson(body)) as string)
    .digest('hex');
