import { posix } from 'node:path';
import { expect, test } from 'vitest';
import {
  isInside,
  isTest,
  listed,
  loadSources,
  parseSource,
  type Source,
  type Violation,
} from '../support/arch-source.js';

interface Place {
  readonly floor: number;
  readonly room: string;
}

/** An import may only go down; rooms of one floor do not know each other. */
const FLOORS: Readonly<Record<string, number>> = {
  shared: 0,
  mcp: 1,
  'agents/runtime': 2,
  'agents/drivers': 2,
  simulators: 2,
  coordinator: 3,
  topology: 4,
  cli: 5,
  bench: 5,
  examples: 5,
  tests: 6,
};
/** The page runs in the browser: it imports itself and packages, and nobody imports it. */
const PAGE = 'coordinator/console';

/** Doors besides a room's own index.ts, each with the reason why a second one is right. */
const MORE_DOORS: Readonly<Record<string, readonly string[]>> = {
  // Contracts of the three primitives: everything above speaks them, without the rest of MCP.
  mcp: ['mcp/transport/index.ts'],
};

/** Crossings that are right as they are. Keep it short; each names its reason. */
const ALLOWED: readonly { from: string; to: string; reason: string }[] = [];

function placeOf(path: string): Place | undefined {
  const [top = '', second = ''] = path.split('/');
  if (top === path) return undefined;
  if (isTest(path)) return { floor: 6, room: 'tests' };
  if (isInside(path, PAGE)) return { floor: 3, room: PAGE };
  const room = top === 'agents' ? `agents/${second}` : top;
  return { floor: FLOORS[room] ?? (top === 'agents' ? 3 : 6), room };
}

const isAllowed = (from: string, to: string): boolean =>
  ALLOWED.some((row) => isInside(from, row.from) && isInside(to, row.to));

function floorViolations(sources: readonly Source[]): Violation[] {
  return crossings(sources, (source, target) => {
    const here = placeOf(source.path);
    const there = placeOf(target);
    if (!here || !there || here.room === there.room) return undefined;
    if (there.room === PAGE && !isTest(source.path)) return 'nobody imports the page: serve its built files';
    if (here.room === PAGE) return 'the page imports only itself and packages: copy the shape into contract.ts';
    if (there.floor > here.floor)
      return `goes up from floor ${here.floor} to ${there.floor}: hand it in as a port, or move the code down`;
    if (there.floor === here.floor)
      return `${here.room} and ${there.room} stand on one floor: meet through a contract below, or be joined above`;
    return undefined;
  });
}

/** A room is a folder with an index.ts; whoever is outside comes through it. Tests may look behind every door. */
function doorViolations(sources: readonly Source[]): Violation[] {
  const rooms = sources
    .filter(({ path }) => posix.basename(path) === 'index.ts' && !isTest(path))
    .map(({ path }) => posix.dirname(path));
  return crossings(sources, (source, target) => {
    if (isTest(source.path)) return undefined;
    const passed = rooms.filter((room) => isInside(target, room) && !isInside(source.path, room));
    const closed = passed.find((room) => {
      const doors = [`${room}/index.ts`, ...(MORE_DOORS[room] ?? [])];
      return !doors.includes(target);
    });
    return closed && `reaches past ${closed}/index.ts: import from that door, or have it export the name`;
  });
}

function crossings(
  sources: readonly Source[],
  judge: (source: Source, target: string) => string | undefined,
): Violation[] {
  return sources.flatMap((source) =>
    source.imports.flatMap(({ target, line, specifier }) => {
      if (target === undefined || isAllowed(source.path, target)) return [];
      const message = judge(source, target);
      return message === undefined ? [] : [{ path: source.path, line, message: `'${specifier}' ${message}` }];
    }),
  );
}

const planted = (path: string, specifier: string): Source[] => [
  parseSource(path, `import type { x } from '${specifier}';`),
  parseSource('mcp/index.ts', ''),
  parseSource('agents/runtime/plan/index.ts', ''),
];

test('imports only go down, and rooms of one floor do not import each other', () => {
  expect(listed(floorViolations(loadSources()))).toEqual([]);
});

test('a room is entered through its index.ts only', () => {
  expect(listed(doorViolations(loadSources()))).toEqual([]);
});

test.each([
  ['shared/a.ts', '../mcp/index.js', 'goes up'],
  ['agents/runtime/a.ts', '../../topology/index.js', 'goes up'],
  ['agents/plc/a.ts', '../hvac/index.js', 'one floor'],
  ['agents/drivers/a.ts', '../runtime/index.js', 'one floor'],
  ['coordinator/a.ts', '../agents/plc/index.js', 'one floor'],
  ['agents/runtime/a.ts', '../plc/agent.test.js', 'goes up'],
  ['agents/plc/a.ts', '../../topology/index.js', 'goes up'],
  ['coordinator/console/src/a.ts', '../../../shared/errors.js', 'only itself'],
])('an import from %s of %s is caught', (path, specifier, message) => {
  expect(floorViolations(planted(path, specifier))[0]?.message).toContain(message);
});

test('the test that an agent brings in its folder stands above everything, as tests do', () => {
  expect(floorViolations(planted('agents/plc/agent.test.ts', '../../topology/index.js'))).toEqual([]);
});

test('an import past a door is caught, one through the door is not', () => {
  expect(doorViolations(planted('agents/runtime/agent.ts', '../../mcp/caller/retry.js'))).toHaveLength(1);
  expect(doorViolations(planted('agents/runtime/tools/a.ts', '../plan/plan.js'))).toHaveLength(1);
  expect(doorViolations(planted('agents/runtime/agent.ts', '../../mcp/transport/index.js'))).toHaveLength(0);
});
