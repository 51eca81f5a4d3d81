import type { Device } from '../../shared/device.js';
import { HermesError, invalidParams } from '../../shared/errors.js';
import type { Site, Zone } from '../../shared/site.js';

/** Which equipment serves what: read off the site, nothing is known here by name. */
export const KINDS = ['ahu', 'vav', 'split_unit'] as const;
export type Kind = (typeof KINDS)[number];

export const isEquipment = (device: Device): device is Device & { readonly kind: Kind } =>
  KINDS.some((kind) => kind === device.kind);

/** Registers' modes. An air handler knows OFF and AUTO only. */
export const MODE = { OFF: 0, AUTO: 1, COOL: 2, HEAT: 3, FAN: 4 } as const;
export const MODE_NAMES: readonly string[] = Object.keys(MODE);

/** @throws HermesError `unknown_entity`, with the zones there are. */
export function findZone(site: Site, id: string): Zone {
  const zones = site.floors.flatMap((floor) => floor.zones);
  const zone = zones.find((candidate) => candidate.id === id);
  if (zone) return zone;
  const candidates = zones.map((candidate) => candidate.id);
  throw new HermesError('unknown_entity', `no zone ${id} at this site`, { zone: id, candidates });
}

/** What a set-point of the zone is written to: its terminal boxes and its split units. */
export const terminalsOf = (site: Site, zone: string): Device[] =>
  site.devices.filter((device) => device.zone === zone && (device.kind === 'vav' || device.kind === 'split_unit'));

/** Air handlers first, then what they feed: causes stand before effects. @throws HermesError `unknown_entity`. */
export function equipmentOfZone(site: Site, id: string): Device[] {
  const { id: zone } = findZone(site, id);
  const terminals = terminalsOf(site, zone);
  const handlers = site.devices.filter((device) => terminals.some((terminal) => terminal.fed_by === device.id));
  const own = site.devices.filter((device) => device.zone === zone && device.kind === 'ahu');
  return someOf([...new Set([...handlers.filter(isEquipment), ...own, ...terminals])], { zone: id });
}

/** The device, and the air handler that feeds it. @throws HermesError `unknown_entity`, `invalid_params`. */
export function equipmentOfDevice(site: Site, id: string): Device[] {
  const device = site.devices.find((candidate) => candidate.id === id);
  if (!device) {
    const candidates = site.devices.filter(isEquipment).map((candidate) => candidate.id);
    throw new HermesError('unknown_entity', `no device ${id} at this site`, { device_id: id, candidates });
  }
  if (!isEquipment(device)) {
    const problem = `is a ${device.kind}; an air handler, a VAV box or a split unit can be diagnosed`;
    throw invalidParams(`${id} ${problem}`, [{ pointer: '/params/device_id', problem }]);
  }
  const handler = site.devices.find((candidate) => candidate.id === device.fed_by);
  return handler && isEquipment(handler) ? [handler, device] : [device];
}

/** All equipment that stands on the floor or serves a zone of it. @throws HermesError `unknown_entity`. */
export function equipmentOfFloor(site: Site, floor: number): Device[] {
  const row = site.floors.find((candidate) => candidate.floor === floor);
  if (!row) {
    const candidates = site.floors.map((candidate) => candidate.floor);
    throw new HermesError('unknown_entity', `no floor ${floor} at this site`, { floor, candidates });
  }
  const here = (device: Device): boolean => device.floor === floor || row.zones.some((zone) => zone.id === device.zone);
  const found = site.devices.filter((device) => isEquipment(device) && here(device));
  return someOf(
    [...found].sort((a, b) => KINDS.indexOf(a.kind as Kind) - KINDS.indexOf(b.kind as Kind)),
    { floor },
  );
}

function someOf(devices: Device[], subject: Readonly<Record<string, string | number>>): Device[] {
  if (devices.length > 0) return devices;
  const [what, id] = Object.entries(subject)[0] ?? [];
  throw new HermesError('unknown_entity', `no air conditioning is known for ${what} ${id}`, {
    ...subject,
    suggestion: 'give its boxes and split units their zone in the topology',
  });
}
