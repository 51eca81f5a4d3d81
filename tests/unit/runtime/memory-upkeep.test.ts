import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../shared/limits.js';
import { cellBench, toyTool } from '../../support/cell-bench.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('an agent', () => {
  const scope = 'device_PLC-007';
  const alive = async (retention = {}) => {
    const made = await cellBench({ tools: [toyTool('idempotent_write')], retention });
    const write = (value: number) => made.call({ params: { device_id: 'PLC-007', value }, sessionContextId: 's-1' });
    const ask = async (method: string, params: Record<string, unknown>) =>
      (await made.call({ method, params })).response.result as Record<string, unknown>;
    return { ...made, write, ask };
  };

  test('evicts beside its work, tells of it, and answers from the archive when it is asked', async () => {
    const { write, ask, clock, events, fails, agent } = await alive();
    for (const value of [1, 2, 3]) await write(value);
    const [row] = [...(await agent().cell.view.snapshotSizes()).values()];
    expect(row?.count).toBe(3);
    await clock.advance(DAY + LIMITS.upkeepMs + 1_000);
    expect((await agent().cell.view.snapshotSizes()).size).toBe(0);
    const evicted = events.filter(({ topic }) => topic === 'memory.evicted');
    expect(evicted).toHaveLength(1);
    expect(evicted[0]?.data).toMatchObject({ scope, versions: [1, 2, 3] });

    const error = await fails({ method: 'memory_read', params: { scope } });
    expect([error.reason, error.data.suggestion]).toEqual(['not_found', expect.stringContaining('archive')]);
    expect(await ask('memory_history', { scope })).toEqual({ versions: [] });
    expect(await ask('memory_read', { scope, archive: true })).toMatchObject({ version: 3, data: { value: 3 } });
    expect(await ask('memory_read', { scope, version: 1, archive: true })).toMatchObject({ data: { value: 1 } });
    expect((await ask('memory_history', { scope, archive: true })).versions).toHaveLength(3);
    expect((await ask('memory_diff', { scope, from: 1, to: 3, archive: true })).changes).toHaveLength(1);
    await write(4);
    expect(await ask('memory_read', { scope })).toMatchObject({ version: 4 });
    expect(await ask('memory_check', {})).toMatchObject({ component: 'worker_v1.0', problems: [] });
  });

  test('keeps what the site says, for as long as the site says', async () => {
    const { write, ask, clock, fails } = await alive({ device_: 2 * HOUR });
    await write(1);
    await clock.advance(HOUR);
    expect(await ask('memory_read', { scope })).toMatchObject({ version: 1 });
    await clock.advance(HOUR);
    expect((await fails({ method: 'memory_read', params: { scope } })).reason).toBe('not_found');
  });

  test('pages its history, and finds by prefix and by time', async () => {
    const { write, ask, clock } = await alive();
    const times: number[] = [];
    for (let value = 1; value <= 5; value++) {
      times.push(Math.ceil(clock.now()));
      await write(value);
      await clock.advance(60_000);
    }
    const numbers = (found: Record<string, unknown>, key = 'versions') =>
      (found[key] as { version: number }[]).map(({ version }) => version);
    const page = await ask('memory_history', { scope, limit: 2 });
    expect([numbers(page), page.next]).toEqual([[1, 2], 3]);
    const last = await ask('memory_history', { scope, limit: 2, from_version: 5 });
    expect([numbers(last), last.next]).toEqual([[5], undefined]);
    expect(numbers(await ask('memory_query', { session_context_id: 's-1' }), 'snapshots')).toEqual([1, 2, 3, 4, 5]);
    const between = { from: times[1], to: (times[3] as number) - 1 };
    expect(numbers(await ask('memory_query', { session_context_id: 's-1', ...between }), 'snapshots')).toEqual([2, 3]);
    expect(numbers(await ask('memory_query', { prefix: 'device', ...between }), 'snapshots')).toEqual([2, 3]);
    const first = await ask('memory_query', { prefix: 'device_', limit: 3 });
    expect(numbers(first, 'snapshots')).toEqual([1, 2, 3]);
    expect(numbers(await ask('memory_query', { prefix: 'device_', after: first.next }), 'snapshots')).toEqual([4, 5]);
    expect(await ask('memory_query', { prefix: 'dev' })).toEqual({ snapshots: [] });
  });

  test('counts by kind what it remembers', async () => {
    const { write, ask } = await alive();
    for (const value of [1, 2]) await write(value);
    expect(await ask('memory_stats', {})).toMatchObject({
      ...{ component: 'worker_v1.0', count: 2, kinds: [{ kind: 'device', count: 2, share: 1 }] },
    });
  });
});
