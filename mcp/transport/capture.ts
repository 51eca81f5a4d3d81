import type { Tail } from './log.js';

/**
 * Capture: what is said on the bus, for the journal. Best effort; a transport that stores it (a JetStream stream with
 * `no_ack`) delivers what was said while nobody followed, one that does not delivers what is said from now on.
 */
export interface Capture {
  /**
   * Hands over messages on these subjects, those after `afterSeq` first where they are stored. The handler is awaited.
   */
  follow(
    patterns: readonly string[],
    afterSeq: number,
    handle: (message: CapturedMessage) => void | Promise<void>,
  ): Tail;
}

export interface CapturedMessage {
  readonly subject: string;
  readonly payload: Uint8Array;
  /** Unix milliseconds by the clock of whoever stored it. */
  readonly at: number;
  /** Position in the stream; 0 where nothing is stored. */
  readonly seq: number;
}
