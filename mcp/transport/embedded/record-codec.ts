import type { LogRecord } from '../log.js';

/**
 * A record in the store: subject length (2 bytes, big-endian), time (8-byte float), subject in UTF-8, payload.
 * Keys: `r <seq>` record, `s <subject> <seq>` index, `h <subject>` last sequence, `m <subject> <id>` message id.
 */
const HEAD_BYTES = 10;
const SEQ_DIGITS = 16;

export const paddedSeq = (seq: number): string => String(seq).padStart(SEQ_DIGITS, '0');
export const recordKey = (seq: number): string => `r ${paddedSeq(seq)}`;
export const indexKey = (subject: string, seq: number): string => `s ${subject} ${paddedSeq(seq)}`;
export const headKey = (subject: string): string => `h ${subject}`;
export const idKey = (key: string): string => `m ${key}`;

export function encodeRecord(record: LogRecord): Uint8Array {
  const subject = Buffer.from(record.subject, 'utf8');
  const out = Buffer.allocUnsafe(HEAD_BYTES + subject.length + record.payload.byteLength);
  out.writeUInt16BE(subject.length, 0);
  out.writeDoubleBE(record.at, 2);
  subject.copy(out, HEAD_BYTES);
  out.set(record.payload, HEAD_BYTES + subject.length);
  return out;
}

/** The payload is a view of `bytes`. @throws RangeError when the bytes are too short to be a record. */
export function decodeRecord(seq: number, bytes: Uint8Array): LogRecord {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = HEAD_BYTES + view.readUInt16BE(0);
  if (end > view.length) throw new RangeError(`record ${seq} is cut short`);
  return {
    seq,
    at: view.readDoubleBE(2),
    subject: view.toString('utf8', HEAD_BYTES, end),
    payload: bytes.subarray(end),
  };
}

export const encodeSeq = (seq: number): Uint8Array => Buffer.from(String(seq), 'latin1');
export const decodeSeq = (bytes: Uint8Array): number => Number(Buffer.from(bytes).toString('latin1'));
