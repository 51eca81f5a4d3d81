import type { Reason } from '../shared/errors.js';

/** A message that was refused and could not be answered. */
export interface DeadLetter {
  readonly at: number;
  readonly subject: string;
  readonly reason: Reason;
  readonly detail: string;
  /** Its first bytes, hex. */
  readonly begins: string;
  readonly bytes: number;
}

/** The last of them, for whoever looks for what went wrong; each was logged and counted when it came. */
export interface DeadLetters {
  add(letter: { subject: string; payload: Uint8Array; reason: Reason; detail: string; at: number }): void;
  /** Newest last. */
  list(): readonly DeadLetter[];
}

const KEPT = 200;
const BYTES = 64;

export function createDeadLetters(): DeadLetters {
  const letters: DeadLetter[] = [];
  return {
    add({ payload, ...letter }) {
      const begins = Buffer.from(payload.subarray(0, BYTES)).toString('hex');
      letters.push({ ...letter, begins, bytes: payload.length });
      if (letters.length > KEPT) letters.shift();
    },
    list: () => [...letters],
  };
}
