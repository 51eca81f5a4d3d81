import { encode as pack, decode as unpack } from '@msgpack/msgpack';
import { HermesError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { plainJson } from '../../shared/plain-json.js';
import { NOT_PLAIN, PackReader } from './pack-reader.js';
import { PackWriter } from './pack-writer.js';

export type WireFormat = 'msgpack' | 'json';

const OPEN_BRACE = 0x7b;

/** Room to write in and keys seen before; neither means anything between two calls. */
const WRITER = new PackWriter();
const READER = new PackReader();

/** MessagePack, or JSON for those who asked in JSON. `undefined` fields are left out. */
export function encodeMessage(message: object, format: WireFormat = 'msgpack'): Uint8Array {
  const bytes = format === 'json' ? new TextEncoder().encode(JSON.stringify(message)) : packPlain(message);
  if (bytes.byteLength > LIMITS.messageBytes) {
    throw new HermesError('invalid_params', `message of ${bytes.byteLength} bytes is over ${LIMITS.messageBytes}`, {
      fields: [{ pointer: '', problem: `at most ${LIMITS.messageBytes} bytes` }],
    });
  }
  return bytes;
}

/** @throws HermesError `invalid_params` for anything that is not one well-formed map within the limits. */
export function decodeMessage(bytes: Uint8Array): { message: Record<string, unknown>; format: WireFormat } {
  if (bytes.byteLength > LIMITS.messageBytes) throw malformed(`over ${LIMITS.messageBytes} bytes`);
  const format: WireFormat = bytes[0] === OPEN_BRACE ? 'json' : 'msgpack';
  if (format === 'msgpack') {
    READER.begin(bytes);
    const plain = READER.value();
    if (plain !== NOT_PLAIN && READER.isDone && isMap(plain)) return { message: plain, format };
  }
  let value: unknown;
  try {
    value = format === 'json' ? JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) : unpack(bytes);
  } catch (cause) {
    throw malformed(cause instanceof Error ? cause.message : 'undecodable', cause);
  }
  if (!isMap(value)) throw malformed('not a map');
  checkDepth(value, 0);
  // JSON can say half a surrogate pair, which no bytes can: further on it would be another text than here.
  return { message: format === 'json' ? (plainJson(value) as typeof value) : value, format };
}

function packPlain(value: unknown): Uint8Array {
  WRITER.reset();
  return WRITER.value(value) ? WRITER.take() : pack(value, { ignoreUndefined: true });
}

/** Values inside entries and views: MessagePack without the limits of a message from outside. */
export const packValue = packPlain;

export function unpackValue(bytes: Uint8Array): unknown {
  READER.begin(bytes);
  const plain = READER.value();
  return plain !== NOT_PLAIN && READER.isDone ? plain : unpack(bytes);
}

/** MessagePack has bytes, dates and extensions too; none of them is a map. */
const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

function checkDepth(value: unknown, depth: number): void {
  if (!Array.isArray(value) && !isMap(value)) return;
  if (depth >= LIMITS.nestingDepth) throw malformed(`deeper than ${LIMITS.nestingDepth}`);
  for (const [key, child] of Object.entries(value)) {
    if (key === '__proto__') throw malformed('a key named __proto__');
    checkDepth(child, depth + 1);
  }
}

function malformed(problem: string, cause?: unknown): HermesError {
  return new HermesError(
    'invalid_params',
    `malformed message: ${problem}`,
    { fields: [{ pointer: '', problem }] },
    {
      cause,
    },
  );
}
