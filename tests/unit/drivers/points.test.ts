import { describe, expect, it } from 'vitest';
import { decodeBlock, decodePoint, encodePoint, planReads } from '../../../agents/drivers/index.js';
import type { Point, WordOrder } from '../../../shared/device.js';
import { HermesError } from '../../../shared/errors.js';

const point = (more: Partial<Point>): Point => ({
  name: 'p',
  table: 'holding',
  address: 0,
  type: 'uint16',
  access: 'rw',
  ...more,
});

const problem = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error instanceof HermesError ? error.data.fields?.[0] : error;
  }
  return undefined;
};

describe('points and registers', () => {
  it.each<[WordOrder, number[]]>([
    ['ABCD', [0x4148, 0xf5c3]],
    ['CDAB', [0xf5c3, 0x4148]],
    ['BADC', [0x4841, 0xc3f5]],
    ['DCBA', [0xc3f5, 0x4841]],
  ])('12.56 as float32 %s has a known bit pattern', (word_order, words) => {
    const float = point({ type: 'float32', word_order });
    expect(encodePoint(float, 12.56)).toEqual(words);
    expect(decodePoint(float, words)).toBeCloseTo(12.56, 5);
  });

  it.each([
    ['int16', { type: 'int16', scale: 0.1 }, -12.3, [0xff85]],
    ['uint32', { type: 'uint32' }, 4_000_000_000, [0xee6b, 0x2800]],
    ['int32', { type: 'int32' }, -2, [0xffff, 0xfffe]],
    ['uint16', { type: 'uint16', scale: 0.1 }, 23.1, [231]],
  ] as const)('%s survives the way there and back', (_type, more, value, words) => {
    expect(encodePoint(point(more), value)).toEqual(words);
    expect(decodePoint(point(more), words)).toBe(value);
  });

  it('a float that is no number is null, not a value', () => {
    expect(decodePoint(point({ type: 'float32' }), [0x7fc0, 0])).toBeNull();
    expect(decodePoint(point({ type: 'float32' }), [0x7f80, 0])).toBeNull();
  });

  it.each([
    ['NaN', {}, Number.NaN],
    ['Infinity', {}, Number.POSITIVE_INFINITY],
    ['above the limit', { max: 90 }, 90.1],
    ['below the limit', { min: 5 }, 4.9],
    ['more than the type holds', {}, 65_536],
    ['a negative unsigned', { type: 'uint32' }, -1],
    ['more than a float holds', { type: 'float32' }, 1e39],
    ['a read-only point', { access: 'r' }, 1],
    ['a boolean for a number', {}, true],
    ['a number for a boolean', { type: 'bool' }, 2],
  ] as const)('%s is refused naming the field, never clipped', (_what, more, value) => {
    expect(problem(() => encodePoint(point(more), value, '/params/value'))).toMatchObject({ pointer: '/params/value' });
  });
});

describe('block reads', () => {
  it('split at gaps, tables and limits, and never cut a value', () => {
    const many = Array.from({ length: 63 }, (_, i) => point({ name: `f${i}`, address: 300 + i * 2, type: 'float32' }));
    const blocks = planReads([
      point({ name: 'b', address: 1, type: 'float32' }),
      point({ name: 'a', address: 0 }),
      point({ name: 'c', address: 4 }),
      point({ name: 'coil', table: 'coil', type: 'bool' }),
      ...many,
    ]);
    expect(blocks.map(({ table, address, count }) => [table, address, count])).toEqual([
      ['coil', 0, 1],
      ['holding', 0, 3],
      ['holding', 4, 1],
      ['holding', 300, 124],
      ['holding', 424, 2],
    ]);
  });

  it('a block gives each point its own words', () => {
    const [block] = planReads([
      point({ name: 'a' }),
      point({ name: 'b', address: 1, type: 'float32', word_order: 'CDAB' }),
    ]);
    if (!block) throw new Error('no block');
    expect(
      [...decodeBlock(block, [7, 0xf5c3, 0x4148])].map(([name, v]) => [name, Number(Number(v).toFixed(2))]),
    ).toEqual([
      ['a', 7],
      ['b', 12.56],
    ]);
  });
});
