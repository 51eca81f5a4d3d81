/**
 * Log: durable ordered append with compare-and-swap. The only durable truth; everything else is a projection of it.
 *
 * Invariants (the contract suite holds them on every transport):
 *  1. `append` resolves only after the record is durable. Sequences only increase, over all subjects; gaps may occur.
 *  2. With `expectedLastSeq` the append succeeds only if the subject's last sequence is that number (0 = no record);
 *     otherwise `version_conflict` with `data.actual`.
 *  3. A repeated `messageId` on a subject appends nothing and returns the first sequence with `duplicate: true`,
 *     for at least two minutes; the check comes before the compare-and-swap.
 *  4. `read` and `tail` deliver in order of sequence, each record once; `tail` goes on with records appended later.
 *  5. `last` is never stale.
 *  6. A failed append leaves nothing; one whose outcome is unknown throws `log_unavailable` with `data.unknown: true`.
 */
export interface Log {
  append(subject: string, payload: Uint8Array, options?: AppendOptions): Promise<Appended>;
  /** The newest record of one subject. */
  last(subject: string): Promise<LogRecord | undefined>;
  /** Records whose subject matches the pattern, from a sequence on, up to a head that is not older than the call. */
  read(pattern: string, options?: ReadOptions): AsyncIterable<LogRecord>;
  /** Records from a sequence on, for ever. The handler is awaited: one record at a time. */
  tail(pattern: string, fromSeq: number, handle: (record: LogRecord) => void | Promise<void>): Tail;
  /** The newest sequence of all subjects that match, 0 when there is none. */
  headSeq(pattern: string): Promise<number>;
  close(): Promise<void>;
}

export interface AppendOptions {
  readonly expectedLastSeq?: number;
  readonly messageId?: string;
}

export interface Appended {
  readonly seq: number;
  readonly duplicate: boolean;
}

export interface ReadOptions {
  /** Default 1. */
  readonly fromSeq?: number;
  readonly limit?: number;
}

export interface LogRecord {
  readonly subject: string;
  readonly seq: number;
  readonly payload: Uint8Array;
  /** When the log took it, Unix milliseconds. */
  readonly at: number;
}

export interface Tail {
  stop(): Promise<void>;
}
