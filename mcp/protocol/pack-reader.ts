import { LIMITS } from '../../shared/limits.js';

/** Native readers of a Buffer, which work on any bytes; not in the types of Node. */
const { utf8Slice } = Buffer.prototype as unknown as {
  utf8Slice(this: Uint8Array, from: number, to: number): string;
};

/** Said instead of a value: left to the library, which knows the rest of MessagePack and what to complain about. */
export const NOT_PLAIN: unique symbol = Symbol('not plain');

const SLOTS = 1_024;
const KEY_BYTES = 40;

/**
 * Reads MessagePack of plain values: null, booleans, numbers, strings, arrays and maps with string keys, no deeper than
 * a message may be. The other half of PackWriter.
 */
export class PackReader {
  #bytes: Uint8Array = new Uint8Array();
  #view: DataView = new DataView(new ArrayBuffer(0));
  at = 0;
  /** Keys of maps recur: the same bytes become the same string without decoding. */
  readonly #keys: ({ readonly bytes: Uint8Array; readonly text: string } | undefined)[] = new Array(SLOTS);

  begin(bytes: Uint8Array, at = 0): void {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
  }

  get isDone(): boolean {
    return this.at === this.#bytes.length;
  }

  /** A value, or NOT_PLAIN for what is malformed or belongs to the library. Never throws. */
  value(depth = 0): unknown {
    const head = this.#bytes[this.at];
    if (head === undefined) return NOT_PLAIN;
    this.at++;
    if (head < 0x80) return head;
    if (head < 0x90) return this.#map(head & 0x0f, depth);
    if (head < 0xa0) return this.#array(head & 0x0f, depth);
    if (head < 0xc0) return this.#string(head & 0x1f);
    if (head >= 0xe0) return head - 0x100;
    return this.#wide(head, depth);
  }

  #wide(head: number, depth: number): unknown {
    switch (head) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xd9:
      case 0xda:
      case 0xdb: {
        const size = this.#unsigned(1 << (head - 0xd9));
        return size < 0 ? NOT_PLAIN : this.#string(size);
      }
      case 0xdc:
      case 0xdd: {
        const count = this.#unsigned(2 << (head - 0xdc));
        return count < 0 ? NOT_PLAIN : this.#array(count, depth);
      }
      case 0xde:
      case 0xdf: {
        const count = this.#unsigned(2 << (head - 0xde));
        return count < 0 ? NOT_PLAIN : this.#map(count, depth);
      }
      default:
        return this.#number(head);
    }
  }

  #number(head: number): unknown {
    const size = SIZES[head];
    const { at } = this;
    if (size === undefined || at + size > this.#bytes.length) return NOT_PLAIN;
    this.at = at + size;
    switch (head) {
      case 0xca:
        return this.#view.getFloat32(at);
      case 0xcb:
        return this.#view.getFloat64(at);
      case 0xcc:
        return this.#bytes[at];
      case 0xcd:
        return this.#view.getUint16(at);
      case 0xce:
        return this.#view.getUint32(at);
      case 0xcf:
        return this.#view.getUint32(at) * 2 ** 32 + this.#view.getUint32(at + 4);
      case 0xd0:
        return this.#view.getInt8(at);
      case 0xd1:
        return this.#view.getInt16(at);
      case 0xd2:
        return this.#view.getInt32(at);
      default:
        return this.#view.getInt32(at) * 2 ** 32 + this.#view.getUint32(at + 4);
    }
  }

  /** -1 past the end. */
  #unsigned(size: number): number {
    const { at } = this;
    if (at + size > this.#bytes.length) return -1;
    this.at = at + size;
    if (size === 1) return this.#bytes[at] as number;
    return size === 2 ? this.#view.getUint16(at) : this.#view.getUint32(at);
  }

  #string(size: number): string | typeof NOT_PLAIN {
    const from = this.at;
    const to = from + size;
    if (to > this.#bytes.length) return NOT_PLAIN;
    this.at = to;
    return size === 0 ? '' : utf8Slice.call(this.#bytes, from, to);
  }

  #array(count: number, depth: number): unknown {
    // Each element takes a byte at least: a count beyond the end allots nothing.
    if (depth >= LIMITS.nestingDepth || this.at + count > this.#bytes.length) return NOT_PLAIN;
    const values: unknown[] = [];
    for (let index = 0; index < count; index++) {
      const value = this.value(depth + 1);
      if (value === NOT_PLAIN) return NOT_PLAIN;
      values.push(value);
    }
    return values;
  }

  #map(count: number, depth: number): unknown {
    if (depth >= LIMITS.nestingDepth || this.at + count * 2 > this.#bytes.length) return NOT_PLAIN;
    const map: Record<string, unknown> = {};
    for (let index = 0; index < count; index++) {
      const key = this.key();
      if (key === NOT_PLAIN || key === '__proto__') return NOT_PLAIN;
      const value = this.value(depth + 1);
      if (value === NOT_PLAIN) return NOT_PLAIN;
      map[key] = value;
    }
    return map;
  }

  /** Number of entries of the map that begins here; -1 when none does. */
  mapHead(): number {
    const head = this.#bytes[this.at++];
    if (head === undefined) return -1;
    if (head >= 0x80 && head < 0x90) return head & 0x0f;
    if (head === 0xde || head === 0xdf) return this.#unsigned(2 << (head - 0xde));
    return -1;
  }

  key(): string | typeof NOT_PLAIN {
    const bytes = this.#bytes;
    const head = bytes[this.at] ?? 0;
    const size = head - 0xa0;
    if (size <= 0 || size >= 0x20 || this.at + 1 + size > bytes.length) {
      const key = this.value();
      return typeof key === 'string' ? key : NOT_PLAIN;
    }
    const from = this.at + 1;
    this.at = from + size;
    const mid = bytes[from + (size >> 1)] as number;
    const slot = (size * 61 + (bytes[from] as number) * 31 + mid * 17 + (bytes[this.at - 1] as number)) % SLOTS;
    const known = this.#keys[slot];
    if (known !== undefined && isSame(known.bytes, bytes, from, size)) return known.text;
    const text = utf8Slice.call(bytes, from, this.at);
    if (size <= KEY_BYTES) this.#keys[slot] = { bytes: bytes.slice(from, this.at), text };
    return text;
  }
}

/** Bytes that a number takes after its head. */
const SIZES: Readonly<Record<number, number>> = {
  202: 4,
  203: 8,
  204: 1,
  205: 2,
  206: 4,
  207: 8,
  208: 1,
  209: 2,
  210: 4,
  211: 8,
};

function isSame(known: Uint8Array, bytes: Uint8Array, from: number, size: number): boolean {
  if (known.length !== size) return false;
  for (let index = 0; index < size; index++) if (known[index] !== bytes[from + index]) return false;
  return true;
}
