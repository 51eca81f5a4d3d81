import type { Cell, Understanding } from '../../agents/runtime/index.js';
import type { Principal } from '../../mcp/index.js';
import { HermesError } from '../../shared/errors.js';
import type { GoalId, SessionId } from '../../shared/ids.js';
import { LIMITS } from '../../shared/limits.js';
import type { Conversation, Turn } from './conversation.js';
import { checkMeetable } from './deadlines.js';
import type { Goal, GoalEvent } from './goal.js';
import type { FoldedGoal } from './goal-fold.js';
import type { GoalPort, GoalSubmission } from './goal-port.js';
import type { GoalRuns } from './goal-runs.js';
import type { GoalStore } from './goal-store.js';
import { bodyHash, goalIdOf } from './idempotency.js';

export interface GoalIntakeDeps {
  readonly cell: Cell;
  readonly store: GoalStore;
  readonly runs: GoalRuns;
  readonly conversation: Conversation;
}

export interface GoalIntake {
  readonly submit: GoalPort['submit'];
  /**
   * Goes on with a goal that was accepted and no further. When its session has not heard of it yet, the sentence is
   * taken again, so that the dialogue moves with it; otherwise the goal is what it was understood as.
   */
  retake(goalId: GoalId, folded: FoldedGoal): Promise<void>;
}

/**
 * How a sentence becomes a goal: understood in its session, written, then run; or the answer to the question of a goal
 * that waits. Durable when it resolves; one goal for one idempotency key.
 */
export function createGoalIntake({ cell, store, runs, conversation }: GoalIntakeDeps): GoalIntake {
  const { clock, ids } = cell.doors;
  const now = (): number => Math.round(clock.now());

  /** What a turn makes of its goal, fresh or waiting: it asks, or it runs. */
  const proceed = async (goalId: GoalId, turn: Turn): Promise<{ goalId: string; paused: boolean; value: Goal }> => {
    const paused = turn.understanding.outcome === 'ask';
    if (paused) await runs.pause(goalId, turn.understanding);
    else await runs.begin(goalId, turn.understanding);
    return { goalId, paused, value: (await store.get(goalId)).goal };
  };

  /** From here on the goal is durable: what cannot be written now is written later, and nobody is told otherwise. */
  const carryOn = async (goalId: GoalId, turn: Turn) => {
    try {
      if (turn.supersedes) await runs.supersede(turn.supersedes as GoalId);
      return await proceed(goalId, turn);
    } catch (error) {
      if (!(error instanceof HermesError) || error.reason !== 'log_unavailable') throw error;
      runs.later(goalId, turn.understanding);
      const paused = turn.understanding.outcome === 'ask';
      return { goalId, paused, value: (await store.get(goalId)).goal };
    }
  };

  /** Goes on with the goal whose question was answered, if it still waits; a key is bound to it first. */
  const resume = (goalId: GoalId, turn: Turn, key: { id: GoalId; hash: string } | undefined) =>
    runs.inLine(goalId, async () => {
      if ((await store.find(goalId))?.goal.state !== 'paused') return undefined;
      if (key) await store.create(key.id, { type: 'answered', goal_id: goalId, body_hash: key.hash }, {});
      return carryOn(goalId, turn);
    });

  const accept = async (
    goalId: GoalId,
    submission: GoalSubmission,
    { principal, sessionId, hash }: { principal: Principal; sessionId: SessionId; hash?: string },
    { parse, understanding }: Turn,
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
    const about = { principal, session_context_id: sessionId, trace_id: event.trace_id };
    await store.create(goalId, event, about).catch((error: unknown) => {
      // The log may have taken it without saying so: then somebody has to run it.
      if (error instanceof HermesError && error.reason === 'log_unavailable') runs.later(goalId);
      throw error;
    });
  };

  /** The goal that this key has made before, if it is the same request; a free goal id otherwise. */
  const claimKey = async (
    principal: Principal,
    key: string,
    hash: string,
  ): Promise<{ existing: Goal } | { goalId: GoalId; bound?: Goal }> => {
    for (let round = 0; ; round++) {
      const goalId = goalIdOf(cell.policy.tenant, principal.id, key, round);
      const answered = await store.answeredBy(goalId);
      const existing = await store.find(answered?.goalId ?? goalId);
      if (!existing) return { goalId };
      if (now() - existing.goal.created_at > LIMITS.idempotencyWindowMs) continue;
      if ((answered ?? existing).bodyHash === hash) {
        // Bound to the question and cut off before the goal went on: the answer is still to be given.
        const unheard = answered !== undefined && existing.pausedAt !== undefined && answered.at >= existing.pausedAt;
        return unheard ? { goalId, bound: existing.goal } : { existing: existing.goal };
      }
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
    const { goalId, bound } = claimed;
    const sessionId = (submission.session_id ?? ids.session()) as SessionId;
    const how = { principal, ...(submission.explain ? { explain: true } : {}) };
    try {
      return await conversation.take(sessionId, submission.goal, how, async (turn) => {
        // Nobody asks in this session any more what the key was bound to: it answers nothing else.
        if (bound && turn.answers !== bound.goal_id) return { value: bound };
        const key = hash === undefined || bound ? undefined : { id: goalId, hash };
        const resumed = turn.answers ? await resume(turn.answers as GoalId, turn, key) : undefined;
        if (resumed) return resumed;
        if (bound) return { value: (await store.get(bound.goal_id)).goal };
        await accept(goalId, submission, { principal, sessionId, ...(hash ? { hash } : {}) }, turn);
        return carryOn(goalId, turn);
      });
    } catch (error) {
      const conflict = error instanceof HermesError && error.reason === 'version_conflict';
      if (conflict && hash !== undefined) return submit(submission, principal, idempotencyKey);
      throw error;
    }
  };
  return {
    submit,
    async retake(goalId, folded) {
      const { session_id, goal, principal } = folded.goal;
      if (await conversation.knows(session_id, goalId)) return runs.takeUp(goalId, folded);
      await conversation.take(session_id, goal, { principal }, (turn) => proceed(goalId, turn));
    },
  };
}

const withoutExplanation = ({ explain: _explain, ...understanding }: Understanding): Understanding => understanding;
