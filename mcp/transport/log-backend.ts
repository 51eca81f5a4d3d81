import type { LogRecord } from './log.js';

/**
 * Where the records of a log lie. The rules of the log (compare-and-swap, message ids, tails) are in `sequenced-log.ts`
 * and know no medium.
 */
export interface LogBackend {
  /** What is in the medium now. Called to open and after each failed write; when it throws, reads may still work. */
  load(): Promise<LogHeads>;
  /** All or nothing, and durable when it resolves. One at a time. */
  write(batch: LogBatch): Promise<void>;
  get(seq: number): Promise<LogRecord | undefined>;
  /** In order of sequence, both ends included. `subject` narrows to one subject. */
  scan(range: ScanRange): AsyncIterable<LogRecord>;
  close(): Promise<void>;
}

export interface LogHeads {
  lastSeq: number;
  /** Last sequence by subject. */
  readonly heads: Map<string, number>;
  /** First sequence by message key. */
  readonly ids: Map<string, number>;
}

export interface LogBatch {
  readonly entries: readonly LogEntry[];
  /** Message keys that nobody asks for any more. */
  readonly forget: readonly string[];
}

export interface LogEntry {
  readonly record: LogRecord;
  readonly key: string | undefined;
}

export interface ScanRange {
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly subject?: string | undefined;
}

/** A message id counts within its subject. A space cannot be part of a subject. */
export const messageKey = (subject: string, messageId: string): string => `${subject} ${messageId}`;
