import { createHash } from 'node:crypto';
import { HermesError } from '../errors.js';
import type { Random } from '../random.js';
import { open, seal } from './aes-gcm.js';

/**
 * Holder of a master key that never leaves it: it wraps and unwraps data keys (envelope encryption). The id names the
 * key without telling it, so that a wrong one can be said by name.
 */
export interface KeyProvider {
  readonly id: string;
  /** `context` is whose key it is, the tenant: what is wrapped for one does not unwrap for another. */
  wrap(dataKey: Uint8Array, context: string): Uint8Array;
  /** @throws HermesError `log_unavailable` when this master did not wrap it, or not for this context. */
  unwrap(wrapped: Uint8Array, context: string): Uint8Array;
}

export const MASTER_KEY_BYTES = 32;

/** Wraps with AES-256-GCM under a master key in memory; `source` says where it came from. */
export function softwareKeyProvider(source: string, master: Uint8Array, random: Random): KeyProvider {
  if (master.byteLength !== MASTER_KEY_BYTES) {
    throw new HermesError('invalid_params', `the master key from ${source} has ${master.byteLength} bytes`, {
      suggestion: `give ${MASTER_KEY_BYTES} bytes, for example: openssl rand -base64 32`,
    });
  }
  const id = `${source}:${createHash('sha256').update('hermes-master').update(master).digest('hex').slice(0, 16)}`;
  return {
    id,
    wrap: (dataKey, context) => seal(master, dataKey, `data-key|${context}`, random.bytes(12)),
    unwrap(wrapped, context) {
      try {
        return open(master, wrapped, `data-key|${context}`);
      } catch (cause) {
        const message = `master key ${id} did not wrap this data key for ${context}`;
        throw new HermesError('log_unavailable', message, {}, { cause });
      }
    },
  };
}
