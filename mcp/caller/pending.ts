import type { Clock } from '../../shared/clock.js';
import { HermesError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { createDeadlineSweep, Expiring } from '../deadline-sweep.js';
import { createLruMap } from '../lru-map.js';
import type { Response } from '../protocol/envelope.js';
import type { Asking } from './asking.js';

/** Instances whose deliveries are counted. */
const INSTANCES = 10_000;

/** One delivery that waits for its answer. */
export interface Waiting {
  readonly asking: Asking;
  /** Undefined: sent to whoever of the queue group takes it. */
  readonly instance: string | undefined;
  /** Our clock when it was sent, Unix ms. */
  readonly sentAt: number;
  resolve(response: Response): void;
  reject(error: HermesError): void;
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
  stop(): void;
}

/** Deliveries under way at one instance. */
interface Count {
  n: number;
}

/** Empties when it is taken out: the tables of a Map may keep it longer than it is wanted (see Linked). */
class Entry extends Expiring {
  cancelled = false;
  constructor(
    public waiting: Waiting | undefined,
    readonly count: Count | undefined,
    public until: number,
    readonly onExpiry: (entry: Entry) => void,
  ) {
    super();
  }

  expire(): void {
    this.onExpiry(this);
  }
}

/** @param noAnswer what is said when a delivery's time is over. */
export function createPending(clock: Clock, noAnswer: (asking: Asking) => HermesError): Pending {
  const entries = new Map<string, Entry>();
  const sweep = createDeadlineSweep(clock);
  const counts = createLruMap<Count>(INSTANCES);

  const countOf = (instance: string | undefined): Count | undefined => {
    if (instance === undefined) return undefined;
    const known = counts.get(instance);
    if (known) return known;
    const count = { n: 0 };
    counts.set(instance, count);
    return count;
  };

  const remove = (entry: Entry): Waiting | undefined => {
    const { waiting } = entry;
    if (waiting === undefined) return undefined;
    entry.waiting = undefined;
    entries.delete(waiting.asking.requestId);
    sweep.remove(entry);
    if (entry.count) entry.count.n--;
    return waiting;
  };

  const expired = (entry: Entry): void => {
    const waiting = remove(entry);
    waiting?.reject(
      entry.cancelled
        ? new HermesError('cancelled', 'cancelled; the callee did not say what became of it', { outcome: 'unknown' })
        : noAnswer(waiting.asking),
    );
  };

  return {
    add(waiting, waitMs) {
      const { requestId } = waiting.asking;
      if (entries.has(requestId)) {
        throw new HermesError('invalid_params', `request_id ${requestId} is under way already`);
      }
      const count = countOf(waiting.instance);
      const entry = new Entry(waiting, count, clock.monotonic() + waitMs, expired);
      entries.set(requestId, entry);
      if (count) count.n++;
      sweep.add(entry);
    },
    take(requestId) {
      const entry = entries.get(requestId);
      return entry && remove(entry);
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
        if (entry.waiting?.instance === instance) remove(entry)?.reject(error());
      }
    },
    waitingAt: (instance) => counts.get(instance)?.n ?? 0,
    get size() {
      return entries.size;
    },
    stop: () => sweep.stop(),
  };
}
