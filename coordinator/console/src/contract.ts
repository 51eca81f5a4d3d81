/** What the coordinator's HTTP interface says, as far as this page reads it. Times are Unix ms or ISO 8601. */
export type Time = number | string;

export type GoalState = 'idle' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled';

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

export interface StepError {
  readonly code?: number | string;
  readonly reason?: string;
  readonly message?: string;
  readonly where?: string;
  readonly suggestion?: string;
  readonly retryable?: boolean;
  readonly rollback_executed?: boolean;
  readonly rollback_ms?: number;
}

export interface Step {
  readonly id: string;
  readonly callee?: string;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | null;
  readonly when?: string | null;
  readonly depends_on?: readonly string[];
  readonly state: StepState;
  readonly attempts?: number;
  readonly degraded?: boolean;
  readonly result?: unknown;
  readonly error?: StepError | null;
  readonly served_by?: string | null;
  readonly started_at?: Time | null;
  readonly ended_at?: Time | null;
  /** Why a step was skipped, where the coordinator says so. */
  readonly why?: string | null;
}

export interface Candidate {
  readonly id?: string;
  readonly value?: string;
  readonly text?: string;
  readonly label?: string;
  readonly name?: string;
}

export interface Prompt {
  readonly reason?: string;
  readonly text: string;
  readonly missing?: readonly string[];
  readonly candidates?: readonly (string | Candidate)[];
}

export interface Approval {
  readonly approval_id: string;
  readonly step_id?: string;
  readonly method: string;
  readonly params?: unknown;
  readonly effects?: unknown;
  readonly predicted?: unknown;
  readonly rollback?: unknown;
  readonly requester?: string;
  readonly expires_at?: Time;
  readonly decision?: string | null;
  readonly decided_by?: string | null;
}

export interface Answer {
  readonly text: string;
  readonly language?: string;
  readonly degraded?: boolean;
}

export interface Goal {
  readonly goal_id: string;
  readonly session_id: string;
  readonly trace_id: string;
  readonly goal: string;
  readonly state: GoalState;
  readonly phase?: string | null;
  readonly waiting_for?: unknown;
  readonly prompt?: Prompt | null;
  readonly approvals?: readonly Approval[] | null;
  readonly plan?: { readonly steps?: readonly Step[] } | null;
  readonly answer?: Answer | null;
  readonly error?: StepError | null;
  readonly usage?: { readonly tokens?: number; readonly steps?: number; readonly ms?: number } | null;
  readonly deadline_unix_ms?: Time | null;
  readonly created_at?: Time;
  readonly ended_at?: Time | null;
}

export interface AcceptedGoal {
  readonly goal_id: string;
  readonly session_id: string;
  readonly trace_id?: string;
}

export interface Agent {
  readonly name: string;
  readonly version?: string;
  readonly state?: string;
  readonly methods?: readonly (string | { readonly name: string })[];
  readonly instances?: readonly { readonly instance: string; readonly state?: string; readonly load?: unknown }[];
  readonly circuits?: readonly unknown[];
}

export interface Device {
  readonly id: string;
  readonly kind?: string;
  readonly zone?: string | null;
  readonly names?: readonly string[];
  readonly status?: string;
  readonly link?: string | { readonly host?: string; readonly port?: number; readonly unit?: number } | null;
  readonly points?: unknown;
}

export interface Stage {
  readonly name: string;
  readonly component?: string;
  readonly instance?: string;
  readonly start_unix_ms: Time;
  readonly ms: number;
  readonly error?: unknown;
  readonly rollback?: unknown;
}

export interface Trace {
  readonly trace_id: string;
  readonly goal_id?: string;
  readonly stages?: readonly Stage[];
}

export const isFinal = (state: GoalState): boolean =>
  state === 'completed' || state === 'failed' || state === 'cancelled';
