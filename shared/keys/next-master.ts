import { existsSync, renameSync } from 'node:fs';
import type { Random } from '../random.js';
import { envKeyProvider, fileKeyProvider } from './file-key-provider.js';
import type { KeyProvider } from './key-provider.js';

/** The master key that is to come: data keys are re-wrapped under it, and then it takes the place of the old one. */
export interface NextMaster {
  /** Undefined where the operator has given none. */
  provider(): KeyProvider | undefined;
  /** After the re-wrap. What the operator has to do by hand is the answer; undefined for nothing. */
  adopt(): string | undefined;
}

/** `<path>.next` beside the master key in `path`; adopted, the old one is kept as `<path>.retired`. */
export function nextMasterFile(path: string, random: Random): NextMaster {
  const next = nextPathOf(path);
  return {
    provider: () => (existsSync(next) ? fileKeyProvider(next, random, { create: false }) : undefined),
    adopt() {
      if (!existsSync(next)) return undefined;
      if (existsSync(path)) renameSync(path, `${path}.retired`);
      renameSync(next, path);
      return `keep ${path}.retired for backups from before, or destroy it`;
    },
  };
}

export const nextPathOf = (path: string): string => `${path}.next`;

/** A master key from the environment is exchanged by whoever set it. */
export function nextMasterInEnvironment(value: string | undefined, random: Random): NextMaster {
  return {
    provider: () => (value === undefined ? undefined : envKeyProvider(value, random)),
    adopt: () => 'set HERMES_MASTER_KEY to what HERMES_MASTER_KEY_NEXT is, and unset that, before the next start',
  };
}

/**
 * The master key in a file. One that a re-wrap was cut off from adopting is adopted now: the old file is away already
 * and the new one not yet in its place.
 */
export function masterKeyFile(path: string, random: Random, options: { create: boolean }): KeyProvider {
  if (!existsSync(path) && existsSync(nextPathOf(path))) renameSync(nextPathOf(path), path);
  return fileKeyProvider(path, random, options);
}
