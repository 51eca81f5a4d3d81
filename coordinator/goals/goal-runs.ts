import type { Cell, Understanding } from '../../agents/runtime/index.js';
import { isFinal } from '../../agents/runtime/index.js';
import type { Cancel } from '../../shared/clock.js';
import { HermesError } from '../../shared/errors.js';
import type { GoalId } from '../../shared/ids.js';
import { LIMITS } from '../../shared/limits.js';
import { createLines } from '../../shared/lines.js';
import type { FoldedGoal } from './goal-fold.js';
import { createGoalRun, type GoalRun, type GoalRunDeps } from './goal-run.js';

const RETRY_MS = 1_000;
const RETRY_MAX_MS = 30_000;

/**
 * What is under way: runs that work, and questions that wait for a person. Both are lost with the process and found
 * again in the record.
 */
export interface GoalRuns {
  /** A goal runs with what a sentence was understood as; it is `running` on the record when this resolves. */
  begin(goalId: GoalId, understanding: Understanding): Promise<void>;
  /** A goal waits for an answer, at most half an hour. */
  pause(goalId: GoalId, understanding: Understanding): Promise<void>;
  /** Something else was said instead of the answer: nobody will answer that question any more. */
  supersede(goalId: GoalId): Promise<void>;
  /** Stops a run, or ends a question; of several that want to end a goal, one does. */
  cancel(goalId: GoalId, why: HermesError): Promise<void>;
  /** A goal found open at the start: it waits on, it runs on, or it begins with what it was understood as. */
  takeUp(goalId: GoalId, folded: FoldedGoal): Promise<void>;
  /**
   * Takes a goal up in a while, and again, until it is final: its next entry could not be written now. It goes on with
   * what was understood last, where the record does not say that yet.
   */
  later(goalId: GoalId, understanding?: Understanding): void;
  /** One change at a time to a goal that no run works on. */
  inLine<T>(goalId: GoalId, work: () => Promise<T>): Promise<T>;
  isRunning(goalId: GoalId): boolean;
  /** Resolves when no run is under way. */
  idle(): Promise<void>;
  /** Lets go of everything that is under way; the next start finds it in the record. */
  stop(): void;
}

export function createGoalRuns(deps: GoalRunDeps & { readonly cell: Cell }): GoalRuns {
  const { cell, store } = deps;
  const { clock, logger } = cell.doors;
  const running = new Map<GoalId, { run: GoalRun; done: Promise<void> }>();
  const expiries = new Map<GoalId, Cancel>();
  const lines = createLines();
  /** How often in a row a goal could not be brought to its end. */
  const failures = new Map<GoalId, number>();
  let stopped = false;

  const forget = (goalId: GoalId): void => {
    expiries.get(goalId)?.();
    expiries.delete(goalId);
  };

  /** Runs a goal from where the record says it is: one run at a time, whoever else finds it open at the same moment. */
  const start = (goalId: GoalId, understanding?: Understanding): void => {
    if (stopped || running.has(goalId)) return;
    forget(goalId);
    const run = createGoalRun(deps, goalId);
    const done = run.execute(understanding).then((ended) => {
      running.delete(goalId);
      if (ended) failures.delete(goalId);
      else retry(goalId, understanding);
    });
    running.set(goalId, { run, done });
  };

  /** A goal whose end could not be written is taken up again, with patience, until it is final. */
  const retry = (goalId: GoalId, understanding?: Understanding): void => {
    if (stopped) return;
    const n = (failures.get(goalId) ?? 0) + 1;
    failures.set(goalId, n);
    clock.timer(Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** (n - 1)), () => {
      if (!stopped && !running.has(goalId))
        void takeUpAgain(goalId, understanding).catch(() => retry(goalId, understanding));
    });
  };

  /** What was understood last is only known here as long as no plan of it is written: the answer to a question. */
  const takeUpAgain = async (goalId: GoalId, understanding?: Understanding): Promise<void> => {
    const folded = await store.find(goalId);
    if (!folded || isFinal(folded.goal.state)) return;
    const { goal, plan, pausedAt } = folded;
    if (!understanding || plan.steps.length > 0) return takeUp(goalId, folded);
    if (understanding.outcome !== 'ask') return start(goalId, understanding);
    const asked = pausedAt !== undefined && goal.prompt?.text === understanding.prompt?.text;
    return asked ? takeUp(goalId, folded) : pause(goalId, understanding);
  };

  const expire = (goalId: GoalId, ms: number): void => {
    const why = new HermesError('prompt_expired', 'the question stayed unanswered for 30 minutes');
    forget(goalId);
    const end = (): void => {
      endWaiting(goalId, why).catch((error: unknown) =>
        logger.warn({ goal_id: goalId, err: error }, 'a prompt could not expire'),
      );
    };
    expiries.set(goalId, clock.timer(ms, end));
  };

  const endWaiting = (goalId: GoalId, why: HermesError): Promise<void> =>
    lines.inLine(goalId, async () => {
      const { goal } = await store.get(goalId);
      if (isFinal(goal.state) || running.has(goalId)) return;
      forget(goalId);
      const language = goal.language ?? 'zh';
      const text = language === 'zh' ? `目标已取消：${why.message}` : `The goal was cancelled: ${why.message}`;
      await store.append(goalId, { type: 'answer', answer: { language, text, degraded: false } });
      await store.move(goalId, 'cancelled', { error: why.toWire() });
    });

  const pause: GoalRuns['pause'] = async (goalId, { language, understood, prompt }) => {
    if (!(await store.running(goalId))) return;
    await store.move(goalId, 'paused', { language, understood, waiting_for: 'answer', ...(prompt ? { prompt } : {}) });
    expire(goalId, LIMITS.promptExpiryMs);
  };

  const takeUp: GoalRuns['takeUp'] = async (goalId, { plan, understanding, pausedAt }) => {
    if (pausedAt !== undefined) expire(goalId, Math.max(0, LIMITS.promptExpiryMs - (clock.now() - pausedAt)));
    else if (plan.steps.length > 0) start(goalId);
    else if (understanding.outcome === 'ask') await pause(goalId, understanding);
    else start(goalId, understanding);
  };

  return {
    async begin(goalId, understanding) {
      forget(goalId);
      if (await store.running(goalId)) start(goalId, understanding);
    },
    pause,
    supersede: (goalId) =>
      endWaiting(goalId, new HermesError('cancelled', 'another sentence came instead of the answer')),
    async cancel(goalId, why) {
      await endWaiting(goalId, why);
      const found = running.get(goalId);
      found?.run.cancel(why.message);
      await found?.done;
    },
    takeUp,
    later: retry,
    inLine: (goalId, work) => lines.inLine(goalId, work),
    isRunning: (goalId) => running.has(goalId),
    async idle() {
      await Promise.all([...running.values()].map((entry) => entry.done));
    },
    stop() {
      stopped = true;
      for (const { run } of running.values()) run.halt();
      for (const goalId of [...expiries.keys()]) forget(goalId);
    },
  };
}
