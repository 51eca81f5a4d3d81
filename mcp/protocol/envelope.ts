import { z } from 'zod';
import { HermesError, type WireError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';

/**
 * The messages of the Multi-Component Protocol 1.2, a versioned JSON-RPC 2.0 extension. These schemas are the source
 * of truth; unknown fields are kept.
 */
export const MCP_VERSION = '1.2';

const component = z.string().regex(/^[a-z][a-z0-9_]{0,47}_v\d{1,4}\.\d{1,4}$/, 'a component id: name_vMAJOR.MINOR');
const unixMs = z.number().int().nonnegative();

export const principalSchema = z.object({
  id: z.string().min(1).max(128),
  roles: z.array(z.string().min(1).max(64)).max(32).default([]),
});
/** On whose behalf: a person, or `component:<name>`. */
export type Principal = z.infer<typeof principalSchema>;

export const retryPolicySchema = z.object({
  max_attempts: z.number().int().min(1).max(10).default(4),
  backoff_factor: z.number().min(1).max(10).default(2),
  initial_backoff_ms: z.number().int().min(0).max(60_000).default(1_000),
  max_backoff_ms: z.number().int().min(0).max(300_000).default(30_000),
});
export type RetryPolicy = z.infer<typeof retryPolicySchema>;
export const DEFAULT_RETRY: RetryPolicy = retryPolicySchema.parse({});

export const requestSchema = z.looseObject({
  jsonrpc: z.literal('2.0').default('2.0'),
  kind: z.enum(['tool_call_request', 'agent_call_request']).default('agent_call_request'),
  mcp_version: z.string(),
  request_id: z.string().min(1).max(LIMITS.requestIdChars),
  caller: component,
  callee: component,
  method: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'snake_case'),
  params: z.record(z.string(), z.unknown()).default({}),
  timeout_ms: z.number().int().positive().optional(),
  /** Absolute. Required from 1.2 on; a child never gets a later one. */
  deadline_unix_ms: unixMs,
  sent_at_unix_ms: unixMs.optional(),
  /** Callee's clock minus caller's, as the caller estimates it. */
  clock_offset_ms: z.number().default(0),
  retry_policy: retryPolicySchema.optional(),
  tenant: z.string().default('default'),
  principal: principalSchema.optional(),
  session_context_id: z.string().max(128).optional(),
  goal_id: z.string().max(128).optional(),
  step_id: z.string().max(64).optional(),
  budget: z.record(z.string(), z.number()).optional(),
  approval: z.record(z.string(), z.unknown()).optional(),
  chain: z.array(z.string()).max(64).default([]),
  via: z.array(z.string()).max(4).default([]),
  attempt: z.number().int().min(1).default(1),
  traceparent: z.string().max(64).optional(),
  consistency_level: z.enum(['strong', 'eventual']).optional(),
});
export type Request = z.infer<typeof requestSchema>;

/** One stretch of time of a call, for the timeline. */
export interface Stage {
  readonly name: string;
  readonly offset_ms: number;
  readonly ms: number;
  readonly component: string;
  readonly error?: string;
  readonly rollback?: boolean;
}

export interface Timing {
  readonly received_at_unix_ms: number;
  readonly replied_at_unix_ms: number;
  readonly queued_ms: number;
  readonly ran_ms: number;
  readonly stages: readonly Stage[];
}

export interface Response {
  readonly jsonrpc: '2.0';
  readonly mcp_version: string;
  readonly request_id: string;
  readonly result?: unknown;
  readonly error?: WireError;
  /** Instance that answered. */
  readonly served_by: string;
  readonly timing: Timing;
  readonly usage?: Readonly<Record<string, number>>;
  readonly degraded?: boolean;
  readonly cached_at?: number;
}

/**
 * An answer as far as a caller leans on it: whose it is, and who gave it. Its error is read by `HermesError.fromWire`.
 * @throws HermesError `invalid_params` when it names no call.
 */
export function readResponse(raw: Record<string, unknown>): Response {
  const { request_id, served_by } = raw;
  if (typeof request_id !== 'string') throw new HermesError('invalid_params', 'an answer without a request_id');
  if (served_by === undefined || typeof served_by === 'string') return raw as unknown as Response;
  return { ...raw, served_by: undefined } as unknown as Response;
}

export const responseSchema = z.looseObject({
  jsonrpc: z.literal('2.0'),
  request_id: z.string(),
  served_by: z.string(),
  timing: z.looseObject({ received_at_unix_ms: unixMs, replied_at_unix_ms: unixMs }),
});

/** Topics of events: a closed list. */
export const TOPICS = [
  'goal.state_changed',
  'session.state_changed',
  'step.progress',
  'approval.requested',
  'approval.decided',
  'approval.expired',
  'device.state_changed',
  'alarm.raised',
  'alarm.cleared',
  'memory.snapshot_written',
  'memory.evicted',
  'cache.evicted',
  'state_conflict',
  'circuit.state_changed',
  'agent.joined',
  'agent.left',
  'agent.degraded',
  'call.cancel',
  'hold.set',
  'hold.released',
  'needs_operator',
] as const;
export type Topic = (typeof TOPICS)[number];

export const eventSchema = z.looseObject({
  mcp_version: z.string(),
  event_id: z.string().min(1).max(128),
  topic: z.enum(TOPICS),
  source: z.string(),
  tenant: z.string(),
  data: z.record(z.string(), z.unknown()),
  at: unixMs,
});
export type Event = z.infer<typeof eventSchema>;
