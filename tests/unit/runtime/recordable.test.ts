import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { verifyChain } from '../../../agents/runtime/index.js';
import { HermesError } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import { confirmed } from '../../../shared/outcome.js';
import { plainJson } from '../../../shared/plain-json.js';
import { cellBench, toyTool } from '../../support/cell-bench.js';

const anything = { input: z.looseObject({ device_id: z.string() }), output: z.unknown() };
/** Writes 42, and answers what it is given. */
const answering = (result: unknown, more: object = {}) =>
  toyTool('idempotent_write', {
    ...anything,
    execute: async (ctx: Parameters<ReturnType<typeof toyTool>['spec']['execute']>[0]) => {
      await ctx.modbus.write('PLC-007', 'temperature_setpoint', 42);
      if (result instanceof Error) throw result;
      return result;
    },
    verify: async () => confirmed({}),
    snapshot: undefined,
    ...more,
  } as never);
const finishedOf = async (bench: Awaited<ReturnType<typeof cellBench>>) =>
  (await bench.entries()).filter(({ kind }) => kind === 'finished');

const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });

describe('a result that cannot stand in an entry', () => {
  test.each([
    ['too large', 'x'.repeat(LIMITS.recordedBytes)],
    ['too deep', deep(LIMITS.nestingDepth)],
  ])('%s: is bad output, what was done is undone, and both are on the record', async (_, result) => {
    const bench = await cellBench({ tools: [answering(result)] });
    const error = await bench.fails();
    expect(error).toMatchObject({ reason: 'bad_output', data: { outcome: 'failed' } });
    expect(bench.device.writes.map(({ value }) => value)).toEqual([42, 20]);
    const [finished] = await finishedOf(bench);
    expect(finished).toMatchObject({ outcome: 'failed', rollback: { executed: true } });
  });

  test('an error of megabytes ends the operation on the record all the same', async () => {
    const huge = new HermesError('tool_failed', 'e'.repeat(2_000_000), { detail: 'd'.repeat(2_000_000) });
    const bench = await cellBench({ tools: [answering(huge)] });
    const error = await bench.fails();
    expect(error.reason).toBe('tool_failed');
    expect(bench.device.writes.map(({ value }) => value)).toEqual([42, 20]);
    expect(await finishedOf(bench)).toHaveLength(1);
  });

  test('evidence of megabytes too', async () => {
    const bench = await cellBench({
      tools: [answering('done', { verify: async () => confirmed({ trace: 'e'.repeat(2_000_000) }) })],
    });
    await bench.call().catch(() => undefined);
    const finished = await finishedOf(bench);
    expect(finished).toHaveLength(1);
    expect(finished[0]?.verification?.evidence).toEqual({ left_out: { bytes: 2_000_012, names: ['trace'] } });
  });

  test('a snapshot too large, or one that throws, while what was done can still be undone', async () => {
    for (const snapshot of [
      () => ({ data: { kind: 'setpoint', text: 'x'.repeat(LIMITS.recordedBytes) } }),
      () => {
        throw new Error('no snapshot today');
      },
    ]) {
      const bench = await cellBench({ tools: [answering('done', { snapshot })] });
      await bench.fails();
      expect(bench.device.writes.map(({ value }) => value)).toEqual([42, 20]);
      const [finished] = await finishedOf(bench);
      expect(finished).toMatchObject({ outcome: 'failed', rollback: { executed: true } });
    }
  });

  test('a prior state too large: nothing is begun', async () => {
    const preState = async () => ({ text: 'x'.repeat(LIMITS.recordedAsideBytes) });
    const bench = await cellBench({ tools: [answering('done', { preState })] });
    expect((await bench.fails()).reason).toBe('bad_output');
    expect(bench.device.writes).toEqual([]);
    expect((await bench.entries()).filter(({ kind }) => kind === 'started')).toEqual([]);
  });

  test('more effects than an entry holds: those before are undone, and each is told', async () => {
    const execute = async (ctx: Parameters<ReturnType<typeof toyTool>['spec']['execute']>[0]) => {
      for (let i = 0; ; i++) await ctx.modbus.write('PLC-007', 'temperature_setpoint', 20 + (i % 10));
    };
    const bench = await cellBench({ tools: [answering('', { execute })] });
    const error = await bench.fails({ timeoutMs: 60_000 });
    expect(error).toMatchObject({
      reason: 'tool_failed',
      data: { suggestion: expect.stringMatching(/several steps/) },
    });
    const [finished] = await finishedOf(bench);
    const done = finished?.effects?.filter(({ rollback }) => !rollback);
    expect(done).toHaveLength(LIMITS.recordedEffects);
    expect(bench.device.writes).toHaveLength(LIMITS.recordedEffects + 1);
  });

  test('params too large are refused, by their field, before anything is done', async () => {
    const bench = await cellBench({ tools: [answering('done')] });
    const params = { device_id: 'PLC-007', text: 'x'.repeat(LIMITS.recordedBytes) };
    const error = await bench.fails({ params });
    expect(error).toMatchObject({ reason: 'invalid_params', data: { fields: [{ pointer: '/params' }] } });
    expect(bench.device.writes).toEqual([]);
    expect(await bench.entries()).toEqual([]);
  });
});

describe('what an entry holds', () => {
  const unit = fc.oneof(fc.constantFrom('\ud83d', '\ude00', '😀', 'é', '阀'), fc.string({ maxLength: 4 }));
  const text = fc.array(unit, { maxLength: 60 }).map((parts) => parts.join(''));
  const odd = fc.oneof(text, fc.double(), fc.constantFrom(-0, Number.NaN, undefined, null, 2 ** 60), fc.boolean());
  const key = fc.oneof(fc.constantFrom('__proto__', 'constructor', '\ud800'), text);
  const data = fc.dictionary(key, fc.oneof(odd, fc.array(odd, { maxLength: 4 }), fc.dictionary(key, odd)));

  test('comes back as it was hashed, whatever text, number or key a tool put in', async () => {
    const given: unknown[] = [];
    const bench = await cellBench({ tools: [answering('')] });
    const { record } = bench.agent().cell;
    await fc.assert(
      fc.asyncProperty(data, async (value) => {
        given.push(value);
        await bench.clock.run(
          record.append('device_PLC-007' as never, { kind: 'finished', data: { value }, result: value }),
        );
      }),
      { numRuns: 300 },
    );
    const entries = await bench.entries();
    expect(entries).toHaveLength(given.length);
    expect(verifyChain(entries)).toBeUndefined();
    expect(entries.map((entry) => entry.result)).toEqual(given.map(plainJson));
  });

  test('half a surrogate pair becomes U+FFFD, as in bytes; whole ones stay', () => {
    expect(plainJson({ 'k\ud800': 'a\ud83d b😀', '\\ud800': '\\ud800' })).toEqual({
      'k\ufffd': 'a\ufffd b😀',
      '\\ud800': '\\ud800',
    });
  });

  test('no key sets a prototype', () => {
    expect(plainJson(JSON.parse('{"__proto__": {"x": 1}}'))).toEqual({ '[__proto__]': { x: 1 } });
  });
});
