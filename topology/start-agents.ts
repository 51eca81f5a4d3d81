import type { Agent, AgentDefinition } from '../agents/runtime/index.js';
import { manifestSchema, parseOrRefuse } from '../mcp/index.js';
import { invalidParams } from '../shared/errors.js';
import { createIds } from '../shared/ids.js';
import type { Site } from '../shared/site.js';
import type { AdmissionOptions } from './admission/index.js';
import { createAgentRuns } from './agent-runs.js';
import type { SiteDoors } from './component-doors.js';
import { openDiskWatch } from './disk-watch.js';
import { nameProblem } from './late-agents.js';
import { loadAgent, loadAgents } from './load-agents.js';
import type { Topology } from './schema.js';

/** An agent that this process is to run. */
export interface WantedAgent {
  readonly name: string;
  /** Folder of its code. Default: the row's module, or its kind's; without a row `agents/<name>`. */
  readonly module?: string;
  /** Default: what the row says; without a row 1. */
  readonly instances?: number;
}

/** Agents of a site that run in this process; the others, and the coordinator, are elsewhere on the network. */
export interface RunningAgents {
  /** Those that live now. */
  readonly agents: readonly Agent[];
  /** Those that were stuck again and again and are not started any more, in words. */
  problems(): readonly string[];
  stop(): Promise<void>;
}

/**
 * Starts some agents of a site, each instance with connections of its own. One without a row in the topology serves
 * nothing and may read. Nothing else of the site has to be there yet.
 * @throws HermesError `invalid_params` naming `/name`, `/module` or `/instances`; what does not start leaves nothing.
 */
export async function startAgents(
  topology: Topology,
  site: Site,
  doors: SiteDoors,
  wanted: readonly WantedAgent[],
  /** Told when none of them is started any more. */
  onFailed: () => void = () => undefined,
): Promise<RunningAgents> {
  const ids = createIds(doors.clock, doors.random);
  let left = 0;
  const runs = createAgentRuns({ topology, site, doors, ids, onFailed: () => --left === 0 && onFailed() });
  try {
    for (const one of wanted) {
      const define = await makerOf(topology, one, doors.admission);
      const instances = one.instances ?? topology.agents.find(({ name }) => name === one.name)?.instances ?? 1;
      for (let n = 0; n < instances; n++) {
        const { agent } = await runs.start(define);
        left++;
        parseOrRefuse(manifestSchema, agent.manifest, `the manifest of ${one.name}`);
      }
    }
    const [first] = runs.instances();
    const disk = first && openDiskWatch(first.cell);
    return {
      get agents() {
        return runs.instances();
      },
      problems: () => [...runs.problems(), ...(disk?.problems() ?? [])],
      stop() {
        disk?.stop();
        return runs.stop();
      },
    };
  } catch (error) {
    await runs.stop();
    throw error;
  }
}

/** A fresh definition for each instance. */
async function makerOf(
  topology: Topology,
  { name, module }: WantedAgent,
  admission: AdmissionOptions | undefined,
): Promise<() => AgentDefinition> {
  const row = topology.agents.find((one) => one.name === name);
  if (row) {
    const wanted = { agents: [{ ...row, ...(module === undefined ? {} : { module }) }] };
    const makers = await loadAgents(wanted, admission);
    return () => makers(name);
  }
  const problem = nameProblem(name, new Set());
  if (problem) throw invalidParams(`${name} cannot join: it ${problem}`, [{ pointer: '/name', problem }]);
  const define = await loadAgent(name, module, admission);
  return () => define(name);
}
