import type { Approval, Decision, Plan, Prompt, StoredEntry } from '../../agents/runtime/index.js';
import type { Principal } from '../../mcp/index.js';
import type { Decider } from './approval-desk.js';
import type { Goal, TaskType } from './goal.js';

/** What a goal is submitted with, whatever door it came through. */
export interface GoalSubmission {
  readonly goal: string;
  readonly session_id?: string;
  readonly timeout_ms?: number;
  readonly deadline_unix_ms?: number;
  readonly task_type?: TaskType;
  readonly priority?: number;
  readonly explain?: boolean;
}

export interface Rehearsal {
  readonly understood: string;
  readonly outcome: string;
  readonly session_id?: string;
  readonly language: string;
  readonly prompt?: Prompt;
  readonly placed_by: string;
  readonly plan: Plan;
  readonly preflight: { readonly ok: boolean; readonly problems: readonly unknown[] };
  readonly explain?: unknown;
}

export interface SessionView {
  readonly session_id: string;
  readonly state: string;
  readonly phase?: string;
  readonly stack: readonly string[];
  readonly context: Readonly<Record<string, unknown>>;
  readonly goals: readonly string[];
  readonly prompt?: Prompt;
}

/** The one port under every door: HTTP, command line, gateways, the bus. */
export interface GoalPort {
  /** Durable when it resolves. @throws HermesError `version_conflict` for a used key with another body. */
  submit(submission: GoalSubmission, principal: Principal, idempotencyKey?: string): Promise<Goal>;
  /** What would happen: no goal, no effect; within a session the dialogue moves as it would. */
  rehearse(submission: GoalSubmission, principal: Principal): Promise<Rehearsal>;
  get(goalId: string): Promise<Goal>;
  list(filter: {
    state?: string;
    session?: string;
    device?: string;
    /** Cursor of the last goal of the page before, or an instant. */
    before?: string;
    limit: number;
  }): Promise<{ goals: Goal[]; next?: string }>;
  /** Entries of the goal's scope from `fromN` on, and on, until the goal is final. */
  watch(goalId: string, fromN: number, signal: AbortSignal): AsyncIterable<StoredEntry>;
  /** The goal when it is final or paused, or as it stands after `ms`. */
  settled(goalId: string, ms: number): Promise<Goal>;
  cancel(goalId: string, principal: Principal): Promise<Goal>;
  /** Questions about steps that wait for a person's decision, or all there ever were. Oldest first. */
  approvals(which: 'pending' | 'all'): Promise<readonly Approval[]>;
  /** The first decision counts. @throws HermesError `not_found`; `version_conflict` for one that was decided before. */
  decide(approvalId: string, decision: Decision, by: Decider, comment?: string): Promise<Approval>;
  /** The time to decide begins anew. @throws as `decide`. */
  renew(approvalId: string, by: Decider): Promise<Approval>;
  openSession(principal: Principal): Promise<SessionView>;
  session(sessionId: string): Promise<SessionView>;
  /** A message answers a prompt, or starts a goal. */
  converse(sessionId: string, text: string, principal: Principal): Promise<Goal>;
}
