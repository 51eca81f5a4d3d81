import { z } from 'zod';
import type { Device, PointValue, RestartPath } from '../../shared/device.js';
import { type ErrorData, HermesError } from '../../shared/errors.js';
import type { Site } from '../../shared/site.js';
import type { ToolContext } from '../runtime/index.js';

/** What the PLC agent knows of a controller's registers, by point name; the topology says where they are. */
export const deviceId = z.string().min(1).max(64).describe('device of the site, for example PLC-007');

export const STATUS = { OFFLINE: 0, ONLINE: 1, FAULT: 2, MAINTENANCE: 3, BOOTING: 4 } as const;
/** Written to set the mode, which is read as `mode`. */
export const MODE_COMMAND = 'mode_command';
/** What forbids to start or restart a controller, where the device declares it. */
const INTERLOCKS = ['estop', 'locked_out', 'status'];
export const ERROR_CODES: Readonly<Record<number, string | null>> = {
  0: null,
  1: 'COMM_TIMEOUT',
  2: 'DEVICE_FAULT',
  3: 'ESTOP',
};

/** @throws HermesError `unknown_entity`, with the nearest ids. */
export function findDevice(site: Site, id: string): Device {
  const device = site.devices.find((candidate) => candidate.id === id);
  if (device) return device;
  const candidates = site.devices.map((candidate) => candidate.id).slice(0, 3);
  throw new HermesError('unknown_entity', `no device ${id} at this site`, { device_id: id, candidates });
}

/** @throws HermesError `no_restart_path`. */
export function restartPath(device: Device): RestartPath {
  if (device.restart) return device.restart;
  throw new HermesError('no_restart_path', `${device.id} has no declared way to be restarted`, {
    device_id: device.id,
    suggestion: 'declare restart {via, point, value} for it in the topology',
  });
}

/** A good number, or nothing. */
export function numberOf(values: Readonly<Record<string, PointValue>>, point: string): number | undefined {
  const value = values[point];
  return value && value.quality.status === 'good' && typeof value.value === 'number' ? value.value : undefined;
}

export function ipOf(values: Readonly<Record<string, PointValue>>): string | undefined {
  const high = numberOf(values, 'ip_high');
  const low = numberOf(values, 'ip_low');
  if (!high || low === undefined) return undefined;
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

export const isoSeconds = (unixSeconds: number | undefined): string | null =>
  unixSeconds ? new Date(unixSeconds * 1000).toISOString() : null;

/** Those of these points that the device has. */
export const declared = (ctx: ToolContext, device_id: string, points: readonly string[]): string[] => {
  const device = findDevice(ctx.site, device_id);
  return points.filter((name) => device.points.some((point) => point.name === name));
};

/** @throws HermesError `refused_by_device`; an interlock that cannot be read is taken for one that stands. */
export async function refuseUnsafe(ctx: ToolContext, device_id: string): Promise<void> {
  const interlocks = declared(ctx, device_id, INTERLOCKS);
  if (interlocks.length === 0) return;
  const values = await ctx.modbus.read(device_id, interlocks);
  const refuse = (why: string, message: string, more: ErrorData = {}) =>
    new HermesError('refused_by_device', `${device_id}: ${message}`, { device_id, why, ...more });
  if (values.estop?.value === true) throw refuse('estop', 'the emergency stop is pressed');
  if (values.locked_out?.value === true) throw refuse('locked_out', 'the device is locked out');
  if (numberOf(values, 'status') === STATUS.MAINTENANCE) throw refuse('maintenance', 'the device is in maintenance');
  for (const point of interlocks) {
    const detail = unreadable(values[point]);
    if (detail) throw refuse('interlock', `${point} cannot be read: ${detail}`, { point, detail });
  }
}

/** Why a point says nothing, where it does not. */
function unreadable(read: PointValue | undefined): string | undefined {
  if (!read || read.value === null) return read && read.quality.status !== 'good' ? read.quality.reason : 'no value';
  return read.quality.status === 'good' ? undefined : read.quality.reason;
}
