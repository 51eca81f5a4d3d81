import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDeviceAccess, openModbusLink } from '../../../agents/drivers/index.js';
import { systemClock } from '../../../shared/clock.js';
import type { Device, LinkDriver } from '../../../shared/device.js';
import { seededRandom } from '../../../shared/random.js';
import { silentLogger } from '../../../shared/telemetry/logger.js';
import { openMetrics } from '../../../shared/telemetry/metrics.js';
import { type Simulators, startSimulators } from '../../../simulators/index.js';
import { siteOf } from '../../../topology/index.js';
import { BUILDING_DEVICES } from '../../support/building.js';
import { demoTopology } from '../../support/demo-site.js';
import { rawClient } from '../../support/sim-raw-client.js';

/** Every kind of the building over real Modbus TCP, by the register map of the site file. */
const site = siteOf(demoTopology());
const deps = { clock: systemClock(), random: seededRandom(1), logger: silentLogger() };
let simulators: Simulators;
const opened: LinkDriver[] = [];
beforeAll(async () => {
  simulators = await startSimulators({ ...deps, devices: BUILDING_DEVICES, controlPort: 0 });
});
afterAll(async () => {
  await Promise.all(opened.map((driver) => driver.close()));
  await simulators.stop();
});

const access = createDeviceAccess({
  now: () => deps.clock.now(),
  openLink(link) {
    const resolve = async () => simulators.links()[link] ?? { host: '', port: 0 };
    const driver = openModbusLink({ ...deps, metrics: openMetrics(), resolve }, { link, backoffMinMs: 20 });
    opened.push(driver);
    return driver;
  },
});
const device = (id: string): Device => site.devices.find((one) => one.id === id) as Device;
const ask = async (link: string, frame: string, bytes: number): Promise<string> => {
  const raw = await rawClient(simulators.links()[link] ?? { host: '', port: 0 });
  raw.send(frame);
  const answer = await raw.received(bytes);
  raw.socket.destroy();
  return answer;
};

describe('the register maps of the site file', () => {
  it.each([...new Set(BUILDING_DEVICES.map(({ kind }) => kind))])('are those of the simulated %s', (kind) => {
    for (const { id } of BUILDING_DEVICES.filter((spec) => spec.kind === kind)) {
      const own = simulators.world.device(id);
      const simulated = own.points
        .filter(({ name }) => kind === 'plc' || name !== 'fence')
        .map(({ value: _value, modbus_unit, ...point }) => ({ ...point, modbus_unit }));
      const declared = device(id).points.map(({ unit_id, ...point }) => ({
        ...point,
        modbus_unit: unit_id ?? own.unit,
      }));
      const plain = (points: typeof declared) =>
        points.map(({ name, table, address }) => `${table} ${address} ${name}`);
      expect(plain(declared).filter((line) => !plain(simulated).includes(line))).toEqual([]);
      if (kind !== 'plc') expect(declared).toEqual(simulated);
    }
  });
});

describe('over the wire', () => {
  it.each(['AHU-2', 'VAV-204', 'AC-1', 'M-0', 'BRK-8'])('%s says what it shows', async (id) => {
    const { points } = device(id);
    const values = await access.read(
      device(id),
      points.map(({ name }) => name),
    );
    const shown = simulators.world.device(id).points;
    expect(values).toHaveLength(points.length);
    for (const { point, value, quality } of values) {
      const { value: expected, scale = 1, type } = shown.find(({ name }) => name === point) ?? { value: Number.NaN };
      expect(quality).toEqual({ status: 'good' });
      if (type === 'bool') expect(value).toBe(expected);
      else
        expect(Math.abs(Number(value) - Number(expected)), point).toBeLessThan(
          scale + 0.01 * Math.abs(Number(expected)),
        );
    }
  });

  it('a set-point is written and read back, under the fence', async () => {
    await access.write(device('VAV-204'), 'temperature_setpoint', 23.5, { epoch: 9 });
    expect(simulators.world.device('VAV-204').points.find(({ name }) => name === 'fence')?.value).toBe(9);
    const [back] = await access.read(device('VAV-204'), ['temperature_setpoint']);
    expect(back).toMatchObject({ value: 23.5, quality: { status: 'good' } });
  });

  it('a meter is an SDM630: float32, high word first, at 0x34 the total power', async () => {
    const answer = await ask('power', '0001 0000 0006 01 04 0034 0002', 13);
    const watts = Buffer.from(answer.slice(18), 'hex').readFloatBE(0);
    expect(watts).toBeGreaterThan(40_000);
    expect(watts).toBeLessThan(60_000);
    expect(await ask('power', '0001 0000 0006 01 04 0012 0002', 9)).toBe('000100000003018402');
  });

  it('a breaker opens by FC5; tripped, it answers a close by exception 4', async () => {
    expect(await ask('power', '0001 0000 0006 11 05 0000 0000', 12)).toBe('000100000006110500000000');
    expect(simulators.world.device('BRK-7').state).toBe('OPEN');
    simulators.world.addFault({ device: 'BRK-7', kind: 'breaker_trip' });
    expect(await ask('power', '0002 0000 0006 11 05 0000 ff00', 9)).toBe('000200000003118504');
    expect(await ask('power', '0003 0000 0006 11 05 0001 ff00', 12)).toBe('00030000000611050001ff00');
    expect(await ask('power', '0004 0000 0006 11 05 0000 ff00', 12)).toBe('00040000000611050000ff00');
    expect(await ask('power', '0005 0000 0006 11 02 0000 0002', 10)).toBe('00050000000411020101');
  });
});
