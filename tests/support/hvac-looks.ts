import type { Seen, Window } from '../../agents/hvac/diagnosis/looks.js';
import type { Device, PointValue } from '../../shared/device.js';
import type { Site } from '../../shared/site.js';
import { siteOf } from '../../topology/load.js';
import { demoTopology } from './demo-site.js';

export type Said = Readonly<Record<string, number | boolean>>;

/** What healthy equipment says on a summer day. */
export const HEALTHY: Readonly<Record<string, Said>> = {
  ahu: {
    fan_status: true,
    fan_speed: 80,
    supply_air_temperature: 13,
    return_air_temperature: 22,
    mixed_air_temperature: 23.2,
    outdoor_air_temperature: 28,
    duct_static_pressure: 250,
    filter_pressure: 95,
    supply_airflow: 2500,
    cooling_valve: 40,
    heating_valve: 0,
    outdoor_damper: 20,
    fan_command: true,
    mode: 1,
    supply_air_setpoint: 13,
    duct_static_setpoint: 250,
  },
  vav: {
    zone_temperature: 22,
    airflow: 620,
    damper_position: 62,
    discharge_air_temperature: 13,
    airflow_setpoint: 625,
    damper_command: 62.5,
    reheat_valve: 0,
    temperature_setpoint: 22,
  },
  split_unit: {
    compressor_status: true,
    fan_status: true,
    room_temperature: 24.2,
    supply_air_temperature: 14,
    return_air_temperature: 24.2,
    filter_pressure: 85,
    mode: 2,
    temperature_setpoint: 24,
  },
};

export const demoSite = (): Site => siteOf(demoTopology());

export function deviceOf(site: Site, id: string): Device {
  const device = site.devices.find((candidate) => candidate.id === id);
  if (device) return device;
  throw new Error(`no device ${id}`);
}

const good = (point: string, value: number | boolean | null): PointValue => ({
  point,
  value,
  quality: { status: 'good' },
  source_time_unix_ms: 0,
});

/** One look: what healthy equipment of the kind says, but for `said`; `bad` points are of bad quality. */
export const lookOf = (device: Device, said: Said = {}, bad: readonly string[] = []): Record<string, PointValue> =>
  Object.fromEntries(
    Object.entries({ ...HEALTHY[device.kind], ...said }).map(([point, value]) => [
      point,
      bad.includes(point)
        ? { point, value: null, quality: { status: 'bad', reason: 'exception_device' }, source_time_unix_ms: 0 }
        : good(point, value),
    ]),
  );

/** Four looks that say the same. */
export const steady = (device: Device, said: Said = {}, bad: readonly string[] = []): Seen => ({
  device,
  looks: Array.from({ length: 4 }, () => lookOf(device, said, bad)),
});

export const FROM = Date.parse('2026-07-01T08:00:00Z');
export const windowOf = (seen: readonly Seen[]): Window => ({ seen, from: FROM, window_ms: 1_500 });
