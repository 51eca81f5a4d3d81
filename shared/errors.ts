/**
 * The one error class and the one table of reasons.
 *
 * Every failure that leaves a component is one of four codes; `reason` refines it. The table says what each reason
 * means, who has to act, whether asking again may help, and which HTTP status it becomes at the edge.
 */

/** MCP error code, after the HTTP family it resembles. */
export type ErrorCode = 400 | 403 | 408 | 500;

export const ERROR_NAMES: Readonly<Record<ErrorCode, string>> = {
  400: 'MCP_ERR_INVALID_PARAMS',
  403: 'MCP_ERR_PERMISSION_DENIED',
  408: 'MCP_ERR_TIMEOUT',
  500: 'MCP_ERR_UNRECOVERABLE',
};

/** Who has to do something about it. */
export type Actor = 'caller' | 'operator' | 'engineer' | 'developer' | 'nobody';

export interface ReasonRow {
  readonly code: ErrorCode;
  readonly http: number;
  readonly retryable: boolean;
  readonly acts: Actor;
  readonly meaning: string;
}

const row = (code: ErrorCode, http: number, retryable: boolean, acts: Actor, meaning: string): ReasonRow => ({
  code,
  http,
  retryable,
  acts,
  meaning,
});

/** Closed table. A new reason is one line here and one in docs/errors.md; a test binds the two. */
export const REASONS = {
  invalid_params: row(400, 400, false, 'caller', 'a field breaks the schema; data.fields names each'),
  bad_version: row(
    400,
    400,
    false,
    'caller',
    'protocol or component version not supported; data.supported lists what is',
  ),
  unknown_method: row(400, 400, false, 'caller', 'the callee has no such method'),
  unknown_entity: row(400, 400, false, 'caller', 'a device, person or zone that the site does not know'),
  wrong_target: row(400, 400, false, 'engineer', 'what answers at the address is not the declared device'),
  call_cycle: row(400, 400, false, 'developer', 'the same component and actor key stand already in the call chain'),
  too_deep: row(400, 400, false, 'developer', 'the call chain is longer than the limit'),
  not_found: row(400, 404, false, 'caller', 'no such object'),
  version_conflict: row(400, 409, false, 'caller', 'somebody else wrote first; data.actual is the current version'),
  deadline_unmeetable: row(400, 400, false, 'caller', 'the deadline is over or too near to begin'),
  no_restart_path: row(400, 400, false, 'engineer', 'the topology declares no way to restart this device'),
  prompt_expired: row(400, 400, false, 'operator', 'a question stayed unanswered too long'),
  refused_by_device: row(
    400,
    400,
    false,
    'operator',
    'the device refuses; data.why: estop, locked_out, maintenance, interlock',
  ),
  not_allowed: row(403, 403, false, 'engineer', 'the caller is not on the allow-list of this method'),
  bad_caller: row(403, 403, false, 'engineer', 'the message claims another caller than its subject'),
  bad_reply: row(403, 403, false, 'engineer', 'the reply subject is not under the caller’s prefix'),
  approval_required: row(403, 403, false, 'operator', 'the step needs a person’s approval'),
  scope_denied: row(403, 403, false, 'engineer', 'no role of the principal reaches this scope'),
  wrong_tenant: row(403, 403, false, 'engineer', 'the message belongs to another tenant'),
  held: row(403, 403, false, 'operator', 'a person has put the device or the site in manual'),
  deadline: row(408, 504, false, 'caller', 'the time given is over; data.started says whether work had begun'),
  no_worker: row(408, 504, true, 'engineer', 'no live instance of the callee'),
  overloaded: row(408, 503, true, 'nobody', 'the mailbox is full'),
  circuit_open: row(408, 504, true, 'nobody', 'the breaker of this callee is open'),
  instance_lost: row(408, 504, true, 'nobody', 'the instance died while it worked'),
  owner_moved: row(408, 504, true, 'nobody', 'ownership moved twice while the message was under way'),
  version_skew: row(408, 504, true, 'nobody', 'the instance is older than the version asked for'),
  stale_or_skewed: row(
    408,
    504,
    true,
    'nobody',
    'sent too long ago, or the clocks differ; data.now is the callee’s clock',
  ),
  log_unavailable: row(408, 503, true, 'engineer', 'the log cannot be written or read now'),
  cancelled: row(408, 504, false, 'nobody', 'cancelled by the caller'),
  not_ready: row(408, 504, true, 'nobody', 'the component is starting or stopping'),
  budget: row(408, 504, false, 'operator', 'a budget of the goal is used up'),
  internal: row(500, 500, false, 'developer', 'a defect of the component'),
  tool_failed: row(500, 500, false, 'operator', 'the effect failed'),
  bad_output: row(
    500,
    500,
    false,
    'developer',
    'the tool’s output breaks its own schema, or is too large or too deep for the record',
  ),
  verification_failed: row(500, 500, false, 'operator', 'the effect was reported done, the read-back says otherwise'),
  undeclared_effect: row(500, 500, false, 'developer', 'the tool reached for something it did not declare'),
  rollback_failed: row(500, 500, false, 'operator', 'undoing failed; a person is needed'),
  outcome_unknown: row(500, 500, false, 'operator', 'nobody can say whether the effect happened; a person is needed'),
  store_locked: row(500, 500, false, 'operator', 'another process holds the data directory; data.pid names it'),
} as const satisfies Readonly<Record<string, ReasonRow>>;

export type Reason = keyof typeof REASONS;

export interface FieldProblem {
  /** JSON pointer of the field, `/params/device_id`. */
  readonly pointer: string;
  readonly problem: string;
}

export interface ErrorData {
  readonly fields?: readonly FieldProblem[];
  readonly suggestion?: string;
  readonly started?: boolean;
  readonly [key: string]: unknown;
}

/** What travels in a response, in a record entry and in a problem document. */
export interface WireError {
  readonly code: ErrorCode;
  readonly name: string;
  readonly message: string;
  readonly data: ErrorData & { readonly reason: Reason };
}

export class HermesError extends Error {
  readonly code: ErrorCode;
  readonly reason: Reason;
  readonly data: ErrorData;

  constructor(reason: Reason, message: string, data: ErrorData = {}, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'HermesError';
    this.reason = reason;
    this.code = REASONS[reason].code;
    this.data = data;
  }

  get retryable(): boolean {
    return REASONS[this.reason].retryable;
  }

  get httpStatus(): number {
    return REASONS[this.reason].http;
  }

  toWire(): WireError {
    return {
      code: this.code,
      name: ERROR_NAMES[this.code],
      message: this.message,
      data: { ...this.data, reason: this.reason },
    };
  }

  /** Also from another build or a stranger: a reason that is not known here becomes the plainest one of its code. */
  static fromWire(wire: WireError): HermesError {
    const { code, message, data } = wire as { code?: unknown; message?: unknown; data?: unknown };
    const { reason, ...rest } = (typeof data === 'object' && data !== null ? data : {}) as Partial<WireError['data']>;
    const text = typeof message === 'string' ? message : 'an error without a message';
    if (typeof reason === 'string' && Object.hasOwn(REASONS, reason)) return new HermesError(reason, text, rest);
    const plainest = PLAINEST.get(code) ?? 'bad_output';
    return new HermesError(plainest, text, { ...rest, foreign_reason: reason });
  }
}

const PLAINEST: ReadonlyMap<unknown, Reason> = new Map<unknown, Reason>([
  [400, 'invalid_params'],
  [403, 'not_allowed'],
  [408, 'deadline'],
  [500, 'internal'],
]);

/** The one normaliser: whatever was thrown becomes a HermesError that keeps it as its cause. */
export function toHermesError(thrown: unknown, fallback: Reason = 'internal'): HermesError {
  if (thrown instanceof HermesError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new HermesError(fallback, message, {}, { cause: thrown });
}

/** A 400 that names its fields. */
export function invalidParams(message: string, fields: readonly FieldProblem[]): HermesError {
  return new HermesError('invalid_params', message, { fields });
}
