import {
  type Cell,
  checkPlan,
  isFinal,
  type StoredEntry,
  scopes,
  type Understanding,
} from '../../agents/runtime/index.js';
import type { Discovery, Principal } from '../../mcp/index.js';
import type { Cancel } from '../../shared/clock.js';
import { HermesError, toHermesError } from '../../shared/errors.js';
import type { GoalId, SessionId } from '../../shared/ids.js';
import { LIMITS } from '../../shared/limits.js';
import type { Planner } from '../planner/planner.js';
import { type Conversation, createConversation, type Turn } from './conversation.js';
import { checkMeetable } from './deadlines.js';
import { manifestOf } from './dispatch.js';
import type { Goal, GoalEvent } from './goal.js';
import type { FoldedGoal } from './goal-fold.js';
import type { GoalPort, GoalSubmission, Rehearsal, SessionView } from './goal-port.js';
import { createGoalRun, type GoalRun } from './goal-run.js';
import { createGoalStore, type GoalStore } from './goal-store.js';
import { watchGoal } from './goal-watch.js';
import { bodyHash, goalIdOf } from './idempotency.js';
import { createLines } from './lines.js';
import { sessionView } from './session-view.js';

export interface GoalService extends GoalPort {
  readonly store: GoalStore;
  /** Takes up every goal that the record says is open. */
  resume(): Promise<number>;
  /** Resolves when no run is under way. */
  idle(): Promise<void>;
  /** Forgets the times at which questions expire; the next start finds them in the record. */
  stop(): void;
}

export function createGoalService(deps: { cell: Cell; discovery: Discovery; planner: Planner }): GoalService {
  const { cell, discovery, planner } = deps;
  const { clock, ids } = cell.doors;
  const store = createGoalStore(cell);
  const conversation: Conversation = createConversation(cell, planner);
  const runs = new Map<string, { run: GoalRun; done: Promise<void> }>();
  /** Goals that wait for an answer, with the timer that ends each. */
  const expiries = new Map<string, Cancel>();
  const lines = createLines();
  const now = (): number => Math.round(clock.now());

  const start = (goalId: GoalId, understanding?: Understanding): void => {
    forget(goalId);
    const run = createGoalRun({ cell, store, discovery, planner }, goalId);
    const done = run.execute(understanding).finally(() => runs.delete(goalId));
    runs.set(goalId, { run, done });
  };

  const pause = async (goalId: GoalId, { language, understood, prompt }: Understanding): Promise<void> => {
    const { goal } = await store.get(goalId);
    if (goal.state !== 'running') await store.move(goalId, 'running');
    await store.move(goalId, 'paused', { language, understood, waiting_for: 'answer', ...(prompt ? { prompt } : {}) });
    expire(goalId, LIMITS.promptExpiryMs);
  };

  /** A question stays open for half an hour. */
  const expire = (goalId: GoalId, ms: number): void => {
    clock.timer(ms, () => {
      void (async () => {
        const folded = await store.find(goalId);
        if (folded?.goal.state !== 'paused') return;
        await cancelPaused(
          folded.goal,
          new HermesError('prompt_expired', 'the question stayed unanswered for 30 minutes'),
        );
      })().catch((error: unknown) =>
        cell.doors.logger.warn({ goal_id: goalId, err: error }, 'a prompt could not expire'),
      );
    });
  };

  const cancelPaused = async (goal: Goal, why: HermesError): Promise<void> => {
    const language = goal.language ?? 'zh';
    const text = language === 'zh' ? `目标已取消：${why.message}` : `The goal was cancelled: ${why.message}`;
    const goalId = goal.goal_id as GoalId;
    await store.append(goalId, { type: 'answer', answer: { language, text, degraded: false } });
    await store.move(goalId, 'cancelled', { error: why.toWire() });
  };

  /** Something else was said instead of the answer: nobody will answer that question any more. */
  const supersede = async (goalId: string): Promise<void> => {
    const asking = await store.find(goalId);
    if (asking?.goal.state !== 'paused') return;
    await cancelPaused(asking.goal, new HermesError('cancelled', 'another sentence came instead of the answer'));
  };

  /** Ends a goal that no run works on; of several that want to, one does. */
  const cancelPaused = (goalId: GoalId, why: HermesError): Promise<void> =>
    lines.inLine(goalId, async () => {
      const goal = await store.get(goalId);
      if (isFinal(goal.state) || runs.has(goalId)) return;
      forget(goalId);
      const language = goal.language ?? 'zh';
      const text = language === 'zh' ? `目标已取消：${why.message}` : `The goal was cancelled: ${why.message}`;
      await store.append(goalId, { type: 'answer', answer: { language, text, degraded: false } });
      await store.append(goalId, { type: 'state', state: 'cancelled', error: why.toWire() });
      cell.events.emit('goal.state_changed', { goal_id: goalId, state: 'cancelled' });
    });

  /** What a turn makes of its goal, fresh or paused: it waits for an answer, or it runs. */
  const proceed = async (goalId: GoalId, turn: Turn): Promise<{ goalId: string; paused: boolean; value: Goal }> => {
    const paused = turn.understanding.outcome === 'ask';
    if (paused) await pause(goalId, turn.understanding);
    else start(goalId, turn.understanding);
    return { goalId, paused, value: (await store.get(goalId)).goal };
  };

  /** A goal found open at the start: it waits on, it runs on, or it begins with what it was understood as. */
  const takeUp = async (goalId: GoalId, { goal, plan, understanding }: FoldedGoal): Promise<void> => {
    if (goal.state === 'paused') expire(goalId, Math.max(0, LIMITS.promptExpiryMs - (now() - goal.created_at)));
    else if (plan.steps.length > 0) start(goalId);
    else if (understanding.outcome === 'ask') await pause(goalId, understanding);
    else start(goalId, understanding);
  };

  const accept = async (
    goalId: GoalId,
    submission: GoalSubmission,
    principal: Principal,
    sessionId: SessionId,
    { parse, understanding }: Turn,
    hash?: string,
  ): Promise<void> => {
    const { goal, timeout_ms, deadline_unix_ms, task_type, priority = 5 } = submission;
    const deadline = deadline_unix_ms ?? (timeout_ms === undefined ? undefined : now() + timeout_ms);
    const event: GoalEvent = {
      type: 'accepted',
      goal,
      session_id: sessionId,
      trace_id: ids.trace(),
      principal,
      priority,
      parse,
      understanding: withoutExplanation(understanding),
      ...(deadline === undefined ? {} : { deadline_unix_ms: deadline, relative: timeout_ms !== undefined }),
      ...(task_type ? { task_type } : {}),
      ...(hash ? { body_hash: hash } : {}),
    };
    await store.create(goalId, event, { principal, session_context_id: sessionId, trace_id: event.trace_id });
  };

  /** The goal that this key has made before, if it is the same request; a free goal id otherwise. */
  const claimKey = async (
    principal: Principal,
    key: string,
    hash: string,
  ): Promise<{ existing: Goal } | { goalId: GoalId }> => {
    for (let round = 0; ; round++) {
      const goalId = goalIdOf(cell.policy.tenant, principal.id, key, round);
      const existing = await store.find(goalId);
      if (!existing) return { goalId };
      if (now() - existing.goal.created_at > LIMITS.idempotencyWindowMs) continue;
      if (existing.bodyHash === hash) return { existing: existing.goal };
      throw new HermesError('version_conflict', 'this Idempotency-Key was used with another body', {
        goal_id: goalId,
        suggestion: 'use a new key for a new goal',
      });
    }
  };

  const submit: GoalPort['submit'] = async (submission, principal, idempotencyKey) => {
    if (submission.deadline_unix_ms !== undefined) checkMeetable(submission.deadline_unix_ms, now());
    const hash = idempotencyKey === undefined ? undefined : bodyHash(submission);
    const claimed =
      idempotencyKey === undefined ? { goalId: ids.goal() } : await claimKey(principal, idempotencyKey, hash as string);
    if ('existing' in claimed) return claimed.existing;
    const { goalId } = claimed;
    const sessionId = (submission.session_id ?? ids.session()) as SessionId;
    try {
      const how = { principal, ...(submission.explain ? { explain: true } : {}) };
      return await conversation.take(sessionId, submission.goal, how, async (turn) => {
        if (turn.answers) {
          const asking = await store.find(turn.answers);
          if (asking?.goal.state === 'paused') return proceed(asking.goal.goal_id as GoalId, turn);
        }
        await accept(goalId, submission, principal, sessionId, turn, hash);
        if (turn.supersedes) await supersede(turn.supersedes);
        return proceed(goalId, turn);
      });
    } catch (error) {
      const conflict = error instanceof HermesError && error.reason === 'version_conflict';
      if (conflict && hash !== undefined) return submit(submission, principal, idempotencyKey);
      throw error;
    }
  };

  const rehearse: GoalPort['rehearse'] = (submission, principal) => {
    const how = { principal, ...(submission.explain ? { explain: true } : {}) };
    return conversation.take(submission.session_id, submission.goal, how, async (turn) => ({
      value: rehearsal(turn.understanding, submission.session_id),
    }));
  };

  const rehearsal = (understanding: Understanding, sessionId: string | undefined): Rehearsal => {
    const { understood, outcome, language, prompt, placed_by, explain } = understanding;
    const runs = outcome === 'plan' || outcome === 'repeat';
    const problems: unknown[] = [];
    let plan: Rehearsal['plan'] = { steps: [] };
    try {
      if (runs) plan = planner.plan(understanding);
      if (runs) checkPlan(plan, (component) => manifestOf(discovery, component));
    } catch (thrown) {
      problems.push(toHermesError(thrown).toWire());
    }
    for (const step of plan.steps) {
      const name = planner.answerSources.nameOf(step.callee);
      if (discovery.members(name).length === 0)
        problems.push({ step: step.id, reason: 'no_worker', callee: step.callee });
    }
    return {
      understood,
      outcome,
      language,
      ...(sessionId ? { session_id: sessionId } : {}),
      ...(prompt ? { prompt } : {}),
      placed_by,
      plan,
      preflight: { ok: problems.length === 0, problems },
      ...(explain ? { explain } : {}),
    };
  };

  const watch = (goalId: string, fromN: number, signal: AbortSignal): AsyncIterable<StoredEntry> =>
    watchGoal(cell.view, scopes.goal(goalId), fromN, signal);

  /** A goal that was accepted and not yet understood on the record is understood again, in its session. */
  const takeUp = async (goalId: GoalId, goal: FoldedGoal): Promise<void> => {
    if (goal.pausedAt !== undefined) expire(goalId, Math.max(0, LIMITS.promptExpiryMs - (now() - goal.pausedAt)));
    else if (goal.rawPlan.steps.length > 0) start(goalId);
    else {
      const how = { principal: goal.principal };
      await conversation.take(goal.session_id, goal.goal, how, (turn) => proceed(goalId, turn));
    }
  };

  return {
    store,
    submit,
    rehearse,
    get: async (goalId) => (await store.get(goalId)).goal,
    watch,
    async list({ state, session, device, before, limit }) {
      const goals: Goal[] = [];
      let cursor = before;
      for (;;) {
        const rows = await store.list({ limit: LIMITS.pageRows, ...(cursor === undefined ? {} : { before: cursor }) });
        for (const row of rows) {
          cursor = row.at;
          const goal = (await store.find(row.goal_id))?.goal;
          if (!goal || (state && goal.state !== state) || (session && goal.session_id !== session)) continue;
          if (device && !goal.plan.steps.some((step) => step.params.device_id === device)) continue;
          goals.push(goal);
          if (goals.length >= limit) return { goals, next: row.cursor };
        }
        if (rows.length < LIMITS.pageRows) return { goals };
      }
    },
    async settled(goalId, ms) {
      const patience = new AbortController();
      const cancel = clock.timer(ms, () => patience.abort());
      try {
        for await (const entry of watch(goalId, 1, patience.signal)) {
          const event = entry.data as unknown as GoalEvent;
          if (entry.kind === 'goal' && event.type === 'state' && (isFinal(event.state) || event.state === 'paused')) {
            const { goal } = await store.get(goalId);
            if (isFinal(goal.state) || goal.state === 'paused') return goal;
          }
        }
        return (await store.get(goalId)).goal;
      } finally {
        cancel();
        patience.abort();
      }
    },
    async cancel(goalId, principal) {
      const { goal } = await store.get(goalId);
      if (isFinal(goal.state)) return goal;
      const why = `cancelled by ${principal.id}`;
      if (goal.state === 'paused') await cancelPaused(goal, new HermesError('cancelled', why));
      else {
        const running = runs.get(goalId);
        running?.run.cancel(why);
        await running?.done;
      }
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
      return submit({ goal: text, session_id: sessionId }, principal);
    },
    async resume() {
      const open = await store.open();
      let taken = 0;
      for (const goalId of open) {
        const folded = await store.find(goalId);
        if (!folded || isFinal(folded.goal.state) || runs.has(goalId)) continue;
        await takeUp(goalId, folded);
        taken++;
      }
      return taken;
    },
    stop() {
      for (const goalId of [...expiries.keys()]) forget(goalId);
    },
    async idle() {
      await Promise.all([...runs.values()].map((entry) => entry.done));
    },
  };
}

function sessionView(state: Awaited<ReturnType<Conversation['get']>>, asking?: Goal): SessionView {
  const prompt = asking?.state === 'paused' ? asking.prompt : undefined;
  return {
    session_id: state.session_id,
    state: prompt ? 'paused' : 'idle',
    stack: state.context?.stack ?? ['IDLE'],
    context: { ...state.context },
    goals: state.goals,
    ...(prompt ? { prompt } : {}),
  };
}

const withoutExplanation = ({ explain: _explain, ...understanding }: Understanding): Understanding => understanding;
