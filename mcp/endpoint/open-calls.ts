import type { Clock } from '../../shared/clock.js';
import type { Deadline } from '../../shared/deadline.js';
import { createDeadlineSweep } from '../deadline-sweep.js';
import { componentName } from '../protocol/component-id.js';
import type { Request } from '../protocol/envelope.js';
import { CallDeadline } from './call-deadline.js';
import type { Mailbox } from './mailbox.js';

/**
 * Calls between their arrival and their answer. Each has its deadline from arrival on, so that one that waits in the
 * mailbox is ended (by time or by a cancel) as one that runs is, and then never begins.
 */
export interface OpenCalls {
  /**
   * Waits for the call's turn and serves it. A call that is ended while it waits is answered at once.
   * @throws HermesError `deadline` or `cancelled` with `started: false`, `overloaded`, or what `serve` throws.
   */
  take<T>(request: Request, key: string | undefined, serve: (deadline: Deadline) => Promise<T>): Promise<T>;
  /** Ends the calls under this request id that `source` made or stands in the chain of; ids are a caller's own. */
  cancel(requestId: string, source: string): void;
  /** The endpoint stops: calls end `not_ready`, which is nobody's cancel. */
  endAll(why: string): void;
}

interface OpenCall {
  readonly request: Request;
  readonly deadline: CallDeadline;
}

/** A call is cancelled by who made it or stands in its chain. */
export const mayCancel = (request: Request, source: string): boolean =>
  [...request.chain, request.caller].some((id) => componentName(id) === source);

export function createOpenCalls(clock: Clock, mailbox: Mailbox): OpenCalls {
  const open = new Set<OpenCall>();
  const sweep = createDeadlineSweep(clock);
  return {
    async take(request, key, serve) {
      const deadline = new CallDeadline(clock, sweep, request.deadline_unix_ms + request.clock_offset_ms);
      const call = { request, deadline };
      open.add(call);
      let waits = true;
      try {
        deadline.check(false);
        const turn = mailbox.submit(key, () => {
          waits = false;
          deadline.check(false);
          return serve(deadline);
        });
        return await (waits ? Promise.race([turn, endedWhile(() => waits, deadline)]) : turn);
      } finally {
        open.delete(call);
        deadline.close();
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
      for (const call of open) call.deadline.cancel(why, 'not_ready');
    },
  };
}

/** Rejects when the deadline ends while the condition holds; otherwise never settles. */
const endedWhile = (condition: () => boolean, deadline: CallDeadline): Promise<never> =>
  new Promise((_resolve, reject) => {
    deadline.onEnd = (): void => {
      if (!condition()) return;
      try {
        deadline.check(false);
      } catch (error) {
        reject(error);
      }
    };
  });
