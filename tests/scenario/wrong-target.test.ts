import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Factory, startFactory, type Topology } from '../../topology/index.js';
import { demoTopology } from '../support/demo-site.js';

/** What answers at the address of PLC-003 is not the device that the site file declares there. */
const topology: Topology = {
  ...demoTopology(),
  devices: demoTopology().devices.map((device) =>
    device.id === 'PLC-003' ? { ...device, identity: { model: 1207, serial: 700_099 } } : device,
  ),
};
const WRITES = [5, 6, 15, 16];

let factory: Factory;
beforeAll(async () => {
  factory = await startFactory(topology);
});
afterAll(() => factory.stop());

const call = (method: string, params: Record<string, unknown>) => {
  const { caller } = factory.agent('production_coordinator').cell;
  const callee = factory.agent('plc_controller').cell.component;
  return caller.call({ callee, method, params, deadlineAt: factory.clock.now() + 10_000 });
};
const requests = (device: string, codes: readonly number[]): number =>
  factory.world.frames({}).filter((frame) => frame.device === device && frame.dir === 'in' && codes.includes(frame.fc))
    .length;

describe('a device that is not the declared one', () => {
  test.each([
    ['write_point', { device_id: 'PLC-003', point: 'temperature_setpoint', value: 45 }],
    ['restart_device', { device_id: 'PLC-003' }],
  ])('is not written to: %s', async (method, params) => {
    await expect(call(method, params)).rejects.toMatchObject({
      reason: 'wrong_target',
      message: expect.stringContaining('serial is 700003, declared 700099'),
      data: { found: { model: 1207, serial: 700_003 }, suggestion: expect.stringContaining('line-a unit 3') },
    });
    expect(requests('PLC-003', WRITES)).toBe(0);
  });

  test('is read all the same, and its neighbours are written to', async () => {
    const { response } = await call('get_device_status', { device_id: 'PLC-003' });
    expect(response.result).toMatchObject({ status: 'ONLINE' });
    await call('write_point', { device_id: 'PLC-002', point: 'temperature_setpoint', value: 45 });
    expect(requests('PLC-002', WRITES)).toBeGreaterThan(0);
  });
});

describe('one that is', () => {
  test('is asked once a minute, and written to', async () => {
    const seen = requests('PLC-007', [4]);
    await call('restart_device', { device_id: 'PLC-007' });
    expect(requests('PLC-007', [4])).toBeGreaterThan(seen);
    expect(requests('PLC-007', WRITES)).toBeGreaterThan(0);
  });
});
