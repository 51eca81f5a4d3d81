import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StoredEntry, scopes, verifyChain } from '../../agents/runtime/index.js';
import { type HttpSite, startHttpSite } from '../support/http-site.js';
import { noSmallDisk, openSmallDisk, type SmallDisk } from '../support/small-disk.js';

const missing = noSmallDisk();
const WRITES = new Set([5, 6, 15, 16]);

describe.skipIf(missing !== undefined)(`S6: a full disk${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let disk: SmallDisk;
  let site: HttpSite;
  beforeAll(async () => {
    disk = openSmallDisk('64m');
    site = await startHttpSite(join(disk.path, 'data'));
  });
  afterAll(async () => {
    await site.stop();
    disk.remove();
  });

  const call = async (method: string, params: object): Promise<{ status: number; body: Record<string, unknown> }> => {
    const response = await site.post('/v1/agents/plc_controller/call', { method, params, timeout_ms: 2_000 });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const write = (value: number) => call('write_point', { device_id: 'PLC-003', point: 'temperature_setpoint', value });
  /** Values of write requests that came to the device, the fence's aside. */
  const written = (): number[][] =>
    site.factory.world
      .frames({})
      .filter(
        ({ dir, fc, device, values }) => dir === 'in' && WRITES.has(fc) && device === 'PLC-003' && values.length < 2,
      )
      .map(({ values }) => [...values]);
  const entries = async (): Promise<StoredEntry[]> => {
    const { view } = site.factory.agent('plc_controller').cell;
    await view.catchUp();
    return view.entries(scopes.device('PLC-003'), { limit: 10_000 });
  };

  test('little space is an alarm, a problem of the site, and takes nothing away yet', { timeout: 40_000 }, async () => {
    expect((await write(50)).status).toBe(200);
    disk.fill(5_000_000);
    const { view } = site.factory.agent('production_coordinator').cell;
    await expect
      .poll(async () => (await view.scopes()).filter((scope) => scope.includes('disk')), { timeout: 20_000 })
      .toHaveLength(1);
    const ready = await site.get('/readyz');
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({
      status: 'degraded',
      problems: [expect.stringMatching(/little space on the disk of .*data: \d MB of 67 MB are free/)],
    });
    expect((await write(51)).status).toBe(200);
  });

  test('no effect without a record: what is refused did not happen, and says why', { timeout: 60_000 }, async () => {
    disk.fill(0);
    const refused: Record<string, unknown>[] = [];
    const confirmed: number[] = [];
    const before = written().length;
    for (let value = 20; refused.length < 5 && value < 60; value++) {
      const { status, body } = await write(value);
      if (status === 200) confirmed.push(value);
      else refused.push(body);
    }
    expect(refused).toHaveLength(5);
    // One that had its claim when the disk became full was done, and waits for its end in the record; no other one.
    const [first, ...others] = refused;
    const begun = first?.reason === 'deadline' ? 1 : 0;
    for (const error of begun ? others : refused) {
      expect(error).toMatchObject({
        reason: 'log_unavailable',
        suggestion: expect.stringContaining('free space on the disk of'),
      });
    }
    expect(written().length - before).toBe(confirmed.length + begun);
    const frames = written().length;
    expect((await write(44)).status).not.toBe(200);
    expect(written()).toHaveLength(frames);
    const { status } = await site.post('/v1/goals', { goal: '把PLC-003的温度设定值设为45' });
    expect(status).toBeGreaterThanOrEqual(500);
    expect(written()).toHaveLength(frames);
  });

  test('reads go on', async () => {
    expect(await call('get_device_status', { device_id: 'PLC-003' })).toMatchObject({
      status: 200,
      body: { result: { status: 'ONLINE' } },
    });
    const memory = await site.get('/v1/memory/device_PLC-003');
    expect(memory.status).toBe(200);
    expect((await site.get('/v1/devices')).status).toBe(200);
    expect((await site.get('/healthz')).status).toBe(200);
  });

  test('when there is space again, all goes on without a restart, and the record is whole', {
    timeout: 60_000,
  }, async () => {
    disk.clear();
    await expect.poll(async () => (await write(55)).status, { timeout: 20_000, interval: 200 }).toBe(200);
    const recorded = async (): Promise<number[][]> =>
      (await entries())
        .filter(({ kind }) => kind === 'finished')
        .flatMap(({ effects = [] }) => effects)
        .flatMap(({ registers, target }) => (registers && !target.endsWith('.fence') ? [[...registers.values]] : []))
        .sort();
    await expect.poll(recorded, { timeout: 20_000, interval: 200 }).toEqual(written().sort());
    expect(verifyChain(await entries())).toBeUndefined();
    await expect
      .poll(async () => (await (await site.get('/readyz')).json()) as object, { timeout: 20_000 })
      .toMatchObject({
        status: 'ready',
      });
  });
});
