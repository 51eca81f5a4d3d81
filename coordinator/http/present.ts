import type { Approval, StoredEntry } from '../../agents/runtime/index.js';
import type { Goal, GoalEvent } from '../goals/goal.js';

const iso = (unixMs: number | undefined): string | undefined =>
  unixMs === undefined ? undefined : new Date(unixMs).toISOString();

/** A goal as the API tells it: times in ISO 8601, instants of deadlines in Unix milliseconds. */
export function presentGoal(goal: Goal): Record<string, unknown> {
  return {
    ...goal,
    plan: {
      steps: goal.plan.steps.map((step) => ({
        ...step,
        started_at: iso(step.started_at),
        ended_at: iso(step.ended_at),
      })),
    },
    approvals: goal.approvals.map(presentApproval),
    created_at: iso(goal.created_at),
    ended_at: iso(goal.ended_at),
    links: linksOf(goal.goal_id, goal.trace_id, goal.session_id),
  };
}

export const presentApproval = (approval: Approval): Record<string, unknown> => ({
  ...approval,
  asked_at: iso(approval.asked_at),
  expires_at: iso(approval.expires_at),
  decided_at: iso(approval.decided_at),
});

export const linksOf = (goalId: string, traceId: string, sessionId: string): Record<string, string> => ({
  self: `/v1/goals/${goalId}`,
  events: `/v1/goals/${goalId}/events`,
  cancel: `/v1/goals/${goalId}/cancel`,
  trace: `/v1/traces/${traceId}`,
  session: `/v1/sessions/${sessionId}`,
});

/** One entry of a goal's scope as an event of its stream. */
export function presentEvent(goalId: string, entry: StoredEntry): Record<string, unknown> & { seq: number } {
  const head = { goal_id: goalId, seq: entry.n, at: entry.at };
  if (entry.kind === 'approval')
    return { ...head, ...entry.data, type: 'approval', said: entry.data?.type, step_id: entry.step_id };
  if (entry.kind !== 'goal') return { ...head, type: 'step', step_id: entry.step_id, step: entry.data?.status };
  const event = entry.data as unknown as GoalEvent;
  switch (event.type) {
    case 'accepted':
      return { ...head, type: 'state', state: 'idle' };
    case 'plan':
      return {
        ...head,
        type: 'phase',
        state: 'running',
        phase: 'thinking',
        understood: event.understood,
        plan: event.plan,
      };
    case 'state': {
      const { type: _type, ...facts } = event;
      return { ...head, type: event.state === 'running' && event.phase ? 'phase' : 'state', ...facts };
    }
    case 'step':
      return { ...head, type: 'step', step_id: event.step_id, step: event.status };
    case 'answered':
      return { ...head, type: 'state' };
    case 'answer':
      return { ...head, type: 'answer', answer: event.answer, ...(event.report ? { report: event.report } : {}) };
  }
}
