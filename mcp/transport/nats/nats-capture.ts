import type { Capture, CapturedMessage } from '../capture.js';
import { pause } from '../log-tail.js';
import { compilePattern } from '../subject-pattern.js';
import { messageOf } from './failure.js';
import { type FeedDoors, followStream } from './stream-feed.js';
import { ensureStream, journalPlan } from './streams.js';

export interface NatsCaptureDoors extends FeedDoors {
  readonly tenant: string;
  readonly replicas: number | undefined;
  /** Makes the stream where it is missing; else only looks. */
  readonly make: boolean;
}

/**
 * What is said on the bus, from a stream that listens to it without acknowledging. It exists once somebody follows it,
 * or from `hermes nats init` on; what was said while nobody followed comes first.
 */
export function createNatsCapture(doors: NatsCaptureDoors): Capture {
  return {
    follow(patterns, afterSeq, handle) {
      const stopped = new AbortController();
      const done = followCapture(doors, patterns, afterSeq, handle, stopped.signal);
      return {
        async stop() {
          stopped.abort();
          await done;
        },
      };
    },
  };
}

/** Never rejects: what fails is tried again until it is stopped. */
async function followCapture(
  doors: NatsCaptureDoors,
  patterns: readonly string[],
  afterSeq: number,
  handle: (message: CapturedMessage) => void | Promise<void>,
  stop: AbortSignal,
): Promise<void> {
  const { clock, logger, jet, tenant, replicas, make } = doors;
  const wanted = patterns.map(compilePattern);
  const plan = journalPlan(tenant, replicas);
  let next = afterSeq + 1;
  for (let failures = 0; !stop.aborted; failures++) {
    try {
      await ensureStream(await jet.manager(), plan, make, clock);
      const newest = async (): Promise<number> => {
        const manager = await jet.manager();
        return (await manager.streams.info(plan.name)).state.last_seq;
      };
      // A stream that was made anew counts from one again.
      if (next > (await newest()) + 1) next = 1;
      for await (const message of followStream(doors, { stream: plan.name, from: next, head: newest, stop })) {
        next = message.seq + 1;
        failures = 0;
        if (wanted.some((pattern) => pattern.matches(message.subject))) await handOver(doors, message, handle);
        if (stop.aborted) return;
      }
    } catch (thrown) {
      if (stop.aborted) return;
      logger.warn({ detail: messageOf(thrown) }, 'what is said on the bus cannot be followed, it is tried again');
    }
    await pause(clock, failures, stop);
  }
}

/** Best effort: a message that its reader cannot take is passed over. */
async function handOver(
  { logger }: NatsCaptureDoors,
  message: CapturedMessage,
  handle: (message: CapturedMessage) => void | Promise<void>,
): Promise<void> {
  try {
    await handle(message);
  } catch (thrown) {
    logger.error({ err: thrown, subject: message.subject, seq: message.seq }, 'a captured message was not taken');
  }
}
