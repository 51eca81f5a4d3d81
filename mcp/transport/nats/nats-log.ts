import type { StoredMsg } from '@nats-io/jetstream';
import type { MsgHdrs } from '@nats-io/transport-node';
import type { Clock } from '../../../shared/clock.js';
import { HermesError } from '../../../shared/errors.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { Appended, AppendOptions, Log, LogRecord, ReadOptions, Tail } from '../log.js';
import { messageKey } from '../log-backend.js';
import { handOver, pause } from '../log-tail.js';
import { checkSize } from '../payload-size.js';
import { checkSubject, compilePattern } from '../subject-pattern.js';
import { apiCode, appendFailure, readFailure } from './failure.js';
import type { Jet } from './jet.js';
import type { BusFault, Line } from './line.js';
import { type FeedPlan, followStream } from './stream-feed.js';
import { createStreamTip, type StreamTip } from './stream-tip.js';

export interface NatsLogDoors {
  readonly line: Line;
  readonly jet: Jet;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly fault: (kind: BusFault) => void;
}

type MessageQuery = { readonly last_by_subj: string } | { readonly seq: number; readonly next_by_subj: string };

const WRONG_LAST_SEQUENCE = 10_071;
const MESSAGE_ID = 'Nats-Msg-Id';
/** Every append carries it. An answer of the server that a rogue request aimed at this log does not. */
const OWN_MARK = 'Nats-Expected-Stream';
/** A read that makes no progress for so long is over; callers have deadlines of their own. */
const READ_PATIENCE_MS = 10_000;

/**
 * The log over one JetStream stream. The server decides every compare-and-swap; nothing is cached here, so that a
 * reader that asks for the last record always asks the stream's leader.
 */
export class NatsLog implements Log {
  private readonly tails = new Set<Tail>();
  private readonly tip: StreamTip;
  private closed = false;

  constructor(
    private readonly doors: NatsLogDoors,
    private readonly stream: string,
  ) {
    this.tip = createStreamTip(doors.jet, stream);
  }

  async append(subject: string, payload: Uint8Array, options: AppendOptions = {}): Promise<Appended> {
    this.checkOpen();
    checkSubject(subject);
    checkSize(payload);
    const own = new Uint8Array(payload);
    const guarded = Boolean(options.expectedLastSeq) && (await this.tip.isNeeded());
    const swap = () => this.swap(subject, own, options, guarded);
    return guarded ? this.tip.inTurn(swap) : swap();
  }

  private async swap(subject: string, own: Uint8Array, options: AppendOptions, guarded: boolean): Promise<Appended> {
    for (let expected = options.expectedLastSeq, tries = 1; ; tries++) {
      try {
        const tip = guarded ? this.tip.last : undefined;
        const appended = await this.publish(subject, own, { expected, tip, messageId: options.messageId });
        this.tip.saw(appended.seq);
        return appended;
      } catch (thrown) {
        if (apiCode(thrown) !== WRONG_LAST_SEQUENCE) throw appendFailure(thrown);
        if (guarded && expected && (await this.tip.hasMoved(subject, expected, tries))) continue;
        const cause = await this.explainConflict(subject, options.expectedLastSeq ?? 0, options.messageId);
        if (typeof cause === 'object') return cause;
        expected = cause;
      }
    }
  }

  async last(subject: string): Promise<LogRecord | undefined> {
    this.checkOpen();
    checkSubject(subject);
    return this.newest(subject);
  }

  read(pattern: string, { fromSeq = 1, limit = Number.POSITIVE_INFINITY }: ReadOptions = {}): AsyncIterable<LogRecord> {
    this.checkOpen();
    compilePattern(pattern);
    // Asked now, not when somebody begins to read.
    const head = this.headSeq(pattern);
    head.catch(() => undefined);
    return this.readTo(pattern, fromSeq, head, limit);
  }

  tail(pattern: string, fromSeq: number, handle: (record: LogRecord) => void | Promise<void>): Tail {
    this.checkOpen();
    compilePattern(pattern);
    const stopped = new AbortController();
    const done = this.follow(pattern, Math.max(1, fromSeq), handle, stopped.signal);
    const tail: Tail = {
      stop: async () => {
        this.tails.delete(tail);
        stopped.abort();
        await done;
      },
    };
    this.tails.add(tail);
    return tail;
  }

  async headSeq(pattern: string): Promise<number> {
    this.checkOpen();
    compilePattern(pattern);
    return (await this.newest(pattern))?.seq ?? 0;
  }

  async close(): Promise<void> {
    this.closed = true;
    // Not awaited: a handler may itself be waiting for this close.
    for (const tail of [...this.tails]) void tail.stop();
  }

  private checkOpen(): void {
    if (this.closed) throw new HermesError('not_ready', 'the log is closed');
  }

  /** From the stream's leader. @throws HermesError `log_unavailable` */
  private async ask(query: MessageQuery): Promise<StoredMsg | undefined> {
    try {
      const manager = await this.doors.jet.manager();
      return (await manager.streams.getMessage(this.stream, query)) ?? undefined;
    } catch (thrown) {
      throw readFailure(thrown);
    }
  }

  private async publish(
    subject: string,
    payload: Uint8Array,
    { expected, tip, messageId }: { expected?: number; tip: number | undefined; messageId?: string | undefined },
  ): Promise<Appended> {
    const { seq, duplicate } = await this.doors.jet.client().publish(subject, payload, {
      ...(messageId !== undefined && { msgID: messageKey(subject, messageId) }),
      expect: {
        streamName: this.stream,
        ...(expected !== undefined && { lastSubjectSequence: expected }),
        ...(tip !== undefined && { lastSequence: tip }),
      },
    });
    return { seq, duplicate };
  }

  /** The last record; what is no record of this log is passed over. */
  private async newest(pattern: string): Promise<LogRecord | undefined> {
    const found = await this.ask({ last_by_subj: pattern });
    if (!found || isOwn(found.header)) return found && toRecord(found);
    let newest: LogRecord | undefined;
    for await (const record of this.readTo(pattern, 1, Promise.resolve(found.seq), Number.POSITIVE_INFINITY)) {
      newest = record;
    }
    return newest;
  }

  /**
   * Somebody wrote first. If it was this very message, whose answer was lost, that is its success: an append that went
   * through is the first record of the subject after the one it expected. If all that was written since is no record,
   * the append may be tried behind it: the sequence to expect then is returned.
   * @throws HermesError `version_conflict` with `data.actual`.
   */
  private async explainConflict(subject: string, expected: number, messageId?: string): Promise<Appended | number> {
    let seq = expected;
    try {
      for (;;) {
        const next = await this.ask({ seq: seq + 1, next_by_subj: subject });
        if (!next) {
          if (seq > expected) return seq;
          break;
        }
        if (isOwn(next.header)) {
          if (messageId === undefined || next.header?.get(MESSAGE_ID) !== messageKey(subject, messageId)) break;
          return { seq: next.seq, duplicate: true };
        }
        this.doors.fault('foreign_record');
        seq = next.seq;
      }
      const actual = (await this.newest(subject))?.seq ?? 0;
      throw versionConflict(subject, expected, actual);
    } catch (thrown) {
      if (thrown instanceof HermesError && thrown.reason === 'version_conflict') throw thrown;
      const cause = readFailure(thrown);
      const unknown = messageId !== undefined;
      throw new HermesError('log_unavailable', cause.message, { ...cause.data, unknown }, { cause });
    }
  }

  private async *readTo(pattern: string, from: number, head: Promise<number>, limit: number) {
    const to = await head;
    let left = limit;
    if (left <= 0 || from > to) return;
    const end = { to, head: async () => to, stop: new AbortController().signal, patienceMs: READ_PATIENCE_MS };
    for await (const record of this.feed(pattern, from, end)) {
      yield record;
      if (--left <= 0) return;
    }
  }

  /** Never rejects: whatever fails is tried again until it is stopped. */
  private async follow(
    pattern: string,
    from: number,
    handle: (record: LogRecord) => void | Promise<void>,
    stop: AbortSignal,
  ): Promise<void> {
    const { clock, logger } = this.doors;
    let next = from;
    for (let failures = 0; !stop.aborted; failures++) {
      try {
        for await (const record of this.feed(pattern, next, { head: () => this.headSeq(pattern), stop })) {
          await handOver({ clock, logger }, record, handle, stop);
          if (stop.aborted) return;
          next = record.seq + 1;
          failures = 0;
        }
      } catch (thrown) {
        if (stop.aborted) return;
        logger.warn({ err: thrown, pattern, next }, 'a tail cannot read the log, it tries again');
      }
      await pause(clock, failures, stop);
    }
  }

  private feed(pattern: string, from: number, rest: Pick<FeedPlan, 'to' | 'head' | 'stop' | 'patienceMs'>) {
    return followStream(this.doors, { stream: this.stream, pattern, from, accept: isOwn, ...rest });
  }
}

const isOwn = (headers: MsgHdrs | undefined): boolean => headers?.has(OWN_MARK) === true;

const toRecord = ({ subject, seq, data, time }: StoredMsg): LogRecord => ({
  subject,
  seq,
  payload: new Uint8Array(data),
  at: time.getTime(),
});

function versionConflict(subject: string, expected: number, actual: number): HermesError {
  return new HermesError('version_conflict', `${subject}: expected last sequence ${expected}, it is ${actual}`, {
    subject,
    expected,
    actual,
  });
}
