import type { Agent } from '../agents/runtime/index.js';
import { COORDINATOR, type Coordinator, startCoordinator } from '../coordinator/index.js';
import type { Journal } from '../mcp/index.js';
import { HermesError } from '../shared/errors.js';
import { createIds } from '../shared/ids.js';
import type { Site } from '../shared/site.js';
import { createAgentRuns } from './agent-runs.js';
import { type ComponentDoors, componentIn, dealDoors, openComponentDoors, type SiteDoors } from './component-doors.js';
import { type DiskWatch, openDiskWatch } from './disk-watch.js';
import { createLateAgents, type Joining } from './late-agents.js';
import type { AgentMakers } from './load-agents.js';
import { policyOf } from './policies.js';
import type { Topology } from './schema.js';
import { openSiteJournal } from './site-journal.js';

export interface RunningSite {
  readonly coordinator: Coordinator;
  /** Everybody who runs, those who joined among them; of several instances the first. */
  readonly agents: ReadonlyMap<string, Agent>;
  /** All instances of everybody, the coordinator's aside. */
  instances(): readonly Agent[];
  readonly journal: Journal;
  /**
   * Takes in an agent without a row in the topology: it serves nothing and may read. The coordinator knows it and its
   * sentences when this resolves. @throws HermesError `invalid_params` naming `/name` or `/module`.
   */
  join(wanted: Joining): Promise<Agent>;
  /** Ends an agent that joined. @throws HermesError `not_found`; `invalid_params` for an agent of the topology. */
  leave(name: string): Promise<void>;
  /** Whether an agent runs in a place. */
  lives(place: string): boolean;
  /** An agent that died, or all of them: nothing is asked of it any more, nor is it stopped or started again. */
  forget(place?: string): void;
  /** Agents that were stuck again and again and are not started any more, in words. */
  problems(): readonly string[];
  /** Starts an agent of the topology in a place that is free. @throws HermesError of its start. */
  startIn(place: string): Promise<Agent>;
  stop(): Promise<void>;
}

const ANNOUNCE_MS = 10_000;

/**
 * Starts every agent of a topology in this process, then its coordinator, which takes up the goals that were open.
 * Several instances of an agent need a network between them; where all share one transport they are refused.
 */
export async function assembleSite(
  topology: Topology,
  site: Site,
  doors: SiteDoors,
  define: AgentMakers,
): Promise<RunningSite> {
  const { clock, random } = doors;
  const ids = createIds(clock, random);
  const { transport: journalTransport } = await dealDoors(doors, 'journal');
  const journal = await openSiteJournal(topology, doors, journalTransport);
  const observeLocal: Journal['observeLocal'] = (call) => journal.observeLocal(call);
  const runs = createAgentRuns({ topology, site, doors, ids, observeLocal });
  const late = createLateAgents({
    ...(doors.admission ? { admission: doors.admission } : {}),
    clock,
    rows: new Set(topology.agents.map((row) => row.name)),
    start: runs.start,
    hasLeft: (name) => coordinator?.discovery.hasLeft(name),
    announced: async (name) => coordinator?.discovery.waitFor([name], wait()),
  });

  let coordinator: Coordinator | undefined;
  let own: ComponentDoors | undefined;
  let disk: DiskWatch | undefined;
  /** By the clock of the one who waits. */
  const wait = (): number => (own?.doors.clock ?? clock).now() + ANNOUNCE_MS;
  const stop = async (): Promise<void> => {
    disk?.stop();
    await late.close();
    await coordinator?.stop();
    await runs.stop();
    await own?.close();
    await journal.close();
    await doors.disconnect?.(journalTransport);
  };
  try {
    for (const row of topology.agents) {
      if (row.instances > 1 && !doors.disconnect) throw oneInstance(row.name);
      for (const place of placesOf(row)) await runs.start(() => define(row.name), place);
    }
    own = await openComponentDoors(doors, COORDINATOR, { ids, observeLocal });
    coordinator = await startCoordinator(own.doors, policyOf(topology, site, COORDINATOR), {
      playbooks: topology.playbooks,
      ...(doors.shelf ? { shelf: doors.shelf } : {}),
    });
    await coordinator.discovery.waitFor([...runs.agents.keys()], wait());
    coordinator.checkPlaybooks();
    await coordinator.takeUpOpenGoals();
    disk = openDiskWatch(coordinator.agent.cell);
    return {
      coordinator,
      agents: runs.agents,
      instances: () => runs.instances(),
      journal,
      join: late.join,
      leave: late.leave,
      lives: runs.has,
      forget: runs.forget,
      problems: () => [...runs.problems(), ...(disk?.problems() ?? [])],
      startIn: async (place) => (await runs.start(() => define(componentIn(place)), place)).agent,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const placesOf = ({ name, instances }: Topology['agents'][number]): readonly string[] =>
  instances === 1 ? [name] : Array.from({ length: instances }, (_, index) => `${name}#${index + 1}`);

/** Several instances of an agent share links by ownership over the network; in one process nobody is to share with. */
const oneInstance = (name: string): HermesError =>
  new HermesError('invalid_params', `${name}: one process runs one instance of an agent`, {
    fields: [{ pointer: `/agents/${name}/instances`, problem: 'has to be 1 in embedded mode' }],
    suggestion: 'run the site over NATS: hermes up --nats',
  });
