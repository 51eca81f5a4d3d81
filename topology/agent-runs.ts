import { type Agent, type AgentDefinition, startAgent } from '../agents/runtime/index.js';
import type { LocalCall } from '../mcp/index.js';
import type { Ids } from '../shared/ids.js';
import type { Site } from '../shared/site.js';
import { type AgentLife, type AgentRun, startAgentRun } from './agent-run.js';
import { openComponentDoors, type SiteDoors } from './component-doors.js';
import { policyOf } from './policies.js';
import type { Topology } from './schema.js';

/** One agent that runs, life after life, and how all of it ends. */
export interface Started {
  /** The one that lives, or lived last. */
  readonly agent: Agent;
  stop(): Promise<void>;
}

/**
 * The agents that run in this process, in the order in which they started.
 *  1. What does not start leaves no connection and no link open.
 *  2. `stop` ends all of them, also when one cannot be ended; it throws what the first of those threw.
 *  3. One that is stuck on a key is started again, with a fresh definition, and nobody else is (agent-run.ts).
 */
export interface AgentRuns {
  /** In a place of its own where several instances run here. Default: the place of its name. */
  start(define: () => AgentDefinition, place?: string): Promise<Started>;
  /** One that died, or all of them: nothing is asked of it any more, nor is it stopped or started again. */
  forget(place?: string): void;
  has(place: string): boolean;
  /** The first instance of each. */
  readonly agents: ReadonlyMap<string, Agent>;
  /** All instances of one, or of everybody. */
  instances(name?: string): readonly Agent[];
  /** Those that have failed for good, in words. */
  problems(): readonly string[];
  stop(): Promise<void>;
}

export interface AgentRunsDeps {
  readonly topology: Topology;
  readonly site: Site;
  readonly doors: SiteDoors;
  readonly ids: Ids;
  readonly observeLocal?: (call: LocalCall) => void;
  /** Told of a place whose agent is stuck again and again, and is not started any more. */
  readonly onFailed?: (place: string) => void;
}

export function createAgentRuns(deps: AgentRunsDeps): AgentRuns {
  const { topology, site, doors, ids, observeLocal, onFailed } = deps;
  const { clock, logger } = doors;
  const running = new Set<{ readonly name: string; readonly run: AgentRun; stop(): Promise<void> }>();
  const agents = new Map<string, Agent>();

  /** The first that lives bears the name. */
  const note = (name: string): void => {
    const [first] = instances(name);
    if (first) agents.set(name, first);
    else agents.delete(name);
  };
  const instances = (name?: string): Agent[] =>
    [...running]
      .filter((one) => name === undefined || one.name === name)
      .flatMap(({ run }) => (run.agent === undefined ? [] : [run.agent]));

  const begin = async (definition: AgentDefinition, place: string, stuck: Stuck): Promise<AgentLife> => {
    const own = await openComponentDoors(doors, place, { ids, stuck, ...(observeLocal ? { observeLocal } : {}) });
    try {
      const agent = await startAgent(definition, own.doors, policyOf(topology, site, definition.name));
      return { agent, end: () => agent.stop().finally(() => own.close()) };
    } catch (error) {
      await own.close();
      throw error;
    }
  };

  return {
    agents,
    has: (place) => [...running].some(({ run }) => run.place === place),
    forget(place) {
      for (const one of [...running]) {
        if (place !== undefined && one.run.place !== place) continue;
        running.delete(one);
        one.run.forget();
        note(one.name);
      }
    },
    async start(define, wanted) {
      let definition: AgentDefinition | undefined = define();
      const { name } = definition;
      const place = wanted ?? name;
      let last: Agent | undefined;
      const run = await startAgentRun(place, {
        clock,
        logger,
        begin: async (stuck) => {
          const own = definition ?? define();
          definition = undefined;
          const life = await begin(own, place, stuck);
          last = life.agent;
          return life;
        },
        changed: () => note(name),
        failed: () => onFailed?.(place),
      });
      const started = {
        name,
        run,
        get agent() {
          return last as Agent;
        },
        async stop(): Promise<void> {
          if (!running.delete(started)) return;
          note(name);
          await run.stop();
        },
      };
      running.add(started);
      note(name);
      return started;
    },
    instances,
    problems: () => [...running].flatMap(({ run }) => (run.problem === undefined ? [] : [run.problem])),
    async stop() {
      const ended = await Promise.allSettled([...running].map((one) => one.stop()));
      const failed = ended.find((one) => one.status === 'rejected');
      if (failed) throw failed.reason;
    },
  };
}

type Stuck = (key: string | undefined) => void;
