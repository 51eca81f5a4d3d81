import type { Clock } from '../../../shared/clock.js';
import { HermesError } from '../../../shared/errors.js';
import { abortError, linkError } from './link-error.js';

/** Lower runs first. A unit that has been silent waits behind the ones that answer. */
export const PRIORITY = { write: 0, read: 1, suspect: 2 } as const;
export type Priority = (typeof PRIORITY)[keyof typeof PRIORITY];

export interface QueueOptions {
  readonly link: string;
  /** A request that has waited longer is not worth sending. */
  readonly maxAgeMs: number;
  readonly maxWaiting: number;
}

interface Waiting {
  readonly priority: Priority;
  start(): void;
}

export interface RequestQueue {
  /** Runs `work` when its turn comes; rejects without running it on abort, age or overflow. */
  run<T>(priority: Priority, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>;
  readonly waiting: number;
}

/** One request in flight on a link: most devices behind a gateway serve one at a time (472). */
export function createRequestQueue(clock: Clock, { link, maxAgeMs, maxWaiting }: QueueOptions): RequestQueue {
  const waiting: Waiting[] = [];
  let busy = false;
  const next = (): void => {
    if (busy) return;
    const first = waiting.shift();
    if (!first) return;
    busy = true;
    first.start();
  };
  const insert = (entry: Waiting): void => {
    const index = waiting.findIndex((other) => other.priority > entry.priority);
    waiting.splice(index < 0 ? waiting.length : index, 0, entry);
  };
  return {
    get waiting() {
      return waiting.length;
    },
    run<T>(priority: Priority, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
      const facts = { link, sent: false };
      return new Promise<T>((resolve, reject) => {
        if (signal?.aborted) return reject(abortError(signal, facts));
        if (waiting.length >= maxWaiting) {
          return reject(
            new HermesError('overloaded', `link ${link}: ${maxWaiting} requests wait`, { ...facts, cause: 'timeout' }),
          );
        }
        const leave = (): void => {
          cancelAge();
          signal?.removeEventListener('abort', abort);
        };
        const giveUp = (error: HermesError): void => {
          leave();
          waiting.splice(waiting.indexOf(entry), 1);
          reject(error);
        };
        const abort = (): void => signal && giveUp(abortError(signal, facts));
        const cancelAge = clock.timer(maxAgeMs, () =>
          giveUp(linkError('timeout', { ...facts, detail: `waited ${maxAgeMs} ms for its turn` })),
        );
        const entry: Waiting = {
          priority,
          start() {
            leave();
            work()
              .then(resolve, reject)
              .finally(() => {
                busy = false;
                next();
              });
          },
        };
        signal?.addEventListener('abort', abort, { once: true });
        insert(entry);
        next();
      });
    },
  };
}
