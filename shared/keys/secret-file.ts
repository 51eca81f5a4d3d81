import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { HermesError } from '../errors.js';
import type { Random } from '../random.js';

/**
 * Reads a secret that only its owner may read (0600). @throws HermesError `invalid_params` when others can read it;
 * undefined when there is none.
 */
export function readSecret(path: string, what: string): string | undefined {
  if (!existsSync(path)) return undefined;
  if ((statSync(path).mode & 0o077) !== 0) {
    throw new HermesError('invalid_params', `the ${what} ${path} can be read by others`, {
      suggestion: `run: chmod 600 ${path}`,
    });
  }
  return readFileSync(path, 'utf8').trim();
}

/**
 * Written whole under a name of its own, then linked: nobody reads half a secret, and of several processes that make
 * one at once the first one stays. @returns whether it is ours.
 */
export function makeSecret(path: string, content: string, random: Random): boolean {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${Buffer.from(random.bytes(8)).toString('hex')}`;
  writeFileSync(draft, `${content}\n`, { mode: 0o600, flag: 'wx' });
  chmodSync(draft, 0o600);
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
}
