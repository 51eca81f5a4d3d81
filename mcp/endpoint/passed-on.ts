import type { Clock } from '../../shared/clock.js';
import type { BusMessage } from '../transport/index.js';

/** Messages remembered at once; the oldest goes first. */
const REMEMBERED = 256;

/**
 * Messages that were passed on to their owner and may not have been answered yet. An owner that dies takes the message
 * with it, and its caller waits on this instance, which lives: so this one takes the message up again. One that had
 * been answered is answered twice, which the caller drops; nothing is done twice, the record is the claim.
 */
export interface PassedOn {
  /** @param until Unix ms after which nobody waits for an answer. */
  keep(owner: string, message: BusMessage, until: number): void;
  /** What went to an instance that is gone, and is still waited for. */
  takeFrom(owner: string): readonly BusMessage[];
}

export function createPassedOn(clock: Clock): PassedOn {
  const kept = new Set<{ readonly owner: string; readonly message: BusMessage; readonly until: number }>();
  return {
    keep(owner, message, until) {
      for (const oldest of kept) {
        if (kept.size < REMEMBERED && oldest.until > clock.now()) break;
        kept.delete(oldest);
      }
      kept.add({ owner, message, until });
    },
    takeFrom(owner) {
      const lost = [...kept].filter((one) => one.owner === owner);
      for (const one of lost) kept.delete(one);
      return lost.filter(({ until }) => until > clock.now()).map(({ message }) => message);
    },
  };
}
