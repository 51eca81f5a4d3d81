import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { HermesError } from '../errors.js';
import type { Random } from '../random.js';
import { type KeyProvider, MASTER_KEY_BYTES, softwareKeyProvider } from './key-provider.js';

/**
 * Master key in a file that only its owner reads (0600), base64. `create: true` (first run) makes one; of several
 * processes that start at once one does, and all read the same.
 * @throws HermesError `invalid_params` when it is missing, or readable by others.
 */
export function fileKeyProvider(path: string, random: Random, options: { create: boolean }): KeyProvider {
  if (!existsSync(path)) {
    if (!options.create) {
      throw new HermesError('invalid_params', `no master key at ${path}`, { suggestion: 'run: hermes keys init' });
    }
    createKey(path, random);
  }
  if ((statSync(path).mode & 0o077) !== 0) {
    throw new HermesError('invalid_params', `the master key ${path} can be read by others`, {
      suggestion: `run: chmod 600 ${path}`,
    });
  }
  return softwareKeyProvider('file', Buffer.from(readFileSync(path, 'utf8').trim(), 'base64'), random);
}

/** Written whole under a name of its own, then linked: nobody reads half a key, and the first one stays. */
function createKey(path: string, random: Random): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${Buffer.from(random.bytes(8)).toString('hex')}`;
  writeFileSync(draft, `${Buffer.from(random.bytes(MASTER_KEY_BYTES)).toString('base64')}\n`, {
    mode: 0o600,
    flag: 'wx',
  });
  chmodSync(draft, 0o600);
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Master key handed over in the environment (`HERMES_MASTER_KEY`), base64 or hex of 32 bytes. */
export function envKeyProvider(value: string, random: Random): KeyProvider {
  const encoding = /^[0-9a-fA-F]{64}$/.test(value) ? 'hex' : 'base64';
  return softwareKeyProvider('env', Buffer.from(value, encoding), random);
}
