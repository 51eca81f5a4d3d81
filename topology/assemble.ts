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
  /**
   * Doors that one place has for itself: a component, or `<component>#<n>` where it has several instances. Default:
   * `connect`, and the rest as it is here; then a component has one instance, as one process has.
   */
  readonly dealTo?: (place: string) => ComponentDoors;
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
  /** An agent that died: nothing is asked of it any more, nor is it stopped. */
  forget(place: string): void;
  /** Starts an agent of the topology in a place that is free. @throws HermesError of its start. */
  startIn(place: string): Promise<Agent>;
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
  const doorsOf = (place: string): AgentDoors & { readonly devices: { close(): Promise<void> } } => {
    const own = dealTo(place);
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
  const forget = (place: string): void => {
    agents.delete(place);
    running.delete(place);
  };
  const start = async (definition: AgentDefinition, place = definition.name): Promise<Started> => {
    const own = doorsOf(place);
    try {
      const agent = await startAgent(definition, own, policyOf(topology, site, definition.name));
      const stop = async (): Promise<void> => {
        if (running.get(place) !== started) return;
        forget(place);
        await agent.stop().finally(() => own.devices.close());
      };
      const started: Started = { agent, stop };
      agents.set(place, agent);
      running.set(place, started);
      return started;
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
      if (row.instances > 1 && !doors.dealTo) throw oneInstance(row.name);
      for (const place of placesOf(row)) await start(define(row.name), place);
    }
    coordinatorDoors = doorsOf(COORDINATOR);
    coordinator = await startCoordinator(coordinatorDoors, policyOf(topology, site, COORDINATOR), {
      playbooks: topology.playbooks,
      ...(doors.shelf ? { shelf: doors.shelf } : {}),
    });
    await coordinator.discovery.waitFor([...new Set([...agents.keys()].map(componentIn))], wait());
    coordinator.checkPlaybooks();
    await coordinator.goals.resume();
    const startIn = async (place: string): Promise<Agent> => (await start(define(componentIn(place)), place)).agent;
    return { coordinator, agents, journal, join: late.join, leave: late.leave, forget, startIn, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** `plc_controller#2` is the second place of `plc_controller`. */
const componentIn = (place: string): string => place.split('#')[0] as string;
const placesOf = ({ name, instances }: Topology['agents'][number]): readonly string[] =>
  instances === 1 ? [name] : Array.from({ length: instances }, (_, index) => `${name}#${index + 1}`);

/** Several instances of an agent share links by ownership over the network; in one process nobody is to share with. */
const oneInstance = (name: string): HermesError =>
  new HermesError('invalid_params', `${name}: one process runs one instance of an agent`, {
    fields: [{ pointer: `/agents/${name}/instances`, problem: 'has to be 1 in embedded mode' }],
  });
