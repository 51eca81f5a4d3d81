import type { Msg, MsgCallback, NatsConnection, Subscription as NatsSubscription } from '@nats-io/transport-node';
import { HermesError } from '../../../shared/errors.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { Metrics } from '../../../shared/telemetry/metrics.js';
import type { Bus, BusHandler, BusMessage, PublishOptions, SubscribeOptions, Subscription } from '../bus.js';
import { checkSize } from '../payload-size.js';
import { checkSubject, compilePattern } from '../subject-pattern.js';
import { messageOf } from './failure.js';
import type { BusFault, Line } from './line.js';
import { createOutbox } from './outbox.js';

export interface NatsBusDoors {
  readonly line: Line;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly fault: (kind: BusFault) => void;
}

interface Listener {
  readonly pattern: string;
  readonly queue: string | undefined;
  readonly callback: MsgCallback<Msg>;
  live: NatsSubscription | undefined;
}

/** Checked subjects that are kept; a process publishes to a few dozen. */
const KNOWN_SUBJECTS = 4_096;

/**
 * The bus over core NATS. At most once: what is published while the broker is away fails at once with `not_ready`,
 * which callers retry, and is never left to the client's buffer. Subscriptions outlive every loss of connection.
 */
export function createNatsBus({ line, logger, metrics, fault }: NatsBusDoors): Bus {
  const listeners = new Set<Listener>();
  const outbox = createOutbox({ line, logger, fault });
  const known = new Set<string>();
  let closed = false;

  const checkOpen = (): void => {
    if (closed) throw new HermesError('not_ready', 'the bus is closed');
  };
  const check = (subject: string, pointer?: string): void => {
    if (known.has(subject)) return;
    checkSubject(subject, pointer);
    if (known.size >= KNOWN_SUBJECTS) known.clear();
    known.add(subject);
  };
  const listen = (connection: NatsConnection, listener: Listener): void => {
    const { pattern, queue, callback } = listener;
    listener.live = connection.subscribe(pattern, queue === undefined ? { callback } : { queue, callback });
  };
  const stopListening = line.onUp((connection, fresh) => {
    for (const listener of listeners) if (fresh || !listener.live) listen(connection, listener);
  });

  return {
    publish(subject: string, payload: Uint8Array, { reply, handedOver }: PublishOptions = {}): void {
      checkOpen();
      check(subject);
      if (reply !== undefined) check(reply, '/reply');
      checkSize(payload);
      if (!line.connected) fault('unsent');
      line.connection();
      // A copy: the bytes are held on to until they are written.
      outbox.add(subject, handedOver ? payload : new Uint8Array(payload), reply);
    },
    subscribe(pattern: string, handle: BusHandler, { queue }: SubscribeOptions = {}): Subscription {
      checkOpen();
      compilePattern(pattern);
      // Who comes late hears nothing of before.
      outbox.empty();
      const callback = guard({ pattern, handle, logger, metrics, isOpen: () => listeners.has(listener) });
      const listener: Listener = { pattern, queue, callback, live: undefined };
      listeners.add(listener);
      if (line.connected) listen(line.connection(), listener);
      return {
        unsubscribe() {
          if (!listeners.delete(listener)) return;
          if (listener.live && !listener.live.isClosed()) listener.live.unsubscribe();
        },
      };
    },
    async flush() {
      checkOpen();
      outbox.empty();
      await flushed(line, logger);
    },
    async close() {
      if (closed) return;
      closed = true;
      stopListening();
      for (const { live } of listeners) if (live && !live.isClosed()) live.unsubscribe();
      listeners.clear();
      outbox.empty();
      await flushed(line, logger);
    },
  };
}

/** A connection that breaks meanwhile has lost what was on its way; nothing is left to hand over then. */
async function flushed(line: Line, logger: Logger): Promise<void> {
  if (!line.connected) return;
  let cancel = (): void => undefined;
  const down = new Promise<void>((resolve) => {
    cancel = line.onDown(resolve);
  });
  const done = line
    .connection()
    .flush()
    .catch((thrown: unknown) => logger.warn({ detail: messageOf(thrown) }, 'the bus could not be flushed'));
  await Promise.race([done, down]);
  cancel();
}

interface Guarded {
  readonly pattern: string;
  readonly handle: BusHandler;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly isOpen: () => boolean;
}

/**
 * The only kind of callback that a NATS subscription of this system has: a throw inside one ends the client's read
 * loop without a word, and everything after it on that connection is lost.
 */
function guard({ pattern, handle, logger, metrics, isOpen }: Guarded): MsgCallback<Msg> {
  const failed = (subject: string, thrown: unknown): void => {
    metrics.count('mcpRejected', { reason: 'handler_failed' });
    logger.error({ err: thrown, subject, pattern }, 'a subscription handler failed');
  };
  const fixed = fixedPart(pattern);
  return (error, message) => {
    // Permission violations reach the line as a status, which counts and logs them.
    if (error || !isOpen()) return;
    // JetStream delivers a stored message under its own subject wherever a consumer's maker says.
    if (!message.subject.startsWith(fixed)) {
      metrics.count('mcpRejected', { reason: 'bad_caller' });
      logger.warn({ subject: message.subject, pattern }, 'a message under a foreign subject was dropped');
      return;
    }
    try {
      const done: unknown = handle(toBusMessage(message));
      if (done instanceof Promise) done.catch((thrown: unknown) => failed(message.subject, thrown));
    } catch (thrown) {
      failed(message.subject, thrown);
    }
  };
}

/** Of a pattern, up to its first wildcard. */
const fixedPart = (pattern: string): string => pattern.split(/(?<=^|\.)[*>](?=\.|$)/, 1)[0] ?? '';

/** Bytes as such: the client hands out Buffers, whose `slice` shares memory. */
function toBusMessage({ subject, data, reply }: Msg): BusMessage {
  const payload = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return reply ? { subject, payload, reply } : { subject, payload };
}
