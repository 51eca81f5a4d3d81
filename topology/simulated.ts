import type { SimDeviceSpec } from '../simulators/index.js';
import type { Topology } from './schema.js';

type Row = Topology['devices'][number];

/** Devices of a topology as the simulators build them: the twin of what the site file describes. */
export const simulatedDevices = (topology: Topology): SimDeviceSpec[] => topology.devices.flatMap(specOf);

/** A device of a kind that is not simulated, or one that lacks the relation its kind lives by, has no twin. */
function specOf(device: Row): SimDeviceSpec[] {
  const { id, link, unit, zone, fed_by, powered_by, measures, simulate } = device;
  const placed = { id, link, unit };
  const power = powered_by === undefined ? {} : { powered_by };
  switch (device.kind) {
    case 'plc':
      return [{ ...placed, kind: 'plc', ...(simulate ? { initially: simulate.initially } : {}) }];
    case 'ahu':
      return [{ ...placed, kind: 'ahu', ...power }];
    case 'vav':
      return zone === undefined || fed_by === undefined ? [] : [{ ...placed, kind: 'vav', zone, fed_by }];
    case 'split_unit':
      return zone === undefined ? [] : [{ ...placed, kind: 'split_unit', zone, ...power }];
    case 'meter':
      return measures === undefined ? [] : [{ ...placed, kind: 'meter', measures }];
    case 'breaker': {
      const load = { load_kw: simulate?.load_kw ?? 0, power_factor: simulate?.power_factor ?? 0.95 };
      return [{ ...placed, kind: 'breaker', ...power, ...load }];
    }
    default:
      return [];
  }
}

/** Links that live in the simulators. */
export const simulatedLinks = (topology: Topology): string[] =>
  topology.links.filter((link) => link.address.startsWith('sim:')).map((link) => link.address.slice(4));
