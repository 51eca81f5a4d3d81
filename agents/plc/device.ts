import { z } from 'zod';
import type { Device, PointValue, RestartPath } from '../../shared/device.js';
import { HermesError } from '../../shared/errors.js';
import type { Site } from '../../shared/site.js';

/** What the PLC agent knows of a controller's registers, by point name; the topology says where they are. */
export const deviceId = z.string().min(1).max(64).describe('device of the site, for example PLC-007');

export const STATUS = { OFFLINE: 0, ONLINE: 1, FAULT: 2, MAINTENANCE: 3, BOOTING: 4 } as const;
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
