import { describe, expect, test } from 'vitest';
import type { ToolContext } from '../../../agents/runtime/index.js';
import { HermesError } from '../../../shared/errors.js';
import { unknown } from '../../../shared/outcome.js';
import { cellBench, toyTool } from '../../support/cell-bench.js';
import { failingLog, type LogFault } from '../../support/failing-log.js';

const POINT = 'temperature_setpoint';
const requestId = 'g-aaaaaaaaaaaaaaaa.s1.1';

describe('the log fails', () => {
  const withFault = async (fault: (n: number) => LogFault) => {
    let appends = 0;
    return cellBench({
      tools: [toyTool('non_idempotent')],
      wrap: (transport) =>
        failingLog(transport, (subject) => (subject.includes('device_') ? fault(++appends) : undefined)),
    });
  };

  test.each(['lost', 'unknown'] as const)('P9: before the effect (%s): the effect does not happen', async (fault) => {
    const bench = await withFault((n) => (n === 1 ? fault : undefined));
    const error = await bench.fails({ requestId });
    expect(error.reason).toBe('log_unavailable');
    expect(bench.device.writes).toEqual([]);
  });

  test.each(['lost', 'unknown'] as const)(
    'P9: after the effect (%s): no rollback behind the record’s back; the answer waits for the log',
    async (fault) => {
      const bench = await withFault((n) => (n === 2 ? fault : undefined));
      const { response } = await bench.call({ requestId });
      expect(bench.device.writes.map(({ value }) => value)).toEqual([42]);
      expect(response.result).toEqual({ device_id: 'PLC-007', value: 42 });
      expect(bench.device.writes).toHaveLength(1);
      const finished = (await bench.entries()).filter((entry) => entry.kind === 'finished');
      expect(finished.map((entry) => entry.outcome)).toEqual(['confirmed']);
    },
  );

  test('P9: a log that stays away until the deadline leaves the outcome unknown, never failed', async () => {
    const bench = await withFault((n) => (n >= 2 ? 'lost' : undefined));
    const error = await bench.fails({ requestId, timeoutMs: 3_000 });
    expect(error.data.outcome).toBe('unknown');
    expect(bench.device.writes.map(({ value }) => value)).toEqual([42]);
  });

  test('the caller’s one layer of retries carries a call over a short fault, with one effect', async () => {
    const bench = await withFault((n) => (n <= 2 ? 'lost' : undefined));
    const { response, attempts } = await bench.call({ requestId, retry: { initial_backoff_ms: 10 } });
    expect(attempts).toBe(3);
    expect(response.result).toEqual({ device_id: 'PLC-007', value: 42 });
    expect(bench.device.writes).toHaveLength(1);
  });
});

describe('capabilities', () => {
  test('an effect that was not declared stops the tool and is an error of its own', async () => {
    const tool = toyTool('idempotent_write', {
      side_effects: ['modbus.read:PLC-*', 'modbus.write:PLC-001'],
    });
    const bench = await cellBench({ tools: [tool] });
    const error = await bench.fails();
    expect(error).toMatchObject({ code: 500, reason: 'undeclared_effect', data: { outcome: 'failed' } });
    expect(bench.device.writes).toEqual([]);
    expect((await bench.entries()).at(-1)).toMatchObject({
      kind: 'finished',
      error: { data: { reason: 'undeclared_effect' } },
    });
  });

  test('declared and not granted is a 403 with the grant to add', async () => {
    const bench = await cellBench({ tools: [toyTool('idempotent_write')], grants: ['modbus.read:PLC-*'] });
    const error = await bench.fails();
    expect(error).toMatchObject({ code: 403, reason: 'not_allowed' });
    expect(error.data.suggestion).toContain('modbus.write:PLC-007');
    expect(bench.device.writes).toEqual([]);
  });

  test.each(['PLC-0077', 'PLC-', 'PLC-007.x', '../PLC-007'])('a grant of PLC-007 does not reach %s', async (id) => {
    const bench = await cellBench({
      tools: [toyTool('idempotent_write', { preState: async () => ({}) })],
      grants: ['modbus.write:PLC-007', 'modbus.read:PLC-*'],
    });
    const { reason } = await bench.fails({ params: { device_id: id, value: 1 } });
    expect(['unknown_entity', 'not_allowed', 'undeclared_effect']).toContain(reason);
    expect(bench.device.writes).toEqual([]);
  });

  test('a device that the site does not know is a 400 before anything is claimed', async () => {
    const bench = await cellBench({ tools: [toyTool('idempotent_write')] });
    const error = await bench.fails({ params: { device_id: 'PLC-099', value: 1 } });
    expect(error).toMatchObject({ code: 400, reason: 'unknown_entity' });
  });

  test.each([
    ['missing', {}, ['/params/device_id', '/params/value']],
    ['unknown', { device_id: 'PLC-007', value: 1, extra: 1 }, ['/params/extra']],
    ['wrong', { device_id: 'PLC-007', value: 'hot' }, ['/params/value']],
    ['not a number', { device_id: 'PLC-007', value: Number.NaN }, ['/params/value']],
    ['infinite', { device_id: 'PLC-007', value: Number.POSITIVE_INFINITY }, ['/params/value']],
  ])('%s parameters are refused by name', async (_what, params, pointers) => {
    const bench = await cellBench({ tools: [toyTool('idempotent_write')] });
    const error = await bench.fails({ params });
    expect(error.reason).toBe('invalid_params');
    expect(error.data.fields?.map((field) => field.pointer)).toEqual(pointers);
    expect(await bench.entries()).toEqual([]);
  });

  test('what a tool leaves running when it fails begins no effect any more', async () => {
    const execute = async (ctx: ToolContext, { device_id }: { device_id: string }) => {
      void (async () => {
        await ctx.clock.sleep(800);
        await ctx.modbus.write(device_id, POINT, 77);
      })().catch(() => undefined);
      throw new HermesError('tool_failed', 'one branch failed');
    };
    const bench = await cellBench({ tools: [toyTool('idempotent_write', { execute: execute as never })] });
    await bench.fails();
    await bench.clock.advance(3_000);
    expect(bench.device.writes).toEqual([]);
  });

  test('what a tool leaves running when it has answered begins no effect any more', async () => {
    const execute = async (ctx: ToolContext, { device_id, value }: { device_id: string; value: number }) => {
      void ctx.clock
        .sleep(800)
        .then(() => ctx.modbus.write(device_id, POINT, 77))
        .catch(() => undefined);
      await ctx.modbus.write(device_id, POINT, value);
      return { device_id, value };
    };
    const bench = await cellBench({ tools: [toyTool('idempotent_write', { execute })] });
    await bench.call();
    await bench.clock.advance(3_000);
    expect(bench.device.writes.map(({ value }) => value)).toEqual([42]);
  });
});

describe('time', () => {
  test('D3: a tool knows how much time is left and is told when it is over', async () => {
    const seen: { left: number; aborted?: boolean }[] = [];
    const execute = async (ctx: ToolContext) => {
      seen.push({ left: ctx.remainingMs() });
      await ctx.clock
        .sleep(10_000, ctx.signal)
        .catch(() => seen.push({ left: ctx.remainingMs(), aborted: ctx.signal.aborted }));
      throw new HermesError('tool_failed', 'stopped');
    };
    const bench = await cellBench({ tools: [toyTool('idempotent_write', { execute: execute as never })] });
    await bench.fails({ deadlineAt: bench.clock.now() + 1_000 });
    expect(seen[0]?.left).toBeGreaterThan(700);
    expect(seen[0]?.left).toBeLessThanOrEqual(1_000);
    expect(seen[1]).toEqual({ left: 0, aborted: true });
  });

  test('D4: a cancel reaches a running tool, rollback runs, within a second', async () => {
    const execute = async (ctx: ToolContext, { device_id, value }: { device_id: string; value: number }) => {
      await ctx.modbus.write(device_id, POINT, value);
      await ctx.clock.sleep(60_000, ctx.signal);
      return { device_id, value };
    };
    const bench = await cellBench({ tools: [toyTool('idempotent_write', { execute })] });
    const stop = new AbortController();
    const call = bench.caller.call(bench.spec({ deadlineAt: bench.clock.now() + 60_000, signal: stop.signal }));
    call.catch(() => undefined);
    await bench.clock.advance(500);
    expect(bench.device.value).toBe(42);
    stop.abort(new HermesError('cancelled', 'enough'));
    await bench.clock.advance(1_000);
    expect(bench.device.value).toBe(20);
    expect((await bench.entries()).at(-1)).toMatchObject({
      error: { data: { reason: 'cancelled' } },
      rollback: { executed: true, outcome: 'confirmed' },
    });
  });

  test('rollback that goes on past the deadline is marked so, also when it began before', async () => {
    for (const [deadline, run] of [
      [1_000, 150],
      [1_000, 900],
    ] as const) {
      const rollback = {
        name: 'put_back',
        description: 'slowly',
        max_ms: 200,
        run: async (ctx: ToolContext) => {
          await ctx.clock.sleep(run);
          await ctx.modbus.write('PLC-007', POINT, 20);
        },
      };
      const execute = async (ctx: ToolContext, { device_id, value }: { device_id: string; value: number }) => {
        await ctx.modbus.write(device_id, POINT, value);
        await ctx.clock.sleep(60_000, ctx.signal);
        return { device_id, value };
      };
      const bench = await cellBench({ tools: [toyTool('idempotent_write', { execute, rollback })] });
      await bench.fails({ deadlineAt: bench.clock.now() + deadline });
      await bench.clock.advance(2_000);
      const last = (await bench.entries()).at(-1);
      expect(last?.rollback, `rollback of ${run} ms`).toMatchObject({ executed: true, outcome: 'confirmed' });
      expect(last?.rollback?.past_deadline === true, `rollback of ${run} ms`).toBe(run === 900);
      const forward = last?.effects?.filter((effect) => !effect.rollback) ?? [];
      expect(forward).toHaveLength(1);
    }
  });

  test('a rollback that fails is a 500 that says so, an event, and never told as executed well', async () => {
    const rollback = {
      name: 'put_back',
      description: 'fails',
      max_ms: 200,
      run: async () => {
        throw new Error('the door is stuck');
      },
    };
    const tool = toyTool('idempotent_write', { rollback, verify: async () => unknown({ nobody: 'knows' }) });
    const bench = await cellBench({ tools: [tool] });
    for (const round of [1, 2]) {
      const error = await bench.fails({ requestId });
      expect(error, `delivery ${round}`).toMatchObject({
        code: 500,
        reason: 'rollback_failed',
        data: { failed_with: 'outcome_unknown', outcome: 'unknown', rollback_outcome: 'failed' },
      });
      expect(error.message).toContain('the door is stuck');
    }
    await bench.clock.advance(10);
    expect(bench.events.filter(({ topic }) => topic === 'needs_operator')).toHaveLength(1);
    expect((await bench.entries()).at(-1)?.rollback).toMatchObject({ executed: true, outcome: 'failed' });
  });
});

describe('request ids', () => {
  test.each(['while it runs', 'when it has ended'])(
    'B13: an id used for another call %s is refused; nobody gets the answer of another call',
    async (when) => {
      const bench = await cellBench({ tools: [toyTool('idempotent_write')] });
      const first = bench.caller.call(bench.spec({ requestId: '1' }));
      await bench.clock.advance(when === 'while it runs' ? 8 : 500);
      const other = bench.callerOf('tester_v1.0');
      for (const params of [
        { device_id: 'PLC-007', value: 43 },
        { device_id: 'PLC-001', value: 42 },
      ]) {
        const [ended] = await bench.clock.run(Promise.allSettled([other.call(bench.spec({ requestId: '1', params }))]));
        expect(ended, JSON.stringify(params)).toMatchObject({ reason: { reason: 'version_conflict' } });
      }
      const stranger = bench.callerOf('stranger_v1.0');
      const [ended] = await bench.clock.run(Promise.allSettled([stranger.call(bench.spec({ requestId: '1' }))]));
      expect(ended).toMatchObject({ reason: { reason: 'version_conflict' } });
      expect((await bench.clock.run(first)).response.result).toEqual({ device_id: 'PLC-007', value: 42 });
      expect(bench.device.writes).toHaveLength(1);
    },
  );

  test('the longest lawful id, with any characters, can be claimed on', async () => {
    const { scope: _scope, ...own } = toyTool('idempotent_write').spec;
    const tool = { ...toyTool('idempotent_write'), spec: own as never };
    for (const id of ['x'.repeat(128), '请求/'.repeat(32), 'a b_c*>.'.repeat(16)]) {
      const bench = await cellBench({ tools: [tool] });
      const { response } = await bench.call({ requestId: id });
      expect(response.result).toEqual({ device_id: 'PLC-007', value: 42 });
      expect((await bench.call({ requestId: id })).response.result).toEqual(response.result);
      expect(bench.device.writes).toHaveLength(1);
    }
  });

  test('a redo on purpose under the next number does the effect again, once', async () => {
    const bench = await cellBench({ tools: [toyTool('non_idempotent')] });
    await bench.call({ requestId });
    await bench.call({ requestId: 'g-aaaaaaaaaaaaaaaa.s1.2' });
    expect(bench.device.writes).toHaveLength(2);
  });
});
