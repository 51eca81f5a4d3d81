import type { Logger } from '../../../shared/telemetry/logger.js';
import { messageOf } from './failure.js';
import type { BusFault, Line } from './line.js';

interface Sending {
  readonly subject: string;
  readonly payload: Uint8Array;
  readonly reply: string | undefined;
}

/**
 * What is published while one piece of the event loop's work runs leaves together when it is done. The client would
 * write at the first pause between two promises: 64 calls answered by one read of the socket made five writes of it,
 * and a write costs as much as a call.
 */
export interface Outbox {
  add(subject: string, payload: Uint8Array, reply: string | undefined): void;
  /** Hands everything over to the client now. */
  empty(): void;
}

/** @param doors.fault told of each message whose connection broke before it left. */
export function createOutbox(doors: {
  readonly line: Line;
  readonly logger: Logger;
  readonly fault: (kind: BusFault) => void;
}): Outbox {
  const { line, logger, fault } = doors;
  let waiting: Sending[] = [];

  const empty = (): void => {
    const leaving = waiting;
    waiting = [];
    for (const { subject, payload, reply } of leaving) {
      try {
        line.connection().publish(subject, payload, reply === undefined ? undefined : { reply });
      } catch (thrown) {
        fault('unsent');
        logger.warn({ subject, detail: messageOf(thrown) }, 'a message could not leave');
      }
    }
  };

  return {
    add(subject, payload, reply) {
      // A tick runs when no promise is left to go on.
      if (waiting.push({ subject, payload, reply }) === 1) process.nextTick(empty);
    },
    empty,
  };
}
