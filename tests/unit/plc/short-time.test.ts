import { afterEach, describe, expect, test } from 'vitest';
import { startTwin, type Twin } from '../../../topology/index.js';
import { demoTopology } from '../../support/demo-site.js';

let twin: Twin | undefined;
afterEach(async () => {
  if (twin) await twin.clock.run(twin.stop());
  twin = undefined;
});

async function goal(text: string, timeout_ms?: number) {
  const site = twin as Twin;
  const id = await site.clock.run(site.submit(text, timeout_ms === undefined ? {} : { timeout_ms }));
  return site.clock.run(site.settled(id, 60_000));
}
const restarts = (device: string) =>
  (twin as Twin).world
    .frames({ device })
    .filter((frame) => frame.dir === 'in' && frame.fc === 6 && frame.address === 100);

describe('too little time', () => {
  test.each([100, 200, 300, 500, 800, 1_000, 1_500])(
    'a healthy controller asked within %i ms is online or not judged, never offline, and is not restarted',
    async (timeout_ms) => {
      twin = await startTwin(demoTopology(), { seed: timeout_ms });
      const asked = await goal(
        'check the status of PLC-001; if it is offline, restart it and notify Zhang',
        timeout_ms,
      );
      const status = asked.plan.steps[0];
      if (status?.state === 'completed') expect(status.result).toMatchObject({ status: 'ONLINE' });
      else expect(asked.error).toMatchObject({ code: 408 });
      expect(restarts('PLC-001')).toEqual([]);
    },
  );

  test('a restart is not begun when nobody would see its end', async () => {
    twin = await startTwin(demoTopology(), { seed: 1 });
    const asked = await goal('重启PLC-001', 2_000);
    expect(asked).toMatchObject({ state: 'failed', error: { code: 408 } });
    expect(restarts('PLC-001')).toEqual([]);
    expect((await goal('重启PLC-001', 9_000)).state).toBe('completed');
  });
});

describe('what passes by itself', () => {
  test('a link that was half open and is back does not make its neighbour offline', async () => {
    twin = await startTwin(demoTopology(), { seed: 2 });
    await goal('查PLC-010状态');
    const fault = twin.world.addFault({ device: 'PLC-011', kind: 'half_open' });
    await goal('查PLC-011状态', 300);
    twin.world.removeFault(fault.fault_id);
    await twin.clock.advance(2_000);
    const asked = await goal('查PLC-010状态，如果离线，重启它并通知张工');
    expect(asked.plan.steps.map((step) => step.state)).toEqual(['completed', 'skipped', 'skipped']);
  });

  test('a device that answers with an exception is in fault, not offline', async () => {
    twin = await startTwin(demoTopology(), { seed: 3 });
    twin.world.addFault({ device: 'PLC-002', kind: 'exception', params: { code: 1 } });
    const asked = await goal('查PLC-002状态，如果离线，重启它并通知张工');
    expect(asked.plan.steps[0]?.result).toMatchObject({ status: 'FAULT', error_code: 'DEVICE_FAULT' });
    expect(restarts('PLC-002')).toEqual([]);
  });

  test('a value that the register cannot hold is refused before any frame', async () => {
    twin = await startTwin(demoTopology(), { seed: 4 });
    const asked = await goal('set heating power of PLC-001 to 33.7');
    expect(asked.error).toMatchObject({ code: 400 });
    const writes = twin.world.frames({ device: 'PLC-001' }).filter((frame) => frame.dir === 'in' && frame.fc >= 5);
    expect(writes).toEqual([]);
  });
});
