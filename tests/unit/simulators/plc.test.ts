import { beforeEach, describe, expect, it } from 'vitest';
import { HermesError } from '../../../shared/errors.js';
import { seededRandom } from '../../../shared/random.js';
import { VirtualClock } from '../../../shared/virtual-clock.js';
import { createWorld, plcPoints, type SimDeviceSpec, type World } from '../../../simulators/index.js';

const START = Date.UTC(2026, 0, 5, 8, 0, 0);
const DEVICES: readonly SimDeviceSpec[] = [
  { id: 'PLC-001', kind: 'plc', link: 'l', unit: 1, params: { heartbeat: 65_530 } },
  { id: 'PLC-007', kind: 'plc', link: 'l', unit: 7, initially: 'offline', params: { heartbeat: 40 } },
];

let clock: VirtualClock;
let world: World;
beforeEach(() => {
  clock = new VirtualClock(START);
  world = createWorld({ clock, random: seededRandom(1), devices: DEVICES });
});

const value = (id: string, name: string) => world.device(id).points.find((point) => point.name === name)?.value;
const values = (id: string, ...names: string[]) => names.map((name) => value(id, name));
const restart = (id: string) => {
  const unit = world.device(id).unit + 100;
  return world.receive(world.connect('l'), unit, {
    fc: 6,
    write: { table: 'holding', address: 100, values: [0xa5a5] },
  }).reply;
};
const fields = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    return error instanceof HermesError ? error.data.fields : error;
  }
  return undefined;
};

describe('a PLC', () => {
  it('beats once a second, wraps at 65535, and does not care how often it is asked', async () => {
    await clock.advance(5_999);
    expect(value('PLC-001', 'heartbeat')).toBe(65_535);
    await clock.advance(1);
    expect(value('PLC-001', 'heartbeat')).toBe(0);
    expect(value('PLC-001', 'last_heartbeat')).toBe(START / 1000 + 6);
    await clock.advance(10_000_500);
    expect(value('PLC-001', 'heartbeat')).toBe((6 + 10_000 - 6) % 65_536);
  });

  it('that is offline has a frozen heartbeat, COMM_TIMEOUT and no address; its comm module is alive', async () => {
    await clock.advance(30_000);
    expect(values('PLC-007', 'status', 'error_code', 'heartbeat', 'ip_high', 'ip_low')).toEqual([0, 1, 40, 0, 0]);
    expect(value('PLC-007', 'last_heartbeat')).toBe(START / 1000);
    expect(value('PLC-007', 'comm_heartbeat')).toBe(30);
    expect(world.device('PLC-007').state).toBe('OFFLINE');
  });

  it('restarts through its comm module: BOOTING, then ONLINE with a new heartbeat and one boot more', async () => {
    await clock.advance(10_000);
    expect(restart('PLC-007')).toEqual({ values: [0xa5a5] });
    await clock.advance(1_499);
    expect(values('PLC-007', 'status', 'heartbeat', 'boot_count')).toEqual([4, 40, 1]);
    await clock.advance(1);
    expect(values('PLC-007', 'status', 'error_code', 'heartbeat', 'boot_count')).toEqual([1, 0, 0, 2]);
    expect(value('PLC-007', 'boot_time')).toBe(Math.floor((START + 11_500) / 1000));
    await clock.advance(2_000);
    expect(value('PLC-007', 'heartbeat')).toBe(2);
    expect(values('PLC-007', 'ip_high', 'ip_low')).toEqual([(10 << 8) | 20, 7]);
  });

  it.each(['estop', 'locked_out'])('does not restart with %s', (point) => {
    world.put('PLC-007', point, true);
    expect(restart('PLC-007')).toEqual({ exception: 4 });
    expect(world.device('PLC-007').state).toBe('OFFLINE');
  });

  it('takes no other restart command than its own', () => {
    const write = { table: 'holding', address: 100, values: [1] } as const;
    expect(world.receive(world.connect('l'), 107, { fc: 6, write }).reply).toEqual({ exception: 3 });
  });

  it('heats only while it runs', async () => {
    world.put('PLC-001', 'temperature', 40);
    await clock.advance(60_000);
    expect(Number(value('PLC-001', 'temperature'))).toBeGreaterThan(40);
    world.addFault({ device: 'PLC-001', kind: 'offline' });
    const stopped = Number(value('PLC-001', 'temperature'));
    await clock.advance(60_000);
    expect(value('PLC-001', 'temperature')).toBeCloseTo(22 + (stopped - 22) * Math.exp(-60 / 300), 9);
  });

  it('refuses a write beyond its limits, half a float, and a block over a gap', () => {
    const ask = (address: number, given: number[]) =>
      world.receive(world.connect('l'), 1, { fc: 16, write: { table: 'holding', address, values: given } }).reply;
    expect([ask(1, [101]), ask(2, [0]), ask(3, [0]), ask(4, [0]), ask(0, [450, 101])]).toEqual([
      { exception: 3 },
      { exception: 3 },
      { exception: 3 },
      { exception: 2 },
      { exception: 3 },
    ]);
    expect(value('PLC-001', 'temperature_setpoint')).toBe(45);
    const read = { table: 'input', address: 0, count: 17 } as const;
    expect(world.receive(world.connect('l'), 1, { fc: 4, read }).reply).toEqual({ exception: 2 });
  });

  it('declares points that do not overlap, in both units', () => {
    for (const points of Object.values(plcPoints())) {
      const taken = points.flatMap(({ table, address, type }) =>
        Array.from({ length: /32/.test(type) ? 2 : 1 }, (_, i) => `${table} ${address + i}`),
      );
      expect(new Set(taken).size).toBe(taken.length);
    }
  });
});

describe('faults', () => {
  it('offline acts at once, ends by a restart, and begins and ends at its own instants', async () => {
    world.addFault({ device: 'PLC-001', kind: 'offline' });
    expect(values('PLC-001', 'status', 'error_code')).toEqual([0, 1]);
    restart('PLC-001');
    expect(world.faults()).toEqual([]);
    await clock.advance(2_000);
    expect(world.device('PLC-001').state).toBe('ONLINE');
    world.addFault({ device: 'PLC-001', kind: 'offline', after_ms: 1_000, for_ms: 5_000 });
    await clock.advance(999);
    expect(world.device('PLC-001').state).toBe('ONLINE');
    await clock.advance(6_000);
    expect(world.device('PLC-001').state).toBe('BOOTING');
    expect(value('PLC-001', 'last_heartbeat')).toBe(Math.floor((START + 2_500) / 1000));
    await clock.advance(1_501);
    expect(world.device('PLC-001').state).toBe('ONLINE');
  });

  it('reboot_never_ends keeps a restart in BOOTING until it is removed', async () => {
    const { fault_id } = world.addFault({ device: 'PLC-007', kind: 'reboot_never_ends' });
    restart('PLC-007');
    await clock.advance(3_600_000);
    expect(world.device('PLC-007').state).toBe('BOOTING');
    world.removeFault(fault_id);
    await clock.advance(1_500);
    expect(world.device('PLC-007').state).toBe('ONLINE');
  });

  it('silent_write acknowledges and does nothing', () => {
    world.addFault({ device: 'PLC-001', kind: 'silent_write' });
    const write = { table: 'holding', address: 0, values: [600] } as const;
    expect(world.receive(world.connect('l'), 1, { fc: 6, write }).reply).toEqual({ values: [600] });
    expect(value('PLC-001', 'temperature_setpoint')).toBe(45);
  });

  it('what a PLC cannot show is refused by name, and so are bad parameters', () => {
    const add = (more: object) => fields(() => world.addFault({ device: 'PLC-001', kind: 'offline', ...more }));
    expect(add({ kind: 'fan_dead' })).toEqual([
      { pointer: '/kind', problem: expect.stringContaining('plc, which supports offline, reboot_never_ends') },
    ]);
    expect(add({ kind: 'meteor' })).toMatchObject([{ pointer: '/kind' }]);
    expect(add({ kind: 'delay' })).toMatchObject([{ pointer: '/params/ms' }]);
    expect(add({ params: { ms: 1 } })).toMatchObject([{ pointer: '/params/ms' }]);
    expect(add({ kind: 'exception', params: { code: 0 } })).toMatchObject([{ pointer: '/params/code' }]);
    expect(add({ for_ms: -1 })).toMatchObject([{ pointer: '/for_ms' }]);
  });

  it('a reset brings back the initial state', async () => {
    restart('PLC-007');
    world.put('PLC-001', 'heating_power', 10);
    world.addFault({ device: 'PLC-001', kind: 'half_open' });
    await clock.advance(5_000);
    world.reset();
    expect(world.device('PLC-007').state).toBe('OFFLINE');
    expect(value('PLC-001', 'heating_power')).toBe(80);
    expect([world.faults(), world.frames()]).toEqual([[], []]);
  });
});
