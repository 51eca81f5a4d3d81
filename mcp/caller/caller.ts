import type { Clock } from '../../shared/clock.js';
import { openDeadline } from '../../shared/deadline.js';
import { HermesError, type WireError } from '../../shared/errors.js';
import type { Ids } from '../../shared/ids.js';
import { LIMITS } from '../../shared/limits.js';
import type { Random } from '../../shared/random.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import type { Metrics } from '../../shared/telemetry/metrics.js';
import { decodeMessage, encodeMessage } from '../protocol/codec.js';
import { parseComponentId } from '../protocol/component-id.js';
import {
  DEFAULT_RETRY,
  type Event,
  MCP_VERSION,
  type Principal,
  type Response,
  type RetryPolicy,
} from '../protocol/envelope.js';
import { subjects } from '../protocol/subjects.js';
import type { Bus, Liveness } from '../transport/index.js';
import { withRetry } from './retry.js';

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
  readonly signal?: AbortSignal;
}

export interface CallResult {
  readonly response: Response;
  readonly attempts: number;
}

/** Asks other components. One layer of retries, one fixed reply subject, deadlines always. */
export interface Caller {
  /** @throws HermesError of the callee, or of the way there; `data.attempts` when it was tried more than once. */
  call(spec: CallSpec): Promise<CallResult>;
  /** Calls that wait for an answer; zero when nothing is under way. */
  readonly pending: number;
  close(): void;
}

export interface CallerDeps {
  readonly bus: Bus;
  readonly liveness: Liveness;
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

interface Waiting {
  resolve(response: Response): void;
}

/** @param component the caller's own id, `production_coordinator_v1.0`. */
export function createCaller(deps: CallerDeps, options: { component: string; tenant: string }): Caller {
  const { bus, clock, ids, logger, metrics } = deps;
  const { component, tenant } = options;
  const self = parseComponentId(component);
  const replySubject = subjects.reply(tenant, self.name, ids.nonce());
  const waiting = new Map<string, Waiting>();
  /** Callee's clock minus ours, ms, as callees told it when they refused a message for its age. */
  const offsets = new Map<string, number>();

  const replies = bus.subscribe(replySubject, (message) => {
    const { message: raw } = decodeMessage(message.payload);
    const response = raw as unknown as Response;
    const entry = waiting.get(response.request_id);
    if (!entry) {
      metrics.count('mcpLate', { component: self.name });
      logger.info({ request_id: response.request_id, served_by: response.served_by }, 'late reply dropped');
      return;
    }
    waiting.delete(response.request_id);
    entry.resolve(response);
  });

  const requirePresence = (name: string): void => {
    if (deps.liveness.members(name).length > 0) return;
    throw new HermesError('no_worker', `no live instance of ${name}`, {
      started: false,
      callee: name,
      suggestion: `start an agent ${name}, or see which run with: hermes agents`,
    });
  };

  async function attempt(spec: CallSpec, requestId: string, n: number): Promise<Response> {
    const callee = parseComponentId(spec.callee);
    requirePresence(callee.name);
    const left = spec.deadlineAt - clock.now();
    if (left <= 0) throw new HermesError('deadline', 'the deadline is over', { started: false });
    if (waiting.has(requestId)) throw new HermesError('invalid_params', `request_id ${requestId} is under way already`);
    const deadline = openDeadline(clock, clock.now() + Math.min(left, spec.timeoutMs ?? left));
    const grace = graceAfterCancel(spec, requestId);
    const subject = spec.instance
      ? subjects.direct(tenant, callee.name, spec.instance, self.name)
      : subjects.call(tenant, callee.name, callee.major, self.name);
    try {
      return await new Promise<Response>((resolve, reject) => {
        waiting.set(requestId, { resolve });
        deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason), { once: true });
        grace.over(reject);
        bus.publish(subject, encodeMessage(envelope(spec, requestId, n, left)), { reply: replySubject });
      });
    } catch (error) {
      throw noAnswer(error, spec, clock.now());
    } finally {
      waiting.delete(requestId);
      deadline.close();
      grace.close();
    }
  }

  /**
   * A cancel goes out at once, and the callee has a moment to say what became of the call: done, undone, not begun.
   * Silent after that, nobody knows.
   */
  function graceAfterCancel(spec: CallSpec, requestId: string) {
    let cancelTimer: () => void = () => undefined;
    let abort: () => void = () => undefined;
    return {
      over(reject: (error: HermesError) => void) {
        abort = () => {
          cancel(requestId);
          const unheard = new HermesError('cancelled', 'cancelled; the callee did not say what became of it', {
            outcome: 'unknown',
          });
          cancelTimer = clock.timer(LIMITS.cancelSettleMs, () => reject(unheard));
        };
        if (spec.signal?.aborted) abort();
        else spec.signal?.addEventListener('abort', abort, { once: true });
      },
      close() {
        cancelTimer();
        spec.signal?.removeEventListener('abort', abort);
      },
    };
  }

  function envelope(spec: CallSpec, requestId: string, n: number, left: number): Record<string, unknown> {
    return {
      jsonrpc: '2.0',
      mcp_version: MCP_VERSION,
      kind: 'agent_call_request',
      caller: component,
      callee: spec.callee,
      method: spec.method,
      tenant,
      principal: spec.principal,
      goal_id: spec.goalId,
      step_id: spec.stepId,
      session_context_id: spec.sessionContextId,
      chain: [...(spec.chain ?? []), component],
      request_id: requestId,
      timeout_ms: Math.max(1, Math.round(left)),
      deadline_unix_ms: Math.round(spec.deadlineAt),
      sent_at_unix_ms: Math.round(clock.now()),
      clock_offset_ms: offsets.get(spec.callee) ?? 0,
      attempt: n,
      traceparent: spec.traceparent,
      consistency_level: spec.consistency,
      params: spec.params,
    };
  }

  /** A callee that says what time it has is asked again by its own time. */
  const correctOffset = (callee: string, error: HermesError): void => {
    const { now } = error.data;
    if (error.reason === 'stale_or_skewed' && typeof now === 'number')
      offsets.set(callee, Math.round(now - clock.now()));
  };

  const cancel = (requestId: string): void => {
    const event: Event = {
      mcp_version: MCP_VERSION,
      event_id: ids.event(),
      topic: 'call.cancel',
      source: self.name,
      tenant,
      data: { request_id: requestId },
      at: Math.round(clock.now()),
    };
    bus.publish(subjects.event(tenant, self.name, 'call.cancel'), encodeMessage(event));
  };

  return {
    async call(spec) {
      const started = clock.monotonic();
      const requestId = spec.requestId ?? ids.request(self.name);
      const deadline = openDeadline(clock, spec.deadlineAt, spec.signal);
      let attempts = 0;
      const labels = { callee: spec.callee, method: spec.method };
      try {
        const response = await withRetry(
          async (n) => {
            attempts = n;
            return ok(await attempt(spec, requestId, n));
          },
          {
            policy: { ...DEFAULT_RETRY, ...spec.retry },
            clock,
            random: deps.random,
            deadlineAt: spec.deadlineAt,
            signal: deadline.signal,
            onRetry: (error, n, waitMs) => {
              const { reason } = error;
              correctOffset(spec.callee, error);
              logger.info(
                { tag: 'RETRY-ATTEMPT', request_id: requestId, goal_id: spec.goalId, reason, n, waitMs },
                'asking again',
              );
            },
          },
        );
        metrics.count('mcpCalls', { ...labels, result: 'ok' });
        return { response, attempts };
      } catch (error) {
        metrics.count('mcpCalls', { ...labels, result: error instanceof HermesError ? error.reason : 'internal' });
        throw error;
      } finally {
        deadline.close();
        metrics.measure('mcpDuration', clock.monotonic() - started, labels);
      }
    },
    get pending() {
      return waiting.size;
    },
    close: () => replies.unsubscribe(),
  };
}

/** A response that carries an error becomes that error, with the response beside it. */
function ok(response: Response): Response {
  if (!response.error) return response;
  const error = HermesError.fromWire(response.error as WireError);
  throw new HermesError(error.reason, error.message, { ...error.data, served_by: response.served_by });
}

/** An attempt's own time-out before the call's deadline is worth another delivery: nothing is executed twice. */
function noAnswer(error: unknown, spec: CallSpec, now: number): unknown {
  if (!(error instanceof HermesError) || error.reason !== 'deadline') return error;
  const left = spec.deadlineAt - now > 0;
  return new HermesError('deadline', `${spec.callee} did not answer ${spec.method} in time`, {
    ...error.data,
    outcome: 'unknown',
    ...(left ? { no_answer: true } : {}),
  });
}
