import { createPackShelf, type PackShelf } from '../agents/runtime/index.js';
import type { Goal, GoalSubmission } from '../coordinator/index.js';
import type { Principal } from '../mcp/index.js';
import { openSim, type SimControls, type Transport } from '../mcp/transport/index.js';
import type { FaultPlan, Faults } from '../shared/fault-plan.js';
import { softwareKeyProvider } from '../shared/keys/index.js';
import { seededRandom } from '../shared/random.js';
import type { Site } from '../shared/site.js';
import { type Logger, silentLogger } from '../shared/telemetry/logger.js';
import { openMetrics } from '../shared/telemetry/metrics.js';
import { VirtualClock } from '../shared/virtual-clock.js';
import { createWorld, openInProcessLink, type World } from '../simulators/index.js';
import { assembleSite, type ComponentDoors, type RunningSite, type SiteDoors } from './assemble.js';
import { siteOf } from './load.js';
import { loadAgents } from './load-agents.js';
import { createLife } from './revocable.js';
import type { Topology } from './schema.js';
import { createSimMail, type SimMail } from './sim-mail.js';
import { simulatedDevices } from './simulated.js';
import { openSiteFaults, withFaults } from './with-faults.js';

export interface TwinOptions {
  readonly seed: number;
  readonly logger?: Logger;
  /** Wraps the transport of one component, its faults included; tests take mechanisms out here. */
  readonly wrap?: (component: string, transport: Transport) => Transport;
  /** What goes wrong, in ms since the twin's clock began. */
  readonly faults?: FaultPlan;
  /** What twins of one topology have in common and need not make again. Default: made for this one. */
  readonly common?: TwinCommon;
}

/** The facts of a site and what its language is compiled to. Nothing in it changes. */
export interface TwinCommon {
  readonly facts: Site;
  readonly shelf: PackShelf;
}

export const twinCommon = (topology: Topology): TwinCommon => ({ facts: siteOf(topology), shelf: createPackShelf() });

/** A factory without wires, files or wall time: the same agents on the sim transport, replayable from its seed. */
export interface Twin {
  readonly clock: VirtualClock;
  readonly world: World;
  readonly mail: SimMail;
  readonly sim: Transport & SimControls;
  readonly faults: Faults;
  readonly site: () => RunningSite;
  submit(text: string, more?: Partial<GoalSubmission>, key?: string): Promise<string>;
  settled(goalId: string, ms: number): Promise<Goal>;
  /** Everything in the process dies at once; what the log has taken stays. */
  crash(): void;
  /** Everything in the process ends in order, as on SIGTERM. */
  shutDown(): Promise<void>;
  /** Starts again on the same log. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const TESTER: Principal = { id: 'tester', roles: ['admin'] };

export async function startTwin(topology: Topology, options: TwinOptions): Promise<Twin> {
  const { seed, logger = silentLogger(), wrap = (_component, transport) => transport } = options;
  const clock = new VirtualClock();
  const random = seededRandom(seed);
  const world = createWorld({ clock, random: random.stream('world'), devices: simulatedDevices(topology) });
  const sim = openSim({ clock, random: random.stream('transport'), logger });
  const mail = createSimMail(clock);
  const { facts, shelf } = options.common ?? twinCommon(topology);
  const master = seededRandom(`${seed}/master`).bytes(32);
  let lives = 0;
  let life = createLife();
  let connections: { crash(): void }[] = [];
  let site: RunningSite | undefined;

  const faults = openSiteFaults(clock, random.stream('faults'), options.faults ?? { rules: [] });
  const define = await loadAgents(topology);
  const start = async (): Promise<void> => {
    lives++;
    life = createLife();
    const chance = random.stream(`life-${lives}`);
    const doors: SiteDoors = {
      connect: (component) => {
        const connection = sim.connect(component);
        connections.push(connection);
        return connection.transport;
      },
      clock,
      random: chance,
      keys: softwareKeyProvider('sim', master, chance),
      logger,
      metrics: openMetrics(),
      openLink: life.openLink((link) => openInProcessLink({ clock, world }, { link })),
      mail: life.mail(mail),
      shelf,
    };
    const faulty = withFaults(doors, faults, (component) => component);
    const dealTo = (component: string): ComponentDoors => {
      const own = faulty.dealTo(component);
      return { ...own, transport: wrap(component, own.transport) };
    };
    site = await assembleSite(topology, facts, { ...faulty, dealTo }, define);
  };
  await clock.run(start());
  const running = (): RunningSite => site as RunningSite;
  return {
    clock,
    world,
    mail,
    sim,
    faults,
    site: running,
    async submit(text, more = {}, key) {
      return (await running().coordinator.goals.submit({ goal: text, ...more }, TESTER, key)).goal_id;
    },
    settled: (goalId, ms) => running().coordinator.goals.settled(goalId, ms),
    crash() {
      for (const connection of connections) connection.crash();
      connections = [];
      life.revoke();
    },
    async shutDown() {
      await running().stop();
      life.revoke();
      connections = [];
    },
    restart: start,
    async stop() {
      await running().stop();
      await sim.close();
    },
  };
}
