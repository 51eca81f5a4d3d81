import type { Agent, AgentDefinition } from '../agents/runtime/index.js';
import { COMPONENT_NAME, manifestSchema, parseOrRefuse, RESERVED_NAMES } from '../mcp/index.js';
import type { Clock } from '../shared/clock.js';
import { openDeadline, raceSignal } from '../shared/deadline.js';
import { HermesError, invalidParams } from '../shared/errors.js';
import type { AdmissionOptions } from './admission/index.js';
import type { Started } from './agent-runs.js';
import { type DefineAgent, loadAgent } from './load-agents.js';

/** An agent that asks to be taken in: `module` defaults to `agents/<name>`. */
export interface Joining {
  readonly name: string;
  readonly module?: string;
}

/**
 * Agents that come when the site runs already, without a row in its topology: they read and do no more.
 *  1. What is refused leaves nothing behind; the site goes on as it was.
 *  2. A name is borne once, by a row of the topology or by one that joined.
 *  3. Whoever joined is known to the coordinator, sentences and all, when `join` resolves.
 */
export interface LateAgents {
  /** @throws HermesError `invalid_params` naming `/name` or `/module`; `not_ready` while the site stops. */
  join(wanted: Joining): Promise<Agent>;
  /** @throws HermesError `not_found`; `invalid_params` for an agent of the topology. */
  leave(name: string): Promise<void>;
  /** Takes nobody in any more; resolves when whoever was joining has ended. Those who joined go on. */
  close(): Promise<void>;
}

export interface LateAgentsDeps {
  readonly clock: Clock;
  readonly admission?: AdmissionOptions;
  /** Agents of the topology's rows. */
  readonly rows: ReadonlySet<string>;
  /** @param define a fresh definition for each life. */
  start(define: () => AgentDefinition): Promise<Started>;
  /** Resolves when the coordinator knows the manifest of the component. */
  announced(name: string): Promise<void>;
  /** The coordinator waits for what it announces when it comes again. */
  hasLeft(name: string): void;
}

/** A module that has not loaded by then is given up: it waits for something that does not come. */
const LOAD_MS = 10_000;

export function createLateAgents({ clock, admission, rows, start, announced, hasLeft }: LateAgentsDeps): LateAgents {
  const joined = new Map<string, Started>();
  const joining = new Map<string, Promise<unknown>>();
  /** Their stores are still open: the name is free when they are not. */
  const leaving = new Set<string>();
  let closed = false;

  const load = async (name: string, module: string | undefined): Promise<DefineAgent> => {
    const limit = openDeadline(clock, clock.now() + LOAD_MS);
    try {
      return await raceSignal(loadAgent(name, module, admission), limit.signal);
    } catch (error) {
      if (!limit.signal.aborted) throw error;
      const problem = `has not loaded within ${LOAD_MS / 1_000} s`;
      throw invalidParams(`agent ${name}: its module ${problem}`, [{ pointer: '/module', problem }]);
    } finally {
      limit.close();
    }
  };

  const end = async (name: string, started: Started): Promise<void> => {
    await started.stop();
    hasLeft(name);
  };

  const take = async ({ name, module }: Joining): Promise<Agent> => {
    const define = await load(name, module);
    const started = await start(() => define(name));
    try {
      // The coordinator would refuse it in silence; who asks to join hears of it.
      parseOrRefuse(manifestSchema, started.agent.manifest, `the manifest of ${name}`);
      await announced(name);
    } catch (error) {
      await end(name, started);
      throw error;
    }
    joined.set(name, started);
    return started.agent;
  };

  const isTaken = (name: string): boolean => joined.has(name) || joining.has(name) || leaving.has(name);

  return {
    async join(wanted) {
      const { name } = wanted;
      if (closed) throw new HermesError('not_ready', 'the site is stopping');
      const problem = nameProblem(name, rows) ?? (isTaken(name) ? 'runs already' : undefined);
      if (problem) throw invalidParams(`${name} cannot join: it ${problem}`, [{ pointer: '/name', problem }]);
      const ending = take(wanted).finally(() => joining.delete(name));
      joining.set(name, ending);
      return ending;
    },
    async leave(name) {
      const started = joined.get(name);
      if (rows.has(name)) {
        const problem = 'is an agent of the topology; only one that joined can leave';
        throw invalidParams(`${name} ${problem}`, [{ pointer: '/name', problem }]);
      }
      if (!started) throw notJoined(name);
      joined.delete(name);
      const ending = end(name, started).finally(() => leaving.delete(name));
      leaving.add(name);
      await ending;
    },
    async close() {
      closed = true;
      await Promise.allSettled(joining.values());
    },
  };
}

const notJoined = (name: string): HermesError =>
  new HermesError('not_found', `no agent ${name} has joined`, { suggestion: 'see who is there: hermes agents' });

/** Why an agent without a row cannot bear this name. */
export function nameProblem(name: string, rows: ReadonlySet<string>): string | undefined {
  if (!COMPONENT_NAME.test(name)) return 'has to be in snake_case, at most 48 characters';
  if (RESERVED_NAMES.has(name)) return 'bears a name that the product itself uses';
  return rows.has(name) ? 'is an agent of the topology already' : undefined;
}
