import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSmtpSender, openModbusLink } from '../agents/drivers/index.js';
import type { Agent } from '../agents/runtime/index.js';
import { COORDINATOR, type Goal, type GoalSubmission, homeOf } from '../coordinator/index.js';
import type { Journal, Principal } from '../mcp/index.js';
import { type EmbeddedOptions, openTransport } from '../mcp/transport/index.js';
import { type Clock, systemClock } from '../shared/clock.js';
import type { FaultPlan } from '../shared/fault-plan.js';
import { signingKeyFromSeed, softwareKeyProvider } from '../shared/keys/index.js';
import { type Random, seededRandom } from '../shared/random.js';
import type { Site } from '../shared/site.js';
import { type Logger, silentLogger } from '../shared/telemetry/logger.js';
import { openMetrics } from '../shared/telemetry/metrics.js';
import { type SimDeviceView, type Simulators, startSimulators, type World } from '../simulators/index.js';
import { assembleSite, type RunningSite } from './assemble.js';
import type { SiteDoors } from './component-doors.js';
import { siteOf } from './load.js';
import { loadAgents } from './load-agents.js';
import { startNatsServer } from './nats-server.js';
import { type Opened, opening } from './opened.js';
import type { Topology } from './schema.js';
import { createAddressResolver } from './sim-addresses.js';
import { simulatedDevices, simulatedLinks } from './simulated.js';
import { openSiteFaults, withFaults } from './with-faults.js';

export interface FactoryOptions {
  /**
   * `embedded`: all on one transport in one data folder. `nats`: a nats-server of its own, each instance with its own
   * connections; the clock has to be the machine's. Default `embedded`.
   */
  readonly bus?: 'embedded' | 'nats';
  /** Instances of agents by name, instead of what the topology says; more than one need `nats`. */
  readonly instances?: Readonly<Record<string, number>>;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
  /** Seed of everything that is drawn by chance. Default 1. */
  readonly seed?: number;
  /** Where the record is kept. Default: a folder of its own, removed at `stop`. */
  readonly dataDir?: string;
  readonly logger?: Logger;
  /** What goes wrong; its time begins when the site is started. Crashes are left out: all lives in one process. */
  readonly faults?: FaultPlan;
}

/** A whole factory for a test: agents, coordinator, and simulated devices on real Modbus TCP and SMTP. */
export interface Factory {
  /** Submits a goal and waits until it is final or asks. */
  goal(text: string, more?: Partial<GoalSubmission> & { waitMs?: number }): Promise<Goal>;
  device(id: string): SimDeviceView;
  /** One that runs, of the topology or joined; of several instances the first. */
  agent(name: string): Agent;
  /** Takes in an agent without a row, as `hermes agent` does; `module` defaults to `agents/<name>`. */
  join(name: string, module?: string): Promise<Agent>;
  readonly world: World;
  readonly simulators: Simulators;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly site: RunningSite;
  readonly facts: Site;
  /** Entries of a scope, from the record of its home. */
  audit(scope: string): ReturnType<Agent['cell']['memory']['audit']>;
  stop(): Promise<void>;
}

const TESTER: Principal = { id: 'tester', roles: ['admin'] };
const WAIT_MS = 60_000;

/**
 * Starts a factory from a topology: free ports, a private folder; `stop` ends it all, and a start that fails ends what
 * it began. @throws HermesError `not_found` when `nats` is asked for and there is no nats-server.
 */
export async function startFactory(topology: Topology, options: FactoryOptions = {}): Promise<Factory> {
  return opening(options.logger ?? silentLogger(), (opened) => open(topology, options, opened));
}

type Transports = Pick<SiteDoors, 'connect' | 'disconnect'>;
type TransportDeps = Omit<EmbeddedOptions, 'dataDir'> & { readonly dataDir: string; readonly tenant: string };

/** One for all, or one for each instance on a server of our own. */
async function openTransports(bus: 'embedded' | 'nats', deps: TransportDeps, opened: Opened): Promise<Transports> {
  if (bus === 'embedded') {
    const transport = await openTransport('embedded', deps);
    opened.keep(() => transport.close());
    return { connect: () => transport };
  }
  const server = await startNatsServer({ dir: join(deps.dataDir, 'nats') });
  opened.keep(() => server.stop());
  return {
    connect: (component) => openTransport('nats', { ...deps, url: server.url, component }),
    disconnect: (transport) => transport.close(),
  };
}

/** The topology with as many instances as the test wants. */
const withInstances = (topology: Topology, instances: Readonly<Record<string, number>>): Topology => ({
  ...topology,
  agents: topology.agents.map((row) => ({ ...row, instances: instances[row.name] ?? row.instances })),
});

async function open(described: Topology, options: FactoryOptions, opened: Opened): Promise<Factory> {
  const { bus = 'embedded', instances = {}, clock = systemClock(), seed = 1, logger = silentLogger() } = options;
  const topology = withInstances(described, instances);
  const random: Random = seededRandom(seed);
  const metrics = openMetrics();
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'hermes-factory-'));
  if (options.dataDir === undefined) opened.keep(() => rmSync(dataDir, { recursive: true, force: true }));
  const simulators = await startSimulators({
    clock,
    random,
    logger,
    devices: simulatedDevices(topology),
    links: simulatedLinks(topology),
    controlPort: 0,
  });
  opened.keep(() => simulators.stop());
  const facts = siteOf(topology);
  const address = createAddressResolver(clock, simulators.controlUrl);
  const doors = { dataDir, tenant: topology.tenant, clock, random, logger, metrics };
  const transports = await openTransports(bus, doors, opened);
  const sound: SiteDoors = {
    ...transports,
    clock,
    random,
    keys: softwareKeyProvider('test', seededRandom('master').bytes(32), random),
    signing: (component) => signingKeyFromSeed(seededRandom(component, 'signing').bytes(32)),
    logger,
    metrics,
    openLink: (link) =>
      openModbusLink({ clock, random, logger, metrics, resolve: () => address(`sim:${link}`) }, { link }),
    mail: createSmtpSender({ resolve: () => address('sim:smtp') }),
  };
  const faulty = options.faults && withFaults(sound, openSiteFaults(clock, random.stream('faults'), options.faults));
  const site = await assembleSite(topology, facts, faulty ?? sound, await loadAgents(topology));
  opened.keep(() => site.stop());
  const agent = (name: string): Agent => {
    const found = name === COORDINATOR ? site.coordinator.agent : site.agents.get(name);
    if (found) return found;
    throw new Error(`no agent ${name} in this factory`);
  };
  return {
    async goal(text, { waitMs = WAIT_MS, ...more } = {}) {
      const { goal_id } = await site.coordinator.goals.submit({ goal: text, ...more }, TESTER);
      return site.coordinator.goals.settled(goal_id, waitMs);
    },
    device: (id) => simulators.world.device(id),
    agent,
    join: (name, module) => site.join({ name, ...(module === undefined ? {} : { module }) }),
    world: simulators.world,
    simulators,
    clock,
    journal: site.journal,
    site,
    facts,
    audit: async (scope) =>
      agent(homeOf(scope, facts, site.coordinator.discovery.manifests())).cell.memory.audit(scope, {
        principal: TESTER,
      }),
    stop: () => opened.close(),
  };
}
