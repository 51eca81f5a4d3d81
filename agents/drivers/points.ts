import type { Point, PointTable, PointType, WordOrder } from '../../shared/device.js';
import { invalidParams } from '../../shared/errors.js';

/** Most that one read may ask for (Modbus Application Protocol V1.1b3 §6.1–6.4). */
export const READ_LIMITS = { bits: 2000, registers: 125 } as const;
/** Most that one write may carry (§6.11, §6.12). */
export const WRITE_LIMITS = { bits: 1968, registers: 123 } as const;

const SIZE: Readonly<Record<PointType, number>> = { bool: 1, uint16: 1, int16: 1, uint32: 2, int32: 2, float32: 2 };
const RANGE: Readonly<Record<Exclude<PointType, 'bool'>, readonly [number, number]>> = {
  uint16: [0, 0xffff],
  int16: [-0x8000, 0x7fff],
  uint32: [0, 0xffff_ffff],
  int32: [-0x8000_0000, 0x7fff_ffff],
  float32: [-3.402_823_466e38, 3.402_823_466e38],
};

export const isBitTable = (table: PointTable): boolean => table === 'coil' || table === 'discrete';

/** Registers (or bits) of a point. */
export const pointSize = (point: Point): number => SIZE[point.type];

/**
 * Engineering value of a point from its words.
 *
 * A float that is not a finite number is `null`: the device has said that it does not know.
 * @throws RangeError when the number of words is not the point's size.
 */
export function decodePoint(point: Point, words: readonly number[]): number | boolean | null {
  if (words.length !== SIZE[point.type]) throw new RangeError(`${point.name} takes ${SIZE[point.type]} words`);
  const [first = 0, second = 0] = words;
  if (point.type === 'bool') return first !== 0;
  if (SIZE[point.type] === 1) return scaled(point, point.type === 'int16' ? (first << 16) >> 16 : first);
  const bytes = ordered(wordsToBytes(first, second), point.word_order);
  const raw = new DataView(bytes.buffer);
  if (point.type === 'uint32') return scaled(point, raw.getUint32(0));
  if (point.type === 'int32') return scaled(point, raw.getInt32(0));
  const value = raw.getFloat32(0);
  return Number.isFinite(value) ? scaled(point, value) : null;
}

/**
 * Words to write for an engineering value.
 *
 * @throws HermesError `invalid_params` naming `pointer`: not a number, outside of the point's limits, or not
 * representable in its type. Nothing is clipped.
 */
export function encodePoint(point: Point, value: number | boolean, pointer = '/value'): number[] {
  const refuse = (problem: string) => invalidParams(`${point.name} cannot take this value`, [{ pointer, problem }]);
  if (point.access !== 'rw') throw refuse(`${point.name} is read-only`);
  if (point.type === 'bool') {
    if (value === true || value === 1) return [1];
    if (value === false || value === 0) return [0];
    throw refuse('expected true or false');
  }
  if (typeof value !== 'number' || !Number.isFinite(value)) throw refuse('expected a finite number');
  if (point.min !== undefined && value < point.min) throw refuse(`below the limit ${point.min}`);
  if (point.max !== undefined && value > point.max) throw refuse(`above the limit ${point.max}`);
  const exact = value / (point.scale ?? 1);
  const raw = point.type === 'float32' ? exact : Math.round(exact);
  const [low, high] = RANGE[point.type];
  if (raw < low || raw > high) throw refuse(`outside of ${point.type} at scale ${point.scale ?? 1}`);
  return rawToWords(point, raw);
}

/** One block read, and the points that it serves. */
export interface ReadBlock {
  readonly table: PointTable;
  readonly address: number;
  readonly count: number;
  readonly points: readonly Point[];
}

/**
 * Block reads that cover the points: in order of table and address, never over a gap (a gap is an exception 2 on many
 * devices), never beyond the limits, never cutting a two-register value.
 */
export function planReads(points: readonly Point[]): ReadBlock[] {
  const blocks: { table: PointTable; address: number; count: number; points: Point[] }[] = [];
  const inOrder = [...points].sort((a, b) => a.table.localeCompare(b.table) || a.address - b.address);
  for (const point of inOrder) {
    const end = point.address + SIZE[point.type];
    const limit = isBitTable(point.table) ? READ_LIMITS.bits : READ_LIMITS.registers;
    const block = blocks.at(-1);
    const joins =
      block?.table === point.table && point.address <= block.address + block.count && end - block.address <= limit;
    if (block && joins) {
      block.count = Math.max(block.count, end - block.address);
      block.points.push(point);
    } else blocks.push({ table: point.table, address: point.address, count: SIZE[point.type], points: [point] });
  }
  return blocks;
}

/** Values of a block's points, by name. */
export function decodeBlock(block: ReadBlock, words: readonly number[]): Map<string, number | boolean | null> {
  return new Map(
    block.points.map((point) => {
      const offset = point.address - block.address;
      return [point.name, decodePoint(point, words.slice(offset, offset + SIZE[point.type]))] as const;
    }),
  );
}

/** Without the dust of binary fractions: 231 × 0.1 is 23.1. */
function scaled(point: Point, raw: number): number {
  if (point.scale === undefined || point.scale === 1) return raw;
  return Number((raw * point.scale).toPrecision(12));
}

function rawToWords(point: Point, raw: number): number[] {
  if (SIZE[point.type] === 1) return [raw & 0xffff];
  const view = new DataView(new ArrayBuffer(4));
  if (point.type === 'float32') view.setFloat32(0, raw);
  else if (point.type === 'uint32') view.setUint32(0, raw);
  else view.setInt32(0, raw);
  const sent = new DataView(ordered(new Uint8Array(view.buffer), point.word_order).buffer);
  return [sent.getUint16(0), sent.getUint16(2)];
}

function wordsToBytes(first: number, second: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.of(first >> 8, first & 0xff, second >> 8, second & 0xff);
}

/** Each order swaps pairs, so it is its own inverse. */
function ordered(bytes: Uint8Array<ArrayBuffer>, order: WordOrder = 'ABCD'): Uint8Array<ArrayBuffer> {
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  switch (order) {
    case 'ABCD':
      return Uint8Array.of(a, b, c, d);
    case 'CDAB':
      return Uint8Array.of(c, d, a, b);
    case 'BADC':
      return Uint8Array.of(b, a, d, c);
    case 'DCBA':
      return Uint8Array.of(d, c, b, a);
  }
}
