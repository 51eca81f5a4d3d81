/**
 * MessagePack for what messages are made of: null, booleans, numbers, strings, arrays and plain objects. The same
 * bytes as @msgpack/msgpack writes, at a third of its time. Anything else is left to that library.
 */
export class PackWriter {
  readonly #slab: number;
  #bytes: Buffer;
  #from = 0;
  #at = 0;

  /** @param slab bytes allotted at a time; what is written goes one after the other into them. */
  constructor(slab = 32_768) {
    this.#slab = slab;
    this.#bytes = Buffer.allocUnsafeSlow(slab);
  }

  /** Begins anew; what was written before and not taken is gone. */
  reset(): void {
    this.#at = this.#from;
  }

  /** What was written; nothing is ever written over it. */
  take(): Uint8Array {
    const taken = new Uint8Array(this.#bytes.buffer, this.#from, this.#at - this.#from);
    this.#from = this.#at;
    return taken;
  }

  raw(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  byte(value: number): void {
    this.#room(1);
    this.#bytes[this.#at++] = value;
  }

  /** Nine bytes whatever the value, so that its place is fixed. */
  uint64(value: number): void {
    this.#room(9);
    this.#bytes[this.#at] = 0xcf;
    this.#bytes.writeUInt32BE(Math.floor(value / 2 ** 32), this.#at + 1);
    this.#bytes.writeUInt32BE(value % 2 ** 32, this.#at + 5);
    this.#at += 9;
  }

  uint32(value: number): void {
    this.#room(5);
    this.#bytes[this.#at] = 0xce;
    this.#bytes.writeUInt32BE(value, this.#at + 1);
    this.#at += 5;
  }

  float64(value: number): void {
    this.#room(9);
    this.#bytes[this.#at] = 0xcb;
    this.#bytes.writeDoubleBE(value, this.#at + 1);
    this.#at += 9;
  }

  /** Up to 255 ASCII characters after a head of two bytes, whatever their number. False: not such a string. */
  string8(text: string): boolean {
    const { length } = text;
    if (length > 255) return false;
    this.#room(length + 2);
    this.#bytes[this.#at] = 0xd9;
    this.#bytes[this.#at + 1] = length;
    if (!this.#ascii(text, this.#at + 2)) return false;
    this.#at += length + 2;
    return true;
  }

  /** @returns false when the value holds something that is not plain; what was written of it then means nothing. */
  value(value: unknown, depth = 0): boolean {
    switch (typeof value) {
      case 'string':
        this.#string(value);
        return true;
      case 'number':
        this.#number(value);
        return true;
      case 'boolean':
        this.byte(value ? 0xc3 : 0xc2);
        return true;
      case 'undefined':
        this.byte(0xc0);
        return true;
      case 'object':
        if (value === null) this.byte(0xc0);
        else if (depth > 64) return false;
        else return Array.isArray(value) ? this.#array(value, depth) : this.#map(value, depth);
        return true;
      default:
        return false;
    }
  }

  #array(values: readonly unknown[], depth: number): boolean {
    this.#head(values.length, 0x90, 16, 0xdc);
    for (const value of values) if (!this.value(value, depth + 1)) return false;
    return true;
  }

  #map(value: object, depth: number): boolean {
    if (Object.getPrototypeOf(value) !== Object.prototype) return false;
    const record = value as Record<string, unknown>;
    let count = 0;
    for (const key in record) if (record[key] !== undefined) count++;
    this.#head(count, 0x80, 16, 0xde);
    for (const key in record) {
      const child = record[key];
      if (child === undefined) continue;
      this.#string(key);
      if (!this.value(child, depth + 1)) return false;
    }
    return true;
  }

  #head(count: number, fix: number, fixed: number, wide: number): void {
    this.#room(5);
    if (count < fixed) {
      this.#bytes[this.#at++] = fix | count;
    } else if (count < 0x10000) {
      this.#bytes[this.#at] = wide;
      this.#bytes.writeUInt16BE(count, this.#at + 1);
      this.#at += 3;
    } else {
      this.#bytes[this.#at] = wide + 1;
      this.#bytes.writeUInt32BE(count, this.#at + 1);
      this.#at += 5;
    }
  }

  #number(value: number): void {
    if (!Number.isSafeInteger(value)) this.float64(value);
    else if (value >= 0) this.#unsigned(value);
    else this.#signed(value);
  }

  #unsigned(value: number): void {
    this.#room(3);
    if (value < 0x80) {
      this.#bytes[this.#at++] = value;
    } else if (value >= 2 ** 32) {
      this.uint64(value);
    } else if (value >= 0x10000) {
      this.uint32(value);
    } else if (value < 0x100) {
      this.#bytes[this.#at] = 0xcc;
      this.#bytes[this.#at + 1] = value;
      this.#at += 2;
    } else {
      this.#bytes[this.#at] = 0xcd;
      this.#bytes.writeUInt16BE(value, this.#at + 1);
      this.#at += 3;
    }
  }

  #signed(value: number): void {
    this.#room(9);
    const at = this.#at;
    if (value >= -0x20) {
      this.#bytes[this.#at++] = value & 0xff;
    } else if (value >= -0x80) {
      this.#bytes[at] = 0xd0;
      this.#bytes.writeInt8(value, at + 1);
      this.#at += 2;
    } else if (value >= -0x8000) {
      this.#bytes[at] = 0xd1;
      this.#bytes.writeInt16BE(value, at + 1);
      this.#at += 3;
    } else if (value >= -0x80000000) {
      this.#bytes[at] = 0xd2;
      this.#bytes.writeInt32BE(value, at + 1);
      this.#at += 5;
    } else {
      this.#bytes[at] = 0xd3;
      this.#bytes.writeBigInt64BE(BigInt(value), at + 1);
      this.#at += 9;
    }
  }

  #string(text: string): void {
    const { length } = text;
    this.#room(length * 3 + 5);
    if (length < 32 && this.#ascii(text, this.#at + 1)) {
      this.#bytes[this.#at] = 0xa0 | length;
      this.#at += length + 1;
      return;
    }
    const size = Buffer.byteLength(text);
    let at = this.#at;
    if (size < 32) {
      this.#bytes[at] = 0xa0 | size;
      at += 1;
    } else if (size < 0x100) {
      this.#bytes[at] = 0xd9;
      this.#bytes[at + 1] = size;
      at += 2;
    } else if (size < 0x10000) {
      this.#bytes[at] = 0xda;
      this.#bytes.writeUInt16BE(size, at + 1);
      at += 3;
    } else {
      this.#bytes[at] = 0xdb;
      this.#bytes.writeUInt32BE(size, at + 1);
      at += 5;
    }
    this.#at = at + this.#bytes.write(text, at);
  }

  #ascii(text: string, at: number): boolean {
    const bytes = this.#bytes;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code >= 0x80) return false;
      bytes[at + index] = code;
    }
    return true;
  }

  #room(size: number): void {
    if (this.#at + size <= this.#bytes.length) return;
    const written = this.#at - this.#from;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#slab, (written + size) * 2));
    this.#bytes.copy(grown, 0, this.#from, this.#at);
    this.#bytes = grown;
    this.#from = 0;
    this.#at = written;
  }
}
