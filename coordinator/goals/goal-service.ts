import { type Cell, isFinal, type StoredEntry, scopes } from '../../agents/runtime/index.js';
import type { Discovery } from '../../mcp/index.js';
import { HermesError } from '../../shared/errors.js';
import type { GoalId } from '../../shared/ids.js';
import { LIMITS } from '../../shared/limits.js';
import type { Planner } from '../planner/planner.js';
import { createApprovalDesk } from './approval-desk.js';
import { createConversation } from './conversation.js';
import type { Goal, GoalEvent } from './goal.js';
import { createGoalIntake } from './goal-intake.js';
import type { GoalPort } from './goal-port.js';
import { createGoalRuns } from './goal-runs.js';
import { createGoalStore, type GoalStore } from './goal-store.js';
import { watchGoal } from './goal-watch.js';
import { rehearse } from './rehearsal.js';
import { sessionView } from './session-view.js';

export interface GoalService extends GoalPort {
  readonly store: GoalStore;
  /** Takes up those of these goals that are open and nobody works on. @returns how many. */
  resume(goalIds: readonly GoalId[]): Promise<number>;
  /** Resolves when no run is under way. */
  idle(): Promise<void>;
  /** Forgets the times at which questions expire; the next start finds them in the record. */
  stop(): void;
}

/** The goal port on the record: intake, runs and questions, and what is read of them. */
export function createGoalService(deps: { cell: Cell; discovery: Discovery; planner: Planner }): GoalService {
  const { cell, planner } = deps;
  const { clock, logger } = cell.doors;
  const store = createGoalStore(cell);
  const conversation = createConversation(cell, planner);
  const desk = createApprovalDesk(cell, store);
  const runs = createGoalRuns({ ...deps, store, desk });
  const intake = createGoalIntake({ cell, store, runs, conversation });

  const watch = (goalId: string, fromN: number, signal: AbortSignal): AsyncIterable<StoredEntry> =>
    watchGoal(cell.view, scopes.goal(goalId), fromN, signal);

  const list: GoalPort['list'] = async ({ state, session, device, before, limit }) => {
    const goals: Goal[] = [];
    let cursor = before;
    for (;;) {
      const rows = await store.list({ limit: LIMITS.pageRows, ...(cursor === undefined ? {} : { before: cursor }) });
      for (const row of rows) {
        cursor = row.cursor;
        const goal = (await store.find(row.goal_id))?.goal;
        if (!goal || (state && goal.state !== state) || (session && goal.session_id !== session)) continue;
        if (device && !goal.plan.steps.some((step) => step.params.device_id === device)) continue;
        goals.push(goal);
        if (goals.length >= limit) return { goals, next: row.cursor };
      }
      if (rows.length < LIMITS.pageRows) return { goals };
    }
  };

  /** Until the goal is final or asks, read from the record as it grows. */
  const settled: GoalPort['settled'] = async (goalId, ms) => {
    const patience = new AbortController();
    const cancel = clock.timer(ms, () => patience.abort());
    try {
      for await (const entry of watch(goalId, 1, patience.signal)) {
        const event = entry.data as unknown as GoalEvent;
        if (entry.kind !== 'goal' || event.type !== 'state') continue;
        if (!isFinal(event.state) && event.state !== 'paused') continue;
        const { goal } = await store.get(goalId);
        // One that was decided on goes on at once.
        if (isFinal(goal.state) || goal.waiting_for !== undefined) return goal;
      }
      return (await store.get(goalId)).goal;
    } finally {
      cancel();
      patience.abort();
    }
  };

  /** What people say is heard from the record, whoever took it down: nobody who decided waits for the goal. */
  const people = cell.view.onEntry(({ kind, goal_id, data }) => {
    if (kind !== 'approval' || !goal_id || data?.type === 'asked') return;
    runs.wake(goal_id as GoalId).catch((error: unknown) => {
      logger.error({ goal_id, err: error }, 'a goal that was decided on is taken up later');
      runs.later(goal_id as GoalId);
    });
  });

  return {
    store,
    approvals: (which) => desk.list(which),
    decide: desk.decide,
    renew: desk.renew,
    submit: intake.submit,
    list,
    watch,
    settled,
    rehearse: (submission, principal) => {
      const how = { principal, ...(submission.explain ? { explain: true } : {}) };
      return conversation.take(submission.session_id, submission.goal, how, async (turn) => ({
        value: rehearse(deps, turn.understanding, submission.session_id),
      }));
    },
    get: async (goalId) => (await store.get(goalId)).goal,
    async cancel(goalId, principal) {
      const { goal } = await store.get(goalId);
      if (isFinal(goal.state)) return goal;
      await runs.cancel(goalId as GoalId, new HermesError('cancelled', `cancelled by ${principal.id}`));
      return (await store.get(goalId)).goal;
    },
    openSession: async (principal) => sessionView(await conversation.open(principal)),
    async session(sessionId) {
      const state = await conversation.get(sessionId);
      const asking = state.asking ? await store.find(state.asking) : undefined;
      return sessionView(state, asking?.goal);
    },
    async converse(sessionId, text, principal) {
      await conversation.get(sessionId);
      return intake.submit({ goal: text, session_id: sessionId }, principal);
    },
    async resume(goalIds) {
      let taken = 0;
      for (const goalId of goalIds) {
        const folded = await store.find(goalId);
        if (!folded || isFinal(folded.goal.state) || runs.isRunning(goalId)) continue;
        const begun = folded.plan.steps.length > 0 || folded.pausedAt !== undefined;
        await (begun ? runs.takeUp(goalId, folded) : intake.retake(goalId, folded));
        taken++;
      }
      return taken;
    },
    idle: () => runs.idle(),
    stop() {
      people.stop();
      runs.stop();
    },
  };
}
