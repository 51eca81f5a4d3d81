import { HermesError } from '../../shared/errors.js';
import { Linked } from '../linked-list.js';

/** One call's place in the mailbox, which writes it; it names the call for `withdraw` and `giveUp`. */
export class Ticket extends Linked {
  isRunning = false;
  key: string | undefined = undefined;
}

/**
 * An actor's mailbox: bounded, with bounded concurrency; calls with one actor key run one at a time in order of
 * arrival, and never hold up another key. A call is done when its promise settles, or when it is given up.
 */
export interface Mailbox {
  /**
   * @param ticket one call, one ticket.
   * @throws HermesError `overloaded` (`started: false`) when full.
   */
  submit<T>(key: string | undefined, work: () => Promise<T>, ticket?: Ticket): Promise<T>;
  /** Its place in the queue goes to others; it never begins and its promise never settles. Nothing once it runs. */
  withdraw(ticket: Ticket): void;
  /**
   * A running call that does not end: its place and its key go to others, and what waits behind it on its key fails.
   * Whatever it does later changes nothing here. Says how many failed.
   */
  giveUp(ticket: Ticket, error: () => HermesError): number;
  readonly waiting: number;
  readonly running: number;
  /** Resolves when nothing waits or runs. */
  idle(): Promise<void>;
}

interface Item {
  readonly key: string | undefined;
  readonly ticket: Ticket;
  run(): Promise<void>;
  fail(error: HermesError): void;
}

export function createMailbox(limits: { size: number; concurrency: number }): Mailbox {
  const queue: Item[] = [];
  const busy = new Set<string>();
  let running = 0;
  const idlers: Array<() => void> = [];

  const pump = (): void => {
    while (running < limits.concurrency) {
      const index = queue.findIndex((item) => item.key === undefined || !busy.has(item.key));
      if (index < 0) break;
      const item = queue.splice(index, 1)[0] as Item;
      begin(item.ticket, item.key);
      void item.run().finally(() => over(item.ticket));
    }
    if (running === 0 && queue.length === 0) for (const done of idlers.splice(0)) done();
  };

  const begin = (ticket: Ticket, key: string | undefined): void => {
    running++;
    ticket.isRunning = true;
    ticket.key = key;
    if (key !== undefined) busy.add(key);
  };

  /** Once for each ticket: what was given up holds nothing any more. */
  const over = (ticket: Ticket): void => {
    if (!ticket.isRunning) return;
    ticket.isRunning = false;
    running--;
    if (ticket.key !== undefined) busy.delete(ticket.key);
    if (queue.length > 0 || running === 0) pump();
  };

  /** Nobody waits and there is room: it begins before `submit` returns. */
  const now = async <T>(key: string | undefined, work: () => Promise<T>, ticket: Ticket): Promise<T> => {
    begin(ticket, key);
    try {
      return await work();
    } finally {
      over(ticket);
    }
  };

  const takeOut = (chosen: (item: Item) => boolean): Item[] => {
    const taken = queue.filter(chosen);
    for (const item of taken) queue.splice(queue.indexOf(item), 1);
    return taken;
  };

  return {
    submit(key, work, ticket = new Ticket()) {
      const free = queue.length === 0 && running < limits.concurrency;
      if (free && (key === undefined || !busy.has(key))) return now(key, work, ticket);
      if (queue.length >= limits.size) {
        const error = new HermesError('overloaded', 'the mailbox is full', { started: false, waiting: queue.length });
        return Promise.reject(error);
      }
      return new Promise((resolve, reject) => {
        queue.push({ key, ticket, run: () => Promise.resolve().then(work).then(resolve, reject), fail: reject });
        pump();
      });
    },
    withdraw(ticket) {
      takeOut((item) => item.ticket === ticket);
      pump();
    },
    giveUp(ticket, error) {
      if (!ticket.isRunning) return 0;
      const { key } = ticket;
      const behind = key === undefined ? [] : takeOut((item) => item.key === key);
      for (const { fail } of behind) fail(error());
      over(ticket);
      return behind.length;
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
