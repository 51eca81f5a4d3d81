import { describe, expect, test } from 'vitest';
import type { ToolContext } from '../../../agents/runtime/index.js';
import { cellBench, toyTool } from '../../support/cell-bench.js';

const POINT = 'temperature_setpoint';
const requestId = 'g-aaaaaaaaaaaaaaaa.s1.1';

describe('an operation that takes long', () => {
  const lasting = (ms: number) =>
    toyTool('non_idempotent', {
      execute: async (ctx: ToolContext, { device_id, value }: { device_id: string; value: number }) => {
        await ctx.clock.sleep(ms, ctx.signal);
        await ctx.modbus.write(device_id, POINT, value);
        return { device_id, value };
      },
    });

  test('says after three seconds that it is under way; its end is the next version', async () => {
    const bench = await cellBench({ tools: [lasting(4_000)] });
    const running = bench.caller.call(bench.spec({ requestId, deadlineAt: bench.clock.now() + 20_000 }));
    await bench.clock.advance(3_500);
    const [, under] = await bench.entries();
    expect(under).toMatchObject({
      kind: 'snapshot',
      request_id: requestId,
      snapshots: [{ version: 1, data: { status: 'processing', progress: 0.6, eta_ms: 2_000 } }],
    });
    await bench.clock.run(running);
    const entries = await bench.entries();
    expect(entries.map(({ kind }) => kind)).toEqual(['started', 'snapshot', 'finished']);
    expect(entries[2]?.snapshots?.[0]).toMatchObject({ version: 2, data: { value: 42 } });
    const { response } = await bench.call({ requestId });
    expect(response.result).toEqual({ device_id: 'PLC-007', value: 42 });
  });

  test('one that is done in time says nothing of the kind, nor does one that has failed', async () => {
    const quick = await cellBench({ tools: [lasting(2_900)] });
    await quick.call({ deadlineAt: quick.clock.now() + 20_000 });
    await quick.clock.advance(10_000);
    expect((await quick.entries()).map(({ kind }) => kind)).toEqual(['started', 'finished']);
    const late = await cellBench({ tools: [lasting(9_000)] });
    await late.fails({ requestId, deadlineAt: late.clock.now() + 4_000 });
    await late.clock.advance(20_000);
    expect((await late.entries()).map(({ kind }) => kind)).toEqual(['started', 'snapshot', 'finished']);
  });
});
