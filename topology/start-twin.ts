import { createPackShelf, type PackShelf } from '../agents/runtime/index.js';
import type { Goal, GoalSubmission } from '../coordinator/index.js';
import type { Principal } from '../mcp/index.js';
import { openSim, type SimControls, type Transport } from '../mcp/transport/index.js';
import type { LinkDriver } from '../shared/device.js';
import type { FaultPlan, Faults } from '../shared/fault-plan.js';
import { signingKeyFromSeed, softwareKeyProvider } from '../shared/keys/index.js';
import { seededRandom } from '../shared/random.js';
import type { Site } from '../shared/site.js';
import { type Logger, silentLogger } from '../shared/telemetry/logger.js';
import { openMetrics } from '../shared/telemetry/metrics.js';
import { VirtualClock } from '../shared/virtual-clock.js';
import { createWorld, openInProcessLink, type World } from '../simulators/index.js';
import { assembleSite, type RunningSite } from './assemble.js';
import type { DealtDoors, SiteDoors } from './component-doors.js';
import { siteOf } from './load.js';
import { type AgentMakers, loadAgents } from './load-agents.js';
import { playCrashes } from './play-crashes.js';
import type { Topology } from './schema.js';
import { createSimMail, type SimMail } from './sim-mail.js';
import { simulatedDevices } from './simulated.js';
import { createTwinLives } from './twin-lives.js';
import { openSiteFaults, withFaults } from './with-faults.js';

export interface TwinOptions {
  readonly seed: number;
  readonly logger?: Logger;
  /** Wraps the transport of one component, its faults included; tests take mechanisms out here. */
  readonly wrap?: (component: string, transport: Transport) => Transport;
  /** Wraps the links of one place, their faults included. */
  readonly wrapLink?: (place: string, link: string, driver: LinkDriver) => LinkDriver;
  /** What goes wrong, in ms since the twin's clock began. */
  readonly faults?: FaultPlan;
  /** Share of the traces whose spans are recorded; see `AgentDoors`. */
  readonly traceRatio?: number;
  /** What twins of one topology have in common and need not make again. Default: made for this one. */
  readonly common?: TwinCommon;
}

/** The facts of a site, its agents, and what its language is compiled to. Nothing in it changes. */
export interface TwinCommon {
  readonly facts: Site;
  readonly makers: AgentMakers;
  readonly shelf: PackShelf;
}

/** @param makers default: what the topology's modules define. */
export async function twinCommon(topology: Topology, makers?: AgentMakers): Promise<TwinCommon> {
  return { facts: siteOf(topology), makers: makers ?? (await loadAgents(topology)), shelf: createPackShelf() };
}

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
  /** The agent of one place dies alone. @returns whether one lived there. */
  crashIn(place: string): boolean;
  /** Starts the agent of a place again; does nothing when it lives or the whole process is down. */
  startIn(place: string): Promise<void>;
  /** What kept crashed agents from starting again that no back-off cures: defects. */
  readonly troubles: readonly unknown[];
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
  const wrapLink = options.wrapLink ?? ((_place, _link, driver) => driver);
  const clock = new VirtualClock();
  const random = seededRandom(seed);
  const world = createWorld({ clock, random: random.stream('world'), devices: simulatedDevices(topology) });
  const sim = openSim({ clock, random: random.stream('transport'), logger });
  const mail = createSimMail(clock);
  const { facts, makers, shelf } = options.common ?? (await twinCommon(topology));
  const master = seededRandom(`${seed}/master`).bytes(32);
  const lives = createTwinLives(sim);
  let starts = 0;
  let site: RunningSite | undefined;
  let up = false;

  const faults = openSiteFaults(clock, random.stream('faults'), options.faults ?? { rules: [] });
  const start = async (): Promise<void> => {
    const chance = random.stream(`life-${++starts}`);
    const outside = { openLink: (link: string) => openInProcessLink({ clock, world }, { link }), mail };
    const doors: SiteDoors = {
      connect: (place) => lives.open(place, outside).transport,
      // A process that ends keeps nothing open; here its doors stay, and their timers end with what it stopped.
      disconnect: async () => undefined,
      dealTo: async (place) => ({ clock, ...lives.open(place, outside) }),
      clock,
      random: chance,
      keys: softwareKeyProvider('sim', master, chance),
      signing: (component) => signingKeyFromSeed(seededRandom(`${seed}/${component}`, 'signing').bytes(32)),
      logger,
      metrics: openMetrics(),
      ...outside,
      ...(options.traceRatio === undefined ? {} : { traceRatio: options.traceRatio }),
      shelf,
    };
    const faulty = withFaults(doors, faults);
    const dealTo = async (place: string): Promise<DealtDoors> => {
      const own = await faulty.dealTo(place);
      const openLink = (link: string) => wrapLink(place, link, own.openLink(link));
      return { ...own, openLink, transport: wrap(place, own.transport) };
    };
    try {
      site = await assembleSite(topology, facts, { ...faulty, dealTo }, makers);
      up = true;
    } catch (error) {
      // A process that does not come up ends.
      lives.crashAll();
      throw error;
    }
  };
  const running = (): RunningSite => site as RunningSite;
  const crashIn = (place: string): boolean => {
    const lived = up && running().lives(place) && lives.crash(place);
    if (lived) running().forget(place);
    return lived;
  };
  const startIn = async (place: string): Promise<void> => {
    if (!up || running().lives(place)) return;
    await running()
      .startIn(place)
      .catch((error: unknown) => {
        lives.crash(place);
        throw error;
      });
  };
  const troubles = playCrashes({ clock, logger, rules: faults.plan.rules, crashIn, startIn });
  await clock.run(start());
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
      up = false;
      running().forget();
      lives.crashAll();
    },
    async shutDown() {
      up = false;
      await running().stop();
      // A process that has ended does nothing more: no append that was late is tried again.
      lives.crashAll();
    },
    crashIn,
    startIn,
    troubles,
    restart: start,
    async stop() {
      await running().stop();
      await sim.close();
    },
  };
}
