import {
  type ApprovalGrant,
  type Cell,
  methodOf,
  type PlanStep,
  type StepOutcome,
  type StepStatus,
} from '../../agents/runtime/index.js';
import {
  childSpan,
  DEFAULT_RETRY,
  type Discovery,
  formatTraceparent,
  isInShare,
  type MethodManifest,
  type Principal,
  type TraceContext,
} from '../../mcp/index.js';
import { type GoalId, stepRequestId } from '../../shared/ids.js';
import { inSpan } from '../../shared/telemetry/tracing.js';
import { stepDeadline } from './deadlines.js';
import type { GoalStore } from './goal-store.js';

export interface DispatchContext {
  readonly goalId: GoalId;
  readonly sessionId: string;
  readonly principal: Principal;
  readonly trace: TraceContext;
  readonly deadlineAt: () => number;
  readonly signal: AbortSignal;
  /** What people approved of a step. */
  readonly approvalOf: (stepId: string) => ApprovalGrant | undefined;
}

/**
 * Runs a step on another agent: a remote method is a tool. The `dispatch` entry stands before the call goes out, under
 * a request id that is the same however often it is sent; the worker's verification counts as ours.
 */
export function createDispatch(cell: Cell, store: GoalStore, discovery: Discovery) {
  const now = (): number => Math.round(cell.doors.clock.now());

  return async (
    context: DispatchContext,
    step: PlanStep,
    params: Record<string, unknown>,
    n: number,
    later: readonly PlanStep[],
  ): Promise<StepOutcome> => {
    const requestId = stepRequestId(context.goalId, step.id, n);
    const method = methodOf(manifestOf(discovery, step.callee), step.method);
    const attempts = method?.retry_policy?.max_attempts ?? DEFAULT_RETRY.max_attempts;
    const deadlineAt = stepDeadline(step, later, context.deadlineAt(), now(), attempts);
    const running: StepStatus = { state: 'running', attempts: n, params, started_at: now() };
    await store.step(context.goalId, 'dispatch', {
      principal: context.principal,
      request_id: requestId,
      step_id: step.id,
      session_context_id: context.sessionId,
      trace_id: context.trace.trace_id,
      params,
      data: { callee: step.callee, method: step.method, deadline_unix_ms: Math.round(deadlineAt), status: running },
    });
    cell.doors.logger.info(
      { tag: 'CHECKPOINT', goal_id: context.goalId, step_id: step.id, n, callee: step.callee, method: step.method },
      'step dispatched',
    );
    const { ids, traceRatio = 1 } = cell.doors;
    const sampled = isInShare(context.trace.trace_id, traceRatio);
    const traceparent = formatTraceparent(childSpan(ids, context.trace), sampled);
    const approval = context.approvalOf(step.id);
    const call = (own: string | undefined) =>
      cell.caller.call({
        callee: step.callee,
        method: step.method,
        params,
        deadlineAt,
        timeoutMs: step.timeout_ms,
        requestId,
        principal: context.principal,
        goalId: context.goalId,
        stepId: step.id,
        sessionContextId: context.sessionId,
        traceparent: own ?? traceparent,
        signal: context.signal,
        ...aboutWhat(method, params),
        ...(approval ? { approval: { ...approval } } : {}),
        ...(method?.retry_policy ? { retry: method.retry_policy } : {}),
      });
    const about = { 'hermes.goal_id': context.goalId };
    const { response } = sampled
      ? await inSpan(`step ${step.id} ${step.method}`, traceparent, about, call)
      : await call(traceparent);
    const degraded = response.degraded === true ? { degraded: true } : {};
    return { result: response.result, served_by: response.served_by, ...degraded };
  };
}

/** What tells the caller whom to ask, and how to find out that it can be asked again. */
function aboutWhat(method: MethodManifest | undefined, params: Readonly<Record<string, unknown>>) {
  const key = method?.actor_key === undefined ? undefined : params[method.actor_key];
  if (typeof key !== 'string') return { reads: method?.effect_class === 'read' };
  const probe = method?.probe && { method: method.probe, params: { [method.actor_key as string]: key } };
  return { key, reads: method?.effect_class === 'read', ...(probe ? { probe } : {}) };
}

export const manifestOf = (discovery: Discovery, componentId: string) =>
  discovery.manifests().find((manifest) => manifest.component === componentId);
