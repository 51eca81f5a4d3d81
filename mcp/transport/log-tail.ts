import type { Cancel, Clock } from '../../shared/clock.js';
import { HermesError } from '../../shared/errors.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import type { LogRecord, Tail } from './log.js';
import type { SubjectPattern } from './subject-pattern.js';

/** What a tail needs of its log. */
export interface TailSource {
  /** Newest sequence that can be read. */
  head(): number;
  /** Calls whenever the head has grown, until cancelled. */
  onChange(run: () => void): Cancel;
  read(pattern: SubjectPattern, fromSeq: number, toSeq: number): AsyncIterable<LogRecord>;
}

export interface HandDoors {
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface TailDoors extends HandDoors {
  readonly source: TailSource;
}

type Handle = (record: LogRecord) => void | Promise<void>;

const FIRST_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 5_000;

/**
 * Follows a log from a sequence on. History and live records come the same way, by reading up to a head: there is no
 * switch at which one could be lost or doubled. A record whose handler fails is tried again until it passes.
 */
export function openTail(doors: TailDoors, pattern: SubjectPattern, fromSeq: number, handle: Handle): Tail {
  const stopped = new AbortController();
  const done = follow(doors, pattern, fromSeq, handle, stopped.signal);
  return {
    async stop() {
      stopped.abort(new HermesError('cancelled', 'the tail was stopped'));
      await done;
    },
  };
}

async function follow(
  doors: TailDoors,
  pattern: SubjectPattern,
  fromSeq: number,
  handle: Handle,
  stop: AbortSignal,
): Promise<void> {
  const { source, logger } = doors;
  let next = Math.max(1, fromSeq);
  let failures = 0;
  while (!stop.aborted) {
    const head = source.head();
    if (next > head) {
      await untilStopOr((wake) => source.onChange(wake), stop);
      continue;
    }
    try {
      for await (const record of source.read(pattern, next, head)) {
        if (stop.aborted) return;
        await handOver(doors, record, handle, stop);
        if (stop.aborted) return;
        next = record.seq + 1;
        failures = 0;
      }
      next = head + 1;
    } catch (thrown) {
      if (stop.aborted) return;
      logger.warn({ err: thrown, pattern: pattern.text, next }, 'a tail cannot read the log, it tries again');
      await pause(doors.clock, failures++, stop);
    }
  }
}

/** Returns when the handler has taken the record or the tail is stopped. */
export async function handOver({ clock, logger }: HandDoors, record: LogRecord, handle: Handle, stop: AbortSignal) {
  for (let failures = 0; !stop.aborted; failures++) {
    try {
      await handle({ ...record, payload: record.payload.slice() });
      return;
    } catch (thrown) {
      const { subject, seq } = record;
      logger.error({ err: thrown, subject, seq, failures: failures + 1 }, 'a tail handler failed, it is tried again');
      await pause(clock, failures, stop);
    }
  }
}

/** Waits longer after each failure, up to 5 s, or until it is stopped. */
export function pause(clock: Clock, failures: number, stop: AbortSignal): Promise<void> {
  const ms = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(failures, 10));
  return untilStopOr((wake) => clock.timer(ms, wake), stop);
}

/** Leaves nothing behind on the signal, which lives as long as the tail. */
function untilStopOr(arm: (wake: () => void) => Cancel, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      stop.removeEventListener('abort', end);
      resolve();
    };
    const cancel = arm(end);
    if (stop.aborted) end();
    else stop.addEventListener('abort', end, { once: true });
  });
}
