import { HermesError } from '../../../shared/errors.js';
import { type FenceDeps, fenceOff } from './fence-off.js';
import type { OwnedKey } from './keys.js';
import { NOBODY, type Owners } from './owners.js';

/**
 * Takes a key whose owner is gone: compare-and-swap on the key's scope, then the dead owner is shut out.
 * @returns undefined when somebody was first; `inherited` when the last owner had not given it back.
 */
export async function takeOver(
  deps: FenceDeps,
  owners: Owners,
  key: OwnedKey,
  instance: string,
): Promise<{ readonly inherited: boolean } | undefined> {
  const { record, view, clock, logger } = deps;
  for (;;) {
    const head = await record.head(key.scope);
    await view.waitFor(head.seq);
    const last = head.n > 0 ? await view.entry(key.scope, head.n) : undefined;
    if (last) owners.note(key, last);
    const before = owners.recorded(key);
    if (before?.instance !== instance && owners.living(key) !== undefined) return undefined;
    const epoch = Math.max((before?.epoch ?? 0) + 1, Math.floor(clock.now() / 1_000));
    try {
      owners.note(key, await record.claim(key.scope, head, { kind: 'owned', data: { instance, epoch } }));
    } catch (error) {
      if (error instanceof HermesError && error.reason === 'version_conflict') continue;
      throw error;
    }
    const inherited = before !== undefined && before.instance !== NOBODY;
    if (inherited) await fenceOff(deps, key, { instance, epoch });
    logger.info({ key: key.id, epoch, ...(inherited ? { from: before.instance } : {}) }, 'a key was taken over');
    return { inherited };
  }
}
