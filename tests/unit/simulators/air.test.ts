import { beforeEach, describe, expect, it } from 'vitest';
import { type Building, createBuilding } from '../../support/building.js';

let building: Building;
beforeEach(() => {
  building = createBuilding();
});

/** Minutes of virtual time until it holds; looks every minute, at most `limit`. */
async function minutesUntil(holds: () => boolean, limit: number): Promise<number> {
  for (let minute = 0; minute <= limit; minute++) {
    if (holds()) return minute;
    await building.minutes(1);
  }
  throw new Error(`not within ${limit} minutes`);
}

describe('a zone', () => {
  it('begins near its balance and stays within 0.3 K of its set-point over a summer day and night', async () => {
    for (let hour = 0; hour < 24; hour++) {
      await building.minutes(60);
      for (const id of ['VAV-101', 'VAV-202', 'VAV-303']) {
        expect(Math.abs(building.get(id, 'zone_temperature') - 22)).toBeLessThan(0.3);
      }
    }
  });

  it('set to 24 °C is there within 2 h, to 0.2 K, and stays', async () => {
    const before = building.get('VAV-301', 'airflow');
    expect(building.write('VAV-301', 'holding', 0, 240)).toEqual({ values: [240] });
    await building.minutes(5);
    expect(building.get('VAV-301', 'airflow')).toBeLessThan(before / 2);
    expect(building.get('VAV-301', 'reheat_valve')).toBeGreaterThan(50);
    const near = () => Math.abs(building.get('VAV-301', 'zone_temperature') - 24) <= 0.2;
    expect(await minutesUntil(near, 120)).toBeGreaterThan(5);
    for (let quarter = 0; quarter < 40; quarter++) {
      await building.minutes(15);
      expect(near()).toBe(true);
    }
    expect(building.get('VAV-302', 'zone_temperature')).toBeCloseTo(22, 0);
  });

  it('set to 18 °C cools with all the air that its box can let in', async () => {
    building.write('VAV-302', 'holding', 0, 180);
    const begin = building.get('VAV-302', 'zone_temperature');
    await building.minutes(60);
    expect(building.get('VAV-302', 'damper_position')).toBe(100);
    expect(building.get('VAV-302', 'zone_temperature')).toBeLessThan(begin - 0.8);
  });

  it('with two boxes has one temperature, and both count', async () => {
    building.write('VAV-303', 'holding', 0, 180);
    await building.minutes(60);
    const both = building.get('VAV-303', 'zone_temperature');
    expect(building.get('VAV-304', 'zone_temperature')).toBe(both);
    expect(building.get('VAV-304', 'airflow')).toBeLessThan(building.get('VAV-303', 'airflow'));
    building.put('VAV-304', 'zone_temperature', 26);
    expect(building.get('VAV-303', 'zone_temperature')).toBe(26);
    building.put('VAV-304', 'temperature_setpoint', 18);
    await building.minutes(30);
    expect(building.get('VAV-304', 'airflow')).toBeGreaterThan(900);
  });

  it('refuses a set-point out of 16–30 °C and any write to what it measures', () => {
    expect(building.write('VAV-301', 'holding', 0, 155)).toEqual({ exception: 3 });
    expect(building.write('VAV-301', 'holding', 0, 301)).toEqual({ exception: 3 });
    expect(building.write('VAV-301', 'holding', 1, 220)).toEqual({ exception: 2 });
    expect(building.get('VAV-301', 'temperature_setpoint')).toBe(22);
  });
});

describe('an air handler', () => {
  const values = (id: string, ...points: string[]) => points.map((point) => building.get(id, point));

  it('holds duct pressure and supply temperature; its flow is the sum of its boxes', async () => {
    await building.minutes(30);
    const [pressure, supply, flow] = values(
      'AHU-2',
      'duct_static_pressure',
      'supply_air_temperature',
      'supply_airflow',
    );
    expect(pressure).toBeCloseTo(250, 0);
    expect(supply).toBeCloseTo(13, 1);
    const boxes = ['VAV-201', 'VAV-202', 'VAV-203', 'VAV-204'].map((id) => building.get(id, 'airflow'));
    expect(flow).toBeCloseTo(
      boxes.reduce((sum, one) => sum + one, 0),
      0,
    );
    const [mixed, back, outside] = values(
      'AHU-2',
      'mixed_air_temperature',
      'return_air_temperature',
      'outdoor_air_temperature',
    );
    expect(mixed).toBeCloseTo(0.8 * (back ?? 0) + 0.2 * (outside ?? 0), 1);
  });

  it('goes to a new supply temperature like e^(−t/120 s)', async () => {
    await building.minutes(30);
    building.write('AHU-1', 'holding', 1, 160);
    await building.clock.advance(120_000);
    expect(building.get('AHU-1', 'supply_air_temperature')).toBeCloseTo(16 - 3 * Math.exp(-1), 1);
    await building.minutes(15);
    expect(building.get('AHU-1', 'supply_air_temperature')).toBeCloseTo(16, 1);
  });

  it.each([
    ['its fan is not commanded', () => building.write('AHU-1', 'coil', 0, 0), 'OFF'],
    ['its mode is OFF', () => building.write('AHU-1', 'holding', 0, 0), 'OFF'],
    ['its fan is dead', () => building.fault('AHU-1', 'fan_dead'), 'FAULT'],
  ])('stands still when %s: no flow, no pressure, the coil drifts to the return air', async (_why, stop, word) => {
    stop();
    expect(building.state('AHU-1')).toBe(word);
    expect(values('AHU-1', 'fan_status', 'fan_speed', 'supply_airflow', 'duct_static_pressure')).toEqual([0, 0, 0, 0]);
    expect(values('VAV-101', 'airflow', 'reheat_valve', 'damper_command')).toEqual([0, 0, 100]);
    expect(building.state('VAV-101')).toBe('NO_AIR');
    await building.minutes(90);
    const [supply, back] = values('AHU-1', 'supply_air_temperature', 'return_air_temperature');
    expect(Math.abs((supply ?? 0) - (back ?? 0))).toBeLessThan(1.5);
    expect(building.get('VAV-101', 'zone_temperature')).toBeGreaterThan(26);
    expect(building.get('VAV-201', 'zone_temperature')).toBeLessThan(22.4);
  });

  it('that is repaired brings its zones back', async () => {
    const fault = building.fault('AHU-3', 'fan_dead');
    await building.minutes(60);
    building.world.removeFault(fault);
    expect(building.state('AHU-3')).toBe('RUNNING');
    await building.minutes(240);
    expect(Math.abs(building.get('VAV-301', 'zone_temperature') - 22)).toBeLessThan(0.4);
  });

  it('with a clogged filter: three times the drop, over 250 Pa, full speed, less pressure, less flow', async () => {
    await building.minutes(240);
    const [drop, flow] = values('AHU-2', 'filter_pressure', 'supply_airflow');
    building.fault('AHU-2', 'filter_clogged');
    await building.minutes(30);
    const [clogged, less] = values('AHU-2', 'filter_pressure', 'supply_airflow');
    expect(drop).toBeLessThan(125);
    expect(clogged).toBeGreaterThan(Math.max(250, 3 * (drop ?? 0)));
    expect(less).toBeLessThan(0.9 * (flow ?? 0));
    expect(building.get('AHU-2', 'fan_speed')).toBeGreaterThan(99.9);
    expect(building.get('AHU-2', 'duct_static_pressure')).toBeLessThan(200);
  });

  it('with a stuck cooling valve keeps it, whatever is commanded, and heats against it', async () => {
    building.fault('AHU-3', 'stuck', { point: 'cooling_valve' });
    building.put('AHU-3', 'cooling_valve', 90);
    building.write('AHU-3', 'holding', 1, 180);
    await building.minutes(30);
    expect(building.get('AHU-3', 'cooling_valve')).toBe(90);
    expect(building.get('AHU-3', 'heating_valve')).toBeGreaterThan(90);
    building.put('AHU-3', 'cooling_valve', 100);
    await building.minutes(30);
    expect(building.get('AHU-3', 'heating_valve')).toBe(100);
    expect(building.get('AHU-3', 'supply_air_temperature')).toBeLessThan(17.5);
    expect(() => building.put('AHU-1', 'cooling_valve', 50)).toThrow('cannot be set');
  });

  it('cools freely when it is cool outside', async () => {
    building.put('AHU-1', 'outdoor_air_temperature', 11);
    expect(building.get('AHU-3', 'outdoor_air_temperature')).toBeCloseTo(11, 9);
    await building.minutes(5);
    expect(building.get('AHU-1', 'outdoor_damper')).toBeGreaterThan(75);
    expect(building.get('AHU-1', 'cooling_valve')).toBe(0);
  });
});

describe('a box', () => {
  it('whose damper is stuck keeps it while its command moves on; the zone is what suffers', async () => {
    building.put('VAV-301', 'damper_position', 5);
    const fault = building.fault('VAV-301', 'stuck', { point: 'damper_position' });
    await building.minutes(60);
    expect(building.get('VAV-301', 'damper_position')).toBe(5);
    expect(building.get('VAV-301', 'damper_command')).toBe(100);
    expect(building.get('VAV-301', 'airflow')).toBeLessThan(100);
    expect(building.get('VAV-301', 'zone_temperature')).toBeGreaterThan(24);
    building.world.removeFault(fault);
    await building.minutes(3);
    expect(building.get('VAV-301', 'damper_position')).toBe(100);
  });

  it('moves its damper in 90 s from end to end', async () => {
    building.put('VAV-301', 'damper_position', 0);
    building.write('VAV-301', 'holding', 0, 160);
    await building.clock.advance(45_000);
    expect(building.get('VAV-301', 'damper_position')).toBeCloseTo(50, 6);
  });
});

describe('a split unit', () => {
  it('cools a hot room by its thermostat, with 8–12 K across the coil and at least 3 minutes on', async () => {
    building.fault('AHU-1', 'fan_dead');
    building.put('AC-1', 'room_temperature', 26);
    await building.minutes(3);
    expect(building.state('AC-1')).toBe('COOLING');
    const across = building.get('AC-1', 'return_air_temperature') - building.get('AC-1', 'supply_air_temperature');
    expect(across).toBeGreaterThan(8);
    expect(across).toBeLessThan(12);
    building.write('AC-2', 'holding', 0, 2, 200);
    const started = building.clock.now();
    expect(building.get('AC-2', 'compressor_status')).toBe(1);
    building.put('AC-2', 'room_temperature', 18);
    while (building.get('AC-2', 'compressor_status') === 1) await building.clock.advance(10_000);
    expect(building.clock.now() - started).toBe(180_000);
  });

  it('heats in HEAT, blows in FAN, stands in OFF', async () => {
    building.write('AC-2', 'holding', 0, 3, 280);
    await building.minutes(4);
    expect(building.state('AC-2')).toBe('HEATING');
    expect(building.get('AC-2', 'supply_air_temperature')).toBeGreaterThan(30);
    building.put('AC-2', 'mode', 'FAN');
    await building.minutes(4);
    expect(building.state('AC-2')).toBe('FAN');
    building.put('AC-2', 'mode', 'OFF');
    expect(building.state('AC-2')).toBe('OFF');
    expect(building.get('AC-2', 'fan_status')).toBe(0);
    expect(building.write('AC-2', 'holding', 0, 5)).toEqual({ exception: 3 });
  });

  it('with a clogged filter has over 13 K and over 250 Pa; with a dead fan it runs no compressor', async () => {
    building.write('AC-1', 'holding', 0, 2, 160);
    await building.minutes(5);
    const clean = building.get('AC-1', 'filter_pressure');
    building.fault('AC-1', 'filter_clogged');
    await building.minutes(5);
    const across = building.get('AC-1', 'return_air_temperature') - building.get('AC-1', 'supply_air_temperature');
    expect(across).toBeGreaterThan(13);
    expect(building.get('AC-1', 'filter_pressure')).toBeGreaterThan(Math.max(250, 3 * clean));
    building.fault('AC-1', 'fan_dead');
    expect(building.state('AC-1')).toBe('FAULT');
    expect([building.get('AC-1', 'fan_status'), building.get('AC-1', 'compressor_status')]).toEqual([0, 0]);
  });
});
