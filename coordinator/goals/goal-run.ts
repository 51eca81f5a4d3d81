import {
  type Answer,
  type Cell,
  checkPlan,
  executePlan,
  grantOf,
  isFinal,
  type Plan,
  type PlanStep,
  type Report,
  renderAnswer,
  renderOutcome,
  type State,
  type StepStatus,
  type Understanding,
} from '../../agents/runtime/index.js';
import type { Discovery } from '../../mcp/index.js';
import { openDeadline } from '../../shared/deadline.js';
import { HermesError, toHermesError } from '../../shared/errors.js';
import type { GoalId, SpanId, TraceId } from '../../shared/ids.js';
import type { Outcome } from '../../shared/outcome.js';
import type { Planner } from '../planner/planner.js';
import type { ApprovalDesk } from './approval-desk.js';
import { DEFAULT_TIMEOUT_MS, taskTypeOf } from './deadlines.js';
import { createDispatch, type DispatchContext, manifestOf } from './dispatch.js';
import type { Goal } from './goal.js';
import type { FoldedGoal } from './goal-fold.js';
import type { GoalStore } from './goal-store.js';

export interface GoalRunDeps {
  readonly cell: Cell;
  readonly store: GoalStore;
  readonly discovery: Discovery;
  readonly planner: Planner;
  readonly desk: ApprovalDesk;
}

/**
 * One goal from its plan to its end. Everything it decides on is in the record first: the run itself can be lost at
 * any moment and is taken up again from the entries.
 */
export type RunEnd = 'over' | 'waiting' | 'cut_off';

export interface GoalRun {
  /**
   * Goes on from wherever the record says the goal is. Never rejects. `waiting`: it has paused for people; `cut_off`:
   * the record cannot be written, and somebody has to take it up again.
   */
  execute(understanding?: Understanding): Promise<RunEnd>;
  cancel(why: string): void;
  /** The process stops: nothing more is written or said of this goal in this life. */
  halt(): void;
}

export function createGoalRun(deps: GoalRunDeps, goalId: GoalId): GoalRun {
  const { cell, store, discovery, planner, desk } = deps;
  const { clock, logger, metrics } = cell.doors;
  const dispatch = createDispatch(cell, store, discovery);
  const stop = new AbortController();
  let halted = false;
  const now = (): number => Math.round(clock.now());

  const end = async (state: State, answer: Answer, report?: Report, error?: HermesError): Promise<void> => {
    await desk.withdraw(goalId, `the goal has ended: ${state}`);
    await store.append(goalId, { type: 'answer', answer, ...(report ? { report } : {}) });
    await store.move(goalId, state, error ? { error: error.toWire() } : {});
    metrics.count('goals', { state });
  };

  /** A sentence that led to no plan ends its goal at once, or (`ask`) was paused before it came here. */
  const withoutPlan = async (understanding: Understanding): Promise<void> => {
    const answer = renderOutcome(understanding, planner.examples(understanding));
    const ok = understanding.outcome === 'none' || understanding.outcome === 'undo';
    if (ok) return end('completed', answer);
    const reason = understanding.outcome === 'refuse' ? 'not_allowed' : 'invalid_params';
    return end('failed', answer, undefined, new HermesError(reason, answer.text));
  };

  /** A deadline given as a span, and the default one, move by the time that the goal waited for a person. */
  const adoptPlan = async ({ goal, pausedMs }: FoldedGoal, said: Understanding): Promise<void> => {
    // The answer to a question may have no language of its own ("PLC-004"); the goal keeps the one it began in.
    const understanding = { ...said, language: goal.language ?? said.language };
    const { plan, placed_by, ...planned } = planner.plan(understanding);
    checkPlan(plan, (component) => manifestOf(discovery, component));
    const task_type = goal.task_type ?? planned.task_type ?? taskTypeOf(plan);
    const given = goal.deadline_unix_ms ?? goal.created_at + DEFAULT_TIMEOUT_MS[task_type];
    // A given one has moved already; the default is only known now.
    const deadline_unix_ms = goal.deadline_unix_ms === undefined ? given + pausedMs : given;
    const { understood, language } = understanding;
    await store.append(goalId, {
      type: 'plan',
      plan,
      understood,
      language,
      placed_by,
      task_type,
      deadline_unix_ms,
      problems: [],
    });
  };

  /** The plan until it has ended, or until nothing is left to do before a person has decided. */
  const runPlan = async (): Promise<RunEnd> => {
    for (;;) {
      const folded = await store.get(goalId);
      const { goal, plan } = folded;
      const deadline = openDeadline(clock, goal.deadline_unix_ms ?? now(), stop.signal);
      try {
        const context = contextOf(goal, deadline.at);
        const ran = await executePlan(
          plan,
          {
            runStep: (step, params, n, later) => dispatch(context, step, params, n, later),
            onStep: (step, status) => noteStep(step, status, goal),
            now,
          },
          { signal: deadline.signal, scope: { goal: { text: goal.goal }, site: {} }, known: resumable(folded) },
        );
        if (ran.state !== 'waiting') {
          await finalize(goal, plan, ran.steps, ran.failed, deadline.signal);
          return 'over';
        }
        if (await store.pauseForPeople(goalId, waitingIn(ran.steps))) return 'waiting';
      } finally {
        deadline.close();
      }
    }
  };

  const contextOf = (goal: Goal, deadlineAt: number): DispatchContext => ({
    goalId,
    sessionId: goal.session_id,
    principal: goal.principal,
    trace: { trace_id: goal.trace_id as TraceId, span_id: '0000000000000001' as SpanId },
    deadlineAt: () => deadlineAt,
    signal: stop.signal,
    approvalOf: (stepId) => {
      const approved = goal.approvals.findLast(({ step_id }) => step_id === stepId);
      return approved && grantOf(approved, cell.doors.signing);
    },
  });

  /** `running` is told by the dispatch entry; a dispatched step ends in a `finished` entry, others in a `step`. */
  const noteStep = async (step: PlanStep, status: StepStatus, goal: Goal): Promise<void> => {
    if (halted) throw new HermesError('instance_lost', 'the coordinator is stopping');
    if (status.state === 'running') return;
    if (status.state === 'waiting') return desk.ask(goalId, step, status, goal.principal.id);
    await (status.attempts === 0
      ? store.append(goalId, { type: 'step', step_id: step.id, status })
      : writeEnd(step, status, goal.session_id));
    cell.events.emit('step.progress', { goal_id: goalId, step_id: step.id, state: status.state });
  };

  const writeEnd = (step: PlanStep, status: StepStatus, sessionId: string) =>
    store.step(goalId, 'finished', {
      request_id: `${goalId}.${step.id}.${status.attempts}`,
      step_id: step.id,
      session_context_id: sessionId,
      outcome: outcomeOf(status),
      ...(status.error ? { error: status.error } : {}),
      data: { callee: step.callee, method: step.method, status },
    });

  const finalize = async (
    goal: Goal,
    plan: Plan,
    steps: ReadonlyMap<string, StepStatus>,
    failed: string | undefined,
    signal: AbortSignal,
  ): Promise<void> => {
    if (!(await store.phase(goalId, 'finalizing'))) return;
    const language = goal.language ?? 'zh';
    const ended = signal.aborted ? toHermesError(signal.reason) : undefined;
    const unfinished = plan.steps.some((step) => steps.get(step.id)?.state === 'cancelled');
    const wire = failed === undefined ? undefined : steps.get(failed)?.error;
    const error = wire ? HermesError.fromWire(wire) : unfinished ? ended : undefined;
    const state = !error ? 'completed' : error.reason === 'cancelled' ? 'cancelled' : 'failed';
    const { answer, report } = renderAnswer(plan, steps, planner.answerSources, language, state);
    await end(state, answer, report, error);
    metrics.measure('goalDuration', now() - goal.created_at);
  };

  const crash = async (thrown: unknown): Promise<RunEnd> => {
    const error = toHermesError(thrown);
    if (halted || error.reason === 'instance_lost') return 'over';
    logger.warn(
      { goal_id: goalId, reason: error.reason, detail: error.message, err: thrown },
      'goal failed outside its steps',
    );
    const { goal } = await store.get(goalId);
    if (isFinal(goal.state)) return 'over';
    if (error.reason === 'log_unavailable') return 'cut_off';
    const language = goal.language ?? 'zh';
    const text = language === 'zh' ? `目标失败：${error.message}` : `The goal failed: ${error.message}`;
    await end('failed', { language, text, degraded: false }, undefined, error);
    return 'over';
  };

  return {
    async execute(understanding) {
      try {
        if (!(await store.running(goalId))) return 'over';
        if (understanding && understanding.outcome !== 'plan' && understanding.outcome !== 'repeat') {
          await withoutPlan(understanding);
          return 'over';
        }
        if (understanding) await adoptPlan(await store.get(goalId), understanding);
        return (await store.phase(goalId, 'tool_use')) ? await runPlan() : 'over';
      } catch (thrown) {
        return crash(thrown).catch((error: unknown) => {
          logger.error({ goal_id: goalId, err: error }, 'a goal could not be ended; it is taken up again');
          return 'cut_off' as const;
        });
      }
    },
    cancel: (why) => stop.abort(new HermesError('cancelled', why)),
    halt() {
      halted = true;
    },
  };
}

const outcomeOf = ({ state }: StepStatus): Outcome =>
  state === 'completed' ? 'confirmed' : state === 'unknown' ? 'unknown' : 'failed';

/** Statuses to go on from: what was running is asked for again, under the same request id. */
function resumable({ statuses }: FoldedGoal): ReadonlyMap<string, StepStatus> {
  return new Map(
    [...statuses].map(([id, status]) => [
      id,
      status.state === 'running' ? { ...status, state: 'pending' as const } : status,
    ]),
  );
}

const waitingIn = (steps: ReadonlyMap<string, StepStatus>): string[] =>
  [...steps].filter(([, { state }]) => state === 'waiting').map(([id]) => id);
