import { editDistance } from '../../shared/edit-distance.js';
import { HermesError, invalidParams } from '../../shared/errors.js';
import type { Site } from '../../shared/site.js';

/**
 * What an order is about. @throws HermesError `unknown_entity` with the nearest ids, `invalid_params` where device and
 * zone contradict each other; both name the field.
 */
export function checkPlace(site: Site, device_id: string | undefined, zone: string | undefined): void {
  const zones = site.floors.flatMap((floor) => floor.zones).map((one) => one.id);
  const devices = site.devices.map((one) => one.id);
  if (device_id !== undefined && !devices.includes(device_id)) throw unknownPlace('device_id', device_id, devices);
  if (zone !== undefined && !zones.includes(zone)) throw unknownPlace('zone', zone, zones);
  if (device_id === undefined || zone === undefined || serves(site, device_id, zone)) return;
  throw invalidParams(`${device_id} is neither in ${zone} nor for it`, [
    { pointer: '/params/zone', problem: `${device_id} is neither in ${zone} nor for it: name one of the two` },
  ]);
}

/** It stands in the zone, on its floor or nowhere in particular, or something in the zone hangs on it. */
function serves(site: Site, id: string, zone: string): boolean {
  const device = site.devices.find((one) => one.id === id);
  if (device?.zone === zone) return true;
  const floor = site.floors.find(({ zones }) => zones.some((one) => one.id === zone))?.floor;
  if (device?.zone === undefined && (device?.floor === undefined || device.floor === floor)) return true;
  return hangsOn(site, zone).has(id);
}

/** Everything that feeds, powers or measures what stands in a zone, over any number of steps. */
function hangsOn(site: Site, zone: string): ReadonlySet<string> {
  const found = new Set(site.devices.filter((device) => device.zone === zone).map(({ id }) => id));
  // A Set is walked to its end as it grows.
  for (const id of found) {
    for (const { id: other, fed_by, powered_by, measures } of site.devices) {
      if (other === id) for (const above of [fed_by, powered_by]) if (above !== undefined) found.add(above);
      if (measures === id) found.add(other);
    }
  }
  return found;
}

function unknownPlace(field: string, name: string, known: readonly string[]): HermesError {
  const candidates = known.toSorted((a, b) => editDistance(a, name) - editDistance(b, name)).slice(0, 3);
  return new HermesError('unknown_entity', `nothing called ${name} at this site`, {
    [field]: name,
    candidates,
    fields: [{ pointer: `/params/${field}`, problem: `unknown; near are ${candidates.join(', ')}` }],
  });
}

/** The device of an order that names only a zone: that of the first finding, where the site has it. */
export function deviceOf(site: Site, findings: readonly Readonly<Record<string, unknown>>[]): string | undefined {
  const told = findings[0]?.device_id;
  return site.devices.find(({ id }) => id === told)?.id;
}
