import { HermesError } from '../errors.js';
import type { Random } from '../random.js';
import { type KeyProvider, MASTER_KEY_BYTES, softwareKeyProvider } from './key-provider.js';
import { makeSecret, readSecret } from './secret-file.js';

/**
 * Master key in a file that only its owner reads (0600), base64. `create: true` (first run) makes one; of several
 * processes that start at once one does, and all read the same.
 * @throws HermesError `invalid_params` when it is missing, or readable by others.
 */
export function fileKeyProvider(path: string, random: Random, options: { create: boolean }): KeyProvider {
  const read = (): string | undefined => readSecret(path, 'master key');
  if (read() === undefined && options.create) {
    makeSecret(path, Buffer.from(random.bytes(MASTER_KEY_BYTES)).toString('base64'), random);
  }
  const content = read();
  if (content === undefined) {
    throw new HermesError('invalid_params', `no master key at ${path}`, { suggestion: 'run: hermes keys init' });
  }
  return softwareKeyProvider('file', Buffer.from(content, 'base64'), random);
}

/** Master key handed over in the environment (`HERMES_MASTER_KEY`), base64 or hex of 32 bytes. */
export function envKeyProvider(value: string, random: Random): KeyProvider {
  const encoding = /^[0-9a-fA-F]{64}$/.test(value) ? 'hex' : 'base64';
  return softwareKeyProvider('env', Buffer.from(value, encoding), random);
}
