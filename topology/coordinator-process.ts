import { COORDINATOR, type Coordinator, startCoordinator } from '../coordinator/index.js';
import type { Journal } from '../mcp/index.js';
import { toHermesError } from '../shared/errors.js';
import { createIds } from '../shared/ids.js';
import type { Site } from '../shared/site.js';
import { openComponentDoors, type SiteDoors } from './component-doors.js';
import { openDiskWatch } from './disk-watch.js';
import { policyOf } from './policies.js';
import type { Topology } from './schema.js';
import { openSiteJournal } from './site-journal.js';

/** The coordinator of a site in a process of its own, with the site's journal. Its agents are elsewhere. */
export interface CoordinatorProcess {
  readonly coordinator: Coordinator;
  readonly journal: Journal;
  /** What is wrong with the playbooks, as far as it can be said with the agents that have announced themselves. */
  problems(): readonly string[];
  /** Resolves when the goals that were open have been taken up. */
  readonly takenUp: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Open goals wait this long for the topology's agents; then they go on with those that are there, and a step of one
 * that is away fails `no_worker`. Well inside the 10 s in which goals of a dead coordinator go on.
 */
const AGENTS_WAIT_MS = 5_000;
const LOOK_MS = 100;
const AGAIN_MS = 1_000;
const AGAIN_MAX_MS = 15_000;

/**
 * Starts the coordinator. Beside one that runs it stands by, and resolves when it has taken over; `superseded` is told
 * when another has taken over from this one, which then has to end. It serves at once, in whatever order agents and it
 * come up: playbooks are checked when all of the topology's agents have announced themselves, open goals are taken up
 * in the background. @throws HermesError of the transport and the log.
 */
export async function startCoordinatorProcess(
  topology: Topology,
  site: Site,
  doors: SiteDoors,
  options: { readonly superseded?: () => void } = {},
): Promise<CoordinatorProcess> {
  const { clock, random, logger } = doors;
  const stopping = new AbortController();
  let problems: readonly string[] = [];
  const opened: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    stopping.abort();
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    // An identity of its own: who reads what everybody says is nobody's caller.
    const heard = await doors.connect('journal');
    opened.push(async () => doors.disconnect?.(heard));
    const journal = await openSiteJournal(topology, doors, heard);
    opened.push(journal.close);
    const own = await openComponentDoors(doors, COORDINATOR, {
      ids: createIds(clock, random),
      observeLocal: (call) => journal.observeLocal(call),
      ...options,
    });
    opened.push(own.close);
    const policy = policyOf(topology, site, COORDINATOR);
    const coordinator = await startCoordinator(own.doors, policy, { playbooks: topology.playbooks });
    opened.push(coordinator.stop);
    const disk = openDiskWatch(coordinator.agent.cell);
    opened.push(async () => disk.stop());

    const { discovery } = coordinator;
    const names = topology.agents.map(({ name }) => name);
    const allThere = (): Promise<boolean> => discovery.waitFor(names, clock.now()).then(yes, no);
    const check = async (): Promise<void> => {
      if (!(await allThere())) return;
      try {
        coordinator.checkPlaybooks();
        problems = [];
      } catch (thrown) {
        const { message } = toHermesError(thrown);
        if (problems[0] !== message) logger.error({ detail: message }, 'playbooks that cannot run');
        problems = [message];
      }
    };
    const checking = discovery.onChange(() => void check());
    opened.push(async () => checking.stop());

    const takeUp = async (): Promise<void> => {
      const until = clock.now() + AGENTS_WAIT_MS;
      while (clock.now() < until && !(await allThere())) await clock.sleep(LOOK_MS, stopping.signal);
      for (let againMs = AGAIN_MS; !stopping.signal.aborted; againMs = Math.min(AGAIN_MAX_MS, againMs * 2)) {
        try {
          const taken = await coordinator.takeUpOpenGoals();
          if (taken > 0) logger.info({ tag: 'RECOVERY', goals: taken }, 'open goals were taken up');
          return;
        } catch (thrown) {
          logger.warn({ err: thrown, again_ms: againMs }, 'open goals could not be taken up now');
          await clock.sleep(againMs, stopping.signal);
        }
      }
    };
    /** Ends without a word when the process stops meanwhile: the next start finds the goals in the record. */
    const takenUp = takeUp().catch((thrown: unknown) => {
      if (!stopping.signal.aborted) logger.error({ err: thrown }, 'taking up open goals ended');
    });
    return { coordinator, journal, problems: () => [...problems, ...disk.problems()], takenUp, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const yes = (): boolean => true;
const no = (): boolean => false;
