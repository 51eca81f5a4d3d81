import { encode as pack } from '@msgpack/msgpack';
import { LIMITS } from '../../shared/limits.js';
import type { Random } from '../../shared/random.js';

type Raw = Record<string, unknown>;

const one = <T>(random: Random, from: readonly T[]): T => from[random.int(from.length)] as T;

/** Deeper than a message may be, in maps or in lists. */
function nested(random: Random): unknown {
  const lists = random.int(2) === 0;
  let value: unknown = 1;
  for (let depth = random.int(LIMITS.nestingDepth * 3); depth > 0; depth--) value = lists ? [value] : { a: value };
  return value;
}

/** A text longer than any field; once in a while longer than a message. */
const longText = (random: Random): string =>
  'x'.repeat(random.int(one(random, [300, 5_000, 5_000, 70_000, 1_100_000])));

/** Values of every kind and at every edge; none of them is what a field expects, or all of them are. */
function oddValue(random: Random): unknown {
  const kind = random.int(6);
  if (kind === 0) return nested(random);
  if (kind === 1) return random.int(8) === 0 ? longText(random) : 'x'.repeat(random.int(200));
  if (kind === 2) return one<unknown>(random, [null, true, false, '', ' ', '*', '>', 'a.b', 'worker_v1.0', '\u0000']);
  if (kind === 3)
    return one(random, [0, -1, 0.5, 2 ** 31, 2 ** 53, 1e300, -1e300, Number.NaN, Number.POSITIVE_INFINITY]);
  if (kind === 4) return one<unknown>(random, [[], {}, [1, 'a'], ['worker_v1.0'], { id: '' }, { reason: 'x' }, [[]]]);
  return one<unknown>(random, [
    new Date(0),
    Uint8Array.from([1, 2]),
    { data: null },
    { data: {} },
    Array(70).fill('a'),
  ]);
}

const NAMES = ['__proto__', 'constructor', 'toString', 'id', 'roles', 'reason', 'data', 'via', 'chain', 'budget'];

/** The maps of a message, itself first: any of them may be changed. */
function mapsIn(message: Raw): Raw[] {
  const found = [message];
  for (let at = 0; at < found.length && found.length < 12; at++) {
    for (const value of Object.values(found[at] as Raw)) {
      const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
      if (isPlain) found.push(value as Raw);
    }
  }
  return found;
}

/** One field wrong: another type, gone, swapped with another, new, too deep, too long. Changes the message in place. */
export function mutateFields(message: Raw, random: Random): void {
  const map = one(random, mapsIn(message));
  const keys = Object.keys(map);
  const key = keys.length === 0 ? one(random, NAMES) : one(random, keys);
  const put = (name: string, value: unknown): void => {
    Object.defineProperty(map, name, { value, enumerable: true, configurable: true, writable: true });
  };
  const kind = random.int(8);
  if (kind < 3) put(key, oddValue(random));
  else if (kind === 3) delete map[key];
  else if (kind < 6 && keys.length > 1) {
    const other = one(random, keys);
    const was = map[key];
    put(key, map[other]);
    put(other, was);
  } else put(one(random, NAMES), oddValue(random));
}

/** The fields in another order. */
export function shuffled(message: Raw, random: Random): Raw {
  const entries = Object.entries(message);
  for (let at = entries.length - 1; at > 0; at--) {
    const other = random.int(at + 1);
    [entries[at], entries[other]] = [entries[other] as [string, unknown], entries[at] as [string, unknown]];
  }
  return Object.fromEntries(entries);
}

/** Bytes of a message that may be anything: past every check of `encodeMessage`. */
export function looseBytes(message: Raw, json: boolean): Uint8Array {
  const text = (): Uint8Array => new TextEncoder().encode(JSON.stringify(message) ?? '{');
  if (json) return text();
  try {
    return pack(message, { maxDepth: 1_000, ignoreUndefined: true });
  } catch (thrown) {
    if (thrown instanceof Error) return text();
    throw thrown;
  }
}

/** Bits flipped, an end or a middle missing, bytes put in or repeated, the beginning of one on the end of another. */
export function mutateBytes(bytes: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  const at = random.int(bytes.length + 1);
  const to = Math.min(bytes.length, at + random.int(16));
  switch (random.int(8)) {
    case 0:
    case 1:
      return flipped(bytes, random);
    case 2:
      return bytes.slice(0, at);
    case 3:
      return joined(bytes.subarray(0, at), other.subarray(random.int(other.length + 1)));
    case 4:
      return joined(bytes.subarray(0, at), random.bytes(random.int(16)), bytes.subarray(at));
    case 5:
      return joined(bytes.subarray(0, at), bytes.subarray(to));
    case 6:
      return joined(bytes.subarray(0, to), bytes.subarray(at));
    default:
      return random.int(40) === 0 ? joined(bytes, new Uint8Array(LIMITS.messageBytes)) : flipped(bytes, random);
  }
}

function flipped(bytes: Uint8Array, random: Random): Uint8Array {
  const changed = bytes.slice();
  for (let n = random.int(6); n >= 0 && changed.length > 0; n--) {
    const at = random.int(changed.length);
    changed[at] = (changed[at] as number) ^ (1 << random.int(8));
  }
  return changed;
}

const joined = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));
