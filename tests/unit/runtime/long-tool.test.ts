import { describe, expect, test } from 'vitest';
import type { HermesError } from '../../../shared/errors.js';
import { cellBench, toyTool } from '../../support/cell-bench.js';

const LONG_MS = 200_000;
const requestId = 'g-aaaaaaaaaaaaaaaa.s1.1';

/** A tool that lives far longer than any lease before it writes. */
const longTool = () =>
  toyTool('non_idempotent', {
    timeout_ms: LONG_MS + 30_000,
    async execute(ctx, { device_id, value }) {
      await ctx.clock.sleep(LONG_MS, ctx.signal);
      await ctx.modbus.write(device_id, 'temperature_setpoint', value);
      return { device_id, value };
    },
  });

/** One call on its way at one instance, sent again under the caller's own key to another one in the middle. */
async function sentTwice() {
  const bench = await cellBench({ tools: [longTool()] });
  const other = await bench.sibling();
  const deadlineAt = bench.clock.now() + LONG_MS + 60_000;
  const send = (instance: string) =>
    bench
      .callerOf('tester_v1.0')
      .call(bench.spec({ requestId, instance, deadlineAt, retry: { max_attempts: 1 } }))
      .then(
        ({ response }) => response.result,
        (error: unknown) => (error as HermesError).reason,
      );
  const first = send(bench.agent().cell.instance);
  await bench.clock.advance(LONG_MS / 2);
  const second = send(other.cell.instance);
  const answers = await bench.clock.run(Promise.all([first, second]));
  await bench.clock.run(other.cell.view.catchUp());
  const row = await bench.clock.run(other.cell.view.operation(requestId));
  return { bench, answers, row };
}

describe('P8: a tool that lives longer than every lease', () => {
  test('is not begun again by who gets its call a second time: one effect, one answer', async () => {
    const { bench, answers, row } = await sentTwice();
    expect(answers[0]).toEqual({ device_id: 'PLC-007', value: 42 });
    expect(answers[1]).toEqual(answers[0]);
    expect(bench.device.writes.map(({ value }) => value)).toEqual([42]);
    expect(row).toMatchObject({ started: expect.any(Number), finished: expect.any(Number) });
    const entries = await bench.entries();
    expect(entries.filter(({ kind }) => kind === 'started')).toHaveLength(1);
    expect(entries.filter(({ kind }) => kind === 'finished')).toHaveLength(1);
  });

  test('another key of the caller is another operation, and waits for no one', async () => {
    const bench = await cellBench({ tools: [longTool()] });
    const deadlineAt = bench.clock.now() + 3 * LONG_MS;
    for (const n of [1, 2]) await bench.call({ requestId: `g-aaaaaaaaaaaaaaaa.s1.${n}`, deadlineAt });
    expect(bench.device.writes).toHaveLength(2);
  });
});
