import type { Clock } from '../../shared/clock.js';
import type { Request } from '../protocol/envelope.js';
import type { BusMessage } from '../transport/index.js';
import { mayCancel } from './open-calls.js';

/** Messages remembered at once; the oldest goes first. */
const REMEMBERED = 256;

/**
 * Messages that were passed on to their owner and may not have been answered yet. An owner that dies takes the message
 * with it, and its caller waits on this instance, which lives: so this one takes the message up again. One that had
 * been answered is answered twice, which the caller drops; nothing is done twice, the record is the claim.
 */
export interface PassedOn {
  /** Until the deadline of the request that was read from the message: then nobody waits for an answer. */
  keep(owner: string, message: BusMessage, request: Request): void;
  /** Nobody waits any more for what `source` asked under this request id. */
  cancel(requestId: string, source: string): void;
  /** What went to an instance that is gone, and is still waited for. */
  takeFrom(owner: string): readonly BusMessage[];
}

interface Kept {
  readonly owner: string;
  readonly message: BusMessage;
  readonly request: Request;
  readonly until: number;
}

export function createPassedOn(clock: Clock): PassedOn {
  const kept = new Set<Kept>();
  return {
    keep(owner, message, request) {
      for (const oldest of kept) {
        if (kept.size < REMEMBERED && oldest.until > clock.now()) break;
        kept.delete(oldest);
      }
      kept.add({ owner, message, request, until: request.deadline_unix_ms + request.clock_offset_ms });
    },
    cancel(requestId, source) {
      for (const one of kept) {
        if (one.request.request_id === requestId && mayCancel(one.request, source)) kept.delete(one);
      }
    },
    takeFrom(owner) {
      const lost = [...kept].filter((one) => one.owner === owner);
      for (const one of lost) kept.delete(one);
      return lost.filter(({ until }) => until > clock.now()).map(({ message }) => message);
    },
  };
}
