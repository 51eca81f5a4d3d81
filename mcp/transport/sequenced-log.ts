import type { Clock } from '../../shared/clock.js';
import { HermesError } from '../../shared/errors.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import { type AppendRequest, planCommit } from './append-decision.js';
import type { Appended, AppendOptions, Log, LogRecord, ReadOptions, Tail } from './log.js';
import type { LogBackend, LogEntry, LogHeads } from './log-backend.js';
import { openTail } from './log-tail.js';
import { MessageIds } from './message-ids.js';
import { checkSize } from './payload-size.js';
import { RecentRecords } from './recent-records.js';
import { checkSubject, compilePattern, type SubjectPattern } from './subject-pattern.js';

export interface SequencedLogDoors {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Requests of one commit; more wait for the next. */
const COMMIT_REQUESTS = 1_024;
const COMMIT_BYTES = 16_777_216;

/**
 * The rules of a log whose writers all come through this object: group commit with one batch in flight.
 *
 * Appends that come while a batch is being written join the next one. A batch is decided only when the one before it
 * is known to be written or lost, so heads are never a guess. After a failed batch they are read again from the medium
 * before the next; until that works, appends fail and reads answer with what was acknowledged.
 */
class SequencedLog implements Log {
  private readonly queue: AppendRequest[] = [];
  private readonly recent = new RecentRecords();
  private readonly ids: MessageIds;
  private readonly tails = new Set<Tail>();
  private readonly waiting = new Set<() => void>();
  private pumping: Promise<void> | undefined;
  private recovering: Promise<void> | undefined;
  /** A batch failed: what is in the medium is not what is in memory. */
  private unsure = false;
  private closed = false;

  constructor(
    private readonly backend: LogBackend,
    private state: LogHeads,
    private readonly doors: SequencedLogDoors,
  ) {
    this.ids = new MessageIds(doors.clock);
    this.ids.restart(state.ids.keys());
  }

  async append(subject: string, payload: Uint8Array, options: AppendOptions = {}): Promise<Appended> {
    this.checkOpen();
    checkSubject(subject);
    checkSize(payload);
    return new Promise((resolve, reject) => {
      this.queue.push({ subject, payload: payload.slice(), options, resolve, reject });
      this.pumping ??= this.pump();
    });
  }

  async last(subject: string): Promise<LogRecord | undefined> {
    checkSubject(subject);
    await this.readable();
    const seq = this.state.heads.get(subject);
    const record = seq === undefined ? undefined : await this.backend.get(seq);
    return record && { ...record, payload: record.payload.slice() };
  }

  read(pattern: string, options: ReadOptions = {}): AsyncIterable<LogRecord> {
    this.checkOpen();
    const compiled = compilePattern(pattern);
    const { fromSeq = 1, limit = Number.POSITIVE_INFINITY } = options;
    const head = this.recovering ? undefined : this.state.lastSeq;
    return this.readLimited(compiled, fromSeq, head, limit);
  }

  tail(pattern: string, fromSeq: number, handle: (record: LogRecord) => void | Promise<void>): Tail {
    this.checkOpen();
    const source = {
      head: () => this.state.lastSeq,
      onChange: (run: () => void) => {
        this.waiting.add(run);
        return () => this.waiting.delete(run);
      },
      read: (compiled: SubjectPattern, from: number, to: number) => this.records(compiled, from, to),
    };
    const inner = openTail({ source, ...this.doors }, compilePattern(pattern), fromSeq, handle);
    const tail: Tail = {
      stop: () => {
        this.tails.delete(tail);
        return inner.stop();
      },
    };
    this.tails.add(tail);
    return tail;
  }

  async headSeq(pattern: string): Promise<number> {
    const compiled = compilePattern(pattern);
    await this.readable();
    if (compiled.literal) return this.state.heads.get(pattern) ?? 0;
    let head = 0;
    for (const [subject, seq] of this.state.heads) if (seq > head && compiled.matches(subject)) head = seq;
    return head;
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    // Not awaited: a handler may itself be waiting for this close.
    for (const tail of [...this.tails]) void tail.stop();
    await this.pumping;
    await this.backend.close();
  }

  private checkOpen(): void {
    if (this.closed) throw new HermesError('not_ready', 'the log is closed');
  }

  private async *readLimited(pattern: SubjectPattern, from: number, head: number | undefined, limit: number) {
    let left = limit;
    if (left <= 0) return;
    await this.readable();
    for await (const record of this.records(pattern, from, head ?? this.state.lastSeq)) {
      yield { ...record, payload: record.payload.slice() };
      if (--left <= 0) return;
    }
  }

  private async *records(pattern: SubjectPattern, fromSeq: number, toSeq: number): AsyncGenerator<LogRecord> {
    const near = this.recent.from(fromSeq, toSeq);
    if (near) {
      for (const record of near) if (pattern.matches(record.subject)) yield record;
      return;
    }
    const subject = pattern.literal ? pattern.text : undefined;
    for await (const record of this.backend.scan({ fromSeq, toSeq, subject })) {
      if (pattern.matches(record.subject)) yield record;
    }
  }

  private async pump(): Promise<void> {
    // Appends of the same turn join the first batch.
    await Promise.resolve();
    while (this.queue.length > 0) await this.commit(this.takeRequests());
    this.pumping = undefined;
  }

  private takeRequests(): readonly AppendRequest[] {
    let bytes = 0;
    let count = 0;
    for (const request of this.queue) {
      bytes += request.payload.byteLength;
      if (count > 0 && (count >= COMMIT_REQUESTS || bytes > COMMIT_BYTES)) break;
      count++;
    }
    return this.queue.splice(0, count);
  }

  /** Never rejects: every outcome goes to its request. */
  private async commit(requests: readonly AppendRequest[]): Promise<void> {
    const at = this.doors.clock.now();
    try {
      await this.beSure();
    } catch (thrown) {
      for (const request of requests) request.reject(unavailable(thrown, false));
      return;
    }
    const plan = planCommit(requests, this.state, at);
    const forget = this.ids.due(COMMIT_REQUESTS);
    try {
      if (plan.entries.length > 0) await this.backend.write({ entries: plan.entries, forget });
    } catch (thrown) {
      this.unsure = true;
      this.doors.logger.error({ err: thrown, appends: plan.entries.length }, 'a batch of the log failed');
      plan.fail((written) => unavailable(thrown, written));
      await this.tryReload();
      return;
    }
    if (plan.entries.length > 0) this.accept(plan.entries, forget);
    plan.succeed();
  }

  private accept(entries: readonly LogEntry[], forget: readonly string[]): void {
    for (const key of forget) this.state.ids.delete(key);
    this.ids.forget(forget);
    for (const { record, key } of entries) {
      this.state.heads.set(record.subject, record.seq);
      this.recent.push(record);
      if (key === undefined) continue;
      this.state.ids.set(key, record.seq);
      this.ids.add(key);
    }
    this.state.lastSeq = entries.at(-1)?.record.seq ?? this.state.lastSeq;
    this.wake();
  }

  private wake(): void {
    for (const run of [...this.waiting]) run();
  }

  /** @throws HermesError `log_unavailable` while the medium does not answer. */
  private async beSure(): Promise<void> {
    if (!this.unsure) return;
    this.recovering ??= this.reload().finally(() => {
      this.recovering = undefined;
    });
    await this.recovering;
  }

  /** Reads go on while nothing can be written: what was acknowledged is known. They wait for a reopening. */
  private async readable(): Promise<void> {
    this.checkOpen();
    if (this.recovering) await Promise.allSettled([this.recovering]);
  }

  /** At once, for the sake of tails: a record of the failed batch may be there. */
  private async tryReload(): Promise<void> {
    try {
      await this.beSure();
    } catch (thrown) {
      this.doors.logger.error({ err: thrown }, 'the log cannot be read again yet');
    }
  }

  private async reload(): Promise<void> {
    const state = await this.backend.load();
    this.state = state;
    this.ids.restart(state.ids.keys());
    this.recent.clear();
    this.unsure = false;
    this.doors.logger.warn({ last_seq: state.lastSeq }, 'the log answers again');
    this.wake();
  }
}

function unavailable(thrown: unknown, unknown: boolean): HermesError {
  const known = thrown instanceof HermesError ? thrown : undefined;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new HermesError('log_unavailable', message, { ...known?.data, unknown }, { cause: thrown });
}

/** Over a medium whose state is known. */
export const createSequencedLog = (backend: LogBackend, state: LogHeads, doors: SequencedLogDoors): Log =>
  new SequencedLog(backend, state, doors);

/** @throws what the medium's `load` throws. */
export async function openSequencedLog(backend: LogBackend, doors: SequencedLogDoors): Promise<Log> {
  return createSequencedLog(backend, await backend.load(), doors);
}
