import type { Agent } from '../agents/runtime/index.js';
import type { Clock } from '../shared/clock.js';
import { toHermesError } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import type { Logger } from '../shared/telemetry/logger.js';
import { createRestartPolicy } from './restart-policy.js';

/** One life of an agent, and its end. */
export interface AgentLife {
  readonly agent: Agent;
  end(): Promise<void>;
}

/** One agent in one place, life after life. */
export interface AgentRun {
  readonly place: string;
  /** The one that lives; undefined between two lives and when it has failed. */
  readonly agent: Agent | undefined;
  /** Why it is not started again; undefined while all is well. */
  readonly problem: string | undefined;
  /** Ends it for good. */
  stop(): Promise<void>;
  /** It died: it is neither stopped nor started again. */
  forget(): void;
}

export interface AgentRunDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Begins a life. `stuck` is told of a key on which a call does not end. */
  readonly begin: (stuck: (key: string | undefined) => void) => Promise<AgentLife>;
  /** Told whenever `agent` or `problem` has changed. */
  readonly changed: () => void;
  /** Told once, when it has failed for good. */
  readonly failed?: () => void;
}

/**
 * Starts an agent and, when a key of it is stuck, starts it again: nothing else of the process is touched. Later each
 * time; after 5 times within a minute it has failed. @throws HermesError of the first start.
 */
export async function startAgentRun(place: string, deps: AgentRunDeps): Promise<AgentRun> {
  const { clock, logger, begin, changed } = deps;
  const policy = createRestartPolicy();
  const over = new AbortController();
  let life: AgentLife | undefined;
  let problem: string | undefined;
  let restarting: Promise<void> | undefined;

  const put = (next: AgentLife | undefined): void => {
    life = next;
    changed();
  };

  /** What hangs in it may hang its end too: then the next life begins all the same. */
  const end = async (old: AgentLife): Promise<void> => {
    const ended = new AbortController();
    const late = clock.sleep(LIMITS.stopMs, ended.signal).then(
      () => logger.warn({ place, ms: LIMITS.stopMs }, 'a stuck agent does not end; it is left behind'),
      () => undefined,
    );
    const ending = old
      .end()
      .catch((thrown: unknown) => logger.warn({ place, err: thrown }, 'a stuck agent ended badly'));
    await Promise.race([ending, late]);
    ended.abort();
  };

  const again = async (why: string): Promise<void> => {
    const waitMs = policy.next(clock.monotonic());
    if (waitMs === undefined) {
      problem = `${place} has failed (${why}) and is not started again`;
      logger.error({ tag: 'RECOVERY', place, why }, 'an agent has failed and is not started again');
      changed();
      return deps.failed?.();
    }
    logger.error({ tag: 'RECOVERY', place, why, wait_ms: waitMs }, 'an agent is started again');
    await clock.sleep(waitMs, over.signal).catch(() => undefined);
    if (over.signal.aborted) return;
    try {
      const next = await born();
      if (over.signal.aborted) await next.end();
      else put(next);
    } catch (thrown) {
      if (!over.signal.aborted) await again(toHermesError(thrown).message);
    }
  };

  const restart = async (old: AgentLife, why: string): Promise<void> => {
    put(undefined);
    await end(old);
    if (!over.signal.aborted) await again(why);
  };

  /** Who is stuck is told of by its own life only; what an earlier one still says is over. */
  const born = async (): Promise<AgentLife> => {
    let own: AgentLife | undefined;
    own = await begin((key) => {
      if (own === undefined || own !== life || over.signal.aborted) return;
      restarting = restart(own, key === undefined ? 'a call does not end' : `stuck on ${key}`);
    });
    return own;
  };

  put(await born());
  return {
    place,
    get agent() {
      return life?.agent;
    },
    get problem() {
      return problem;
    },
    async stop() {
      over.abort();
      await restarting;
      const last = life;
      put(undefined);
      await last?.end();
    },
    forget() {
      over.abort();
      put(undefined);
    },
  };
}
