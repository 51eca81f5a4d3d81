import {
  type Approval,
  isFinal,
  type Plan,
  type StepStatus,
  type StoredEntry,
  type Understanding,
} from '../../agents/runtime/index.js';
import { HermesError } from '../../shared/errors.js';
import type { ApprovalEvent, Goal, GoalEvent } from './goal.js';

/** A goal out of its entries: what everybody sees, and what only its run needs. */
export interface FoldedGoal {
  readonly goal: Goal;
  readonly plan: Plan;
  readonly statuses: ReadonlyMap<string, StepStatus>;
  readonly understanding: Understanding;
  readonly bodyHash?: string;
  /** The deadline is a span, given or by default: it moves by the time paused. */
  readonly relative: boolean;
  readonly pausedMs: number;
  readonly pausedAt?: number;
}

interface Fold {
  readonly goal: Omit<Goal, 'plan' | 'usage'>;
  readonly plan: Plan;
  readonly steps: Map<string, StepStatus>;
  readonly rest: Pick<FoldedGoal, 'understanding' | 'bodyHash' | 'relative' | 'pausedMs' | 'pausedAt'>;
}

/** @returns undefined when the entries do not begin with an acceptance. */
export function foldGoal(goalId: string, entries: readonly StoredEntry[]): FoldedGoal | undefined {
  let fold: Fold | undefined;
  for (const entry of entries) {
    if (entry.kind === 'goal') fold = applyEvent(goalId, fold, entry.data as unknown as GoalEvent, entry);
    else if (fold && entry.kind === 'approval') fold = applyApproval(fold, entry.data as unknown as ApprovalEvent);
    else if (fold) applyStep(fold, entry);
    if (fold) fold = { ...fold, goal: { ...fold.goal, seq: entry.n } };
  }
  if (!fold) return undefined;
  const { goal, plan, steps, rest } = fold;
  const shown = plan.steps.map((step) => {
    const status = steps.get(step.id) ?? { state: 'pending' as const, attempts: 0 };
    return { ...step, ...status, params: { ...step.params, ...status.params }, degraded: status.degraded ?? false };
  });
  const used = shown.filter((step) => step.attempts > 0).length;
  const ms = (goal.ended_at ?? entries[entries.length - 1]?.at ?? goal.created_at) - goal.created_at;
  const usage = { tokens: 0, steps: used, ms, cost: 0 };
  return { goal: { ...goal, plan: { steps: shown }, usage }, plan, statuses: steps, ...rest };
}

function applyEvent(goalId: string, before: Fold | undefined, event: GoalEvent, entry: StoredEntry): Fold | undefined {
  if (event.type === 'accepted') {
    const { type: _type, parse: _parse, understanding, body_hash, ...said } = event;
    const { relative = said.deadline_unix_ms === undefined, ...facts } = said;
    const goal = {
      goal_id: goalId,
      ...facts,
      state: 'idle' as const,
      approvals: [],
      created_at: entry.at,
      seq: entry.n,
    };
    const rest = { understanding, relative, pausedMs: 0, ...(body_hash ? { bodyHash: body_hash } : {}) };
    return { goal, plan: { steps: [] }, steps: new Map(), rest };
  }
  if (!before || event.type === 'answered') return before;
  switch (event.type) {
    case 'plan': {
      const { type: _type, plan, problems: _problems, placed_by: _placed, ...facts } = event;
      return { ...before, plan, goal: { ...before.goal, ...facts } };
    }
    case 'state':
      return applyState(before, event, entry);
    case 'step':
      before.steps.set(event.step_id, event.status);
      return before;
    case 'answer': {
      const { answer, report } = event;
      return { ...before, goal: { ...before.goal, answer, ...(report ? { report } : {}) } };
    }
  }
}

function applyState(before: Fold, event: Extract<GoalEvent, { type: 'state' }>, entry: StoredEntry): Fold {
  const { type: _type, ...facts } = event;
  const { prompt: _prompt, waiting_for: _waiting, phase: _phase, ...goal } = before.goal;
  const { pausedAt, ...rest } = before.rest;
  const pausedMs = rest.pausedMs + (pausedAt === undefined ? 0 : entry.at - pausedAt);
  return {
    ...before,
    goal: { ...goal, ...facts, ...(isFinal(event.state) ? { ended_at: entry.at } : {}) },
    rest: { ...rest, pausedMs, ...(event.state === 'paused' ? { pausedAt: entry.at } : {}) },
  };
}

function applyApproval(fold: Fold, event: ApprovalEvent): Fold {
  const { approvals } = fold.goal;
  if (event.type === 'asked') {
    fold.steps.set(event.approval.step_id, event.status);
    return { ...fold, goal: { ...fold.goal, approvals: [...approvals, event.approval] } };
  }
  const { type, approval_id, ...facts } = event;
  const changed = approvals.map((one) => (one.approval_id === approval_id ? { ...one, ...facts } : one));
  const decided = changed.find((one) => one.approval_id === approval_id);
  const { waiting_for, ...goal } = fold.goal;
  if (type === 'renewed' || !decided) return { ...fold, goal: { ...fold.goal, approvals: changed } };
  const status = fold.steps.get(decided.step_id);
  if (status?.state === 'waiting') fold.steps.set(decided.step_id, decidedStep(status, decided));
  const left = waiting_for === undefined || waiting_for === 'approval' ? {} : { waiting_for };
  return { ...fold, goal: { ...goal, ...left, approvals: changed } };
}

/** A step that waited, when somebody has spoken: it is asked for again, or it has failed without having begun. */
function decidedStep(status: StepStatus, approval: Approval): StepStatus {
  if (approval.decision === 'approve') return { ...status, state: 'pending' };
  const { decided_by, comment, approval_id, decided_at, method } = approval;
  const why = comment ? `: ${comment}` : '';
  const error = new HermesError('not_allowed', `${method} was rejected by ${decided_by}${why}`, {
    ...{ approval_id, decision: 'reject', decided_by, started: false },
    suggestion: 'nothing was done; ask the approver, then submit the goal again',
  });
  return { ...status, state: 'failed', error: error.toWire(), ...(decided_at ? { ended_at: decided_at } : {}) };
}

/** `dispatch` opens a try of a step, `finished` ends it. */
function applyStep(fold: Fold, entry: StoredEntry): void {
  if (!entry.step_id || !entry.data) return;
  if (entry.kind === 'dispatch' || entry.kind === 'finished') {
    fold.steps.set(entry.step_id, entry.data.status as StepStatus);
  }
}
