import { describe, expect, test } from 'vitest';
import { diagnosisOf, type Settling } from '../../../agents/hvac/diagnosis/diagnosis.js';
import { equipmentOfFloor } from '../../../agents/hvac/equipment.js';
import type { PointValue } from '../../../shared/device.js';
import { seededRandom } from '../../../shared/random.js';
import { VirtualClock } from '../../../shared/virtual-clock.js';
import { createWorld, type World } from '../../../simulators/index.js';
import { simulatedDevices } from '../../../topology/simulated.js';
import { demoTopology } from '../../support/demo-site.js';
import { demoSite } from '../../support/hvac-looks.js';

/** The demo building under the rules, without agents between: what a day of looks finds. */
const MINUTE = 60_000;
const site = demoSite();

function building() {
  const clock = new VirtualClock();
  const random = seededRandom(1).stream('world');
  return { clock, world: createWorld({ clock, random, devices: simulatedDevices(demoTopology()) }) };
}

/** As the tool looks: four times, 500 ms apart. */
async function found(clock: VirtualClock, world: World, floor: number, settling: Settling = new Map()) {
  const devices = equipmentOfFloor(site, floor);
  const looks = devices.map((): Record<string, PointValue>[] => []);
  const from = clock.now();
  for (let round = 0; round < 4; round++) {
    if (round > 0) await clock.advance(500);
    for (const [index, device] of devices.entries()) {
      const values = world.device(device.id).points.map(({ name, scale = 1, type, value }): [string, PointValue] => {
        const shown = type === 'bool' ? value : Math.round(Number(value) / scale) * scale;
        return [name, { point: name, value: shown, quality: { status: 'good' }, source_time_unix_ms: clock.now() }];
      });
      looks[index]?.push(Object.fromEntries(values));
    }
  }
  const seen = devices.map((device, index) => ({ device, looks: looks[index] ?? [] }));
  const { findings } = diagnosisOf({ seen, from, window_ms: 1_500 }, settling);
  return findings.map(({ rule, device_id, evidence }) => `${rule} ${device_id} ${JSON.stringify(evidence)}`);
}

describe('no false alarm', () => {
  test('on three floors, on a healthy summer day', async () => {
    const { clock, world } = building();
    for (let n = 0; n < 24 * 4; n++) {
      for (const floor of [1, 2, 3]) expect(await found(clock, world, floor), `${n * 15} min`).toEqual([]);
      await clock.advance(15 * MINUTE);
    }
  });

  test.each([19, 20, 24, 28])(
    'after one zone of each floor went to %i °C, while it rests and after it',
    async (degrees) => {
      const { clock, world } = building();
      await clock.advance(60 * MINUTE);
      const at = clock.now();
      for (const id of ['VAV-102', 'AC-1', 'VAV-301']) world.put(id, 'temperature_setpoint', degrees);
      const rest = { zone: at + 120 * MINUTE, compressor: at + 5 * MINUTE };
      const settling = new Map(['F1-B', 'F3-A'].map((id) => [id, rest] as const));
      const wait = [0, 1_000, 5_000, 20_000, 60_000, 90_000, 5 * MINUTE, 20 * MINUTE, 60 * MINUTE, 150 * MINUTE];
      for (const ms of wait) {
        await clock.advance(Math.max(0, at + ms - clock.now()));
        for (const floor of [1, 3]) expect(await found(clock, world, floor, settling), `${ms} ms`).toEqual([]);
      }
    },
  );

  test.each([16, 30])(
    'after every zone of a floor went to %i °C but that the capacity ends; the fan holds its pressure',
    async (degrees) => {
      const { clock, world } = building();
      await clock.advance(30 * MINUTE);
      const boxes = ['VAV-301', 'VAV-302', 'VAV-303', 'VAV-304'];
      const said = (id: string, point: string) =>
        Number(world.device(id).points.find(({ name }) => name === point)?.value);
      for (const id of boxes) world.put(id, 'temperature_setpoint', degrees);
      const speeds: number[] = [];
      for (let at = 0; at < 120 * MINUTE; at += at < 3 * MINUTE ? 3_000 : 2.7 * MINUTE) {
        const alarms = await found(clock, world, 3);
        expect(
          alarms.filter((alarm) => !/^ZONE-(HOT|COLD) /.test(alarm)),
          `${at} ms`,
        ).toEqual([]);
        speeds.push(said('AHU-3', 'fan_speed'));
        await clock.advance(at < 3 * MINUTE ? 1_500 : 2.7 * MINUTE - 1_500);
      }
      expect(Math.max(...speeds)).toBeLessThan(93.5);
      expect(said('AHU-3', 'duct_static_pressure')).toBeCloseTo(250, 0);
      if (degrees === 16) expect(boxes.map((id) => said(id, 'damper_position'))).toEqual([100, 100, 100, 100]);
    },
  );

  test('for ten minutes after a fan was dead for an hour; the zones are too hot, and that is said', async () => {
    const { clock, world } = building();
    const fault = world.addFault({ device: 'AHU-3', kind: 'fan_dead' });
    await clock.advance(60 * MINUTE);
    world.removeFault(fault.fault_id);
    for (let at = 0; at < 10 * MINUTE; at += 5_000) {
      const alarms = await found(clock, world, 3);
      expect(
        alarms.filter((alarm) => !alarm.startsWith('ZONE-HOT ')),
        `${at} ms`,
      ).toEqual([]);
      await clock.advance(3_500);
    }
  });

  test('while a fan that was dead comes back', async () => {
    const { clock, world } = building();
    const fault = world.addFault({ device: 'AHU-3', kind: 'fan_dead' });
    await clock.advance(5 * MINUTE);
    world.removeFault(fault.fault_id);
    for (const ms of [0, 2_000, 5_000, 10_000, 30_000, 60_000, 2 * MINUTE, 10 * MINUTE]) {
      await clock.advance(ms);
      const alarms = await found(clock, world, 3);
      expect(alarms, `${ms} ms`).toEqual([]);
    }
  });
});
