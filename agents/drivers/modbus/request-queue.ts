import type { Clock } from '../../../shared/clock.js';
import { HermesError } from '../../../shared/errors.js';
import { FairLine, type InLine } from '../../../shared/fair-line.js';
import { abortError, linkError } from './link-error.js';

export interface QueueOptions {
  readonly link: string;
  /** A request that has waited longer is not worth sending. */
  readonly maxAgeMs: number;
  readonly maxWaiting: number;
}

interface Waiting extends InLine {
  start(): void;
}

export interface RequestQueue {
  /** Runs `work` when its turn comes; rejects without running it on abort, age or overflow. */
  run<T>(asked: InLine, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>;
  /** The unit left a request without an answer: for a while it waits behind the ones that answer. */
  silent(unit: number): void;
  answered(unit: number): void;
  readonly waiting: number;
}

/** One request in flight on a link: most devices behind a gateway serve one at a time (472). The line is fair. */
export function createRequestQueue(clock: Clock, { link, maxAgeMs, maxWaiting }: QueueOptions): RequestQueue {
  const waiting = new FairLine<Waiting>(() => clock.monotonic());
  let busy = false;
  const next = (): void => {
    if (busy) return;
    const first = waiting.take();
    if (!first) return;
    busy = true;
    first.start();
  };
  return {
    get waiting() {
      return waiting.length;
    },
    silent: (unit) => waiting.silent(unit),
    answered: (unit) => waiting.answered(unit),
    run<T>({ unit, effect }: InLine, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
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
          waiting.remove(entry);
          reject(error);
        };
        const abort = (): void => signal && giveUp(abortError(signal, facts));
        const cancelAge = clock.timer(maxAgeMs, () =>
          giveUp(linkError('timeout', { ...facts, detail: `waited ${maxAgeMs} ms for its turn` })),
        );
        const entry: Waiting = {
          unit,
          effect,
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
        waiting.add(entry);
        next();
      });
    },
  };
}
