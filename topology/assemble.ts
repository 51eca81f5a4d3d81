import { createDeviceAccess } from '../agents/drivers/index.js';
import { type Agent, type AgentDoors, openVault, startAgent } from '../agents/runtime/index.js';
import { COORDINATOR, type Coordinator, startCoordinator } from '../coordinator/index.js';
import { type Journal, openJournal } from '../mcp/index.js';
import type { Transport } from '../mcp/transport/index.js';
import type { Clock } from '../shared/clock.js';
import type { OpenLink } from '../shared/device.js';
import { HermesError } from '../shared/errors.js';
import { createIds } from '../shared/ids.js';
import type { KeyProvider } from '../shared/keys/index.js';
import type { MailSender } from '../shared/mail.js';
import type { Random } from '../shared/random.js';
import type { Site } from '../shared/site.js';
import type { Logger } from '../shared/telemetry/logger.js';
import type { Metrics } from '../shared/telemetry/metrics.js';
import type { AgentMakers } from './load-agents.js';
import { policyOf } from './policies.js';
import type { Topology } from './schema.js';

/** The outside of a whole site, before it is dealt out to its components. */
export interface SiteDoors {
  /** The doors of one component; the simulation gives each a set that can be taken away. */
  readonly connect: (component: string) => Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly keys: KeyProvider;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly openLink: OpenLink;
  readonly mail?: MailSender;
}

export interface RunningSite {
  readonly coordinator: Coordinator;
  readonly agents: ReadonlyMap<string, Agent>;
  readonly journal: Journal;
  stop(): Promise<void>;
}

const MODULE_WAIT_MS = 10_000;
const JOURNAL_ENTRIES = 200_000;

/** Starts every agent of a topology, then its coordinator, which takes up the goals that were open. */
export async function assembleSite(
  topology: Topology,
  site: Site,
  doors: SiteDoors,
  define: AgentMakers,
): Promise<RunningSite> {
  const { clock, random, logger } = doors;
  const ids = createIds(clock, random);
  const journalDoors = doors.connect('journal');
  const sealer = await openVault({ log: journalDoors.log, keys: doors.keys, random }, topology.tenant);
  const journal = await openJournal(
    { bus: journalDoors.bus, store: await journalDoors.openStore('journal'), sealer, clock, logger },
    { tenant: topology.tenant, maxEntries: JOURNAL_ENTRIES },
  );
  const devices: { close(): Promise<void> }[] = [];
  const doorsOf = (component: string): AgentDoors => {
    const access = createDeviceAccess({ openLink: doors.openLink, now: () => clock.now() });
    devices.push(access);
    return {
      transport: doors.connect(component),
      clock,
      random,
      ids,
      keys: doors.keys,
      logger,
      metrics: doors.metrics,
      devices: access,
      ...(doors.mail ? { mail: doors.mail } : {}),
      observeLocal: (call) => journal.observeLocal(call),
    };
  };

  const agents = new Map<string, Agent>();
  let coordinator: Coordinator | undefined;
  const stop = async (): Promise<void> => {
    await coordinator?.stop();
    for (const agent of agents.values()) await agent.stop();
    await Promise.all(devices.map((access) => access.close()));
    await journal.close();
  };
  try {
    for (const row of topology.agents) {
      if (row.instances > 1) throw oneInstance(row.name);
      const definition = define(row.name);
      agents.set(row.name, await startAgent(definition, doorsOf(row.name), policyOf(topology, site, row.name)));
    }
    coordinator = await startCoordinator(doorsOf(COORDINATOR), policyOf(topology, site, COORDINATOR), {
      playbooks: topology.playbooks,
    });
    await coordinator.discovery.waitFor([...agents.keys()], clock.now() + MODULE_WAIT_MS);
    await coordinator.goals.resume();
    return { coordinator, agents, journal, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Several instances of an agent share links by ownership over the network; in one process nobody is to share with. */
const oneInstance = (name: string): HermesError =>
  new HermesError('invalid_params', `${name}: one process runs one instance of an agent`, {
    fields: [{ pointer: `/agents/${name}/instances`, problem: 'has to be 1 in embedded mode' }],
  });
