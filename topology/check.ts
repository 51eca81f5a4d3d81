import { patternProblem } from '../agents/runtime/index.js';
import type { SiteFile } from './schema.js';
import type { FileProblem } from './yaml-file.js';

/** Everything that a schema cannot see: references, duplicates, overlaps. All faults at once. */
export function checkTopology(topology: SiteFile): FileProblem[] {
  return [
    ...checkIds(topology),
    ...checkDevices(topology),
    ...checkPoints(topology),
    ...checkAgents(topology),
    ...checkPeople(topology),
  ];
}

function duplicates(list: readonly { readonly [key: string]: unknown }[], key: string, path: string): FileProblem[] {
  const seen = new Set<unknown>();
  return list.flatMap((row, index) => {
    const again = seen.has(row[key]);
    seen.add(row[key]);
    return again ? [{ path: [path, index, key], problem: `${String(row[key])} stands twice` }] : [];
  });
}

const checkIds = (topology: SiteFile): FileProblem[] => [
  ...duplicates(topology.links, 'id', 'links'),
  ...duplicates(topology.devices, 'id', 'devices'),
  ...duplicates(topology.people, 'id', 'people'),
  ...duplicates(topology.groups, 'id', 'groups'),
  ...duplicates(topology.agents, 'name', 'agents'),
];

function checkDevices(topology: SiteFile): FileProblem[] {
  const { links, device_kinds, devices } = topology;
  const zones = new Set(topology.floors.flatMap((floor) => floor.zones.map((zone) => zone.id)));
  const floors = new Set(topology.floors.map(({ floor }) => floor));
  const units = new Map<string, string>();
  return devices.flatMap((device, index) => {
    const problems: FileProblem[] = [];
    const say = (key: string, problem: string) => problems.push({ path: ['devices', index, key], problem });
    if (!links.some((link) => link.id === device.link)) say('link', `no link ${device.link}`);
    if (device_kinds[device.kind] === undefined) say('kind', `no device kind ${device.kind}`);
    if (device.zone !== undefined && !zones.has(device.zone)) say('zone', `no zone ${device.zone}`);
    if (device.floor !== undefined && !floors.has(device.floor)) say('floor', `no floor ${device.floor}`);
    for (const relation of RELATIONS) {
      const other = device[relation];
      if (other === undefined) continue;
      if (!devices.some(({ id }) => id === other)) say(relation, `no device ${other}`);
      else if (leadsBack(devices, device.id, relation)) say(relation, `${device.id} leads back to itself`);
    }
    for (const point of Object.keys(device.identity ?? {})) {
      if (!device_kinds[device.kind]?.points.some(({ name }) => name === point))
        say('identity', `kind ${device.kind} has no point ${point}`);
    }
    const place = `${device.link}/${device.unit}`;
    const other = units.get(place);
    if (other) say('unit', `${device.id} and ${other} share unit ${device.unit} of ${device.link}`);
    units.set(place, device.id);
    const serving = topology.agents.filter((agent) => agent.serves.devices.includes(device.id));
    if (serving.length === 0) say('id', `no agent serves ${device.id}`);
    if (serving.length > 1)
      say('id', `${serving.map((agent) => agent.name).join(' and ')} both serve ${device.id}; a scope has one home`);
    return problems;
  });
}

const RELATIONS = ['fed_by', 'powered_by', 'measures'] as const;

/** A device that is, over others, fed or powered by itself. */
function leadsBack(devices: SiteFile['devices'], id: string, relation: (typeof RELATIONS)[number]): boolean {
  const seen = new Set<string>();
  for (let at: string | undefined = id; at !== undefined && !seen.has(at); ) {
    seen.add(at);
    at = devices.find((device) => device.id === at)?.[relation];
    if (at === id) return true;
  }
  return false;
}

const WORDS: Readonly<Record<string, number>> = { bool: 1, uint16: 1, int16: 1, uint32: 2, int32: 2, float32: 2 };

/** Points of one kind: names unique, registers not shared, the restart point there and writable. */
function checkPoints(topology: SiteFile): FileProblem[] {
  return Object.entries(topology.device_kinds).flatMap(([kind, { points, restart }]) => {
    const problems: FileProblem[] = [];
    const taken = new Map<string, string>();
    const names = new Set<string>();
    points.forEach((point, index) => {
      const path = ['device_kinds', kind, 'points', index];
      if (names.has(point.name)) problems.push({ path: [...path, 'name'], problem: `${point.name} stands twice` });
      names.add(point.name);
      for (let word = 0; word < (WORDS[point.type] ?? 1); word++) {
        const register = `${point.unit_offset ?? 0}/${point.table}/${point.address + word}`;
        const other = taken.get(register);
        if (other) problems.push({ path: [...path, 'address'], problem: `${point.name} overlaps ${other}` });
        taken.set(register, point.name);
      }
    });
    const target = restart && points.find((point) => point.name === restart.point);
    if (restart && target?.access !== 'rw') {
      problems.push({
        path: ['device_kinds', kind, 'restart', 'point'],
        problem: `no writable point ${restart.point}`,
      });
    }
    return problems;
  });
}

function checkAgents(topology: SiteFile): FileProblem[] {
  const zones = new Set(topology.floors.flatMap((floor) => floor.zones.map((zone) => zone.id)));
  const floors = new Set(topology.floors.map(({ floor }) => floor));
  const places = topology.agents.flatMap(({ serves }, index) => [
    ...serves.zones
      .filter((zone) => !zones.has(zone))
      .map((zone) => ({ path: ['agents', index, 'serves', 'zones'], problem: `no zone ${zone}` })),
    ...serves.floors
      .filter((floor) => !floors.has(floor))
      .map((floor) => ({ path: ['agents', index, 'serves', 'floors'], problem: `no floor ${floor}` })),
  ]);
  return [...places, ...checkServed(topology)];
}

function checkServed(topology: SiteFile): FileProblem[] {
  const ids = new Set(topology.devices.map((device) => device.id));
  const owners = new Map<string, string>();
  return topology.agents.flatMap((agent, index) =>
    agent.serves.devices.flatMap((id) => {
      const path = ['agents', index, 'serves', 'devices'];
      if (!ids.has(id)) return [{ path, problem: `no device ${id}` }];
      const link = topology.devices.find((device) => device.id === id)?.link ?? '';
      const owner = owners.get(link) ?? agent.name;
      owners.set(link, owner);
      return owner === agent.name ? [] : [{ path, problem: `link ${link} is shared by ${owner} and ${agent.name}` }];
    }),
  );
}

function checkPeople(topology: SiteFile): FileProblem[] {
  const people = new Set(topology.people.map((person) => person.id));
  const members = topology.groups.flatMap((group, index) =>
    group.members
      .filter((member) => !people.has(member))
      .map((member) => ({ path: ['groups', index, 'members'], problem: `no person ${member}` })),
  );
  const calendars = topology.people.flatMap(({ calendar }, index) =>
    calendar === undefined || topology.calendars[calendar] !== undefined
      ? []
      : [{ path: ['people', index, 'calendar'], problem: `no calendar ${calendar}` }],
  );
  return [...members, ...calendars, ...checkRoles(topology)];
}

function checkRoles({ roles }: SiteFile): FileProblem[] {
  return Object.entries(roles).flatMap(([role, rights]) => {
    if (rights.read.length + rights.write.length === 0) {
      return [{ path: ['roles', role], problem: 'a role without a scope' }];
    }
    return (['read', 'write'] as const).flatMap((right) =>
      rights[right].flatMap((pattern, index) => {
        const problem = patternProblem(pattern);
        return problem === undefined ? [] : [{ path: ['roles', role, right, index], problem }];
      }),
    );
  });
}
