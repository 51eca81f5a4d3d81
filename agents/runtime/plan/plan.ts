import type { EffectClass, Risk } from '../../../mcp/index.js';
import type { WireError } from '../../../shared/errors.js';

/** A plan is a directed acyclic graph of steps; a step is one call to one agent's method. */
export interface PlanStep {
  /** `[a-z0-9_-]{1,32}`, unique in the plan. */
  readonly id: string;
  /** Component id, `plc_controller_v1.2`. */
  readonly callee: string;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** JSON pointer into `params` → CEL over `steps`, `goal`, `site`. */
  readonly bind: Readonly<Record<string, string>>;
  /** CEL; unmet means skipped. */
  readonly when?: string;
  readonly depends_on: readonly string[];
  readonly on_failure: 'stop' | 'continue' | 'replan';
  /** Share of the time left at its begin that the step may take, 0–1; absent: what later steps leave. */
  readonly deadline_share?: number;
  readonly risk: Risk;
  readonly effect_class: EffectClass;
  readonly timeout_ms: number;
}

/** Said before the steps' own sentences when its condition holds; the first that holds counts. */
export interface Conclusion {
  /** CEL over `steps`. */
  readonly when: string;
  /** Step whose parameters and result fill the templates. */
  readonly of: string;
  readonly zh: string;
  readonly en: string;
}

export interface Plan {
  readonly steps: readonly PlanStep[];
  readonly conclusions?: readonly Conclusion[];
}

export const STEP_STATES = [
  'pending',
  'waiting',
  'running',
  'completed',
  'failed',
  'skipped',
  'cancelled',
  'unknown',
  'rolled_back',
] as const;
export type StepState = (typeof STEP_STATES)[number];

/** What is known of a step; `state`, `result` and `error` are what CEL sees. */
export interface StepStatus {
  readonly state: StepState;
  readonly attempts: number;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: WireError;
  readonly why?: string;
  readonly degraded?: boolean;
  readonly served_by?: string;
  readonly started_at?: number;
  readonly ended_at?: number;
}

export const PENDING: StepStatus = { state: 'pending', attempts: 0 };

export const isSettled = (status: StepStatus): boolean =>
  status.state !== 'pending' && status.state !== 'running' && status.state !== 'waiting';

/** It ended without a result, and the plan goes on without it. */
export const isLacking = (status: StepStatus): boolean => status.state === 'failed' || status.state === 'unknown';

/** A dependency is satisfied by completed, skipped, or failed with `on_failure: continue`. */
export const satisfies = (step: PlanStep, status: StepStatus): boolean =>
  status.state === 'completed' || status.state === 'skipped' || (isLacking(status) && step.on_failure === 'continue');
