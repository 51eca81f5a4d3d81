import { troubleOf } from './diagnosis/judgement.js';
import type { Seen } from './diagnosis/looks.js';
import { MODE } from './equipment.js';

export const EQUIPMENT_STATES = ['RUNNING', 'STOPPED', 'OFF', 'UNREACHABLE'] as const;
export type EquipmentState = (typeof EQUIPMENT_STATES)[number];

type Told = { readonly status: 'good' } | { readonly status: 'bad'; readonly reason: string };
type Reading = { readonly value: number | null; readonly quality: Told };

export interface ZoneState {
  readonly temperature_c: number | null;
  readonly setpoint_c: number | null;
  readonly airflow_m3h: number | null;
  readonly quality: { readonly temperature_c: Told; readonly setpoint_c: Told; readonly airflow_m3h: Told };
  readonly equipment: readonly {
    readonly device_id: string;
    readonly kind: string;
    readonly state: EquipmentState | null;
    readonly reason?: string;
  }[];
}

/**
 * A zone by one look at its equipment. Its temperature is the mean of its boxes' sensors (its split unit's where it has
 * no box), its airflow their sum, its set-point the one that all have. Where one of them is missing there is no value.
 */
export function zoneStateOf(seen: readonly Seen[]): ZoneState {
  const boxes = seen.filter(({ device }) => device.kind === 'vav');
  const units = seen.filter(({ device }) => device.kind === 'split_unit');
  const temperature =
    boxes.length > 0
      ? joined(boxes, 'zone_temperature', (all) => sum(all) / all.length)
      : joined(units, 'room_temperature', (all) => sum(all) / all.length);
  const setpoint = joined([...boxes, ...units], 'temperature_setpoint', same);
  const airflow = joined(boxes, 'airflow', sum);
  return {
    temperature_c: temperature.value,
    setpoint_c: setpoint.value,
    airflow_m3h: airflow.value,
    quality: { temperature_c: temperature.quality, setpoint_c: setpoint.quality, airflow_m3h: airflow.quality },
    equipment: seen.map((one) => ({ device_id: one.device.id, kind: one.device.kind, ...stateOf(one) })),
  };
}

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);

/** The value that all have, or what they say instead. */
const same = (all: readonly number[]): number | string =>
  all.every((one) => one === all[0]) ? (all[0] as number) : `the devices differ: ${all.join(', ')}`;

/** One number from a point of several devices; to 0.01, the resolution of the finest register. */
function joined(seen: readonly Seen[], point: string, how: (all: readonly number[]) => number | string): Reading {
  const none = (reason: string): Reading => ({ value: null, quality: { status: 'bad', reason } });
  if (seen.length === 0) return none('no device of the zone has it');
  const values: number[] = [];
  for (const one of seen) {
    const value = valueAt(one, point);
    if (typeof value === 'string') return none(value);
    values.push(Number(value));
  }
  const value = how(values);
  if (typeof value === 'string') return none(value);
  return { value: Math.round(value * 100) / 100, quality: { status: 'good' } };
}

/** The value, or why there is none. */
function valueAt({ device, looks, silent }: Seen, point: string): number | boolean | string {
  const values = looks.at(-1);
  if (!values) return `${device.id} does not answer: ${silent ?? 'not asked'}`;
  const trouble = troubleOf(point, values[point]);
  return trouble ? `${device.id}.${point} ${trouble}` : (values[point]?.value as number | boolean);
}

function stateOf(one: Seen): { state: EquipmentState | null; reason?: string } {
  if (one.looks.length === 0) {
    return one.silent === undefined
      ? { state: null, reason: 'not asked: the time was over' }
      : { state: 'UNREACHABLE', reason: one.silent };
  }
  const [point, runs] = RUNS[one.device.kind] ?? ['', () => false];
  const mode = one.device.kind === 'vav' ? undefined : valueAt(one, 'mode');
  if (mode === MODE.OFF) return { state: 'OFF' };
  const value = valueAt(one, point);
  if (typeof value === 'string') return { state: null, reason: value };
  return { state: runs(value) ? 'RUNNING' : 'STOPPED' };
}

const isTrue = (value: number | boolean): boolean => value === true;

/** Which point says that it runs: the proof of a fan, the air of a box. */
const RUNS: Readonly<Record<string, readonly [point: string, runs: (value: number | boolean) => boolean]>> = {
  ahu: ['fan_status', isTrue],
  split_unit: ['fan_status', isTrue],
  vav: ['airflow', (value) => Number(value) > 0],
};
