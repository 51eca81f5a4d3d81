import type { Principal, RetryPolicy } from '../protocol/envelope.js';

export interface CallSpec {
  readonly callee: string;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Absolute, this process' clock. */
  readonly deadlineAt: number;
  /** What one attempt waits at most; the method's own time-out. Default: the time left. */
  readonly timeoutMs?: number;
  readonly requestId?: string;
  readonly principal?: Principal;
  readonly retry?: Partial<RetryPolicy>;
  readonly goalId?: string;
  readonly stepId?: string;
  readonly sessionContextId?: string;
  readonly traceparent?: string;
  /** Component ids from the first caller to the one before this. */
  readonly chain?: readonly string[];
  /** Ask this instance and no other. */
  readonly instance?: string;
  /** What the call is about, the value of its actor key: calls with one key go to the instance that owns it. */
  readonly key?: string;
  /** A read: its last good result may stand in while the circuit is open. */
  readonly reads?: boolean;
  /** The read that tries an open circuit; default: the call itself if it reads, else `health`. */
  readonly probe?: { readonly method: string; readonly params: Readonly<Record<string, unknown>> };
  readonly consistency?: 'strong' | 'eventual';
  /** What a person approved, as the callee asked for it. */
  readonly approval?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}
