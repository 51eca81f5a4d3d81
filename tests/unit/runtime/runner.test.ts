import { describe, expect, test } from 'vitest';
import { verifyChain } from '../../../agents/runtime/index.js';
import type { EffectClass } from '../../../mcp/index.js';
import { HermesError } from '../../../shared/errors.js';
import { type CellBench, cellBench, toyTool } from '../../support/cell-bench.js';

const CLASSES: readonly EffectClass[] = ['idempotent_write', 'non_idempotent', 'irreversible'];
const NO_ROLLBACK = { rollback: { none: 'it cannot be undone' } } as const;
const toolOf = (effect: EffectClass) => toyTool(effect, effect === 'irreversible' ? NO_ROLLBACK : {});

/** What holds whatever happened: one claim a request, no more forward effects than claims, an unbroken chain. */
async function truth(bench: CellBench) {
  const entries = await bench.entries();
  expect(verifyChain(entries)).toBeUndefined();
  const started = entries.filter((entry) => entry.kind === 'started');
  const finished = entries.filter((entry) => entry.kind === 'finished');
  expect(new Set(started.map((entry) => entry.request_id)).size).toBe(started.length);
  const forward = bench.device.writes.filter((write) => write.value === 42);
  expect(forward.length).toBeLessThanOrEqual(started.length);
  return { entries, started, finished, last: finished[finished.length - 1], forward };
}

describe.each(CLASSES)('%s: what the record says', (effect) => {
  test('done: confirmed, with effect, registers, prior value and snapshot in one entry', async () => {
    const bench = await cellBench({ tools: [toolOf(effect)] });
    expect((await bench.call()).response.result).toEqual({ device_id: 'PLC-007', value: 42 });
    const { entries, last, forward } = await truth(bench);
    expect(entries.map((entry) => entry.kind)).toEqual(['started', 'finished']);
    expect(forward).toHaveLength(1);
    expect(last).toMatchObject({
      outcome: 'confirmed',
      effects: [{ target: 'PLC-007.temperature_setpoint', before: 20, after: 42, outcome: 'confirmed' }],
      verification: { outcome: 'confirmed' },
      snapshots: [{ version: 1, data: { value: 42 } }],
    });
  });

  test('refused by the device: failed, nothing undone, because nothing was done', async () => {
    const bench = await cellBench({ tools: [toolOf(effect)] });
    bench.device.mode = 'refused';
    const error = await bench.fails();
    expect(error).toMatchObject({ reason: 'tool_failed', data: { started: true, outcome: 'failed' } });
    const { last, forward } = await truth(bench);
    expect(forward).toHaveLength(0);
    expect(last).toMatchObject({ outcome: 'failed', rollback: { executed: false } });
    expect(last?.snapshots).toBeUndefined();
  });

  test('acknowledged and not done: verification catches it', async () => {
    const bench = await cellBench({ tools: [toolOf(effect)] });
    bench.device.mode = 'silent';
    const error = await bench.fails();
    expect(error).toMatchObject({ reason: 'verification_failed', data: { outcome: 'failed' } });
    const { last } = await truth(bench);
    expect(last?.verification).toMatchObject({ outcome: 'failed', evidence: { seen: 20, wanted: 42 } });
  });

  test('D5: done and the answer lost: read back, reconciled, never written a second time', async () => {
    const bench = await cellBench({ tools: [toolOf(effect)] });
    bench.device.mode = 'no_answer';
    const requestId = 'g-aaaaaaaaaaaaaaaa.s1.1';
    const error = await bench.fails({ requestId });
    bench.device.mode = 'done';
    const again = await bench.fails({ requestId });
    expect([error.reason, again.reason]).toEqual(['tool_failed', 'tool_failed']);
    const { last, forward, finished } = await truth(bench);
    expect(forward).toHaveLength(1);
    expect(finished).toHaveLength(1);
    if (effect === 'irreversible') {
      expect(last).toMatchObject({ outcome: 'unknown', rollback: { executed: false, reason: 'it cannot be undone' } });
      expect(bench.device.value).toBe(42);
    } else {
      expect(last).toMatchObject({ rollback: { executed: true } });
    }
  });

  test('D5: still under way at the deadline: the record does not say that nothing was done', async () => {
    const bench = await cellBench({ tools: [toolOf(effect)] });
    bench.device.mode = 'deaf';
    const error = await bench.fails({ deadlineAt: bench.clock.now() + 300 });
    expect(error.reason).toBe('deadline');
    await bench.clock.advance(5_000);
    const { last, forward } = await truth(bench);
    expect(forward).toHaveLength(1);
    expect(last?.rollback?.reason).not.toBe('no effect was begun');
    if (effect === 'irreversible') {
      expect(last).toMatchObject({ outcome: 'unknown', effects: [{ outcome: 'unknown' }] });
      expect(bench.events.map(({ topic }) => topic)).toContain('needs_operator');
    } else {
      expect(last).toMatchObject({ outcome: 'failed', rollback: { executed: true, past_deadline: true } });
      expect(bench.device.value).toBe(20);
    }
  });

  test('a write that the deadline stopped before it was sent is failed and has no effect', async () => {
    const bench = await cellBench({ tools: [toolOf(effect)] });
    bench.device.mode = 'slow';
    const error = await bench.fails({ deadlineAt: bench.clock.now() + 300 });
    expect(error).toMatchObject({ reason: 'deadline' });
    await bench.clock.advance(5_000);
    const { last, forward } = await truth(bench);
    expect(forward).toHaveLength(0);
    expect(last).toMatchObject({ outcome: 'failed' });
  });

  test('bad output: 500, rolled back where it can be, on the record', async () => {
    const execute = async (ctx: never, { device_id, value }: { device_id: string; value: number }) => {
      await (ctx as { modbus: { write(...args: unknown[]): Promise<void> } }).modbus.write(
        device_id,
        'temperature_setpoint',
        value,
      );
      return { device_id } as never;
    };
    const more = { execute: execute as never, ...(effect === 'irreversible' ? NO_ROLLBACK : {}) };
    const bench = await cellBench({ tools: [toyTool(effect, more)] });
    const error = await bench.fails();
    expect(error.reason).toBe('bad_output');
    const { last, forward } = await truth(bench);
    expect(forward).toHaveLength(1);
    expect(last?.error?.data.reason).toBe('bad_output');
    expect(bench.device.value).toBe(effect === 'irreversible' ? 42 : 20);
  });

  test('W6: delivered twenty times at once and once a day later: one effect, one answer', async () => {
    const bench = await cellBench({ tools: [toolOf(effect)] });
    const spec = bench.spec({ requestId: 'g-aaaaaaaaaaaaaaaa.s1.1' });
    const callers = Array.from({ length: 20 }, () => bench.callerOf('tester_v1.0'));
    const answers = await bench.clock.run(Promise.all(callers.map((caller) => caller.call(spec))));
    await bench.clock.advance(86_400_000);
    const later = await bench.call({ requestId: 'g-aaaaaaaaaaaaaaaa.s1.1' });
    for (const { response } of [...answers, later])
      expect(response.result).toEqual({ device_id: 'PLC-007', value: 42 });
    const { started, finished, forward } = await truth(bench);
    expect([started.length, finished.length, forward.length]).toEqual([1, 1, 1]);
  });

  test.each([
    ['before the effect', 8],
    ['after the effect, before its record', 12],
  ])('P9: the process dies %s: asked again, the device decides, nothing twice', async (_what, ms) => {
    const bench = await cellBench({ tools: [toolOf(effect)] });
    const requestId = 'g-aaaaaaaaaaaaaaaa.s1.1';
    bench.caller.call(bench.spec({ requestId, retry: { max_attempts: 1 } })).catch(() => undefined);
    await bench.clock.advance(ms);
    bench.crash();
    await bench.restart();
    const [ended] = await bench.clock.run(
      Promise.allSettled([bench.caller.call(bench.spec({ requestId, retry: { max_attempts: 1 } }))]),
    );
    const { started, finished, last, forward } = await truth(bench);
    expect([started.length, finished.length]).toEqual([1, 1]);
    expect(forward.length).toBeLessThanOrEqual(1);
    if (bench.device.value === 42) {
      expect(ended).toMatchObject({ status: 'fulfilled', value: { response: { result: { value: 42 } } } });
      expect(last?.outcome).toBe('confirmed');
    } else if (ended?.status === 'rejected') {
      expect(ended.reason).toMatchObject({ reason: 'tool_failed', data: { not_done: true } });
    }
  });
});

describe('a crash at every millisecond', () => {
  test('P9: wherever it falls, there is at most one effect and the record agrees with the device', async () => {
    for (let ms = 0; ms <= 24; ms++) {
      const bench = await cellBench({ tools: [toolOf('non_idempotent')], seed: ms });
      const requestId = 'g-aaaaaaaaaaaaaaaa.s1.1';
      bench.caller.call(bench.spec({ requestId, retry: { max_attempts: 1 } })).catch(() => undefined);
      await bench.clock.advance(ms);
      bench.crash();
      await bench.restart();
      await bench.clock.run(bench.agent().settled);
      const before = await truth(bench);
      expect(before.finished.length, `settled after ${ms} ms`).toBe(before.started.length);
      if (before.last) expect(before.last.outcome === 'confirmed', `${ms} ms`).toBe(bench.device.value === 42);
      const [ended] = await bench.clock.run(
        Promise.allSettled([bench.caller.call(bench.spec({ requestId, retry: { max_attempts: 1 } }))]),
      );
      const after = await truth(bench);
      expect(after.forward.length, `${ms} ms`).toBeLessThanOrEqual(1);
      expect(ended?.status === 'fulfilled', `${ms} ms`).toBe(bench.device.value === 42);
    }
  });

  test('an agent that dies while it settles leaves no rejection behind', async () => {
    const bench = await cellBench({ tools: [toolOf('non_idempotent')] });
    bench.caller.call(bench.spec({ retry: { max_attempts: 1 } })).catch(() => undefined);
    await bench.clock.advance(9);
    bench.crash();
    await bench.restart();
    bench.crash();
    await bench.clock.advance(1_000);
    await bench.restart();
    await bench.clock.run(bench.agent().settled);
    const { started, finished } = await truth(bench);
    expect(finished).toHaveLength(started.length);
  });
});

describe('the error', () => {
  test('that the recorded answer gives is the one that was given at first', async () => {
    const bench = await cellBench({ tools: [toolOf('non_idempotent')] });
    bench.device.mode = 'silent';
    const requestId = 'g-aaaaaaaaaaaaaaaa.s1.1';
    const first = await bench.fails({ requestId });
    const again = await bench.fails({ requestId });
    expect(again).toBeInstanceOf(HermesError);
    for (const key of ['outcome', 'started', 'rollback_executed', 'operation_id', 'evidence', 'scope']) {
      expect(again.data[key], key).toEqual(first.data[key]);
    }
  });
});
