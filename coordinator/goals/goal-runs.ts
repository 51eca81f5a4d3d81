import type { Approval, Cell, Understanding } from '../../agents/runtime/index.js';
import { isFinal } from '../../agents/runtime/index.js';
import type { Cancel } from '../../shared/clock.js';
import { HermesError } from '../../shared/errors.js';
import type { GoalId } from '../../shared/ids.js';
import { LIMITS } from '../../shared/limits.js';
import { createLines } from '../../shared/lines.js';
import { TIMED_OUT } from './approval-desk.js';
import type { Goal } from './goal.js';
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
  /** Somebody has decided about one of its steps, or has more time: it goes on, or waits for the next. */
  wake(goalId: GoalId): Promise<void>;
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
  const { cell, store, desk } = deps;
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
    const done = run.execute(understanding).then((end) => {
      running.delete(goalId);
      if (end === 'cut_off') return retry(goalId, understanding);
      failures.delete(goalId);
      return end === 'waiting' ? paused(goalId) : undefined;
    });
    running.set(goalId, { run, done });
  };

  /** A run has paused its goal for people: it waits for them, or somebody has decided since. */
  const paused = async (goalId: GoalId): Promise<void> => {
    const folded = await store.find(goalId).catch(() => undefined);
    if (stopped) return;
    if (!folded) retry(goalId);
    else if (!isFinal(folded.goal.state)) await takeUp(goalId, folded);
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
      await desk.withdraw(goalId, why.message);
      const text = language === 'zh' ? `目标已取消：${why.message}` : `The goal was cancelled: ${why.message}`;
      await store.append(goalId, { type: 'answer', answer: { language, text, degraded: false } });
      await store.move(goalId, 'cancelled', { error: why.toWire() });
    });

  const pause: GoalRuns['pause'] = async (goalId, { language, understood, prompt }) => {
    if (!(await store.running(goalId))) return;
    await store.move(goalId, 'paused', { language, understood, waiting_for: 'answer', ...(prompt ? { prompt } : {}) });
    expire(goalId, LIMITS.promptExpiryMs);
  };

  /** Nobody has decided when the time is over: the answer is no. */
  const awaitPeople = (goalId: GoalId, { approvals }: Goal): void => {
    const open = approvals.filter(({ decision }) => decision === undefined);
    const first = open.reduce(
      (soonest, one) => (one.expires_at < soonest.expires_at ? one : soonest),
      open[0] as Approval,
    );
    const reject = async (): Promise<void> => {
      await desk.decide(first.approval_id, 'reject', { principal: TIMED_OUT, auth: 'none' }, 'nobody decided in time');
      await wake(goalId);
    };
    forget(goalId);
    expiries.set(
      goalId,
      clock.timer(Math.max(0, first.expires_at - clock.now()), () => {
        reject().catch((error: unknown) => {
          logger.warn({ goal_id: goalId, err: error }, 'an approval could not expire');
          wake(goalId).catch(() => retry(goalId));
        });
      }),
    );
  };

  const wake: GoalRuns['wake'] = async (goalId) => {
    // A run that is under way finds out by itself, or has paused by now.
    await running.get(goalId)?.done;
    const folded = await store.find(goalId);
    if (folded && !isFinal(folded.goal.state)) await takeUp(goalId, folded);
  };

  const takeUp: GoalRuns['takeUp'] = async (goalId, { goal, plan, understanding, pausedAt }) => {
    if (goal.waiting_for === 'approval') awaitPeople(goalId, goal);
    else if (pausedAt !== undefined && goal.waiting_for === undefined) start(goalId);
    else if (pausedAt !== undefined) expire(goalId, Math.max(0, LIMITS.promptExpiryMs - (clock.now() - pausedAt)));
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
      // It may have paused for people at this very moment.
      if (found) await endWaiting(goalId, why);
    },
    takeUp,
    wake,
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
