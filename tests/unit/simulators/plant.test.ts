import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../shared/random.js';
import { VirtualClock } from '../../../shared/virtual-clock.js';
import { createWorld, type SimDeviceSpec } from '../../../simulators/index.js';
import { outdoorDay } from '../../../simulators/plant/outdoor.js';
import { createPlant, type Plant } from '../../../simulators/plant/plant.js';
import type { PlantState } from '../../../simulators/plant/plant-state.js';
import { equationOf, zoneCourse, zoneEquation } from '../../../simulators/plant/zone.js';
import type { PlantSpec } from '../../../simulators/sim-device.js';
import { BUILDING_DEVICES, BUILDING_START, createBuilding } from '../../support/building.js';

const SPECS = BUILDING_DEVICES.filter((spec): spec is PlantSpec => spec.kind !== 'plc');
const HOUR = 3_600_000;
const plantNow = (): Plant => createPlant(SPECS, BUILDING_START);

/** Things that happen to a plant. */
const setpoint = (celsius: number) => (state: PlantState) => ({
  ...state,
  boxes: state.boxes.map((box, index) => (index === 2 ? { ...box, setpointC: celsius } : box)),
});
const open = (index: number, closed: boolean) => (state: PlantState) => ({
  ...state,
  circuits: state.circuits.map((circuit, at) => (at === index ? { ...circuit, closed } : circuit)),
});

describe('the plant', () => {
  it('does not know who asked when: the same state to the last bit, whatever was looked at before', () => {
    const look = fc.integer({ min: 0, max: 4 * HOUR });
    const event = fc.record({ at: look, celsius: fc.integer({ min: 16, max: 30 }), closed: fc.boolean() });
    fc.assert(
      fc.property(fc.array(look, { maxLength: 30 }), fc.array(event, { maxLength: 6 }), (looks, events) => {
        const play = (asked: readonly number[]): PlantState => {
          const plant = plantNow();
          const happenings = [
            ...asked.map((at) => ({ at, happen: () => void plant.view(BUILDING_START + at) })),
            ...events.map(({ at, celsius, closed }) => ({
              at,
              happen: () => {
                plant.change(BUILDING_START + at, setpoint(celsius));
                plant.change(BUILDING_START + at, open(1, closed));
              },
            })),
          ];
          for (const { happen } of happenings.sort((a, b) => a.at - b.at)) happen();
          return plant.view(BUILDING_START + 4 * HOUR + 1_234);
        };
        expect(play(looks)).toEqual(play([]));
      }),
      { seed: 11, numRuns: 25 },
    );
  });

  it('takes a zone along the closed form while its air is held', () => {
    const plant = plantNow();
    plant.change(BUILDING_START + 5_000, setpoint(25));
    for (const at of [5_000, 3 * HOUR + 10_000, 9 * HOUR]) {
      const begin = plant.view(BUILDING_START + at);
      const zone = plant.layout.boxes[2]?.zone ?? 0;
      const equation = equationOf(plant.layout, begin, zone, outdoorDay(0));
      for (const more of [1, 2_500, 4_999]) {
        const course = zoneCourse(equation, begin.zones[zone] ?? 0, begin.at, begin.at + more);
        expect(plant.view(begin.at + more).zones[zone]).toBeCloseTo(course, 12);
      }
    }
  });

  it('takes a zone without air along one closed form for a day', () => {
    const plant = plantNow();
    plant.change(BUILDING_START, (state) => ({
      ...state,
      ahus: state.ahus.map((ahu) => ({ ...ahu, defects: { ...ahu.defects, fanDead: true } })),
      splits: state.splits.map((split) => ({ ...split, mode: 0 })),
    }));
    plant.layout.zones.forEach(({ size }, index) => {
      const alone = zoneEquation(size, outdoorDay(0), 0, 0);
      const course = zoneCourse(alone, 22, BUILDING_START, BUILDING_START + 24 * HOUR);
      expect(plant.view(BUILDING_START + 24 * HOUR).zones[index]).toBeCloseTo(course, 9);
    });
  });

  it('goes through a virtual day in less than 100 ms of processor time, once it is compiled', () => {
    const day = (): number => {
      const plant = plantNow();
      return processorMs(() => plant.view(BUILDING_START + 24 * HOUR));
    };
    expect(Math.min(...Array.from({ length: 8 }, day))).toBeLessThan(100);
  });

  it('answers a read in less than 50 µs when no time has passed', () => {
    const { world } = createBuilding();
    const connection = world.connect('power');
    const read = { table: 'input', address: 0, count: 18 } as const;
    const round = (): number =>
      processorMs(() => {
        for (let n = 0; n < 1_000; n++) world.receive(connection, 1, { fc: 4, read });
      });
    expect(Math.min(...Array.from({ length: 10 }, round))).toBeLessThan(50);
  });

  it('comes back whole at a reset', async () => {
    const [used, left] = [createBuilding(), createBuilding()];
    used.put('VAV-301', 'temperature_setpoint', 26);
    used.write('VAV-102', 'holding', 200, 0, 7);
    used.fault('AHU-2', 'fan_dead');
    used.fault('BRK-1', 'breaker_trip');
    used.put('AHU-1', 'outdoor_air_temperature', 5);
    for (const building of [used, left]) {
      await building.clock.advance(24 * HOUR);
      building.world.devices();
      building.world.reset();
    }
    expect(used.world.devices()).toEqual(left.world.devices());
    await Promise.all([used, left].map(({ clock }) => clock.advance(HOUR)));
    expect(used.world.devices()).toEqual(left.world.devices());
    expect(used.get('AHU-2', 'fan_status')).toBe(1);
  });
});

/** What this process spent on it, whatever else the machine is busy with. */
function processorMs(work: () => void): number {
  const begin = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1000;
}

describe('what cannot be built or shown', () => {
  const world = (devices: readonly SimDeviceSpec[]) =>
    createWorld({ clock: new VirtualClock(), random: seededRandom(1), devices });

  it('is a relation to nobody, or a circle of breakers', () => {
    const placed = (id: string, unit: number) => ({ id, link: 'l', unit });
    expect(() => world([{ ...placed('V', 1), kind: 'vav', zone: 'Z', fed_by: 'A' }])).toThrow('V refers to A');
    expect(() => world([{ ...placed('M', 1), kind: 'meter', measures: 'B' }])).toThrow('M refers to B');
    expect(() => world([{ ...placed('A', 1), kind: 'ahu', powered_by: 'B' }])).toThrow('A refers to B');
    expect(() =>
      world([
        { ...placed('B', 1), kind: 'breaker', powered_by: 'C' },
        { ...placed('C', 2), kind: 'breaker', powered_by: 'B' },
      ]),
    ).toThrow('fed by itself');
  });

  it.each([
    ['VAV-301', 'fan_dead', {}, '/kind'],
    ['AHU-1', 'breaker_trip', {}, '/kind'],
    ['M-1', 'silent_write', {}, '/kind'],
    ['BRK-1', 'offline', {}, '/kind'],
    ['AC-1', 'stuck', { point: 'mode' }, '/kind'],
    ['VAV-301', 'stuck', {}, '/params/point'],
    ['VAV-301', 'stuck', { point: 'zone_temperature' }, '/params/point'],
    ['AHU-1', 'stuck', { point: 'damper_position' }, '/params/point'],
    ['M-1', 'voltage_sag', { pct: 101 }, '/params/pct'],
    ['M-1', 'voltage_sag', {}, '/params/pct'],
    ['BRK-1', 'phase_loss', { phase: 4 }, '/params/phase'],
    ['AHU-1', 'exception', { code: 4, unit: 'comm' }, '/params/unit'],
  ])('on %s is %s %j', (device, kind, params, pointer) => {
    const { world: demo } = createBuilding();
    let refused: unknown;
    try {
      demo.addFault({ device, kind, params: params as Record<string, number> });
    } catch (error) {
      refused = error;
    }
    expect(refused).toMatchObject({ code: 400, data: { fields: [{ pointer }] } });
  });
});

describe('link faults', () => {
  it('concern the devices of the building like any other', () => {
    const building = createBuilding();
    building.fault('VAV-301', 'silent_write');
    expect(building.write('VAV-301', 'holding', 0, 260)).toEqual({ values: [260] });
    expect(building.get('VAV-301', 'temperature_setpoint')).toBe(22);
    building.fault('BRK-1', 'exception', { code: 6 });
    expect(building.write('BRK-1', 'coil', 0, 0)).toEqual({ exception: 6 });
    expect(building.state('BRK-1')).toBe('CLOSED');
    building.fault('AHU-1', 'delay', { ms: 70 });
    const read = { table: 'input', address: 0, count: 1 } as const;
    const ask = (link: string) => building.world.receive(building.world.connect(link), 1, { fc: 4, read });
    expect(ask('hvac-1')).toMatchObject({ delayMs: 70, silent: false });
    building.fault('M-0', 'half_open');
    expect(ask('power')).toMatchObject({ silent: true });
    expect(ask('hvac-2')).toMatchObject({ silent: false });
  });

  it('and a box knows its fence', () => {
    const { world } = createBuilding();
    const [older, newer] = [world.connect('hvac-3'), world.connect('hvac-3')];
    const write = (connection: typeof older, address: number, ...values: number[]) =>
      world.receive(connection, 11, { fc: 16, write: { table: 'holding', address, values } }).reply;
    expect(write(older, 200, 0, 5)).toEqual({ values: [0, 5] });
    expect(write(newer, 200, 0, 6)).toEqual({ values: [0, 6] });
    expect(write(older, 0, 230)).toEqual({ exception: 3 });
    expect(write(newer, 0, 230)).toEqual({ values: [230] });
  });
});
