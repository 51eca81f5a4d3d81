import type { Member, Membership } from '../../mcp/transport/index.js';
import { toHermesError } from '../../shared/errors.js';
import type { Logger } from '../../shared/telemetry/logger.js';

/** What an instance says of itself to the others: its state, and what it owns; one word after the other. */
export interface OwnPresence {
  /** @throws HermesError when it could not be said. */
  become(state: Member['state']): Promise<void>;
  /** Not waited for: others look at it, and act by the record alone. */
  owns(keys: readonly string[]): void;
}

export function createOwnPresence(membership: Membership, logger: Logger): OwnPresence {
  let state: Member['state'] = 'starting';
  let owned: readonly string[] = [];
  let last: Promise<void> = Promise.resolve();
  let waiting = false;
  const say = (): Promise<void> => {
    waiting = false;
    return membership.update(state, owned);
  };
  return {
    become(next) {
      state = next;
      const said = last.then(say);
      last = said.catch(() => undefined);
      return said;
    },
    owns(keys) {
      owned = keys;
      if (waiting) return;
      waiting = true;
      last = last.then(say).catch((thrown: unknown) => {
        logger.info({ detail: toHermesError(thrown).message }, 'the others were not told what this instance owns');
      });
    },
  };
}
