import { readFileSync } from 'node:fs';
import { type Document, LineCounter, parseDocument } from 'yaml';
import type { Device, Point } from '../shared/device.js';
import { type FieldProblem, HermesError } from '../shared/errors.js';
import type { Serving, Site } from '../shared/site.js';
import { checkTopology, type TopologyProblem } from './check.js';
import { type Topology, topologySchema } from './schema.js';

/** @throws HermesError `invalid_params` that lists every fault of the file with its line. */
export function loadTopology(path: string): Topology {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new HermesError(
      'not_found',
      `no topology at ${path}`,
      { suggestion: 'name a file: hermes up <topology.yaml>' },
      { cause },
    );
  }
  return parseTopology(text, path);
}

export function parseTopology(text: string, name: string): Topology {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const lineOf = (path: readonly (string | number)[]): number => {
    for (let depth = path.length; depth > 0; depth--) {
      const node = document.getIn(path.slice(0, depth), true) as { range?: [number, number, number] } | undefined;
      if (node?.range) return lines.linePos(node.range[0]).line;
    }
    return 1;
  };
  if (document.errors.length > 0) {
    const problems = document.errors.map((error) => ({
      line: lines.linePos(error.pos[0]).line,
      pointer: '',
      problem: error.message,
    }));
    throw faults(name, problems);
  }
  const parsed = topologySchema.safeParse(contentOf(document, name));
  const found: TopologyProblem[] = parsed.success
    ? checkTopology(parsed.data)
    : parsed.error.issues.map((issue) => ({ path: issue.path as (string | number)[], problem: issue.message }));
  if (found.length > 0) {
    throw faults(
      name,
      found.map(({ path, problem }) => ({ line: lineOf(path), pointer: `/${path.join('/')}`, problem })),
    );
  }
  return parsed.data as Topology;
}

/** Aliases are counted while values are made of them: a file can be too large only then. */
function contentOf(document: Document.Parsed, name: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw faults(name, [{ line: 1, pointer: '', problem: error instanceof Error ? error.message : String(error) }]);
  }
}

function faults(name: string, problems: readonly (FieldProblem & { line: number })[]): HermesError {
  const list = problems.map(({ line, pointer, problem }) => `${name}:${line} ${pointer}: ${problem}`).join('\n');
  return new HermesError('invalid_params', `the topology has ${problems.length} fault(s)\n${list}`, {
    fields: problems,
  });
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
