import type { Plan, PlanStep } from '../../agents/runtime/index.js';
import { HermesError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import type { TaskType } from './goal.js';

const MINUTE = 60_000;

/** Time a goal gets when nobody says, by task type. */
export const DEFAULT_TIMEOUT_MS: Readonly<Record<TaskType, number>> = {
  query: 15_000,
  diagnosis: MINUTE,
  report: 2 * MINUTE,
  maintenance: 30 * MINUTE,
  free: 5 * MINUTE,
};

/** `query` if all steps read, else `maintenance`. */
export const taskTypeOf = (plan: Plan): TaskType =>
  plan.steps.every((step) => step.effect_class === 'read') ? 'query' : 'maintenance';

/** @throws HermesError `deadline_unmeetable` when the instant is over or too near to begin. */
export function checkMeetable(deadlineUnixMs: number, now: number): void {
  if (deadlineUnixMs - now >= LIMITS.goalTimeoutMinMs) return;
  throw new HermesError('deadline_unmeetable', `the deadline is ${Math.round(deadlineUnixMs - now)} ms away`, {
    fields: [{ pointer: '/deadline_unix_ms', problem: `at least ${LIMITS.goalTimeoutMinMs} ms from now` }],
  });
}

/**
 * Deadline of one step: the share of what is left that it declares; or what is left less the declared time-outs of
 * later steps, but never less than an equal share. Never longer than its method needs for all its attempts.
 */
export function stepDeadline(
  step: PlanStep,
  later: readonly PlanStep[],
  goalDeadline: number,
  now: number,
  attempts: number,
): number {
  const left = Math.max(0, goalDeadline - now);
  const most = step.timeout_ms * Math.max(1, attempts);
  if (step.deadline_share !== undefined) return now + Math.min(left * step.deadline_share, most);
  const reserved = later.reduce((sum, other) => sum + other.timeout_ms, 0);
  const share = Math.max(left - reserved, left / (later.length + 1));
  return now + Math.min(share, most);
}
