import { linkCause, type ToolContext } from '../../agents/runtime/index.js';
import type { Device } from '../../shared/device.js';
import { HermesError } from '../../shared/errors.js';
import { tenths, type ZoneReadings } from './advice.js';

type Values = Readonly<Record<string, number | null>>;

const BOX_POINTS = ['temperature_setpoint', 'zone_temperature', 'discharge_air_temperature', 'airflow'] as const;
const OUTDOOR = 'outdoor_air_temperature';
const POWER = 'power_total';

/**
 * What the devices of a zone say: its terminal units, the air handler that feeds them, the meter of its floor. Several
 * units of one zone count by their mean. @throws HermesError `unknown_entity`: no such zone, or none with a terminal
 * unit; what the link says, when the set-point cannot be read.
 */
export async function readZone(ctx: ToolContext, zone: string): Promise<ZoneReadings & { power_w: number | null }> {
  const { devices } = ctx.site;
  const floor = floorOf(ctx, zone);
  const boxes = devices.filter((device) => device.zone === zone && BOX_POINTS.every((point) => has(device, point)));
  if (boxes.length === 0) {
    throw new HermesError('unknown_entity', `${zone} has no unit with a set-point of its own`, {
      zone,
      suggestion: 'ask for a zone with a terminal unit',
    });
  }
  const read = await Promise.all(boxes.map((box) => goodValues(ctx, box, BOX_POINTS)));
  const handlers = devices.filter((device) => boxes.some((box) => box.fed_by === device.id) && has(device, OUTDOOR));
  const meters = devices.filter((device) => device.floor === floor && has(device, POWER));
  const setpoint_c = mean(read, 'temperature_setpoint');
  if (setpoint_c === null) {
    throw new HermesError('tool_failed', `the set-point of ${zone} cannot be read`, { zone });
  }
  return {
    setpoint_c: tenths(setpoint_c),
    zone_c: mean(read, 'zone_temperature'),
    supply_c: mean(read, 'discharge_air_temperature'),
    airflow_m3h: mean(read, 'airflow'),
    outdoor_c: mean(await valuesOrNothing(ctx, handlers, OUTDOOR), OUTDOOR),
    power_w: whole(mean(await valuesOrNothing(ctx, meters, POWER), POWER)),
  };
}

function floorOf({ site }: ToolContext, zone: string): number {
  const zones = site.floors.flatMap((one) => one.zones);
  const found = zones.find((one) => one.id === zone);
  if (found) return found.floor;
  const candidates = zones.slice(0, 3).map((one) => one.id);
  throw new HermesError('unknown_entity', `no zone ${zone} at this site`, { zone, candidates });
}

const has = (device: Device, point: string): boolean => device.points.some(({ name }) => name === point);

/** Numbers that are good; null is a point that is not. */
async function goodValues(ctx: ToolContext, device: Device, points: readonly string[]): Promise<Values> {
  const values = await ctx.modbus.read(device.id, points);
  return Object.fromEntries(
    Object.values(values).map(({ point, value, quality }) => [
      point,
      quality.status === 'good' && typeof value === 'number' ? value : null,
    ]),
  );
}

/** Of devices that the advice can do without: one that does not answer says nothing. */
async function valuesOrNothing(ctx: ToolContext, devices: readonly Device[], point: string): Promise<Values[]> {
  const read: Values[] = [];
  for (const device of devices) {
    try {
      read.push(await goodValues(ctx, device, [point]));
    } catch (thrown) {
      if (ctx.signal.aborted) throw thrown;
      linkCause(thrown);
    }
  }
  return read;
}

function mean(read: readonly Values[], point: string): number | null {
  const known = read.flatMap((values) => values[point] ?? []);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

const whole = (value: number | null): number | null => (value === null ? null : Math.round(value));
