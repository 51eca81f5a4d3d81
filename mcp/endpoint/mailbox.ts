import { HermesError } from '../../shared/errors.js';

/**
 * An actor's mailbox: bounded, with bounded concurrency; calls with one actor key run one at a time in order of
 * arrival, and never hold up another key. A call is done when its promise settles.
 */
export interface Mailbox {
  /** @throws HermesError `overloaded` (`started: false`) when full. */
  submit<T>(key: string | undefined, work: () => Promise<T>): Promise<T>;
  readonly waiting: number;
  readonly running: number;
  /** Resolves when nothing waits or runs. */
  idle(): Promise<void>;
}

interface Item {
  readonly key: string | undefined;
  run(): Promise<void>;
}

export function createMailbox(limits: { size: number; concurrency: number }): Mailbox {
  const queue: Item[] = [];
  const busy = new Set<string>();
  const idlers: Array<() => void> = [];
  let running = 0;

  const pump = (): void => {
    while (running < limits.concurrency) {
      const index = queue.findIndex((item) => item.key === undefined || !busy.has(item.key));
      if (index < 0) break;
      const item = queue.splice(index, 1)[0] as Item;
      start(item);
    }
    if (running === 0 && queue.length === 0) for (const done of idlers.splice(0)) done();
  };

  const start = (item: Item): void => {
    running++;
    if (item.key !== undefined) busy.add(item.key);
    void item.run().finally(() => over(item.key));
  };

  const over = (key: string | undefined): void => {
    running--;
    if (key !== undefined) busy.delete(key);
    if (queue.length > 0 || running === 0) pump();
  };

  /** Nobody waits and there is room: it begins before `submit` returns. */
  const now = async <T>(key: string | undefined, work: () => Promise<T>): Promise<T> => {
    running++;
    if (key !== undefined) busy.add(key);
    try {
      return await work();
    } finally {
      over(key);
    }
  };

  return {
    submit(key, work) {
      const free = queue.length === 0 && running < limits.concurrency;
      if (free && (key === undefined || !busy.has(key))) return now(key, work);
      if (queue.length >= limits.size) {
        const error = new HermesError('overloaded', 'the mailbox is full', { started: false, waiting: queue.length });
        return Promise.reject(error);
      }
      return new Promise((resolve, reject) => {
        queue.push({ key, run: () => Promise.resolve().then(work).then(resolve, reject) });
        pump();
      });
    },
    get waiting() {
      return queue.length;
    },
    get running() {
      return running;
    },
    idle: () => (running === 0 && queue.length === 0 ? Promise.resolve() : new Promise((done) => idlers.push(done))),
  };
}
