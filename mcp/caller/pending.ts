import type { Clock } from '../../shared/clock.js';
import { HermesError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { createDeadlineSweep, type Expiring } from '../deadline-sweep.js';
import type { Response } from '../protocol/envelope.js';
import type { Asking } from './asking.js';

/** One delivery that waits for its answer. */
export interface Waiting {
  readonly asking: Asking;
  readonly requestId: string;
  /** Undefined: sent to whoever of the queue group takes it. */
  readonly instance: string | undefined;
  /** Our clock when it was sent, Unix ms. */
  readonly sentAt: number;
  resolve(response: Response): void;
  reject(error: HermesError): void;
  /** What is said when its time is over. */
  noAnswer(): HermesError;
}

/** Deliveries by request id, under one sweep. An entry is in it exactly as long as somebody waits. */
export interface Pending {
  /** @throws HermesError `invalid_params` when the id is under way already. */
  add(waiting: Waiting, waitMs: number): void;
  /** Takes out the one that this answer is for. */
  take(requestId: string): Waiting | undefined;
  /** The caller was cancelled: the callee has a moment to say what became of the call. */
  settle(requestId: string): void;
  /** Ends every delivery that this instance was asked. */
  lost(instance: string, error: () => HermesError): void;
  waitingAt(instance: string): number;
  readonly size: number;
}

interface Entry extends Expiring {
  readonly waiting: Waiting;
  cancelled: boolean;
}

export function createPending(clock: Clock): Pending {
  const entries = new Map<string, Entry>();
  const sweep = createDeadlineSweep(clock);
  const atInstance = new Map<string, number>();

  const count = (instance: string | undefined, by: number): void => {
    if (instance === undefined) return;
    const now = (atInstance.get(instance) ?? 0) + by;
    if (now > 0) atInstance.set(instance, now);
    else atInstance.delete(instance);
  };

  const remove = (entry: Entry): void => {
    entries.delete(entry.waiting.requestId);
    sweep.remove(entry);
    count(entry.waiting.instance, -1);
  };

  const expired = (entry: Entry): void => {
    remove(entry);
    const { waiting, cancelled } = entry;
    waiting.reject(
      cancelled
        ? new HermesError('cancelled', 'cancelled; the callee did not say what became of it', { outcome: 'unknown' })
        : waiting.noAnswer(),
    );
  };

  return {
    add(waiting, waitMs) {
      const { requestId } = waiting;
      if (entries.has(requestId)) {
        throw new HermesError('invalid_params', `request_id ${requestId} is under way already`);
      }
      const entry: Entry = {
        waiting,
        cancelled: false,
        until: clock.monotonic() + waitMs,
        expire: () => expired(entry),
      };
      entries.set(requestId, entry);
      count(waiting.instance, 1);
      sweep.add(entry);
    },
    take(requestId) {
      const entry = entries.get(requestId);
      if (entry) remove(entry);
      return entry?.waiting;
    },
    settle(requestId) {
      const entry = entries.get(requestId);
      if (!entry) return;
      entry.cancelled = true;
      entry.until = Math.min(entry.until, clock.monotonic() + LIMITS.cancelSettleMs);
      sweep.add(entry);
    },
    lost(instance, error) {
      for (const entry of [...entries.values()]) {
        if (entry.waiting.instance !== instance) continue;
        remove(entry);
        entry.waiting.reject(error());
      }
    },
    waitingAt: (instance) => atInstance.get(instance) ?? 0,
    get size() {
      return entries.size;
    },
  };
}
