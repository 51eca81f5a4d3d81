import type { SimDeviceSpec } from '../simulators/index.js';
import type { Topology } from './schema.js';

/** Devices of a topology as the simulators build them: the twin of what the site file describes. */
export const simulatedDevices = (topology: Topology): SimDeviceSpec[] =>
  topology.devices.flatMap((device) =>
    device.kind === 'plc'
      ? [
          {
            id: device.id,
            kind: 'plc' as const,
            link: device.link,
            unit: device.unit,
            ...(device.simulate ? { initially: device.simulate.initially } : {}),
          },
        ]
      : [],
  );

/** Links that live in the simulators. */
export const simulatedLinks = (topology: Topology): string[] =>
  topology.links.filter((link) => link.address.startsWith('sim:')).map((link) => link.address.slice(4));
