import type { Clock } from '../../shared/clock.js';
import type { Deadline } from '../../shared/deadline.js';
import { HermesError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { createDeadlineSweep, Expiring } from '../deadline-sweep.js';
import { LinkedList } from '../linked-list.js';
import { componentName } from '../protocol/component-id.js';
import type { Request } from '../protocol/envelope.js';
import type { OpenedCall } from './call-cycle.js';
import { CallDeadline } from './call-deadline.js';
import { type Mailbox, Ticket } from './mailbox.js';

/**
 * Calls between their arrival and their answer. Each has its deadline from arrival on, so that one that waits in the
 * mailbox is ended (by time or by a cancel) as one that runs is, and then never begins. One that runs on long after
 * its end (`LIMITS.stuckAfterMs` past the time for rollback) is given up, so that no key is blocked for ever.
 */
export interface OpenCalls {
  /**
   * Waits for the call's turn and serves it. A call that is ended while it waits is answered at once.
   * @throws HermesError `deadline` or `cancelled` with `started: false`, `overloaded`, or what `serve` throws;
   * `deadline` with `outcome: unknown` for one that was given up.
   */
  take<T>(request: Request, key: string | undefined, serve: (deadline: Deadline) => Promise<T>): Promise<T>;
  /** Those that run and wait. */
  readonly all: Iterable<OpenedCall>;
  /** Ends the calls under this request id that `source` made or stands in the chain of; ids are a caller's own. */
  cancel(requestId: string, source: string): void;
  /** The endpoint stops: calls end `not_ready`, which is nobody's cancel. None is given up any more. */
  endAll(why: string): void;
  /** All have ended. */
  stop(): void;
}

/** A call that was given up. */
export interface StuckCall {
  readonly request: Request;
  readonly key: string | undefined;
  /** Since it began. */
  readonly ranMs: number;
  /** Since it was ended by its deadline or a cancel. */
  readonly overdueMs: number;
  /** Calls that waited behind it and were sent away. */
  readonly failed: number;
}

class OpenCall extends Ticket {
  /** Set once it has ended and still runs. */
  watched: Expiring | undefined = undefined;

  constructor(
    readonly request: Request,
    readonly deadline: CallDeadline,
  ) {
    super();
  }
}

class Watched extends Expiring {
  constructor(
    public until: number,
    readonly expire: () => void,
  ) {
    super();
  }
}

/** A call is cancelled by who made it or stands in its chain. */
export const mayCancel = (request: Request, source: string): boolean =>
  [...request.chain, request.caller].some((id) => componentName(id) === source);

/** @param stuck told of each call that was given up. */
export function createOpenCalls(clock: Clock, mailbox: Mailbox, stuck: (call: StuckCall) => void): OpenCalls {
  const open = new LinkedList<OpenCall>();
  const sweep = createDeadlineSweep(clock);
  let stopping = false;

  /** Gives a call up that still runs when its time for rollback and `stuckAfterMs` are over. */
  const watch = (call: OpenCall, key: string | undefined, began: number, reject: (error: HermesError) => void) => {
    if (stopping) return;
    const ended = clock.monotonic();
    call.watched = new Watched(ended + LIMITS.rollbackTimeoutMs + LIMITS.stuckAfterMs, () => {
      const failed = mailbox.giveUp(call, () => behindStuck(key));
      const now = clock.monotonic();
      stuck({ request: call.request, key, ranMs: now - began, overdueMs: now - ended, failed });
      const data = { started: true, outcome: 'unknown', stuck: true };
      reject(new HermesError('deadline', 'the call did not end at its deadline and was given up', data));
    });
    sweep.add(call.watched);
  };

  return {
    all: open,
    async take<T>(request: Request, key: string | undefined, serve: (deadline: Deadline) => Promise<T>): Promise<T> {
      const deadline = new CallDeadline(clock, sweep, request.deadline_unix_ms + request.clock_offset_ms);
      const call = new OpenCall(request, deadline);
      open.add(call);
      let began: number | undefined;
      try {
        deadline.check(false);
        return await new Promise<T>((resolve, reject) => {
          deadline.onEnd = (): void => {
            if (began === undefined) {
              mailbox.withdraw(call);
              reject(endOf(deadline));
            } else watch(call, key, began, reject);
          };
          const begin = (): Promise<T> => {
            began = clock.monotonic();
            deadline.check(false);
            return serve(deadline);
          };
          mailbox.submit(key, begin, call).then(resolve, reject);
        });
      } finally {
        open.delete(call);
        deadline.close();
        if (call.watched) sweep.remove(call.watched);
      }
    },
    cancel(requestId, source) {
      for (const call of open) {
        if (call.request.request_id === requestId && mayCancel(call.request, source)) {
          call.deadline.cancel('cancelled by the caller');
        }
      }
    },
    endAll(why) {
      stopping = true;
      for (const { deadline, watched } of open) {
        if (watched) sweep.remove(watched);
        deadline.cancel(why, 'not_ready');
      }
    },
    stop: () => sweep.stop(),
  };
}

/** Nothing was begun: another instance may do better, and so may this one a moment later. */
const behindStuck = (key: string | undefined): HermesError =>
  new HermesError('overloaded', 'a call before it on the same key does not end', { started: false, stuck_key: key });

/** What an ended call that never began is answered. */
function endOf(deadline: CallDeadline): unknown {
  try {
    deadline.check(false);
  } catch (error) {
    return error;
  }
  return new HermesError('cancelled', 'ended before it began', { started: false });
}
