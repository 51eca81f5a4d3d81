import type { Answer, Plan, PlanStep, Prompt, Report, StepStatus, StoredEntry } from '../../agents/runtime/index.js';
import type { Principal } from '../../mcp/index.js';
import type { WireError } from '../../shared/errors.js';
import type { Language } from '../../shared/site.js';

export type GoalState = 'idle' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled';
export type GoalPhase = 'thinking' | 'tool_use' | 'finalizing';
export const TASK_TYPES = ['query', 'diagnosis', 'report', 'maintenance', 'free'] as const;
export type TaskType = (typeof TASK_TYPES)[number];

/** What is written of a goal, in its own scope; `dispatch` and `finished` entries stand between these. */
export type GoalEvent =
  | {
      readonly type: 'accepted';
      readonly goal: string;
      readonly session_id: string;
      readonly trace_id: string;
      readonly principal: Principal;
      readonly deadline_unix_ms?: number;
      readonly task_type?: TaskType;
      readonly priority: number;
      readonly body_hash?: string;
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
      readonly state: GoalState;
      readonly phase?: GoalPhase;
      readonly language?: Language;
      readonly understood?: string;
      readonly waiting_for?: string;
      readonly prompt?: Prompt;
      readonly deadline_unix_ms?: number;
      readonly error?: WireError;
    }
  | { readonly type: 'step'; readonly step_id: string; readonly status: StepStatus }
  | { readonly type: 'answer'; readonly answer: Answer; readonly report?: Report };

/** The goal as everybody sees it: a fold over its scope's entries. */
export interface Goal {
  readonly goal_id: string;
  readonly session_id: string;
  readonly trace_id: string;
  readonly goal: string;
  readonly language?: Language;
  readonly principal: Principal;
  readonly state: GoalState;
  readonly phase?: GoalPhase;
  readonly waiting_for?: string;
  readonly prompt?: Prompt;
  readonly understood?: string;
  readonly approvals: readonly unknown[];
  readonly plan: { readonly steps: readonly (PlanStep & StepStatus & { readonly degraded: boolean })[] };
  readonly answer?: Answer;
  readonly report?: Report;
  readonly error?: WireError;
  readonly usage: { readonly tokens: number; readonly steps: number; readonly ms: number; readonly cost: number };
  readonly task_type?: TaskType;
  readonly deadline_unix_ms?: number;
  readonly created_at: number;
  readonly ended_at?: number;
  readonly body_hash?: string;
  /** The scope's newest entry. */
  readonly seq: number;
}

export const isFinal = (state: GoalState): boolean =>
  state === 'completed' || state === 'failed' || state === 'cancelled';

interface Folded {
  goal: Omit<Goal, 'plan' | 'usage'>;
  plan: Plan;
  steps: Map<string, StepStatus>;
  /** Since when it waits for a person. */
  pausedAt?: number;
  /** How long it has waited before that, ms. */
  pausedMs: number;
}

/** The goal, and what those who take it up again need to know. */
export type FoldedGoal = Goal & {
  readonly statuses: ReadonlyMap<string, StepStatus>;
  readonly rawPlan: Plan;
  readonly pausedAt?: number;
  readonly pausedMs: number;
};

/** @returns undefined when the entries do not begin with an acceptance. */
export function foldGoal(goalId: string, entries: readonly StoredEntry[]): FoldedGoal | undefined {
  let folded: Folded | undefined;
  for (const entry of entries) {
    if (entry.kind === 'goal') folded = applyEvent(goalId, folded, entry.data as unknown as GoalEvent, entry);
    else if (folded) applyStepEntry(folded, entry);
    if (folded) folded.goal = { ...folded.goal, seq: entry.n };
  }
  if (!folded) return undefined;
  const { goal, plan, steps, pausedAt, pausedMs } = folded;
  const shown = plan.steps.map((step) => {
    const status = steps.get(step.id) ?? { state: 'pending' as const, attempts: 0 };
    return { ...step, ...status, params: { ...step.params, ...status.params }, degraded: status.degraded ?? false };
  });
  const done = shown.filter((step) => step.attempts > 0).length;
  const ms = (goal.ended_at ?? entries[entries.length - 1]?.at ?? goal.created_at) - goal.created_at;
  return {
    ...goal,
    plan: { steps: shown },
    usage: { tokens: 0, steps: done, ms, cost: 0 },
    statuses: steps,
    rawPlan: plan,
    pausedMs,
    ...(pausedAt === undefined ? {} : { pausedAt }),
  };
}

function applyEvent(
  goalId: string,
  before: Folded | undefined,
  event: GoalEvent,
  entry: StoredEntry,
): Folded | undefined {
  if (event.type === 'accepted') {
    const { type: _type, parse: _parse, ...facts } = event;
    const goal = {
      goal_id: goalId,
      ...facts,
      state: 'idle' as const,
      approvals: [],
      created_at: entry.at,
      seq: entry.n,
    };
    return { goal, plan: { steps: [] }, steps: new Map(), pausedMs: 0 };
  }
  if (!before) return undefined;
  switch (event.type) {
    case 'plan': {
      const { type: _type, plan, problems: _problems, placed_by: _placed, ...facts } = event;
      return { ...before, plan, goal: { ...before.goal, ...facts } };
    }
    case 'state': {
      const { type: _type, ...facts } = event;
      const { prompt: _prompt, waiting_for: _waiting, phase: _phase, ...rest } = before.goal;
      const goal = { ...rest, ...facts, ...(isFinal(event.state) ? { ended_at: entry.at } : {}) };
      const { pausedAt, ...others } = before;
      const pausedMs = before.pausedMs + (pausedAt === undefined ? 0 : entry.at - pausedAt);
      return { ...others, goal, pausedMs, ...(event.state === 'paused' ? { pausedAt: entry.at } : {}) };
    }
    case 'step':
      before.steps.set(event.step_id, event.status);
      return before;
    case 'answer':
      return {
        ...before,
        goal: { ...before.goal, answer: event.answer, ...(event.report ? { report: event.report } : {}) },
      };
  }
}

/** `dispatch` opens a try of a step, `finished` ends it. */
function applyStepEntry(folded: Folded, entry: StoredEntry): void {
  if (!entry.step_id || !entry.data) return;
  if (entry.kind === 'dispatch' || entry.kind === 'finished') {
    folded.steps.set(entry.step_id, entry.data.status as StepStatus);
  }
}
