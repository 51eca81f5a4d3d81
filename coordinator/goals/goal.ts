import type {
  Answer,
  Approval,
  Phase,
  Plan,
  PlanStep,
  Prompt,
  Report,
  State,
  StepStatus,
  Understanding,
} from '../../agents/runtime/index.js';
import type { Principal } from '../../mcp/index.js';
import type { WireError } from '../../shared/errors.js';
import type { Language } from '../../shared/site.js';

export const TASK_TYPES = ['query', 'diagnosis', 'report', 'maintenance', 'free'] as const;
export type TaskType = (typeof TASK_TYPES)[number];

/** What is written of a goal, in its own scope; `dispatch` and `finished` entries stand between these. */
export type GoalEvent =
  /** A key whose sentence was the answer to another goal's question: the scope of the key's own id holds only this. */
  | { readonly type: 'answered'; readonly goal_id: string; readonly body_hash: string }
  | {
      readonly type: 'accepted';
      readonly goal: string;
      readonly session_id: string;
      readonly trace_id: string;
      readonly principal: Principal;
      readonly deadline_unix_ms?: number;
      /** The deadline was given as a time from acceptance: it moves by the time paused. */
      readonly relative?: boolean;
      readonly task_type?: TaskType;
      readonly priority: number;
      readonly body_hash?: string;
      /** What the sentence was understood as, so that a goal taken up again is the same goal. */
      readonly understanding: Understanding;
      /** How long the sentence took to understand. */
      readonly parse?: { readonly start_unix_ms: number; readonly ms: number };
    }
  | {
      readonly type: 'plan';
      readonly plan: Plan;
      readonly understood: string;
      readonly language: Language;
      readonly placed_by: string;
      readonly task_type: TaskType;
      readonly deadline_unix_ms: number;
      readonly problems: readonly unknown[];
    }
  | {
      readonly type: 'state';
      readonly state: State;
      readonly phase?: Phase;
      readonly language?: Language;
      readonly understood?: string;
      readonly waiting_for?: string;
      readonly prompt?: Prompt;
      readonly deadline_unix_ms?: number;
      readonly error?: WireError;
    }
  | { readonly type: 'step'; readonly step_id: string; readonly status: StepStatus }
  | { readonly type: 'answer'; readonly answer: Answer; readonly report?: Report };

/** What stands in entries of kind `approval` in a goal's scope. */
export type ApprovalEvent =
  | { readonly type: 'asked'; readonly approval: Approval; readonly status: StepStatus }
  | ({ readonly type: 'decided'; readonly approval_id: string } & Pick<
      Approval,
      'decision' | 'decided_by' | 'decided_at' | 'comment' | 'self_approved' | 'auth'
    >)
  /** Asked again, with the same parameters. */
  | { readonly type: 'renewed'; readonly approval_id: string; readonly expires_at: number };

/** The goal as everybody sees it: a fold over its scope's entries. */
export interface Goal {
  readonly goal_id: string;
  readonly session_id: string;
  readonly trace_id: string;
  readonly goal: string;
  readonly language?: Language;
  readonly principal: Principal;
  readonly state: State;
  readonly phase?: Phase;
  readonly waiting_for?: string;
  readonly prompt?: Prompt;
  readonly understood?: string;
  /** Oldest first. */
  readonly approvals: readonly Approval[];
  readonly plan: { readonly steps: readonly (PlanStep & StepStatus & { readonly degraded: boolean })[] };
  readonly answer?: Answer;
  readonly report?: Report;
  readonly error?: WireError;
  readonly usage: { readonly tokens: number; readonly steps: number; readonly ms: number; readonly cost: number };
  readonly task_type?: TaskType;
  readonly deadline_unix_ms?: number;
  readonly created_at: number;
  readonly ended_at?: number;
  /** The scope's newest entry. */
  readonly seq: number;
}
