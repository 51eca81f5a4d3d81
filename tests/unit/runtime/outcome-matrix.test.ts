import { describe, expect, test } from 'vitest';
import { scopes, verifyChain } from '../../../agents/runtime/index.js';
import type { Tool } from '../../../agents/runtime/tools/index.js';
import { HermesError } from '../../../shared/errors.js';
import { confirmed } from '../../../shared/outcome.js';
import { type CellBench, cellBench, toyTool, type WriteMode } from '../../support/cell-bench.js';

/**
 * What can become of a call, by effect class: in each cell the record says what happened at the device, and no effect
 * happens twice. Forward effects are writes of 42; the device stands at 20.
 */
const NONE = { rollback: { none: 'it cannot be undone' } } as const;
const read = (more = {}) =>
  toyTool('read', {
    side_effects: ['modbus.read:PLC-*'],
    ...NONE,
    verify: async () => confirmed(),
    execute: async (ctx, { device_id }) => {
      const seen = await ctx.modbus.read(device_id, ['temperature_setpoint']);
      return { device_id, value: Number(seen.temperature_setpoint?.value) };
    },
    ...more,
  });
const CLASSES: Readonly<Record<string, (more?: object) => Tool>> = {
  read,
  idempotent_write: (more) => toyTool('idempotent_write', more),
  non_idempotent: (more) => toyTool('non_idempotent', more),
  irreversible: (more) => toyTool('irreversible', { ...NONE, ...more }),
  'irreversible without a read-back': (more) =>
    toyTool('irreversible', { ...NONE, verify: undefined as never, ...more }),
};
const names = Object.keys(CLASSES);
const isRead = (name: string): boolean => name === 'read';
const canUndo = (name: string): boolean => name === 'idempotent_write' || name === 'non_idempotent';
const readsBack = (name: string): boolean => !name.includes('without');
const requestId = 'g-aaaaaaaaaaaaaaaa.s1.1';

const benchOf = (name: string, more?: object): Promise<CellBench> =>
  cellBench({ tools: [(CLASSES[name] as (m?: object) => Tool)(more)] });

/** The one operation of a cell, and what the device saw; holds what always has to hold. */
async function facts(bench: CellBench, id = requestId) {
  const entries = await bench.entries(scopes.device('PLC-007'));
  expect(verifyChain(entries)).toBeUndefined();
  const started = entries.filter(({ kind, request_id }) => kind === 'started' && request_id === id);
  const finished = entries.filter(({ kind, request_id }) => kind === 'finished' && request_id === id);
  const forward = bench.device.writes.filter(({ value }) => value === 42).length;
  expect(started.length).toBeLessThanOrEqual(1);
  const [end] = finished;
  // Never "not done" where it was done and stands; never "done" where it was not.
  if (end?.outcome === 'failed') expect(bench.device.value).not.toBe(42);
  if (end?.outcome === 'confirmed' && started.length > 0) expect(bench.device.value).toBe(42);
  return { started, finished, end, forward };
}

/** What a call came to: its answer, or the reason that it failed for. */
const outcome = (bench: CellBench, more = {}): Promise<unknown> =>
  bench.call({ requestId, retry: { max_attempts: 1 }, ...more }).then(
    ({ response }) => response.result,
    (error: unknown) => (error as HermesError).reason,
  );

describe.each(names)('%s', (name) => {
  test('fails: failed, nothing undone, because nothing was done', async () => {
    const refuses = async (): Promise<never> => {
      throw new HermesError('tool_failed', 'the device is busy');
    };
    const bench = await benchOf(name, isRead(name) ? { execute: refuses } : undefined);
    bench.device.mode = 'refused';
    expect(await outcome(bench)).toBe('tool_failed');
    const { end, forward, started } = await facts(bench);
    expect([end?.outcome, forward, started.length]).toEqual(['failed', 0, isRead(name) ? 0 : 1]);
    expect(end?.rollback?.executed ?? false).toBe(false);
  });

  test.each(['slow', 'deaf'] as const)(
    'times out (%s): what may still arrive is unknown, never "not done"',
    async (mode) => {
      const waits = async (ctx: { clock: { sleep(ms: number): Promise<void> } }): Promise<never> => {
        await ctx.clock.sleep(2_000);
        throw new HermesError('tool_failed', 'too late');
      };
      const bench = await benchOf(name, isRead(name) ? { execute: waits } : undefined);
      bench.device.mode = mode as WriteMode;
      expect(await outcome(bench, { deadlineAt: bench.clock.now() + 400 })).toBe('deadline');
      await bench.clock.advance(5_000);
      const { end, forward, finished } = await facts(bench);
      expect(finished).toHaveLength(1);
      if (isRead(name)) expect([end?.outcome, forward]).toEqual(['failed', 0]);
      else if (mode === 'slow') expect([end?.outcome !== 'confirmed', forward]).toEqual([true, 0]);
      else expect([end?.outcome, forward]).toEqual([canUndo(name) ? 'failed' : 'unknown', 1]);
      // What arrived late was undone after it arrived, or nobody says what stands there.
      if (mode === 'deaf' && canUndo(name)) expect([bench.device.value, end?.rollback?.executed]).toEqual([20, true]);
    },
  );

  test('bad output: undone where that is possible, else unknown', async () => {
    const wrong = async (ctx: never, { device_id }: { device_id: string }): Promise<never> => {
      const { modbus } = ctx as { modbus: { write(d: string, p: string, v: number): Promise<void> } };
      if (!isRead(name)) await modbus.write(device_id, 'temperature_setpoint', 42);
      return { nonsense: true } as never;
    };
    const bench = await benchOf(name, { execute: wrong });
    expect(await outcome(bench)).toBe('bad_output');
    const { end, forward } = await facts(bench);
    if (isRead(name)) return expect([end?.outcome, forward]).toEqual(['failed', 0]);
    expect(forward).toBe(1);
    expect(end).toMatchObject({
      outcome: canUndo(name) ? 'failed' : 'unknown',
      rollback: { executed: canUndo(name) },
    });
    expect(bench.device.value).toBe(canUndo(name) ? 20 : 42);
  });

  test('crash before the effect: not done; redone under the next number it is done once', async () => {
    const { spec } = (CLASSES[name] as () => Tool)();
    let waits = true;
    const later = async (ctx: never, input: never, before: never): Promise<never> => {
      if (waits) await (ctx as { clock: { sleep(ms: number): Promise<void> } }).clock.sleep(1_000);
      return (await spec.execute(ctx, input, before)) as never;
    };
    const bench = await benchOf(name, { execute: later });
    const lost = bench.caller.call(bench.spec({ requestId, retry: { max_attempts: 1 } })).catch(() => undefined);
    await bench.clock.advance(300);
    bench.crash();
    await bench.clock.run(Promise.race([lost, bench.clock.sleep(10_000)]));
    waits = false;
    await bench.restart();
    const again = await outcome(bench);
    const { end, forward } = await facts(bench);
    if (isRead(name)) return expect([again, forward]).toEqual([{ device_id: 'PLC-007', value: 20 }, 0]);
    expect(forward).toBe(0);
    if (!readsBack(name)) return expect([again, end?.outcome]).toEqual(['outcome_unknown', 'unknown']);
    expect([again, end?.outcome]).toEqual(['tool_failed', 'failed']);
    expect(await outcome(bench, { requestId: 'g-aaaaaaaaaaaaaaaa.s1.2' })).toEqual({ device_id: 'PLC-007', value: 42 });
    expect((await facts(bench, 'g-aaaaaaaaaaaaaaaa.s1.2')).forward).toBe(1);
  });

  test('delivered to another instance as well, during and after: one effect, one answer', async () => {
    const bench = await benchOf(name);
    const other = await bench.sibling();
    const [first, second] = await bench.clock.run(
      Promise.all(
        [bench.agent().cell.instance, other.cell.instance].map((instance) =>
          bench
            .callerOf('tester_v1.0')
            .call(bench.spec({ requestId, instance }))
            .then(
              ({ response }) => response.result,
              (error: unknown) => (error as HermesError).reason,
            ),
        ),
      ),
    );
    const third = await outcome(bench, { instance: other.cell.instance });
    expect(second).toEqual(first);
    expect(third).toEqual(first);
    const { forward, finished } = await facts(bench);
    expect(forward).toBe(isRead(name) ? 0 : 1);
    if (!isRead(name)) expect(finished).toHaveLength(1);
  });

  test('sent again by a new coordinator a day later: the recorded answer, and nothing is done', async () => {
    const bench = await benchOf(name);
    const first = await outcome(bench);
    bench.crash();
    await bench.restart(24 * 3_600_000);
    bench.device.value = 7;
    const anew = bench.callerOf('tester_v1.0');
    const { response } = await bench.clock.run(anew.call(bench.spec({ requestId })));
    expect(response.result).toEqual(isRead(name) ? { device_id: 'PLC-007', value: 7 } : first);
    const written = bench.device.writes.length;
    expect(written).toBe(isRead(name) ? 0 : 1);
    const ends = (await bench.entries()).filter(({ kind }) => kind === 'finished');
    expect(ends).toHaveLength(isRead(name) ? 2 : 1);
  });
});

describe.each(names.filter((name) => !isRead(name)))('%s, which writes', (name) => {
  test('silently does nothing: the read-back says so; without one it is taken at its word', async () => {
    const bench = await benchOf(name);
    bench.device.mode = 'silent';
    const said = await outcome(bench);
    const entries = await bench.entries();
    const end = entries.find(({ kind }) => kind === 'finished');
    expect([said, end?.outcome]).toEqual(
      readsBack(name) ? ['verification_failed', 'failed'] : [{ device_id: 'PLC-007', value: 42 }, 'confirmed'],
    );
    // Taken at its word, the record says on what: an acknowledgement.
    if (!readsBack(name)) expect(end?.verification).toMatchObject({ evidence: { acknowledged: true } });
  });

  test('crash after the effect: found done and answered; without a read-back a person is asked', async () => {
    const stands = async (ctx: never, { device_id, value }: { device_id: string; value: number }): Promise<never> => {
      const { modbus, clock } = ctx as {
        modbus: { write(d: string, p: string, v: number): Promise<void> };
        clock: { sleep(ms: number): Promise<void> };
      };
      await modbus.write(device_id, 'temperature_setpoint', value);
      await clock.sleep(3_000);
      return { device_id, value } as never;
    };
    const bench = await benchOf(name, { execute: stands });
    const lost = bench.caller.call(bench.spec({ requestId, retry: { max_attempts: 1 } })).catch(() => undefined);
    await bench.clock.advance(500);
    expect(bench.device.value).toBe(42);
    bench.crash();
    await bench.clock.run(Promise.race([lost, bench.clock.sleep(10_000)]));
    await bench.restart();
    const again = await outcome(bench);
    const { end, forward } = await facts(bench);
    expect(forward).toBe(1);
    expect([again, end?.outcome]).toEqual(
      readsBack(name) ? [{ device_id: 'PLC-007', value: 42 }, 'confirmed'] : ['outcome_unknown', 'unknown'],
    );
    expect(end?.effects?.every(({ inferred }) => inferred === true)).toBe(true);
    await bench.clock.advance(100);
    if (!readsBack(name)) expect(bench.events.map(({ topic }) => topic)).toContain('needs_operator');
  });
});
