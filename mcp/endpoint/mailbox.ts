import { HermesError } from '../../shared/errors.js';
import { Linked } from '../linked-list.js';

/** One call's place in the mailbox, and what is to happen there. One call, one ticket. */
export abstract class Ticket extends Linked {
  /** The mailbox writes it. */
  isRunning = false;

  /** @param key actor key; undefined: no order. */
  constructor(readonly key: string | undefined) {
    super();
  }

  /** Its turn has come: whoever begins says `over` when all is done. Never throws. */
  abstract begin(): void;
  /** It never begins: what ran before it on its key was given up. */
  abstract fail(error: HermesError): void;
}

/**
 * An actor's mailbox: bounded, with bounded concurrency; calls with one actor key run one at a time in order of
 * arrival, and never hold up another key. It holds tickets and no promises: what a call costs here is its place.
 */
export interface Mailbox {
  /**
   * Begins it before it returns if nobody waits and there is room, else when its turn comes.
   * @throws HermesError `overloaded` (`started: false`) when full.
   */
  submit(ticket: Ticket): void;
  /** What ran has ended; its place and its key go to others. Nothing for one that was given up before. */
  over(ticket: Ticket): void;
  /** Its place in the queue goes to others; it never begins. Nothing once it runs. */
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

export function createMailbox(limits: { size: number; concurrency: number }): Mailbox {
  const queue: Ticket[] = [];
  const busy = new Set<string>();
  let running = 0;
  const idlers: Array<() => void> = [];

  const begin = (ticket: Ticket): void => {
    running++;
    ticket.isRunning = true;
    if (ticket.key !== undefined) busy.add(ticket.key);
    ticket.begin();
  };

  const pump = (): void => {
    while (running < limits.concurrency) {
      const index = queue.findIndex(({ key }) => key === undefined || !busy.has(key));
      if (index < 0) break;
      begin(queue.splice(index, 1)[0] as Ticket);
    }
    if (running === 0 && queue.length === 0) for (const done of idlers.splice(0)) done();
  };

  const over = (ticket: Ticket): void => {
    if (!ticket.isRunning) return;
    ticket.isRunning = false;
    running--;
    if (ticket.key !== undefined) busy.delete(ticket.key);
    if (queue.length > 0 || running === 0) pump();
  };

  const takeOut = (chosen: (ticket: Ticket) => boolean): Ticket[] => {
    const taken = queue.filter(chosen);
    for (const ticket of taken) queue.splice(queue.indexOf(ticket), 1);
    return taken;
  };

  return {
    submit(ticket) {
      const { key } = ticket;
      const free = queue.length === 0 && running < limits.concurrency;
      if (free && (key === undefined || !busy.has(key))) {
        begin(ticket);
        return;
      }
      if (queue.length >= limits.size) {
        throw new HermesError('overloaded', 'the mailbox is full', { started: false, waiting: queue.length });
      }
      queue.push(ticket);
      pump();
    },
    over,
    withdraw(ticket) {
      takeOut((one) => one === ticket);
      pump();
    },
    giveUp(ticket, error) {
      if (!ticket.isRunning) return 0;
      const { key } = ticket;
      const behind = key === undefined ? [] : takeOut((one) => one.key === key);
      for (const one of behind) one.fail(error());
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
