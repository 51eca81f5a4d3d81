import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../random.js';
import { makeSecret, readSecret } from './secret-file.js';
import { SIGNING_SEED_BYTES, type SigningKey, signingKeyFromSeed } from './signing-key.js';

/**
 * A component's key in `<folder>/<component>.key` (0600, 32 bytes in base64), made at the first use; its public half
 * beside it as `<component>.pub.pem`, for verifiers.
 * @throws HermesError `invalid_params` when others can read the key.
 */
export function fileSigningKey(folder: string, component: string, random: Random): SigningKey {
  const path = join(folder, `${component}.key`);
  if (readSecret(path, 'signing key') === undefined) {
    makeSecret(path, Buffer.from(random.bytes(SIGNING_SEED_BYTES)).toString('base64'), random);
  }
  const key = signingKeyFromSeed(Buffer.from(readSecret(path, 'signing key') as string, 'base64'));
  const shown = join(folder, `${component}.pub.pem`);
  if (!existsSync(shown)) writeFileSync(shown, key.publicPem);
  return key;
}
