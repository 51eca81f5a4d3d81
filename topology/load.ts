import { dirname, join } from 'node:path';
import { checkPlaybook, type Playbook, playbookSchema } from '../coordinator/index.js';
import type { Device, Point } from '../shared/device.js';
import type { Serving, Site } from '../shared/site.js';
import { checkTopology } from './check.js';
import { type SiteFile, type Topology, topologySchema } from './schema.js';
import { type FileProblem, isThere, parseYaml, readText } from './yaml-file.js';

/** @throws HermesError `invalid_params` that lists every fault of the file or of a playbook, with its line. */
export function loadTopology(path: string): Topology {
  return parseTopology(readText(path, 'topology', 'name a file: hermes up <topology.yaml>'), path);
}

/** Playbooks stand in files of their own, named relative to the site file. */
export function parseTopology(text: string, name: string): Topology {
  const pathOf = (playbook: string): string => join(dirname(name), playbook);
  const check = (file: SiteFile): FileProblem[] => [
    ...checkTopology(file),
    ...file.playbooks.flatMap((one, index) =>
      isThere(pathOf(one)) ? [] : [{ path: ['playbooks', index], problem: `no file ${pathOf(one)}` }],
    ),
  ];
  const file = parseYaml(text, { name, what: 'topology' }, topologySchema, check) as SiteFile;
  return { ...file, playbooks: file.playbooks.map((one) => loadPlaybook(pathOf(one))) };
}

/** @throws HermesError `invalid_params` that lists every fault with its line. */
export function loadPlaybook(path: string): Playbook {
  const text = readText(path, 'playbook', 'see `playbooks` of the topology');
  return parseYaml(text, { name: path, what: 'playbook' }, playbookSchema, checkPlaybook);
}

/** The facts of a topology as agents get them. */
export function siteOf(topology: Topology): Site {
  const homeOf = (id: string): string => topology.agents.find((agent) => agent.serves.devices.includes(id))?.name ?? '';
  return {
    id: topology.site.id,
    name: topology.site.name,
    timezone: topology.site.timezone,
    floors: topology.floors.map(({ floor, zones }) => ({ floor, zones: zones.map((zone) => ({ ...zone, floor })) })),
    links: topology.links,
    devices: topology.devices.map((device): Device => {
      const kind = topology.device_kinds[device.kind];
      const { simulate: _simulate, ...facts } = device;
      return {
        ...facts,
        home: homeOf(device.id),
        points: (kind?.points ?? []).map(
          ({ unit_offset, ...point }): Point => ({
            ...point,
            ...(unit_offset === undefined ? {} : { unit_id: device.unit + unit_offset }),
          }),
        ),
        ...(kind?.restart ? { restart: kind.restart } : {}),
        ...(kind?.fence_register === undefined ? {} : { fence_register: kind.fence_register }),
      };
    }),
    people: topology.people,
    groups: topology.groups,
    calendars: topology.calendars,
    agents: topology.agents.map(({ name, serves }): Serving => {
      const ofFloors = topology.floors
        .filter(({ floor }) => serves.floors.includes(floor))
        .flatMap(({ zones }) => zones.map(({ id }) => id));
      return { ...serves, name, zones: [...new Set([...serves.zones, ...ofFloors])] };
    }),
    channels: topology.channels,
  };
}
