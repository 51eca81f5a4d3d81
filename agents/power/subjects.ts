import type { Device } from '../../shared/device.js';
import { editDistance } from '../../shared/edit-distance.js';
import { HermesError } from '../../shared/errors.js';
import type { Site } from '../../shared/site.js';
import {
  chainOfDevice,
  chainOfFeeder,
  chainOfFloor,
  chainOfZone,
  isBreaker,
  isMeter,
  type SupplyChain,
} from './supply-chain.js';

/** What a supply is checked for: exactly one of them. */
export interface Subject {
  readonly device_id?: string;
  readonly zone?: string;
  readonly feeder?: string;
  readonly floor?: number;
}

/** As records and results name a floor: `F3`. */
export const floorName = (floor: number): string => `F${floor}`;

/** The chain of what was asked about. @throws HermesError `unknown_entity`, with the nearest ids. */
export function chainOf(site: Site, { device_id, zone, feeder, floor }: Subject): SupplyChain {
  if (zone !== undefined) {
    const zones = site.floors.flatMap((floor) => floor.zones);
    const found = zones.find(({ id }) => id === zone);
    if (!found)
      throw unknownEntity(
        'zone',
        zone,
        zones.map(({ id }) => id),
      );
    return chainOfZone(site, zone, found.floor);
  }
  if (feeder !== undefined) return chainOfFeeder(site, findFeeder(site, feeder));
  if (floor !== undefined) return chainOfFloor(site, floorName(checkFloor(site, floor)), floor);
  return chainOfDevice(site, findDevice(site, device_id ?? ''));
}

/** @throws HermesError `unknown_entity`: the site has no such floor. */
function checkFloor(site: Site, floor: number): number {
  const known = site.floors.map((one) => one.floor);
  if (known.includes(floor)) return floor;
  throw unknownEntity('floor', String(floor), known.map(String));
}

function findDevice(site: Site, id: string): Device {
  const device = site.devices.find((one) => one.id === id);
  if (device) return device;
  throw unknownEntity(
    'device_id',
    id,
    site.devices.map((one) => one.id),
  );
}

function findFeeder(site: Site, id: string): Device {
  const feeders = site.devices.filter((device) => isBreaker(device) || isMeter(device));
  const found = feeders.find((device) => device.id === id);
  if (found) return found;
  throw unknownEntity(
    'feeder',
    id,
    feeders.map((one) => one.id),
  );
}

/** @throws HermesError `unknown_entity`: no such meter, with the nearest ones. */
export function findMeter(site: Site, id: string): Device {
  const meters = site.devices.filter(isMeter);
  const found = meters.find((device) => device.id === id);
  if (found) return found;
  throw unknownEntity(
    'meter_id',
    id,
    meters.map((one) => one.id),
  );
}

const WHAT: Readonly<Record<string, string>> = {
  device_id: 'device',
  zone: 'zone',
  feeder: 'meter or breaker',
  floor: 'floor',
  meter_id: 'meter',
};

function unknownEntity(field: string, id: string, known: readonly string[]): HermesError {
  const far = (one: string): number => editDistance(one.toLowerCase(), id.toLowerCase());
  const candidates = known.toSorted((a, b) => far(a) - far(b)).slice(0, 3);
  const what = WHAT[field] ?? field;
  return new HermesError('unknown_entity', `no ${what} ${id} at this site`, {
    [field]: id,
    candidates,
    fields: [{ pointer: `/params/${field}`, problem: `no such ${what}; near are ${candidates.join(', ')}` }],
  });
}
