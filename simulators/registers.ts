import type { Point, PointType, WordOrder } from '../shared/device.js';

/**
 * Engineering values ↔ 16-bit words, as the simulated firmware does it.
 *
 * Written apart from the driver's codec on purpose: the two check each other in the driver contract suite.
 */
const WORDS: Readonly<Record<PointType, number>> = { bool: 1, uint16: 1, int16: 1, uint32: 2, int32: 2, float32: 2 };

/** Registers (or bits) that a point takes. */
export const wordsOf = (point: Point): number => WORDS[point.type];

/** Words of an engineering value, clipped to what the type can hold: a register is never out of its range. */
export function toWords(point: Point, value: number): number[] {
  const raw = value / (point.scale ?? 1);
  const bytes = Buffer.alloc(4);
  switch (point.type) {
    case 'bool':
      return [raw === 0 ? 0 : 1];
    case 'uint16':
      return [clip(raw, 0, 0xffff)];
    case 'int16':
      return [clip(raw, -0x8000, 0x7fff) & 0xffff];
    case 'uint32':
      bytes.writeUInt32BE(clip(raw, 0, 0xffff_ffff));
      break;
    case 'int32':
      bytes.writeInt32BE(clip(raw, -0x8000_0000, 0x7fff_ffff));
      break;
    case 'float32':
      bytes.writeFloatBE(raw);
  }
  const ordered = reorder(bytes, point.word_order ?? 'ABCD');
  return [ordered.readUInt16BE(0), ordered.readUInt16BE(2)];
}

export function fromWords(point: Point, words: readonly number[]): number {
  const scale = point.scale ?? 1;
  const first = words[0] ?? 0;
  if (point.type === 'bool') return first === 0 ? 0 : 1;
  if (point.type === 'uint16') return first * scale;
  if (point.type === 'int16') return (first > 0x7fff ? first - 0x1_0000 : first) * scale;
  const sent = Buffer.alloc(4);
  sent.writeUInt16BE(first, 0);
  sent.writeUInt16BE(words[1] ?? 0, 2);
  const bytes = reorder(sent, point.word_order ?? 'ABCD');
  if (point.type === 'float32') return bytes.readFloatBE(0) * scale;
  return (point.type === 'uint32' ? bytes.readUInt32BE(0) : bytes.readInt32BE(0)) * scale;
}

/** Each order is its own inverse. */
function reorder(bytes: Buffer, order: WordOrder): Buffer {
  const index = { ABCD: [0, 1, 2, 3], CDAB: [2, 3, 0, 1], BADC: [1, 0, 3, 2], DCBA: [3, 2, 1, 0] }[order];
  return Buffer.from(index.map((position) => bytes[position] ?? 0));
}

const clip = (value: number, low: number, high: number): number =>
  Math.min(high, Math.max(low, Math.round(Number.isFinite(value) ? value : 0)));
