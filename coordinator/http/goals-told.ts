import { checkScope, type StoredEntry, scopes } from '../../agents/runtime/index.js';
import type { Principal } from '../../mcp/index.js';
import { HermesError } from '../../shared/errors.js';
import { COORDINATOR } from '../coordinator.js';
import { type TraceStage, traceOf } from '../trace.js';
import type { HttpContext } from './context.js';

/** What the coordinator knows of goals that another component's entries name. */
export interface GoalsTold {
  readonly approvals: readonly StoredEntry[];
  readonly trace: readonly {
    readonly goal_id: string;
    readonly trace_id: string;
    readonly stages: readonly TraceStage[];
  }[];
}

/** What one message takes, beside what is around it. */
const TOLD_BYTES = 600_000;

/**
 * Approvals and timelines of goals, the last named first, as many as fit into a message; goals that the reader may not
 * see are left out. What is told is on the coordinator's own record.
 */
export async function tellGoals(
  { coordinator, journal }: HttpContext,
  goals: readonly string[],
  principal: Principal,
  about: string,
): Promise<GoalsTold> {
  const { store } = coordinator.goals;
  const { policy, access } = coordinator.agent.cell;
  const approvals: StoredEntry[] = [];
  const trace: GoalsTold['trace'][number][] = [];
  let bytes = 0;
  for (const goalId of goals.toReversed()) {
    if (!mayRead(policy.roles, principal, goalId)) continue;
    const goal = (await store.find(goalId))?.goal;
    if (!goal) continue;
    const decided = (await store.entries(goal.goal_id, 1)).filter(({ kind }) => kind === 'approval');
    const { stages } = await traceOf(goal.trace_id, store, journal, COORDINATOR);
    const timeline = { goal_id: goal.goal_id, trace_id: goal.trace_id, stages };
    bytes += JSON.stringify([decided, timeline]).length;
    if (bytes > TOLD_BYTES) break;
    approvals.push(...decided);
    trace.push(timeline);
  }
  if (trace.length > 0) {
    const facts = { for: about, goals: trace.map(({ goal_id }) => goal_id) };
    await access.looked({ principal, what: 'audit_export', facts });
  }
  return { approvals, trace };
}

function mayRead(roles: Parameters<typeof checkScope>[0], principal: Principal, goalId: string): boolean {
  try {
    checkScope(roles, principal, scopes.goal(goalId), 'read');
    return true;
  } catch (error) {
    if (error instanceof HermesError && error.reason === 'scope_denied') return false;
    throw error;
  }
}
