import type { Device } from '../../../shared/device.js';
import { HermesError } from '../../../shared/errors.js';
import type { Site } from '../../../shared/site.js';
import type { ToolContext } from '../../runtime/index.js';
import { findZone, terminalsOf } from '../equipment.js';
import { type Changes, changesOf } from './changes.js';

export const POINT = 'temperature_setpoint';
/** Sensors by which the way to a new set-point is told, box or split unit. */
const SENSORS: readonly string[] = ['zone_temperature', 'room_temperature'];
/** Between two looks at what was written. */
const POLL_MS = 200;
/** A device is silent after so long, ms: one request of the driver (1 s) and some waiting for its turn. */
const ANSWER_MS = 1_500;

/** Device → its set-point, °C. */
export type Setpoints = Readonly<Record<string, number>>;
type SetpointsRead = Readonly<Record<string, number | null>>;

/** What is known before the first write; a prior value that cannot be read could not be written back. */
export interface Before extends Changes {
  readonly setpoints: Setpoints;
  /** The furthest that a sensor of the zone is from the new set-point, K. */
  readonly way_k?: number;
}

/** Registers hold tenths; a float may carry dust. */
export const isAt = (value: number | null | undefined, wanted: number): boolean =>
  typeof value === 'number' && Math.abs(value - wanted) < 0.01;

/** @throws HermesError `unknown_entity` where the zone has nothing that takes a temperature. */
export function setpointDevices(site: Site, zone: string): Device[] {
  const takes = (device: Device): boolean =>
    device.points.some(({ name, access }) => name === POINT && access === 'rw');
  const devices = terminalsOf(site, findZone(site, zone).id).filter(takes);
  if (devices.length > 0) return devices;
  throw new HermesError('unknown_entity', `no device of zone ${zone} takes a temperature`, { zone });
}

/** @throws HermesError `tool_failed` where a set-point cannot be read; of a silent device with its link. */
export async function stateBefore(ctx: ToolContext, zone: string, wanted: number): Promise<Before> {
  const changes = await changesOf(ctx, zone);
  const setpoints: Record<string, number> = {};
  const ways: number[] = [];
  for (const device of setpointDevices(ctx.site, zone)) {
    const sensor = device.points.find(({ name }) => SENSORS.includes(name))?.name;
    const told = await answerOf(ctx, device, POINT);
    const now = numberIn(told);
    if (now === null) {
      const quality = told?.quality;
      throw new HermesError('tool_failed', `${device.id}.${POINT} cannot be read, so it could not be written back`, {
        device_id: device.id,
        point: POINT,
        ...(quality && quality.status !== 'good' ? { detail: quality.reason } : {}),
      });
    }
    setpoints[device.id] = now;
    const measured = sensor === undefined ? null : await sensed(ctx, device.id, sensor);
    if (measured !== null) ways.push(Math.abs(measured - wanted));
  }
  return { ...changes, setpoints, ...(ways.length > 0 ? { way_k: Math.max(...ways) } : {}) };
}

type PointRead = Awaited<ReturnType<ToolContext['modbus']['read']>>[string] | undefined;

/** Causes by which a device said nothing, not even that it refuses. */
const SILENCE: ReadonlySet<unknown> = new Set(['timeout', 'closed', 'refused', 'gateway_target_silent']);

/**
 * One point of a device, waited for within what a preflight has.
 * @throws HermesError `tool_failed` that names the device and its link when it does not answer.
 */
async function answerOf(ctx: ToolContext, device: Device, point: string): Promise<PointRead> {
  const { id: device_id, link } = device;
  const silent = (cause: unknown, thrown?: unknown): HermesError =>
    new HermesError(
      'tool_failed',
      `${device_id} does not answer (link ${link})`,
      { device_id, link, cause },
      { cause: thrown },
    );
  const asked = ctx.modbus.read(device_id, [point]).then(
    (values) => values[point],
    (error: unknown) => {
      const cause = error instanceof HermesError ? error.data.cause : undefined;
      throw SILENCE.has(cause) ? silent(cause, error) : error;
    },
  );
  const answered = new AbortController();
  const late = ctx.clock.sleep(Math.min(ANSWER_MS, ctx.remainingMs() - 100), answered.signal).then(
    () => {
      throw silent('timeout');
    },
    () => asked,
  );
  try {
    return await Promise.race([asked, late]);
  } finally {
    answered.abort();
  }
}

/** What a sensor says; null where it says nothing, which only leaves the way to the new set-point unknown. */
const sensed = (ctx: ToolContext, device: string, sensor: string): Promise<number | null> =>
  ctx.modbus.read(device, [sensor]).then(
    (values) => numberIn(values[sensor]),
    (error: unknown) => {
      if (error instanceof HermesError && error.data.cause !== undefined) return null;
      throw error;
    },
  );

const numberIn = (read: PointRead): number | null =>
  read?.quality.status === 'good' && typeof read.value === 'number' ? read.value : null;

/** What a device says now; null where it cannot be read. */
async function say(ctx: ToolContext, device: string): Promise<number | null> {
  const values = await ctx.modbus.read(device, [POINT]).catch(() => undefined);
  return values ? numberIn(values[POINT]) : null;
}

async function read(ctx: ToolContext, devices: readonly string[]): Promise<SetpointsRead> {
  return Object.fromEntries(await Promise.all(devices.map(async (id) => [id, await say(ctx, id)] as const)));
}

/** What each device says, asked once more after 200 ms where one does not say what it should. */
export async function readBack(ctx: ToolContext, wanted: Setpoints): Promise<SetpointsRead> {
  const devices = Object.keys(wanted);
  const seen = await read(ctx, devices);
  if (devices.every((device) => isAt(seen[device], wanted[device] as number))) return seen;
  await ctx.clock.sleep(POLL_MS, ctx.signal);
  return read(ctx, devices);
}

/** What a device says after a write that it took, asked once more after 200 ms. */
const provenAt = async (ctx: ToolContext, device: string, value: number): Promise<number | null> =>
  (await readBack(ctx, { [device]: value }))[device] ?? null;

/**
 * Writes set-points back and proves each. Each device on its own and beside the others: one that is silent, or cannot
 * be written, does not keep them. One that could not be read is written as well; it may only have lost the answer.
 * @throws HermesError `rollback_failed` that names each one that is not what it was.
 */
export async function writeBack(ctx: ToolContext, prior: Setpoints): Promise<void> {
  const errors: Record<string, string> = {};
  const seen: Record<string, number | null> = {};
  const back = async ([device, value]: readonly [string, number]): Promise<void> => {
    seen[device] = await say(ctx, device);
    if (isAt(seen[device], value)) return;
    await ctx.modbus.write(device, POINT, value).catch((error: unknown) => {
      errors[device] = error instanceof Error ? error.message : String(error);
    });
    seen[device] = errors[device] === undefined ? await provenAt(ctx, device, value) : await say(ctx, device);
  };
  await Promise.all(Object.entries(prior).map(back));
  const left = Object.entries(prior).filter(([device, value]) => !isAt(seen[device], value));
  if (left.length === 0) return;
  const what = left.map(([device, value]) => `${device} says ${seen[device] ?? 'nothing'} instead of ${value} °C`);
  throw new HermesError('rollback_failed', `set-points are not what they were: ${what.join(', ')}`, {
    evidence: { wanted: prior, read_back: seen },
    ...(Object.keys(errors).length > 0 ? { errors } : {}),
  });
}
