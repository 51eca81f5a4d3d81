import { HermesError, toHermesError } from '../../../shared/errors.js';
import { compileExpression, type ExpressionScope } from './expression.js';
import {
  isLacking,
  isSettled,
  PENDING,
  type Plan,
  type PlanStep,
  type StepState,
  type StepStatus,
  satisfies,
} from './plan.js';

/** What the executor needs of the world: one step run, one change told. */
export interface ExecutorPorts {
  /**
   * Runs one step to its end. `n` counts the tries on purpose, from 1. @throws HermesError of the step.
   * @param later steps that still wait behind this one; time must be left for them.
   */
  runStep(step: PlanStep, params: Record<string, unknown>, n: number, later: readonly PlanStep[]): Promise<StepOutcome>;
  /** Told of every change; awaited, so that the record is ahead of the world. */
  onStep(step: PlanStep, status: StepStatus): Promise<void>;
  now(): number;
}

export interface StepOutcome {
  readonly result: unknown;
  readonly served_by?: string;
  readonly degraded?: boolean;
}

export interface ExecutorResult {
  /** `waiting`: some steps wait for a person, and nothing else is left to do. */
  readonly state: 'completed' | 'failed' | 'cancelled' | 'waiting';
  readonly steps: ReadonlyMap<string, StepStatus>;
  /** The step that ended the plan. */
  readonly failed?: string;
}

/**
 * Runs a plan: steps whose dependencies are satisfied run in parallel, the rest waits; an unmet `when` skips; a
 * failure with `on_failure: stop` lets what runs settle and starts nothing more. Given the statuses of an interrupted
 * run it goes on from there.
 */
export async function executePlan(
  plan: Plan,
  ports: ExecutorPorts,
  options: { signal: AbortSignal; scope: Omit<ExpressionScope, 'steps'>; known?: ReadonlyMap<string, StepStatus> },
): Promise<ExecutorResult> {
  const steps = new Map<string, StepStatus>(
    plan.steps.map((step) => [step.id, options.known?.get(step.id) ?? PENDING]),
  );
  const running = new Map<string, Promise<void>>();
  let failed: string | undefined;
  /** A change that could not be told: what runs settles, then the run is given up. */
  let untold: { readonly error: unknown } | undefined;

  /** Told first, then true: nothing begins on what is not on the record yet. */
  const set = async (step: PlanStep, status: StepStatus): Promise<void> => {
    await ports.onStep(step, status);
    steps.set(step.id, status);
  };
  const statusOf = (id: string): StepStatus => steps.get(id) ?? PENDING;
  const isReady = (step: PlanStep): boolean =>
    !isSettled(statusOf(step.id)) &&
    statusOf(step.id).state !== 'waiting' &&
    !running.has(step.id) &&
    step.depends_on.every((id) => {
      const other = plan.steps.find((candidate) => candidate.id === id);
      return other !== undefined && satisfies(other, statusOf(id));
    });

  const start = async (step: PlanStep): Promise<void> => {
    const scope: ExpressionScope = { ...options.scope, steps: visible(plan, steps) };
    const skip = whyNot(step, scope);
    if (skip) return set(step, { ...statusOf(step.id), state: 'skipped', why: skip, ended_at: ports.now() });
    const later = plan.steps.filter(
      (other) => other.id !== step.id && !isSettled(statusOf(other.id)) && !running.has(other.id),
    );
    const status = await runToEnd(
      step,
      () => bindParams(step, scope),
      {
        later,
        first: Math.max(1, statusOf(step.id).attempts),
        lacking: step.depends_on.some((id) => isLacking(statusOf(id))),
      },
      ports,
      set,
    );
    if (isSettled(status) && status.state !== 'completed' && step.on_failure !== 'continue') failed ??= step.id;
  };

  for (const step of plan.steps) {
    const status = statusOf(step.id);
    if (isSettled(status) && !satisfies(step, status)) failed ??= step.id;
  }
  for (;;) {
    const stop = failed !== undefined || untold !== undefined || options.signal.aborted;
    const ready = stop ? [] : plan.steps.filter(isReady);
    for (const step of ready) {
      const work = start(step)
        .catch((error: unknown) => {
          untold ??= { error };
        })
        .finally(() => running.delete(step.id));
      running.set(step.id, work);
    }
    if (running.size === 0) break;
    await Promise.race(running.values());
  }
  if (untold) throw untold.error;
  const waits = plan.steps.some((step) => statusOf(step.id).state === 'waiting');
  if (waits && failed === undefined && !options.signal.aborted) return { state: 'waiting', steps };
  for (const step of plan.steps) {
    if (!isSettled(statusOf(step.id)))
      await set(step, { ...statusOf(step.id), state: 'cancelled', ended_at: ports.now() });
  }
  const state =
    options.signal.aborted && failed === undefined ? 'cancelled' : failed === undefined ? 'completed' : 'failed';
  return { state, steps, ...(failed === undefined ? {} : { failed }) };
}

/**
 * One step with its one redo: a failure that says it was not done may be done again, under the next number. A step
 * that had to do without a result it waited for (`lacking`) is degraded.
 */
async function runToEnd(
  step: PlanStep,
  bind: () => Record<string, unknown>,
  { later, first, lacking }: { later: readonly PlanStep[]; first: number; lacking: boolean },
  ports: ExecutorPorts,
  set: (step: PlanStep, status: StepStatus) => Promise<void>,
): Promise<StepStatus> {
  const started_at = ports.now();
  for (let n = first; ; n++) {
    let params: Record<string, unknown> = { ...step.params };
    let status: StepStatus;
    try {
      params = bind();
      await set(step, { state: 'running', attempts: n, params, started_at });
      const outcome = await ports.runStep(step, params, n, later);
      const degraded = lacking ? { degraded: true } : {};
      status = { state: 'completed', attempts: n, params, started_at, ended_at: ports.now(), ...outcome, ...degraded };
    } catch (thrown) {
      const error = toHermesError(thrown);
      if (error.data.not_done === true && n === first) continue;
      const state = stateOf(error);
      // Nothing has ended: whoever runs the plan asks a person, and goes on.
      const end = state === 'waiting' ? {} : { ended_at: ports.now() };
      const served = typeof error.data.served_by === 'string' ? { served_by: error.data.served_by } : {};
      status = { state, attempts: n, params, started_at, ...end, error: error.toWire(), ...served };
    }
    await set(step, status);
    return status;
  }
}

/** A step is `cancelled` only when nothing of it was begun; otherwise what became of it counts. */
function stateOf({ reason, data }: HermesError): StepState {
  if (reason === 'approval_required') return 'waiting';
  if (data.outcome === 'unknown') return 'unknown';
  if (reason !== 'cancelled') return 'failed';
  if (data.started !== true) return 'cancelled';
  return data.rollback_executed === true ? 'rolled_back' : 'failed';
}

/** Results as expressions see them. */
function visible(plan: Plan, steps: ReadonlyMap<string, StepStatus>): ExpressionScope['steps'] {
  return Object.fromEntries(
    plan.steps.map((step) => {
      const { state, result, error } = steps.get(step.id) ?? PENDING;
      return [step.id, { state, ...(result === undefined ? {} : { result }), ...(error ? { error } : {}) }];
    }),
  );
}

/** Why a step is skipped; an expression that cannot be evaluated (its step was skipped) is an unmet one. */
function whyNot(step: PlanStep, scope: ExpressionScope): string | undefined {
  if (!step.when) return undefined;
  try {
    return compileExpression(step.when, '/when').evaluate(scope) === true ? undefined : `unmet: ${step.when}`;
  } catch (error) {
    return `unmet: ${step.when} (${error instanceof Error ? error.message : String(error)})`;
  }
}

function bindParams(step: PlanStep, scope: ExpressionScope): Record<string, unknown> {
  const params: Record<string, unknown> = { ...step.params };
  for (const [pointer, source] of Object.entries(step.bind)) {
    try {
      const value = compileExpression(source, `/bind${pointer}`).evaluate(scope);
      if (value !== null && value !== undefined) params[pointer.slice(1)] = jsonValue(value);
    } catch (cause) {
      throw new HermesError(
        'invalid_params',
        `${step.id}: ${pointer} cannot be bound`,
        { step_id: step.id },
        { cause },
      );
    }
  }
  return params;
}

/** CEL integers are BigInt, its maps may be Map. */
function jsonValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(jsonValue);
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, inner]) => [String(key), jsonValue(inner)]));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, jsonValue(inner)]));
  }
  return value;
}
