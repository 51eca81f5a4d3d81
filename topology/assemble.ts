import { createDeviceAccess } from '../agents/drivers/index.js';
import {
  type Agent,
  type AgentDefinition,
  type AgentDoors,
  openVault,
  type PackShelf,
  startAgent,
} from '../agents/runtime/index.js';
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
import { createLateAgents, type Joining, type Started } from './late-agents.js';
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
  /** Doors that one component has for itself; default: `connect`, and the rest as it is here. */
  readonly dealTo?: (component: string) => ComponentDoors;
  /** Where compiled rule packs are kept; default: with this site. */
  readonly shelf?: PackShelf;
}

/** What one component has of the outside apart from the others. */
export interface ComponentDoors extends Pick<SiteDoors, 'clock' | 'openLink' | 'mail'> {
  readonly transport: Transport;
}

export interface RunningSite {
  readonly coordinator: Coordinator;
  /** Everybody who runs, those who joined among them. */
  readonly agents: ReadonlyMap<string, Agent>;
  readonly journal: Journal;
  /**
   * Takes in an agent without a row in the topology: it serves nothing and may read. The coordinator knows it and its
   * sentences when this resolves. @throws HermesError `invalid_params` naming `/name` or `/module`.
   */
  join(wanted: Joining): Promise<Agent>;
  /** Ends an agent that joined. @throws HermesError `not_found`; `invalid_params` for an agent of the topology. */
  leave(name: string): Promise<void>;
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
  const dealTo = doors.dealTo ?? ((component) => ({ ...doors, transport: doors.connect(component) }));
  const { transport } = dealTo('journal');
  const sealer = await openVault({ log: transport.log, keys: doors.keys, random }, topology.tenant);
  const journal = await openJournal(
    { capture: transport.capture, store: await transport.openStore('journal'), sealer, clock, logger },
    { tenant: topology.tenant, maxEntries: JOURNAL_ENTRIES },
  );
  const doorsOf = (component: string): AgentDoors & { readonly devices: { close(): Promise<void> } } => {
    const own = dealTo(component);
    return {
      transport: own.transport,
      clock: own.clock,
      random,
      ids,
      keys: doors.keys,
      logger,
      metrics: doors.metrics,
      devices: createDeviceAccess({ openLink: own.openLink, now: () => own.clock.now() }),
      ...(own.mail ? { mail: own.mail } : {}),
      observeLocal: (call) => journal.observeLocal(call),
    };
  };

  const agents = new Map<string, Agent>();
  const running = new Map<string, Started>();
  const start = async (definition: AgentDefinition): Promise<Started> => {
    const { name } = definition;
    const own = doorsOf(name);
    try {
      const agent = await startAgent(definition, own, policyOf(topology, site, name));
      const stop = async (): Promise<void> => {
        if (!running.delete(name)) return;
        agents.delete(name);
        await agent.stop().finally(() => own.devices.close());
      };
      agents.set(name, agent);
      running.set(name, { agent, stop });
      return { agent, stop };
    } catch (error) {
      await own.devices.close();
      throw error;
    }
  };
  const late = createLateAgents({
    clock,
    rows: new Set(topology.agents.map((row) => row.name)),
    start,
    hasLeft: (name) => coordinator?.discovery.hasLeft(name),
    announced: async (name) => coordinator?.discovery.waitFor([name], wait()),
  });

  let coordinator: Coordinator | undefined;
  let coordinatorDoors: ReturnType<typeof doorsOf> | undefined;
  /** By the clock of the one who waits. */
  const wait = (): number => (coordinatorDoors?.clock ?? clock).now() + MODULE_WAIT_MS;
  const stop = async (): Promise<void> => {
    await late.close();
    await coordinator?.stop();
    for (const started of [...running.values()]) await started.stop();
    await coordinatorDoors?.devices.close();
    await journal.close();
  };
  try {
    for (const row of topology.agents) {
      if (row.instances > 1) throw oneInstance(row.name);
      await start(define(row.name));
    }
    coordinatorDoors = doorsOf(COORDINATOR);
    coordinator = await startCoordinator(coordinatorDoors, policyOf(topology, site, COORDINATOR), {
      playbooks: topology.playbooks,
      ...(doors.shelf ? { shelf: doors.shelf } : {}),
    });
    await coordinator.discovery.waitFor([...agents.keys()], wait());
    coordinator.checkPlaybooks();
    await coordinator.goals.resume();
    return { coordinator, agents, journal, join: late.join, leave: late.leave, stop };
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
