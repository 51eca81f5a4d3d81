import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import type { MsgHdrs } from '@nats-io/transport-node';
import type { Clock } from '../../../shared/clock.js';
import { HermesError } from '../../../shared/errors.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { LogRecord } from '../log.js';
import { pause } from '../log-tail.js';
import { messageOf } from './failure.js';
import type { Jet } from './jet.js';
import type { BusFault, Line } from './line.js';

export interface FeedDoors {
  readonly line: Line;
  readonly jet: Jet;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly fault: (kind: BusFault) => void;
}

export interface FeedPlan {
  readonly stream: string;
  /** One only, as servers before 2.10 have it; unset = everything. */
  readonly pattern?: string;
  readonly from: number;
  /** Ends with this record; unset = goes on for ever. */
  readonly to?: number;
  /** Newest sequence that matches, by the stream's leader. */
  readonly head: () => Promise<number>;
  readonly stop: AbortSignal;
  /** Which records count; the others are passed over. Default: all. */
  readonly accept?: (headers: MsgHdrs | undefined) => boolean;
  /** Ends in `log_unavailable` when nothing came for so long; unset = goes on for ever. */
  readonly patienceMs?: number | undefined;
}

/** How often a silent consumer is compared with the head of its stream: silent twice and behind, it has stalled. */
const WATCH_MS = 1_000;
const BATCH = 256;
const HEARTBEAT_MS = 2_000;
const EXPIRES_MS = 30_000;

/**
 * Records in order of sequence, each once, for ever, by ordered consumers. One that stalls for good, as two of five do
 * after a fail-over, or that ends with its connection is replaced by another from the last record on.
 */
export async function* followStream(doors: FeedDoors, plan: FeedPlan): AsyncGenerator<LogRecord> {
  const { stop, to: end = Number.POSITIVE_INFINITY } = plan;
  const progress = createProgress(doors.clock, plan);
  for (let failures = 0; !stop.aborted; failures++) {
    let opened: Opened | undefined;
    const halt = (): void => opened?.messages.stop();
    stop.addEventListener('abort', halt, { once: true });
    const watch = watchdog(doors, plan, progress, halt);
    try {
      opened = await openConsumer(doors, plan, progress.next);
      if (stop.aborted) return;
      for await (const message of opened.messages) {
        const { seq } = message;
        if (seq < progress.next) continue;
        if (seq > end) return;
        progress.take(seq);
        failures = 0;
        if (plan.accept?.(message.headers) === false) doors.fault('foreign_record');
        else {
          progress.busy = true;
          yield toRecord(message);
          progress.busy = false;
        }
        if (stop.aborted || seq >= end) return;
      }
    } catch (thrown) {
      doors.logger.warn({ pattern: plan.pattern, detail: messageOf(thrown) }, 'a consumer of the log failed');
    } finally {
      progress.busy = false;
      watch();
      stop.removeEventListener('abort', halt);
      drop(doors, opened);
    }
    if (stop.aborted) return;
    progress.check();
    await pause(doors.clock, failures, stop);
  }
}

interface Progress {
  readonly next: number;
  /** The reader has a record in its hands: silence is its own. */
  busy: boolean;
  take(seq: number): void;
  /** @throws HermesError `log_unavailable` when patience is over. */
  check(): void;
  readonly overdue: boolean;
}

function createProgress(clock: Clock, { from, patienceMs, stream, pattern = stream }: FeedPlan): Progress {
  let next = from;
  let since = clock.monotonic();
  const overdue = (): boolean => patienceMs !== undefined && clock.monotonic() - since > patienceMs;
  return {
    get next() {
      return next;
    },
    busy: false,
    take(seq) {
      next = seq + 1;
      since = clock.monotonic();
    },
    check() {
      if (!overdue()) return;
      throw new HermesError('log_unavailable', `no record of ${pattern} came for ${patienceMs} ms`, { unknown: false });
    },
    get overdue() {
      return overdue();
    },
  };
}

interface Opened {
  readonly consumer: Consumer;
  readonly messages: ConsumerMessages;
}

async function openConsumer({ jet }: FeedDoors, { stream, pattern }: FeedPlan, from: number): Promise<Opened> {
  const consumer = await jet.client().consumers.get(stream, {
    opt_start_seq: from,
    ...(pattern !== undefined && { filter_subjects: pattern }),
  });
  const options = { max_messages: BATCH, expires: EXPIRES_MS, idle_heartbeat: HEARTBEAT_MS };
  return { consumer, messages: await consumer.consume(options) };
}

/** Returns how to end it. */
function watchdog(doors: FeedDoors, plan: FeedPlan, progress: Progress, restart: () => void): () => void {
  let suspect = 0;
  let asking = false;
  const look = async (): Promise<void> => {
    const before = progress.next;
    if (progress.overdue) return restart();
    if ((await plan.head()) < before || progress.busy || progress.next !== before) {
      suspect = 0;
      return;
    }
    if (suspect !== before) {
      suspect = before;
      return;
    }
    doors.fault('stalled');
    doors.logger.warn({ pattern: plan.pattern, next: before }, 'a consumer of the log has stalled, another takes over');
    restart();
  };
  return doors.clock.every(WATCH_MS, () => {
    if (asking || progress.busy || !doors.line.connected) return;
    asking = true;
    look()
      .catch((thrown: unknown) => doors.logger.debug({ detail: messageOf(thrown) }, 'the head of the log is not known'))
      .finally(() => {
        asking = false;
      });
  });
}

/** The server would forget the consumer by itself in five minutes; a process that reads often must not wait for it. */
function drop({ line, logger }: FeedDoors, opened: Opened | undefined): void {
  if (!opened) return;
  opened.messages.stop();
  if (!line.connected) return;
  opened.consumer
    .delete()
    .catch((thrown: unknown) => logger.debug({ detail: messageOf(thrown) }, 'a consumer was not deleted'));
}

const toRecord = (message: JsMsg): LogRecord => ({
  subject: message.subject,
  seq: message.seq,
  payload: new Uint8Array(message.data),
  at: message.time.getTime(),
});
