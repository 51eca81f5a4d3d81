import { beforeEach, describe, expect, it } from 'vitest';
import { type Building, createBuilding } from '../../support/building.js';

let building: Building;
beforeEach(() => {
  building = createBuilding();
});
const values = (id: string, ...points: string[]) => points.map((point) => building.get(id, point));
const three = (id: string, name: string) => values(id, `${name}_l1`, `${name}_l2`, `${name}_l3`);
const sum = (list: readonly number[]) => list.reduce((total, one) => total + one, 0);

describe('meters', () => {
  it('agree with themselves: phases, apparent and reactive power, power factor, line voltages', () => {
    for (const id of ['M-0', 'M-1', 'M-2', 'M-3']) {
      const [total = 0, apparent = 0, reactive = 0, factor = 0] = values(
        id,
        'power_total',
        'apparent_power',
        'reactive_power',
        'power_factor',
      );
      expect(sum(three(id, 'power'))).toBeCloseTo(total, 6);
      expect(Math.hypot(total, reactive)).toBeCloseTo(apparent, 6);
      expect(total / apparent).toBeCloseTo(factor, 9);
      const [u1 = 0] = three(id, 'voltage');
      const [i1 = 0] = three(id, 'current');
      expect(building.get(id, 'power_l1') / (u1 * i1)).toBeGreaterThan(0.8);
      expect(building.get(id, 'voltage_l1_l2')).toBeGreaterThan(396);
      expect(building.get(id, 'voltage_l1_l2')).toBeLessThan(404);
    }
  });

  it('the main one is the sum of the floors', () => {
    const floors = ['M-1', 'M-2', 'M-3'].map((id) => building.get(id, 'power_total'));
    expect(building.get('M-0', 'power_total')).toBeCloseTo(sum(floors), 6);
    expect(building.get('BRK-8', 'current')).toBeCloseTo(Math.max(...three('M-0', 'current')), 9);
  });

  it('count what flows', async () => {
    const before = building.get('M-3', 'energy_import');
    let joules = 0;
    for (let step = 0; step < 360; step++) {
      joules += building.get('M-3', 'power_total') * 10;
      await building.clock.advance(10_000);
    }
    expect(building.get('M-3', 'energy_import') - before).toBeCloseTo(joules / 3.6e6, 6);
    building.put('M-3', 'energy_import', 5);
    expect(building.get('M-3', 'energy_import')).toBe(5);
  });

  it('have voltages that breathe within 1 %, the same for who asks twice', async () => {
    const seen = new Set<number>();
    for (let second = 0; second < 120; second++) {
      const [volts = 0] = three('M-2', 'voltage');
      expect(Math.abs(volts / 230 - 1)).toBeLessThan(0.01);
      expect(three('M-2', 'voltage')[0]).toBe(volts);
      seen.add(volts);
      await building.clock.advance(1_000);
    }
    expect(seen.size).toBe(120);
  });

  it('show a fan by the cube of its speed', async () => {
    const fan = () => 5500 * (building.get('AHU-3', 'fan_speed') / 100) ** 3;
    const running = building.get('M-3', 'power_total');
    const drawn = fan();
    building.write('AHU-3', 'coil', 0, 0);
    expect(running - building.get('M-3', 'power_total')).toBeCloseTo(drawn, 6);
  });
});

describe('breakers', () => {
  it('take everything below them with them, and give it back', async () => {
    expect(building.write('BRK-3', 'coil', 0, 0)).toEqual({ values: [0] });
    expect(building.state('BRK-3')).toBe('OPEN');
    expect(three('M-3', 'voltage')).toEqual([0, 0, 0]);
    expect(values('M-3', 'power_total', 'frequency', 'voltage_l1_l2')).toEqual([0, 0, 0]);
    expect(building.state('M-3')).toBe('NO_VOLTAGE');
    expect(values('AHU-3', 'fan_status', 'supply_airflow')).toEqual([0, 0]);
    expect(building.state('AHU-3')).toBe('FAULT');
    expect(values('BRK-6', 'closed', 'current')).toEqual([1, 0]);
    expect(building.state('AHU-2')).toBe('RUNNING');
    expect(building.write('VAV-301', 'holding', 0, 230)).toEqual({ values: [230] });
    building.write('BRK-3', 'coil', 0, 1);
    await building.minutes(2);
    expect(building.state('AHU-3')).toBe('RUNNING');
    expect(building.get('M-3', 'power_total')).toBeGreaterThan(10_000);
  });

  it('that tripped do not close before they are reset', () => {
    const fault = building.fault('BRK-4', 'breaker_trip');
    expect(building.state('BRK-4')).toBe('TRIPPED');
    expect(values('BRK-4', 'closed', 'tripped', 'trip_count', 'current')).toEqual([0, 1, 1, 0]);
    expect(building.state('AHU-1')).toBe('FAULT');
    building.world.removeFault(fault);
    expect(building.state('BRK-4')).toBe('TRIPPED');
    expect(building.write('BRK-4', 'coil', 0, 1)).toEqual({ exception: 4 });
    expect(building.write('BRK-4', 'coil', 1, 1)).toEqual({ values: [1] });
    expect(building.state('BRK-4')).toBe('OPEN');
    building.write('BRK-4', 'coil', 0, 1);
    expect(building.state('BRK-4')).toBe('CLOSED');
    expect(building.state('AHU-1')).toBe('RUNNING');
  });

  it('that are reset have got over the fault', () => {
    building.fault('BRK-7', 'breaker_trip');
    expect(building.world.faults()).toHaveLength(1);
    building.write('BRK-7', 'coil', 1, 1);
    expect(building.world.faults()).toEqual([]);
  });

  it('one above takes meters, fans and split units of all floors', () => {
    building.fault('BRK-8', 'breaker_trip');
    for (const id of ['M-0', 'M-1', 'M-2', 'M-3']) expect(three(id, 'voltage')).toEqual([0, 0, 0]);
    for (const id of ['AHU-1', 'AHU-2', 'AHU-3', 'AC-1', 'AC-2']) expect(building.state(id)).toBe('FAULT');
    expect(building.state('PLC-001')).toBe('ONLINE');
  });
});

describe('a bad supply', () => {
  it('sags at a meter for its circuit and what that feeds, for nobody else', () => {
    const before = three('M-2', 'current')[0] ?? 0;
    const fault = building.fault('M-2', 'voltage_sag', { pct: 12 });
    for (const volts of three('M-2', 'voltage')) expect(volts / 230).toBeCloseTo(0.88, 2);
    expect(three('M-2', 'current')[0]).toBeCloseTo(before / 0.88, 6);
    expect(building.state('AHU-2')).toBe('RUNNING');
    for (const volts of three('M-1', 'voltage')) expect(volts).toBeGreaterThan(225);
    building.fault('M-2', 'voltage_sag', { pct: 30 });
    expect(building.state('AHU-2')).toBe('FAULT');
    for (const { fault_id } of building.world.faults()) if (fault_id !== fault) building.world.removeFault(fault_id);
    expect(building.state('AHU-2')).toBe('RUNNING');
    expect((three('M-2', 'voltage')[1] ?? 0) / 230).toBeCloseTo(0.88, 2);
  });

  it('that lost a phase has nothing on it, and no fan that needs three', () => {
    const fault = building.fault('BRK-3', 'phase_loss', { phase: 2 });
    const [u1 = 0, u2, u3 = 0] = three('M-3', 'voltage');
    expect(u2).toBe(0);
    expect(Math.min(u1, u3)).toBeGreaterThan(225);
    expect(three('M-3', 'power')[1]).toBe(0);
    expect(three('M-3', 'current')[1]).toBe(0);
    expect(building.get('M-3', 'voltage_l1_l2')).toBeCloseTo(u1, 6);
    expect(building.state('AHU-3')).toBe('FAULT');
    building.world.removeFault(fault);
    expect(building.state('AHU-3')).toBe('RUNNING');
  });

  it('lets a split unit run that hangs on another phase', () => {
    building.fault('M-0', 'phase_loss', { phase: 1 });
    expect(building.state('AC-1')).toBe('FAULT');
    expect(building.state('AC-2')).toBe('FAN');
    expect(building.state('AHU-2')).toBe('FAULT');
  });
});
