import {
  type Approval,
  type ApprovalId,
  type ApprovalNeed,
  type Cell,
  DEFAULT_APPROVAL_POLICY,
  type Decision,
  isFinal,
  type PlanStep,
  type Projection,
  type StepStatus,
  scopes,
} from '../../agents/runtime/index.js';
import type { Principal } from '../../mcp/index.js';
import { HermesError, type WireError } from '../../shared/errors.js';
import type { GoalId } from '../../shared/ids.js';
import type { ApprovalEvent } from './goal.js';
import type { FoldedGoal } from './goal-fold.js';
import type { GoalStore } from './goal-store.js';

/** Who decides, and how we know them. */
export interface Decider {
  readonly principal: Principal;
  readonly auth: 'none' | 'token';
}

/**
 * Questions to people about steps. A question, each decision and each refused second decision are entries of the goal;
 * of several decisions the first counts.
 */
export interface ApprovalDesk {
  /** The step waits from here on. */
  ask(goalId: GoalId, step: PlanStep, status: StepStatus, requester: string): Promise<void>;
  /**
   * @returns the approval, decided. @throws HermesError `not_found`; `version_conflict` when it was decided before, or
   * its goal has ended.
   */
  decide(approvalId: string, decision: Decision, by: Decider, comment?: string): Promise<Approval>;
  /** Asks again, with the kept parameters: the time to decide begins anew. @throws as `decide`. */
  renew(approvalId: string, by: Decider): Promise<Approval>;
  /** Those that wait for a decision, or all. Oldest first. */
  list(which: 'pending' | 'all'): Promise<readonly Approval[]>;
  /** Nobody needs to decide any more: the goal ends. */
  withdraw(goalId: GoalId, why: string): Promise<void>;
}

const NAME = 'approval_desk';

/** Where an approval is found. */
export const approvalIndex: Projection = {
  name: NAME,
  rows({ kind, goal_id, data }) {
    if (kind !== 'approval' || !goal_id || !data) return [];
    const event = data as unknown as ApprovalEvent;
    if (event.type === 'asked') {
      const { approval_id } = event.approval;
      return [
        { key: `all/${approval_id}`, value: goal_id },
        { key: `open/${approval_id}`, value: goal_id },
      ];
    }
    return event.type === 'decided' ? [{ key: `open/${event.approval_id}`, value: undefined }] : [];
  },
};

export function createApprovalDesk(cell: Cell, store: GoalStore): ApprovalDesk {
  const { view, events } = cell;
  const { clock, ids, logger } = cell.doors;
  const policy = cell.policy.approvals ?? DEFAULT_APPROVAL_POLICY;
  const now = (): number => Math.round(clock.now());

  const goalOf = async (approvalId: string): Promise<GoalId> => {
    await view.catchUp();
    const isId = /^ap-[a-z2-7]{16}$/.test(approvalId);
    const [goalId] = isId ? await view.rows<GoalId>(NAME, `all/${approvalId}`) : [];
    if (goalId) return goalId;
    throw new HermesError('not_found', `no approval ${approvalId.slice(0, 64)}`, {
      suggestion: 'list them: GET /v1/approvals',
    });
  };

  /** Writes what is said about an approval that is open; undefined when it is not open any more. */
  const say = async (
    goalId: GoalId,
    approvalId: string,
    by: Principal,
    event: (approval: Approval) => ApprovalEvent,
  ): Promise<boolean> => {
    const written = await store.decide(goalId, ({ goal }) => {
      const approval = goal.approvals.find(({ approval_id }) => approval_id === approvalId);
      if (!approval || approval.decision !== undefined || isFinal(goal.state)) return undefined;
      return entryOf(by, approval.step_id, event(approval));
    });
    return written !== undefined;
  };

  const found = async (goalId: GoalId, approvalId: string): Promise<{ approval: Approval; folded: FoldedGoal }> => {
    const folded = await store.get(goalId);
    const approval = folded.goal.approvals.find(({ approval_id }) => approval_id === approvalId);
    return { approval: approval as Approval, folded };
  };

  /** It was decided before: told, and on the record. */
  const tooLate = async (goalId: GoalId, approvalId: string, by: Principal, wanted: string): Promise<HermesError> => {
    const { approval, folded } = await found(goalId, approvalId);
    const { decision, decided_by, step_id } = approval;
    const message =
      decision === undefined
        ? `goal ${goalId} has ended: ${folded.goal.state}`
        : `${approvalId} was decided before: ${decision} by ${decided_by}`;
    const error = new HermesError('version_conflict', message, {
      approval_id: approvalId,
      ...(decision ? { decision, decided_by } : {}),
      suggestion: 'the first decision counts; to do it after all, submit the goal again',
    });
    const facts = { approval_id: approvalId, goal_id: goalId, step_id, wanted };
    const access = { principal: by, what: 'decide_approval', scope: scopes.goal(goalId), facts };
    await cell.access.refused(access, error.toWire());
    return error;
  };

  return {
    async ask(goalId, step, status, requester) {
      const need = (status.error as WireError).data as unknown as ApprovalNeed;
      const { error: _error, ...waiting } = status;
      const approval: Approval = {
        approval_id: ids.approval() as ApprovalId,
        goal_id: goalId,
        step_id: step.id,
        callee: step.callee,
        method: step.method,
        ...pickNeed(need),
        requester,
        asked_at: now(),
        expires_at: now() + policy.expires_ms[need.risk],
      };
      const event: ApprovalEvent = { type: 'asked', approval, status: waiting };
      await store.decide(goalId, () => entryOf({ id: requester, roles: [] }, step.id, event));
      logger.info({ tag: 'APPROVAL', goal_id: goalId, step_id: step.id, approval_id: approval.approval_id }, 'asked');
      const { approval_id, method, params } = approval;
      events.emit('approval.requested', { goal_id: goalId, step_id: step.id, approval_id, method, params });
    },
    async decide(approvalId, decision, { principal, auth }, comment) {
      const goalId = await goalOf(approvalId);
      const decided = await say(goalId, approvalId, principal, ({ requester }) => ({
        type: 'decided',
        approval_id: approvalId,
        decision,
        decided_by: principal.id,
        decided_at: now(),
        auth,
        ...(comment ? { comment } : {}),
        ...(requester === principal.id ? { self_approved: true } : {}),
      }));
      if (!decided) throw await tooLate(goalId, approvalId, principal, decision);
      const { approval } = await found(goalId, approvalId);
      const { step_id } = approval;
      logger.info({ tag: 'APPROVAL', goal_id: goalId, step_id, approval_id: approvalId, decision }, 'decided');
      const topic = principal.id === TIMED_OUT.id ? 'approval.expired' : 'approval.decided';
      events.emit(topic, { goal_id: goalId, step_id, approval_id: approvalId, decision, decided_by: principal.id });
      return approval;
    },
    async renew(approvalId, { principal }) {
      const goalId = await goalOf(approvalId);
      const renewed = await say(goalId, approvalId, principal, ({ risk }) => ({
        type: 'renewed',
        approval_id: approvalId,
        expires_at: now() + policy.expires_ms[risk],
      }));
      if (!renewed) throw await tooLate(goalId, approvalId, principal, 'renew');
      return (await found(goalId, approvalId)).approval;
    },
    async list(which) {
      await view.catchUp();
      const goals = new Set(await view.rows<GoalId>(NAME, which === 'all' ? 'all/' : 'open/'));
      const listed: Approval[] = [];
      for (const goalId of goals) {
        const { goal } = await store.get(goalId);
        const open = ({ decision }: Approval) => decision === undefined && !isFinal(goal.state);
        listed.push(...goal.approvals.filter((one) => which === 'all' || open(one)));
      }
      return listed.sort((a, b) => a.asked_at - b.asked_at);
    },
    async withdraw(goalId, why) {
      const { goal } = await store.get(goalId);
      for (const { approval_id, decision } of goal.approvals) {
        if (decision !== undefined) continue;
        const facts = { decision: 'reject', decided_by: 'system:goal-ended', decided_at: now(), comment: why } as const;
        const event: ApprovalEvent = { type: 'decided', approval_id, ...facts };
        await say(goalId, approval_id, { id: facts.decided_by, roles: [] }, () => event);
      }
    },
  };
}

/** Who decides when nobody has in time. */
export const TIMED_OUT: Principal = { id: 'system:hitl-timeout', roles: [] };

const entryOf = (principal: Principal, step_id: string, event: ApprovalEvent) =>
  ({
    kind: 'approval',
    principal,
    step_id,
    data: event as unknown as Readonly<Record<string, unknown>>,
  }) as const;

/** What the callee said, without what else may stand beside it. */
const pickNeed = ({ tool, params, scope, risk, effects, rollback, pre_state, state_hash, hash }: ApprovalNeed) => ({
  ...{ tool, params, scope, risk, effects, rollback, pre_state, state_hash, hash },
});
