import {
  type Answer,
  type Cell,
  checkPlan,
  executePlan,
  type Plan,
  type PlanStep,
  type Report,
  renderAnswer,
  renderOutcome,
  type StepStatus,
  type Understanding,
} from '../../agents/runtime/index.js';
import type { Discovery, TraceContext } from '../../mcp/index.js';
import { openDeadline } from '../../shared/deadline.js';
import { HermesError, toHermesError } from '../../shared/errors.js';
import type { GoalId, SpanId, TraceId } from '../../shared/ids.js';
import type { Planner } from '../planner/planner.js';
import { DEFAULT_TIMEOUT_MS, taskTypeOf } from './deadlines.js';
import { createDispatch, manifestOf } from './dispatch.js';
import type { FoldedGoal, GoalPhase, GoalState } from './goal.js';
import type { GoalStore } from './goal-store.js';

export interface GoalRunDeps {
  readonly cell: Cell;
  readonly store: GoalStore;
  readonly discovery: Discovery;
  readonly planner: Planner;
}

/**
 * One goal from its plan to its end. Everything it decides on is in the record first: the run itself can be lost at
 * any moment and is taken up again from the entries.
 */
export interface GoalRun {
  /** Goes on from wherever the record says the goal is; resolves when it is final. Never rejects. */
  execute(understanding?: Understanding): Promise<void>;
  cancel(why: string): void;
}

export function createGoalRun(deps: GoalRunDeps, goalId: GoalId): GoalRun {
  const { cell, store, discovery, planner } = deps;
  const { clock, logger, metrics } = cell.doors;
  const dispatch = createDispatch(cell, store, discovery);
  const stop = new AbortController();
  const now = (): number => Math.round(clock.now());

  const setState = async (state: GoalState, more: { phase?: GoalPhase; error?: HermesError } = {}): Promise<void> => {
    const { phase, error } = more;
    await store.append(goalId, {
      type: 'state',
      state,
      ...(phase ? { phase } : {}),
      ...(error ? { error: error.toWire() } : {}),
    });
    cell.events.emit('goal.state_changed', { goal_id: goalId, state, ...(phase ? { phase } : {}) });
  };

  const end = async (state: GoalState, answer: Answer, report?: Report, error?: HermesError): Promise<void> => {
    await store.append(goalId, { type: 'answer', answer, ...(report ? { report } : {}) });
    await setState(state, error ? { error } : {});
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

  const adoptPlan = async (goal: FoldedGoal, understanding: Understanding): Promise<void> => {
    const plan = planner.plan(understanding);
    checkPlan(plan, (component) => manifestOf(discovery, component));
    const task_type = goal.task_type ?? taskTypeOf(plan);
    const stoodStill = goal.pausedMs + (goal.pausedAt === undefined ? 0 : now() - goal.pausedAt);
    const given = goal.deadline_unix_ms ?? goal.created_at + DEFAULT_TIMEOUT_MS[task_type];
    const deadline_unix_ms = given + stoodStill;
    const { understood, language, placed_by } = understanding;
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

  const runPlan = async (goal: FoldedGoal): Promise<void> => {
    const plan = goal.rawPlan;
    const deadlineAt = goal.deadline_unix_ms ?? now();
    const deadline = openDeadline(clock, deadlineAt, stop.signal);
    const trace: TraceContext = { trace_id: goal.trace_id as TraceId, span_id: '0000000000000001' as SpanId };
    const context = {
      goalId,
      sessionId: goal.session_id,
      principal: goal.principal,
      trace,
      deadlineAt: () => deadlineAt,
      signal: stop.signal,
    };
    try {
      const ran = await executePlan(
        plan,
        {
          runStep: (step, params, n, later) => dispatch(context, step, params, n, later),
          onStep: (step, status) => noteStep(step, status, context),
          now,
        },
        { signal: deadline.signal, scope: { goal: { text: goal.goal }, site: {} }, known: resumable(goal) },
      );
      await finalize(goal, plan, ran.steps, ran.failed, deadline.signal);
    } finally {
      deadline.close();
    }
  };

  /** `running` is told by the dispatch entry; the end of a dispatched step is a `finished` entry, of others a `step`. */
  const noteStep = async (step: PlanStep, status: StepStatus, context: { sessionId: string }): Promise<void> => {
    if (status.state === 'running') return;
    cell.events.emit('step.progress', { goal_id: goalId, step_id: step.id, state: status.state });
    if (status.attempts === 0) {
      await store.append(goalId, { type: 'step', step_id: step.id, status });
      return;
    }
    await store.step(goalId, 'finished', {
      request_id: `${goalId}.${step.id}.${status.attempts}`,
      step_id: step.id,
      session_context_id: context.sessionId,
      outcome: status.state === 'completed' ? 'confirmed' : status.state === 'unknown' ? 'unknown' : 'failed',
      ...(status.error ? { error: status.error } : {}),
      data: { callee: step.callee, method: step.method, status },
    });
  };

  const finalize = async (
    goal: FoldedGoal,
    plan: Plan,
    steps: ReadonlyMap<string, StepStatus>,
    failed: string | undefined,
    signal: AbortSignal,
  ): Promise<void> => {
    await setState('running', { phase: 'finalizing' });
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

  const crash = async (thrown: unknown): Promise<void> => {
    const error = toHermesError(thrown);
    if (error.reason === 'instance_lost') return;
    logger.warn(
      { goal_id: goalId, reason: error.reason, detail: error.message, err: thrown },
      'goal failed outside its steps',
    );
    const goal = await store.get(goalId);
    const language = goal.language ?? 'zh';
    const text = language === 'zh' ? `目标失败：${error.message}` : `The goal failed: ${error.message}`;
    await end('failed', { language, text, degraded: false }, undefined, error);
  };

  return {
    async execute(understanding) {
      try {
        const goal = await store.get(goalId);
        if (understanding && understanding.outcome !== 'plan' && understanding.outcome !== 'repeat') {
          return await withoutPlan(understanding);
        }
        if (understanding) await adoptPlan(goal, understanding);
        await setState('running', { phase: 'tool_use' });
        await runPlan(await store.get(goalId));
      } catch (thrown) {
        await crash(thrown).catch((error: unknown) => {
          logger.error(
            { goal_id: goalId, err: error },
            'a goal could not be ended; it is taken up again at the next start',
          );
        });
      }
    },
    cancel: (why) => stop.abort(new HermesError('cancelled', why)),
  };
}

/** Statuses to go on from: what was running is asked for again, under the same request id. */
function resumable(goal: FoldedGoal): ReadonlyMap<string, StepStatus> {
  return new Map(
    [...goal.statuses].map(([id, status]) => [
      id,
      status.state === 'running' ? { ...status, state: 'pending' as const } : status,
    ]),
  );
}
