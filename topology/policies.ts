import { type AgentPolicy, DEFAULT_ROLES } from '../agents/runtime/index.js';
import { COORDINATOR } from '../coordinator/index.js';
import type { Site } from '../shared/site.js';
import type { Topology } from './schema.js';

/** Components beside coordinators that may read from everybody: the command line, and tests by hand. */
const READERS = ['hermes_cli', 'tester'];

/** An agent without a row in the topology reads and does no more. */
const READ_GRANTS = ['modbus.read'];
const OWN_MEMORY = 'memory.read';

/** What an agent's tools may use: as its row says, or reads alone without one. */
export const grantsOf = (row: Pick<Topology['agents'][number], 'grants'> | undefined): string[] => [
  ...(row ? row.grants : READ_GRANTS),
  OWN_MEMORY,
];

/** What each agent may do and who may ask it: from the topology, deny by default. */
export function policyOf(topology: Topology, site: Site, name: string): AgentPolicy {
  const row = topology.agents.find((agent) => agent.name === name);
  const links = site.devices.filter((device) => device.home === name).map((device) => device.link);
  return {
    tenant: topology.tenant,
    site,
    roles: { ...DEFAULT_ROLES, ...topology.roles },
    grants: grantsOf(row),
    readers: READERS,
    allow: { ...row?.allow, '*': [COORDINATOR, ...(row?.allow['*'] ?? [])] },
    maySpeakForPeople: new Set([COORDINATOR]),
    ...(row || name === COORDINATOR ? {} : { readsOnly: true }),
    approvals: topology.policies.approvals,
    retention: topology.policies.retention,
    links: [...new Set(links)],
  };
}
