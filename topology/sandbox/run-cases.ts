import type { AgentDefinition, CaseRun, StoredEntry, TestCase, Tool } from '../../agents/runtime/index.js';
import { judgeCase } from '../../agents/runtime/index.js';
import type { Principal } from '../../mcp/index.js';
import { toHermesError } from '../../shared/errors.js';
import type { Topology } from '../schema.js';
import { startTwin, type Twin, twinCommon } from '../start-twin.js';

/** What came of one case of one tool. */
export interface CaseReport {
  readonly tool: string;
  readonly case: string;
  /** None when it passed. */
  readonly problems: readonly string[];
}

export interface CasesWanted {
  readonly topology: Topology;
  /** Its row is the only one in the world where it is tried, and nobody is asked for approvals there. */
  readonly agent: string;
  /** Default: all. */
  readonly tool?: string;
}

const TESTER: Principal = { id: 'tester', roles: ['admin'] };
/** Seed of the world: the same cases come out the same. */
const SEED = 1;

/** Runs the cases of an agent’s tools, each in a world of its own. */
export async function runCases(
  { topology, agent, tool: only }: CasesWanted,
  define: (name: string) => AgentDefinition,
): Promise<CaseReport[]> {
  const reports: CaseReport[] = [];
  const alone = trialOf(topology, agent);
  const common = await twinCommon(alone, () => define(agent));
  for (const tool of define(agent).tools) {
    const { name } = tool.manifest;
    if (only !== undefined && name !== only) continue;
    for (const one of tool.spec.test_cases ?? []) {
      const twin = await startTwin(alone, { seed: SEED, common });
      const run = await twin.clock.run(runCase(twin, agent, tool, one));
      await twin.clock.run(twin.stop());
      reports.push({ tool: name, case: one.name, problems: judgeCase(one, run) });
    }
  }
  return reports;
}

function trialOf(topology: Topology, agent: string): Topology {
  const { approvals } = topology.policies;
  return {
    ...topology,
    agents: topology.agents.filter(({ name }) => name === agent).map((row) => ({ ...row, instances: 1 })),
    playbooks: [],
    policies: { ...topology.policies, approvals: { ...approvals, ask: [], methods: {} } },
  };
}

async function runCase(twin: Twin, name: string, tool: Tool, one: TestCase): Promise<CaseRun> {
  const { coordinator, agents } = twin.site();
  const cell = agents.get(name)?.cell;
  if (!cell) throw new Error(`${name} is not in the twin`);
  for (const fault of one.world?.faults ?? []) twin.world.addFault(fault);
  for (const { device, point, value } of one.world?.put ?? []) twin.world.put(device, point, value);
  const heard: StoredEntry[] = [];
  const watch = cell.view.onEntry((entry) => void heard.push(entry));
  const call = (method: string, params: Readonly<Record<string, unknown>>, goal_id?: string) =>
    coordinator.agent.cell.caller.call({
      callee: cell.component,
      method,
      params: { ...params },
      deadlineAt: twin.clock.now() + tool.manifest.timeout_ms,
      principal: TESTER,
      ...(goal_id === undefined ? {} : { goalId: goal_id }),
    });
  for (const { method, input } of one.before ?? []) await call(method, input);
  heard.length = 0;
  const ended = await call(tool.manifest.name, one.input).then(
    ({ response }) => ({ outcome: 'ok', output: response.result }),
    (thrown: unknown) => {
      const { reason, message } = toHermesError(thrown);
      return { outcome: reason, message };
    },
  );
  await cell.view.catchUp();
  watch.stop();
  const effects = heard.filter(({ kind }) => kind === 'finished').flatMap((entry) => entry.effects ?? []);
  return { ...ended, effects: effects.map(({ capability, target }) => ({ capability, target })) };
}
