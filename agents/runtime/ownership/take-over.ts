import { HermesError } from '../../../shared/errors.js';
import type { FenceDeps } from './fence-off.js';
import type { OwnedKey } from './keys.js';
import { NOBODY, type Owners } from './owners.js';

/**
 * Takes a key whose owner is gone, by compare-and-swap on the key's scope. The entry names the dead owner (`from`),
 * which is to be shut out before the first act, however often that has to be tried.
 * @returns whether it is this instance's now; false when somebody was first.
 */
export async function takeOver(deps: FenceDeps, owners: Owners, key: OwnedKey, instance: string): Promise<boolean> {
  const { record, view, clock, logger } = deps;
  for (;;) {
    const head = await record.head(key.scope);
    await view.waitFor(head.seq);
    const last = head.n > 0 ? await view.entry(key.scope, head.n) : undefined;
    if (last) owners.note(key, last);
    const before = owners.recorded(key);
    if (before?.instance === instance) return true;
    if (owners.living(key) !== undefined) return false;
    const epoch = Math.max((before?.epoch ?? 0) + 1, Math.floor(clock.now() / 1_000));
    const from = before !== undefined && before.instance !== NOBODY ? { from: before.instance } : {};
    try {
      owners.note(key, await record.claim(key.scope, head, { kind: 'owned', data: { instance, epoch, ...from } }));
      logger.info({ key: key.id, epoch, ...from }, 'a key was taken over');
      return true;
    } catch (error) {
      if (!(error instanceof HermesError) || error.reason !== 'version_conflict') throw error;
    }
  }
}
