import type { Device } from '../../shared/device.js';
import type { Site } from '../../shared/site.js';

/** A breaker or a meter of a chain, and the breakers from its own up to the incomer. */
export interface ChainPlace {
  readonly id: string;
  readonly role: 'breaker' | 'meter';
  /** Its own breaker first; a meter's is the one whose circuit it measures. Empty for a meter that measures none. */
  readonly path: readonly string[];
}

/** One way by which power comes: what has to be closed, and who can tell whether it arrives. */
export interface Route {
  readonly breakers: readonly string[];
  /** The ones next to the subject, on the lowest breaker that has any: those above do not see what is lost below. */
  readonly meters: readonly string[];
}

/** How something gets its power, from the topology's relations. Pure. */
export interface SupplyChain {
  readonly subject: string;
  /** From the subject upwards: equipment, then each breaker and the meters on it. */
  readonly ids: readonly string[];
  readonly places: readonly ChainPlace[];
  readonly routes: readonly Route[];
  /** Equipment of which nothing says what powers it; the feeder of its floor, where it has one, stands in for that. */
  readonly unpowered: readonly string[];
}

/** A breaker says whether it is closed, a meter has a voltage: what a device can say decides, not what it is called. */
export const isBreaker = (device: Device): boolean => hasPoint(device, 'closed') || hasPoint(device, 'tripped');
export const isMeter = (device: Device): boolean => hasPoint(device, 'voltage_l1');

const hasPoint = ({ points }: Device, name: string): boolean => points.some((point) => point.name === name);

/** The chain of one device: of what powers it and of what feeds it; where nothing says that, of its floor's feeder. */
export function chainOfDevice(site: Site, device: Device): SupplyChain {
  if (isBreaker(device) || isMeter(device)) return chainOfFeeder(site, device);
  const byId = byIdOf(site);
  if (isPowered(byId, device)) return chain(site, device.id, [device], []);
  const floor = device.floor ?? floorOf(site, device.zone);
  const feeders = floor === undefined ? [] : floorFeeders(site, floor);
  return { ...chain(site, device.id, [device], feeders), unpowered: [device.id] };
}

/** The chain of a meter or a breaker itself. */
export function chainOfFeeder(site: Site, feeder: Device): SupplyChain {
  const breaker = isBreaker(feeder) ? feeder.id : feeder.measures;
  if (breaker !== undefined) return chain(site, feeder.id, [], [breaker]);
  const place: ChainPlace = { id: feeder.id, role: 'meter', path: [] };
  const routes = [{ breakers: [], meters: [feeder.id] }];
  return { subject: feeder.id, ids: [feeder.id], places: [place], routes, unpowered: [] };
}

/** The chain of a zone: of the equipment in it and of the feeder of its floor. */
export function chainOfZone(site: Site, zone: string, floor: number): SupplyChain {
  const equipment = site.devices.filter((device) => device.zone === zone && !isBreaker(device) && !isMeter(device));
  return chain(site, zone, equipment, floorFeeders(site, floor));
}

/** The chain of a floor: of the breakers that feed it. */
export const chainOfFloor = (site: Site, name: string, floor: number): SupplyChain =>
  chain(site, name, [], floorFeeders(site, floor));

const byIdOf = (site: Site): ReadonlyMap<string, Device> => new Map(site.devices.map((device) => [device.id, device]));

const floorOf = (site: Site, zone: string | undefined): number | undefined =>
  site.floors.find(({ zones }) => zones.some(({ id }) => id === zone))?.floor;

/** Breakers of a floor that hang on no other breaker of it. */
function floorFeeders(site: Site, floor: number): string[] {
  const own = site.devices.filter((device) => device.floor === floor && isBreaker(device));
  return own.filter(({ powered_by }) => !own.some(({ id }) => id === powered_by)).map(({ id }) => id);
}

function chain(site: Site, subject: string, members: readonly Device[], feeders: readonly string[]): SupplyChain {
  const byId = byIdOf(site);
  const equipment = withFeeding(byId, members);
  const powered = equipment.filter((device) => device.powered_by !== undefined);
  const starts = [...new Set([...powered.map((device) => device.powered_by as string), ...feeders])];
  const paths = starts.map((start) => pathUp(byId, start));
  const breakers = new Map<string, readonly string[]>();
  for (const path of paths) path.forEach((id, index) => void breakers.set(id, path.slice(index)));
  const metersOf = (breaker: string): string[] =>
    site.devices.filter((device) => isMeter(device) && device.measures === breaker).map(({ id }) => id);
  const upwards = [...breakers].sort(([, a], [, b]) => b.length - a.length);
  const places = upwards.flatMap(([id, path]): ChainPlace[] => [
    { id, role: 'breaker', path },
    ...metersOf(id).map((meter): ChainPlace => ({ id: meter, role: 'meter', path })),
  ]);
  // A zone's equipment may hang on the feeder of its floor without saying so.
  const dark = feeders.length > 0 ? [] : members.filter((device) => !isPowered(byId, device));
  return {
    subject,
    ids: [...equipment.map(({ id }) => id), ...places.map(({ id }) => id)],
    places,
    routes: paths.map((path) => ({
      breakers: path,
      meters: path.map(metersOf).find((meters) => meters.length > 0) ?? [],
    })),
    unpowered: dark.map(({ id }) => id),
  };
}

/** The devices and, over any number of steps, what feeds them. */
function withFeeding(byId: ReadonlyMap<string, Device>, members: readonly Device[]): Device[] {
  const found = new Map(members.map((device) => [device.id, device]));
  for (const device of found.values()) {
    const feeding = device.fed_by === undefined ? undefined : byId.get(device.fed_by);
    // A Map is walked to its end as it grows.
    if (feeding) found.set(feeding.id, feeding);
  }
  return [...found.values()];
}

const isPowered = (byId: ReadonlyMap<string, Device>, device: Device): boolean =>
  withFeeding(byId, [device]).some(({ powered_by }) => powered_by !== undefined);

/** Breakers from `start` to the incomer; a device between that is no breaker is passed over. */
function pathUp(byId: ReadonlyMap<string, Device>, start: string): string[] {
  const seen = new Set<string>();
  for (let at: string | undefined = start; at !== undefined && !seen.has(at); at = byId.get(at)?.powered_by) {
    seen.add(at);
  }
  return [...seen].filter((id) => {
    const device = byId.get(id);
    return device !== undefined && isBreaker(device);
  });
}
