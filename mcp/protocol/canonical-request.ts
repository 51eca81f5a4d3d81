import { LIMITS } from '../../shared/limits.js';
import { NOT_PLAIN, PackReader } from './pack-reader.js';
import { PackWriter } from './pack-writer.js';

/**
 * The order in which this implementation writes a request: what stays the same from call to call first, in one run of
 * bytes that is made once; then what changes, at fixed widths; params last. It is plain MessagePack, and a receiver
 * takes any order; one that finds this order may compare the run with one that it has checked before.
 */
export interface RequestTail {
  readonly request_id: string;
  readonly timeout_ms: number;
  readonly deadline_unix_ms: number;
  readonly sent_at_unix_ms: number;
  readonly clock_offset_ms: number;
  readonly attempt: number;
  readonly traceparent?: string | undefined;
  readonly params: Readonly<Record<string, unknown>>;
}

const FIELDS = 7;
const TRACEPARENT_CHARS = 55;
const bytesOf = (text: string, ...more: number[]): Uint8Array =>
  Uint8Array.from([0xa0 | text.length, ...Buffer.from(text, 'latin1'), ...more]);

const REQUEST_ID = bytesOf('request_id');
const TIMEOUT = bytesOf('timeout_ms');
const DEADLINE = bytesOf('deadline_unix_ms');
const SENT_AT = bytesOf('sent_at_unix_ms');
const OFFSET = bytesOf('clock_offset_ms');
const ATTEMPT = bytesOf('attempt');
const TRACEPARENT = bytesOf('traceparent');
const PARAMS = bytesOf('params');

const WRITER = new PackWriter();
const READER = new PackReader();

/** The run of bytes before the tail, for requests with or without a traceparent; undefined for what is not plain. */
export function encodePrefix(constant: Readonly<Record<string, unknown>>, traced: boolean): Uint8Array | undefined {
  const fields = Object.entries(constant).filter(([, value]) => value !== undefined);
  const count = fields.length + FIELDS + (traced ? 1 : 0);
  WRITER.reset();
  WRITER.raw(Uint8Array.from([0xde, 0, count]));
  for (const [key, value] of fields) if (!WRITER.value(key) || !WRITER.value(value)) return undefined;
  return WRITER.take();
}

/** The whole request; undefined when a field does not fit its width: then it is written in any order. */
export function encodeRequest(prefix: Uint8Array, tail: RequestTail): Uint8Array | undefined {
  const { traceparent } = tail;
  const fits = tail.timeout_ms < 2 ** 32 && tail.attempt < 0x80;
  if (!fits || (traceparent !== undefined && traceparent.length !== TRACEPARENT_CHARS)) return undefined;
  WRITER.reset();
  WRITER.raw(prefix);
  WRITER.raw(REQUEST_ID);
  if (!WRITER.string8(tail.request_id)) return undefined;
  WRITER.raw(TIMEOUT);
  WRITER.uint32(tail.timeout_ms);
  WRITER.raw(DEADLINE);
  WRITER.uint64(tail.deadline_unix_ms);
  WRITER.raw(SENT_AT);
  WRITER.uint64(tail.sent_at_unix_ms);
  WRITER.raw(OFFSET);
  WRITER.float64(tail.clock_offset_ms);
  WRITER.raw(ATTEMPT);
  WRITER.byte(tail.attempt);
  if (traceparent !== undefined) {
    WRITER.raw(TRACEPARENT);
    if (!WRITER.string8(traceparent)) return undefined;
  }
  WRITER.raw(PARAMS);
  return WRITER.value(tail.params) ? WRITER.take() : undefined;
}

/** Where the tail of a request in this order begins; undefined for any other order. */
export function tailOffset(bytes: Uint8Array): number | undefined {
  READER.begin(bytes);
  const count = READER.mapHead();
  for (let index = 0; index < count; index++) {
    const { at } = READER;
    const key = READER.key();
    if (key === 'request_id') return readTail(bytes, at, count - index) ? at : undefined;
    if (key === NOT_PLAIN || READER.value(1) === NOT_PLAIN) return undefined;
  }
  return undefined;
}

/**
 * The tail at this place with every rule of the envelope for its fields checked; undefined when it is not written as
 * it is here, or breaks a rule. @param fields how many the map still has.
 */
export function readTail(bytes: Uint8Array, from: number, fields: number): RequestTail | undefined {
  READER.begin(bytes, from);
  if (!isKey(bytes, REQUEST_ID)) return undefined;
  const request_id = READER.value();
  const timeout_ms = field(bytes, TIMEOUT);
  const deadline_unix_ms = field(bytes, DEADLINE);
  const sent_at_unix_ms = field(bytes, SENT_AT);
  const clock_offset_ms = field(bytes, OFFSET);
  const attempt = field(bytes, ATTEMPT);
  const traced = fields === FIELDS + 1;
  const traceparent = traced ? field(bytes, TRACEPARENT) : undefined;
  const params = field(bytes, PARAMS);
  if (fields !== FIELDS && !traced) return undefined;
  const isWhole =
    READER.isDone &&
    typeof request_id === 'string' &&
    request_id.length >= 1 &&
    request_id.length <= LIMITS.requestIdChars &&
    isWholeNumber(timeout_ms, 1) &&
    isWholeNumber(deadline_unix_ms, 0) &&
    isWholeNumber(sent_at_unix_ms, 0) &&
    Number.isFinite(clock_offset_ms) &&
    isWholeNumber(attempt, 1) &&
    (!traced || (typeof traceparent === 'string' && traceparent.length <= 64)) &&
    typeof params === 'object' &&
    params !== null &&
    !Array.isArray(params);
  if (!isWhole) return undefined;
  return {
    request_id,
    timeout_ms,
    deadline_unix_ms,
    sent_at_unix_ms,
    clock_offset_ms: clock_offset_ms as number,
    attempt,
    traceparent: traceparent as string | undefined,
    params: params as Readonly<Record<string, unknown>>,
  };
}

const isWholeNumber = (value: unknown, min: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= min;

function field(bytes: Uint8Array, key: Uint8Array): unknown {
  return isKey(bytes, key) ? READER.value(1) : NOT_PLAIN;
}

/** Steps over the key when it stands there. */
function isKey(bytes: Uint8Array, key: Uint8Array): boolean {
  const { at } = READER;
  for (let index = 0; index < key.length; index++) if (bytes[at + index] !== key[index]) return false;
  READER.at = at + key.length;
  return true;
}
