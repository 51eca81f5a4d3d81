import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDeviceAccess } from '../../agents/drivers/index.js';
import { type Agent, startAgent } from '../../agents/runtime/index.js';
import { type Caller, createCaller } from '../../mcp/index.js';
import { initNatsStreams, openTransport, type Transport } from '../../mcp/transport/index.js';
import { systemClock } from '../../shared/clock.js';
import { createIds } from '../../shared/ids.js';
import { softwareKeyProvider } from '../../shared/keys/index.js';
import { seededRandom, systemRandom } from '../../shared/random.js';
import { silentLogger } from '../../shared/telemetry/logger.js';
import { createWorld, openInProcessLink } from '../../simulators/index.js';
import { loadAgents, type NatsMember, natsConfig, natsTenantOf, siteOf } from '../../topology/index.js';
import { policyOf } from '../../topology/policies.js';
import { simulatedDevices } from '../../topology/simulated.js';
import { linesTopology } from './demo-site.js';
import { startNatsServer } from './nats-server.js';
import { testSigning } from './test-signing.js';
import { silentMetrics } from './transport-harness.js';
import { PLC } from './workers-bench.js';

export interface NatsWorkersOptions {
  /** The server knows identities; these components are known besides those of the site. Default: it lets all in. */
  readonly identities?: readonly string[];
  /** Who may call what. Default: everybody everything. */
  readonly allow?: Readonly<Record<string, readonly string[]>>;
}

/** Instances of the PLC agent, each with its own connections to a real nats-server, on one simulated plant. */
export async function natsWorkers({ identities, allow = { '*': ['*'] } }: NatsWorkersOptions = {}) {
  const clock = systemClock();
  const random = systemRandom();
  const logger = silentLogger();
  /** What the servers refused and the like, by connection and kind. */
  const faults: string[] = [];
  const metrics = {
    ...silentMetrics(),
    count: (metric: string, labels?: Readonly<Record<string, string>>) =>
      void (metric === 'busFaults' && faults.push(`${labels?.connection} ${labels?.kind}`)),
  };
  const topology = linesTopology();
  const site = siteOf(topology);
  const everybody = natsTenantOf(topology);
  const extra = (identities ?? []).map((name): NatsMember => ({ name, role: 'component' }));
  let seeds: ReadonlyMap<string, string> | undefined;
  const nats = await startNatsServer(
    identities && {
      config(place) {
        const made = natsConfig([{ ...everybody, members: [...everybody.members, ...extra] }], place);
        seeds = made.seeds.get(topology.tenant);
        return made.text;
      },
    },
  );
  const seedOf = (name: string) => {
    const nkeySeed = seeds?.get(name);
    return nkeySeed === undefined ? {} : { nkeySeed };
  };
  const { tenant } = topology;
  if (identities) await initNatsStreams({ url: nats.url, tenant, ...seedOf('ops'), clock, random, logger });
  const dataDir = await mkdtemp(join(tmpdir(), 'hermes-workers-'));
  const world = createWorld({ clock, random, devices: simulatedDevices(topology) });
  const keys = softwareKeyProvider('test', seededRandom('master').bytes(32), random);
  const define = await loadAgents(topology);
  const policy = { ...policyOf(topology, site, PLC), allow };
  const transports: Transport[] = [];
  const agents: Agent[] = [];
  const connect = async (component: string): Promise<Transport> => {
    const doors = { clock, random, logger, metrics };
    const options = { url: nats.url, tenant, component, dataDir, ...doors, ...seedOf(component) };
    const transport = await openTransport('nats', options);
    transports.push(transport);
    return transport;
  };
  return {
    nats,
    faults,
    site,
    world,
    agents,
    clock,
    connect,
    async start(): Promise<Agent> {
      const transport = await connect(PLC);
      const devices = createDeviceAccess({
        openLink: (link) => openInProcessLink({ clock, world }, { link, roundTripMs: 1 }),
        now: () => clock.now(),
      });
      const ids = createIds(clock, random);
      const doors = { transport, clock, random, ids, keys, signing: testSigning(), logger, metrics, devices };
      const agent = await startAgent(define(PLC), doors, policy);
      agents.push(agent);
      return agent;
    },
    async caller(name: string): Promise<Caller> {
      const { bus, liveness } = await connect(name);
      const ids = createIds(clock, random);
      const deps = { bus, liveness, clock, random, ids, logger, metrics };
      return createCaller(deps, { component: `${name}_v1.0`, tenant: topology.tenant });
    },
    async stop(): Promise<void> {
      for (const agent of agents) await agent.stop();
      for (const transport of transports) await transport.close();
      await nats.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
