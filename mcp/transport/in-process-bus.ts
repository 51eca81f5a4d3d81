import { HermesError } from '../../shared/errors.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import type { Metrics } from '../../shared/telemetry/metrics.js';
import type { Bus, BusHandler, BusMessage, PublishOptions, SubscribeOptions, Subscription } from './bus.js';
import { checkSize } from './payload-size.js';
import { checkSubject, compilePattern } from './subject-pattern.js';
import { SubscriptionIndex } from './subscription-index.js';

/** When a message is handed over, and which member of a queue group gets it. */
export interface BusPolicy {
  /** Runs `deliver` later, never at once; two runs of one publisher and subject in the order of the calls. */
  schedule(publisher: string, subject: string, deliver: () => void): void;
  /** An index in [0, members). */
  choose(queue: string, members: number): number;
}

export interface BusDoors {
  readonly policy: BusPolicy;
  readonly logger: Logger;
  readonly metrics?: Metrics;
}

/** The place where the buses of one process meet. */
export interface BusHub {
  /** One publisher's bus; closing it ends its own subscriptions only. */
  connect(publisher: string): Bus;
}

interface Listener {
  readonly tokens: readonly string[];
  readonly pattern: string;
  readonly queue: string | undefined;
  readonly handle: BusHandler;
  active: boolean;
}

export function createBusHub({ policy, logger, metrics }: BusDoors): BusHub {
  const index = new SubscriptionIndex<Listener>();

  const failed = (listener: Listener, subject: string, thrown: unknown): void => {
    metrics?.count('mcpRejected', { reason: 'handler_failed' });
    logger.error({ err: thrown, subject, pattern: listener.pattern }, 'a subscription handler failed');
  };

  const hand = (listener: Listener, message: BusMessage): void => {
    try {
      const done: unknown = listener.handle(message);
      if (done instanceof Promise) done.catch((thrown: unknown) => failed(listener, message.subject, thrown));
    } catch (thrown) {
      failed(listener, message.subject, thrown);
    }
  };

  const deliver = (listeners: readonly Listener[], subject: string, payload: Uint8Array, reply?: string): void => {
    const chosen = receivers(listeners, policy);
    chosen.forEach((listener, at) => {
      // A handler called a moment ago may have ended a later one.
      if (!listener.active) return;
      const own = at === chosen.length - 1 ? payload : new Uint8Array(payload);
      hand(listener, reply === undefined ? { subject, payload: own } : { subject, payload: own, reply });
    });
  };

  return {
    connect: (publisher) =>
      connectBus({
        index,
        send(subject, payload, reply) {
          const listeners = index.match(subject);
          if (listeners.length === 0) return;
          policy.schedule(publisher, subject, () => deliver(listeners, subject, payload, reply));
        },
      }),
  };
}

interface Line {
  readonly index: SubscriptionIndex<Listener>;
  send(subject: string, payload: Uint8Array, reply: string | undefined): void;
}

function connectBus({ index, send }: Line): Bus {
  const own = new Set<Listener>();
  let closed = false;
  const checkOpen = (): void => {
    if (closed) throw new HermesError('not_ready', 'the bus is closed');
  };
  const end = (listener: Listener): void => {
    if (!listener.active) return;
    listener.active = false;
    own.delete(listener);
    index.remove(listener);
  };
  return {
    publish(subject: string, payload: Uint8Array, options: PublishOptions = {}): void {
      checkOpen();
      if (!index.known(subject)) checkSubject(subject);
      if (options.reply !== undefined) checkSubject(options.reply, '/reply');
      checkSize(payload);
      // Not `slice`: that of a Buffer shares memory.
      send(subject, options.handedOver ? payload : new Uint8Array(payload), options.reply);
    },
    subscribe(pattern: string, handle: BusHandler, options: SubscribeOptions = {}): Subscription {
      checkOpen();
      const { tokens } = compilePattern(pattern);
      const listener: Listener = { tokens, pattern, queue: options.queue, handle, active: true };
      own.add(listener);
      index.add(listener);
      return { unsubscribe: () => end(listener) };
    },
    async flush() {
      checkOpen();
    },
    async close() {
      closed = true;
      for (const listener of [...own]) end(listener);
    },
  };
}

/** Every plain listener, and one of each queue group. Groups are one by name, whatever pattern their members use. */
function receivers(listeners: readonly Listener[], policy: BusPolicy): readonly Listener[] {
  const plain: Listener[] = [];
  const groups = new Map<string, Listener[]>();
  for (const listener of listeners) {
    if (!listener.active) continue;
    if (listener.queue === undefined) {
      plain.push(listener);
      continue;
    }
    const group = groups.get(listener.queue);
    if (group) group.push(listener);
    else groups.set(listener.queue, [listener]);
  }
  for (const [queue, members] of groups) {
    const member = members[policy.choose(queue, members.length)];
    if (member) plain.push(member);
  }
  return plain;
}
