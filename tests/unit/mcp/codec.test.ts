import { encode as pack } from '@msgpack/msgpack';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeMessage, encodeMessage } from '../../../mcp/index.js';
import { HermesError } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';

const decodes = (bytes: Uint8Array): string => {
  try {
    decodeMessage(bytes);
    return 'decoded';
  } catch (error) {
    if (error instanceof HermesError) return error.reason;
    throw error;
  }
};

const plainKey = fc.string({ maxLength: 12 }).filter((key) => key !== '__proto__');
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(plainKey, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;
const message = fc.dictionary(plainKey, json, { maxKeys: 6, noNullPrototype: true });

describe('the codec', () => {
  test.each(['msgpack', 'json'] as const)('a message comes back as it went out (%s)', (format) => {
    fc.assert(
      fc.property(message, (body) => {
        const back = decodeMessage(encodeMessage(body, format));
        expect(back).toEqual({ message: body, format });
      }),
      { numRuns: 300 },
    );
  });

  test('bytes of any kind are a message or a 400, never anything else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(['decoded', 'invalid_params']).toContain(decodes(bytes));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each(['msgpack', 'json'] as const)('a message cut short anywhere is refused (%s)', (format) => {
    const whole = encodeMessage({ mcp_version: '1.2', params: { device_id: 'PLC-007', list: [1, 2.5, 'x'] } }, format);
    for (let length = 0; length < whole.length; length++) {
      expect(decodes(whole.subarray(0, length)), `${length} bytes`).toBe('invalid_params');
    }
  });

  test('what follows the message is refused', () => {
    const whole = encodeMessage({ a: 1 });
    expect(decodes(Buffer.concat([whole, whole]))).toBe('invalid_params');
  });

  test.each([
    ['null', null],
    ['a list', [1]],
    ['a string', 'x'],
    ['a number', 7],
    ['bytes', new Uint8Array(3)],
    ['a date', new Date(0)],
  ])('%s is not a message', (_what, value) => {
    expect(decodes(pack(value))).toBe('invalid_params');
  });

  test('deeper than the limit is refused, in both formats, however deep', () => {
    for (const depth of [100, 1_000, 100_000]) {
      const text = `${'{"a":['.repeat(depth)}${']}'.repeat(depth)}`;
      expect(decodes(new TextEncoder().encode(text)), `json ${depth}`).toBe('invalid_params');
      const level = Buffer.from([0x81, 0xa1, 0x61, 0x91]);
      const packed = Buffer.concat([...Array.from({ length: depth }, () => level), Buffer.from([0xc0])]);
      expect(decodes(packed), `msgpack ${depth}`).toBe('invalid_params');
    }
    const bomb = new TextEncoder().encode(`{"a":${'['.repeat(200_000)}`);
    expect(decodes(bomb)).toBe('invalid_params');
    const packed = Buffer.concat([Buffer.from([0x81, 0xa1, 0x61]), Buffer.alloc(200_000, 0x91), Buffer.from([0xc0])]);
    expect(decodes(packed)).toBe('invalid_params');
  });

  test('a key named __proto__ is refused at any depth and pollutes nothing', () => {
    const texts = ['{"__proto__":{"polluted":1}}', '{"a":[{"b":{"__proto__":{"polluted":1}}}]}'];
    for (const text of texts) expect(decodes(new TextEncoder().encode(text)), text).toBe('invalid_params');
    const map = Buffer.concat([Buffer.from([0x81, 0xa9]), Buffer.from('__proto__'), Buffer.from([0x80])]);
    expect(decodes(map)).toBe('invalid_params');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test('over 1 MiB is refused both ways', () => {
    const big = { text: 'x'.repeat(LIMITS.messageBytes) };
    expect(() => encodeMessage(big)).toThrow(/over/);
    expect(decodes(pack(big))).toBe('invalid_params');
  });

  test('JSON that is not UTF-8 is refused', () => {
    expect(decodes(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toBe('invalid_params');
  });

  test('a length that lies about gigabytes costs nothing', () => {
    const began = performance.now();
    for (const lie of [
      [0x81, 0xa1, 0x61, 0xdd, 0xff, 0xff, 0xff, 0xff],
      [0xdf, 0xff, 0xff, 0xff, 0xff],
      [0x81, 0xa1, 0x61, 0xc6, 0xff, 0xff, 0xff, 0xff],
    ]) {
      expect(decodes(Buffer.from(lie))).toBe('invalid_params');
    }
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
