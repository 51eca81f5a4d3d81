/**
 * Bus: request/reply, queue groups, publish/subscribe. At most once; nothing is kept for a subscriber who is away.
 *
 * Invariants (the contract suite holds them on every transport):
 *  1. A message reaches every plain subscriber whose pattern matches, and exactly one member of each queue group.
 *  2. Messages of one publisher to one subject arrive in order.
 *  3. A handler that throws is counted and logged; later messages still arrive.
 *  4. Payloads are not shared: what a handler changes, no other handler sees.
 *  5. After `close` nothing is delivered and nothing is published.
 * Subjects are dot-separated tokens; patterns know `*` (one token) and a final `>` (one or more).
 */
export interface Bus {
  /** @throws HermesError `invalid_params` when the payload is over the limit or the subject is malformed. */
  publish(subject: string, payload: Uint8Array, options?: PublishOptions): void;
  subscribe(pattern: string, handle: BusHandler, options?: SubscribeOptions): Subscription;
  /** Resolves when everything published so far was handed to the transport. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface PublishOptions {
  /** Subject on which an answer is expected. */
  readonly reply?: string;
  /** The publisher never touches the payload again: no copy is needed. */
  readonly handedOver?: boolean;
}

export interface SubscribeOptions {
  /** Members of one group share the messages. */
  readonly queue?: string;
}

export interface BusMessage {
  readonly subject: string;
  readonly reply?: string;
  readonly payload: Uint8Array;
}

export type BusHandler = (message: BusMessage) => void | Promise<void>;

export interface Subscription {
  unsubscribe(): void;
}
