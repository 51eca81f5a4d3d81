import type { Clock } from '../../shared/clock.js';
import type { Deadline } from '../../shared/deadline.js';
import { HermesError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { createDeadlineSweep, type DeadlineSweep, Expiring } from '../deadline-sweep.js';
import { LinkedList } from '../linked-list.js';
import { componentName } from '../protocol/component-id.js';
import type { Request } from '../protocol/envelope.js';
import type { OpenedCall } from './call-cycle.js';
import { CallDeadline } from './call-deadline.js';
import { type Mailbox, Ticket } from './mailbox.js';

/** What is to be done for a call. Of `answered` and `failed` exactly one is told, once; neither throws. */
export interface CallWork {
  /** On the call's turn. */
  serve(deadline: Deadline): Promise<unknown>;
  answered(result: unknown): void;
  /**
   * @param thrown what `serve` threw, or HermesError: `deadline` or `cancelled` with `started: false` for one that was
   * ended while it waited, `overloaded`, `deadline` with `outcome: unknown` for one that was given up.
   */
  failed(thrown: unknown): void;
}

/**
 * Calls between their arrival and their answer. Each has its deadline from arrival on, so that one that waits in the
 * mailbox is ended (by time or by a cancel) as one that runs is, and then never begins. One that runs on long after
 * its end (`LIMITS.stuckAfterMs` past the time for rollback) is given up, so that no key is blocked for ever.
 */
export interface OpenCalls {
  /** Waits for the call's turn and serves it. A call that is ended while it waits is answered at once. */
  take(request: Request, key: string | undefined, work: CallWork): void;
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

/** What the open calls of one endpoint share. */
interface Shared {
  readonly clock: Clock;
  readonly mailbox: Mailbox;
  readonly sweep: DeadlineSweep;
  readonly open: LinkedList<OpenCall>;
  /** Told of each call that was given up. */
  readonly stuck: (call: StuckCall) => void;
  stopping: boolean;
}

class OpenCall extends Ticket {
  readonly deadline: CallDeadline;
  /** Set once it has ended and still runs. */
  watched: Watched | undefined = undefined;
  #began: number | undefined = undefined;
  #isTold = false;

  constructor(
    readonly shared: Shared,
    readonly request: Request,
    key: string | undefined,
    readonly work: CallWork,
  ) {
    super(key);
    const at = request.deadline_unix_ms + request.clock_offset_ms;
    this.deadline = new CallDeadline(shared.clock, shared.sweep, at, this);
    shared.open.add(this);
  }

  begin(): void {
    this.#began = this.shared.clock.monotonic();
    void this.#serve();
  }

  async #serve(): Promise<void> {
    try {
      this.deadline.check(false);
      const result = await this.work.serve(this.deadline);
      if (this.#close()) this.work.answered(result);
    } catch (thrown) {
      this.fail(thrown);
    }
    this.shared.mailbox.over(this);
  }

  fail(thrown: unknown): void {
    if (this.#close()) this.work.failed(thrown);
  }

  /** By its time or by a cancel. */
  deadlineEnded(): void {
    if (this.#began === undefined) {
      this.shared.mailbox.withdraw(this);
      this.fail(endOf(this.deadline));
    } else if (!this.shared.stopping) {
      this.watched = new Watched(this, this.#began, this.shared.clock.monotonic());
      this.shared.sweep.add(this.watched);
    }
  }

  /** False when its end was told before. */
  #close(): boolean {
    if (this.#isTold) return false;
    this.#isTold = true;
    this.shared.open.delete(this);
    this.deadline.close();
    if (this.watched) this.shared.sweep.remove(this.watched);
    return true;
  }
}

/** Gives a call up that still runs when its time for rollback and `stuckAfterMs` are over. */
class Watched extends Expiring {
  until: number;

  constructor(
    readonly call: OpenCall,
    readonly began: number,
    readonly ended: number,
  ) {
    super();
    this.until = ended + LIMITS.rollbackTimeoutMs + LIMITS.stuckAfterMs;
  }

  expire(): void {
    const { call, began, ended } = this;
    const { clock, mailbox, stuck } = call.shared;
    const failed = mailbox.giveUp(call, () => behindStuck(call.key));
    const now = clock.monotonic();
    stuck({ request: call.request, key: call.key, ranMs: now - began, overdueMs: now - ended, failed });
    const data = { started: true, outcome: 'unknown', stuck: true };
    call.fail(new HermesError('deadline', 'the call did not end at its deadline and was given up', data));
  }
}

/** A call is cancelled by who made it or stands in its chain. */
export const mayCancel = (request: Request, source: string): boolean =>
  [...request.chain, request.caller].some((id) => componentName(id) === source);

/** @param stuck told of each call that was given up. */
export function createOpenCalls(clock: Clock, mailbox: Mailbox, stuck: (call: StuckCall) => void): OpenCalls {
  const open = new LinkedList<OpenCall>();
  const shared: Shared = { clock, mailbox, sweep: createDeadlineSweep(clock), open, stuck, stopping: false };

  return {
    all: open,
    take(request, key, work) {
      const call = new OpenCall(shared, request, key, work);
      try {
        call.deadline.check(false);
        mailbox.submit(call);
      } catch (thrown) {
        call.fail(thrown);
      }
    },
    cancel(requestId, source) {
      // One that ends makes room for others, which may end at once: the list changes meanwhile.
      for (const { request, deadline } of [...open]) {
        if (request.request_id === requestId && mayCancel(request, source)) deadline.cancel('cancelled by the caller');
      }
    },
    endAll(why) {
      shared.stopping = true;
      for (const { deadline, watched } of [...open]) {
        if (watched) shared.sweep.remove(watched);
        deadline.cancel(why, 'not_ready');
      }
    },
    stop: () => shared.sweep.stop(),
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
