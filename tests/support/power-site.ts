import { BREAKER_POINTS, METER_POINTS } from '../../agents/power/rules/look.js';
import type { ConnectionCause, Device, DeviceAccess, Point, PointValue } from '../../shared/device.js';
import { HermesError } from '../../shared/errors.js';
import type { Site } from '../../shared/site.js';
import type { VirtualClock } from '../../shared/virtual-clock.js';
import { siteFixture } from './site-fixture.js';

const points = (names: readonly string[]): Point[] =>
  names.map((name, index) => ({ name, table: 'input', address: index * 2, type: 'float32', access: 'r' }));

const device = (id: string, kind: string, more: Partial<Device> = {}): Device => ({
  id,
  kind,
  names: [],
  link: 'power',
  unit: 1,
  criticality: 2,
  points: kind === 'meter' ? points(METER_POINTS) : kind === 'breaker' ? points(BREAKER_POINTS.slice(0, 4)) : [],
  home: 'power_supply_agent',
  ...more,
});

/** BRK-8 (M-0) feeds BRK-1 and BRK-3 (M-3); BRK-6 below BRK-3 powers AHU-3, which feeds VAV-301. */
export const powerSite: Site = {
  ...siteFixture,
  devices: [
    device('BRK-8', 'breaker'),
    device('BRK-1', 'breaker', { powered_by: 'BRK-8', floor: 1 }),
    device('BRK-3', 'breaker', { powered_by: 'BRK-8', floor: 3 }),
    device('BRK-6', 'breaker', { powered_by: 'BRK-3', floor: 3 }),
    device('M-0', 'meter', { measures: 'BRK-8' }),
    device('M-1', 'meter', { measures: 'BRK-1', floor: 1 }),
    device('M-3', 'meter', { measures: 'BRK-3', floor: 3 }),
    device('AHU-3', 'ahu', { powered_by: 'BRK-6', floor: 3, link: 'hvac-3' }),
    device('VAV-301', 'vav', { fed_by: 'AHU-3', zone: 'F3-A', link: 'hvac-3' }),
    device('PLC-010', 'plc', { zone: 'F3-A', link: 'line-d' }),
    device('PLC-001', 'plc', { zone: 'F2-A', link: 'line-a' }),
  ],
  agents: [
    {
      name: 'power_supply_agent',
      devices: ['BRK-8', 'BRK-1', 'BRK-3', 'BRK-6', 'M-0', 'M-1', 'M-3'],
      zones: [],
      floors: [],
    },
  ],
};

export type Values = Record<string, number | boolean>;

const ROOT3 = Math.sqrt(3);

/** A healthy three-phase meter, 13 kW at 0.95; `more` overrides. */
export function meterValues(more: Values = {}): Values {
  const p = 13_000;
  const s = p / 0.95;
  return {
    voltage_l1: 221.3,
    voltage_l2: 220.8,
    voltage_l3: 221.9,
    current_l1: 20,
    current_l2: 21,
    current_l3: 20,
    power_l1: 4_300,
    power_l2: 4_400,
    power_l3: 4_300,
    power_total: p,
    apparent_power: s,
    reactive_power: Math.sqrt(s ** 2 - p ** 2),
    power_factor: 0.95,
    frequency: 50.01,
    energy_import: 1_234,
    energy_export: 0,
    voltage_l1_l2: 221 * ROOT3,
    voltage_l2_l3: 221.2 * ROOT3,
    voltage_l3_l1: 221.4 * ROOT3,
    thd_voltage_l1: 1.8,
    thd_voltage_l2: 1.9,
    thd_voltage_l3: 1.8,
    ...more,
  };
}

/** All three phases and lines at a share of nominal. */
export const voltages = (share: number): Values => ({
  ...Object.fromEntries(['voltage_l1', 'voltage_l2', 'voltage_l3'].map((name) => [name, 220 * share])),
  ...Object.fromEntries(['voltage_l1_l2', 'voltage_l2_l3', 'voltage_l3_l1'].map((name) => [name, 380 * share])),
});

/** A line that is off, as a meter on it shows it. */
export const DEAD: Values = Object.fromEntries(METER_POINTS.map((name) => [name, 0]));

export const CLOSED: Values = { closed: true, tripped: false, current: 20, trip_count: 0 };
export const TRIPPED: Values = { closed: false, tripped: true, current: 0, trip_count: 1 };
export const OPEN: Values = { closed: false, tripped: false, current: 0, trip_count: 0 };

export interface Plant {
  readonly access: DeviceAccess;
  readonly values: Map<string, Values>;
  /** Devices that do not answer, with the cause. */
  readonly silent: Map<string, ConnectionCause>;
  /** Devices whose values stand still, however often they are read. */
  readonly frozen: Set<string>;
  /** Milliseconds that an answer takes; default 5. */
  readonly slow: Map<string, number>;
  readonly reads: string[];
}

/** The site's breakers and meters as plain values; meters move in their last digits, as real ones do. */
export function powerPlant(clock: VirtualClock, site: Site = powerSite): Plant {
  const values = new Map<string, Values>(
    site.devices
      .filter(({ kind }) => kind === 'meter' || kind === 'breaker')
      .map(({ id, kind }) => [id, kind === 'meter' ? meterValues() : { ...CLOSED }]),
  );
  const plant: Omit<Plant, 'access'> = { values, silent: new Map(), frozen: new Set(), slow: new Map(), reads: [] };
  let reads = 0;
  const moved = (id: string, value: number | boolean): number | boolean =>
    typeof value === 'number' && value !== 0 && id.startsWith('M-') && !plant.frozen.has(id)
      ? value * (1 + 1e-7 * reads)
      : value;
  const access: DeviceAccess = {
    async read({ id }, names, options): Promise<PointValue[]> {
      plant.reads.push(id);
      reads += 1;
      await clock.sleep(plant.slow.get(id) ?? 5, options?.signal);
      const cause = plant.silent.get(id);
      if (cause) throw new HermesError('tool_failed', `${id} does not answer`, { cause });
      const source_time_unix_ms = clock.now();
      return names.map((point) => {
        const value = values.get(id)?.[point];
        return value === undefined
          ? { point, value: null, quality: { status: 'bad', reason: 'exception_permanent' }, source_time_unix_ms }
          : { point, value: moved(id, value), quality: { status: 'good' }, source_time_unix_ms };
      });
    },
    write: () => Promise.reject(new HermesError('tool_failed', 'nothing is written here')),
    fence: async () => undefined,
    release: async () => undefined,
  };
  return { ...plant, access };
}
