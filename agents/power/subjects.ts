import type { Device } from '../../shared/device.js';
import { editDistance } from '../../shared/edit-distance.js';
import { HermesError } from '../../shared/errors.js';
import type { Site } from '../../shared/site.js';
import { chainOfDevice, chainOfFeeder, chainOfZone, isBreaker, isMeter, type SupplyChain } from './supply-chain.js';

/** What a supply is checked for: exactly one of them. */
export interface Subject {
  readonly device_id?: string;
  readonly zone?: string;
  readonly feeder?: string;
}

/** The chain of what was asked about. @throws HermesError `unknown_entity`, with the nearest ids. */
export function chainOf(site: Site, { device_id, zone, feeder }: Subject): SupplyChain {
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
  return chainOfDevice(site, findDevice(site, device_id ?? ''));
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
