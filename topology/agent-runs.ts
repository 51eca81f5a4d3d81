import { type Agent, type AgentDefinition, startAgent } from '../agents/runtime/index.js';
import type { LocalCall } from '../mcp/index.js';
import type { Ids } from '../shared/ids.js';
import type { Site } from '../shared/site.js';
import { openComponentDoors, type SiteDoors } from './component-doors.js';
import { policyOf } from './policies.js';
import type { Topology } from './schema.js';

/** One agent that runs, and how all of it ends. */
export interface Started {
  readonly agent: Agent;
  stop(): Promise<void>;
}

/**
 * The agents that run in this process, in the order in which they started.
 *  1. What does not start leaves no connection and no link open.
 *  2. `stop` ends all of them, also when one cannot be ended; it throws what the first of those threw.
 */
export interface AgentRuns {
  /** In a place of its own where several instances run here. Default: the place of its name. */
  start(definition: AgentDefinition, place?: string): Promise<Started>;
  /** One that died: nothing is asked of it any more, nor is it stopped. */
  forget(place: string): void;
  has(place: string): boolean;
  /** The first instance of each. */
  readonly agents: ReadonlyMap<string, Agent>;
  /** All instances of one, or of everybody. */
  instances(name?: string): readonly Agent[];
  stop(): Promise<void>;
}

export interface AgentRunsDeps {
  readonly topology: Topology;
  readonly site: Site;
  readonly doors: SiteDoors;
  readonly ids: Ids;
  readonly observeLocal?: (call: LocalCall) => void;
}

export function createAgentRuns(deps: AgentRunsDeps): AgentRuns {
  const { topology, site, doors, ids, observeLocal } = deps;
  const running = new Set<Started & { readonly name: string; readonly place: string }>();
  const agents = new Map<string, Agent>();

  const next = (name: string): void => {
    const other = [...running].find((one) => one.name === name);
    if (other) agents.set(name, other.agent);
    else agents.delete(name);
  };

  return {
    agents,
    has: (place) => [...running].some((one) => one.place === place),
    forget(place) {
      for (const one of [...running]) {
        if (one.place !== place) continue;
        running.delete(one);
        next(one.name);
      }
    },
    async start(definition, place = definition.name) {
      const { name } = definition;
      const own = await openComponentDoors(doors, place, { ids, ...(observeLocal ? { observeLocal } : {}) });
      try {
        const agent = await startAgent(definition, own.doors, policyOf(topology, site, name));
        const started = {
          name,
          place,
          agent,
          async stop(): Promise<void> {
            if (!running.delete(started)) return;
            next(name);
            await agent.stop().finally(() => own.close());
          },
        };
        running.add(started);
        if (!agents.has(name)) agents.set(name, agent);
        return started;
      } catch (error) {
        await own.close();
        throw error;
      }
    },
    instances: (name) => [...running].filter((one) => name === undefined || one.name === name).map((one) => one.agent),
    async stop() {
      const ended = await Promise.allSettled([...running].map((one) => one.stop()));
      const failed = ended.find((one) => one.status === 'rejected');
      if (failed) throw failed.reason;
    },
  };
}
