import { COORDINATOR } from '../../coordinator/index.js';
import type { Random } from '../../shared/random.js';
import type { Topology } from '../../topology/index.js';

const PLC = 'plc_controller';

/** The site with one to three instances of the agent that owns the production lines. */
export function drawWorld(random: Random, topology: Topology): Topology {
  const drawn = random.float();
  const instances = drawn < 0.4 ? 1 : drawn < 0.75 ? 2 : 3;
  return { ...topology, agents: topology.agents.map((row) => (row.name === PLC ? { ...row, instances } : row)) };
}

/** Where somebody lives, as a plan names it. */
export const placesIn = (topology: Topology): readonly string[] => [
  ...topology.agents.flatMap(({ name, instances }) =>
    instances === 1 ? [name] : Array.from({ length: instances }, (_, index) => `${name}#${index + 1}`),
  ),
  COORDINATOR,
];
