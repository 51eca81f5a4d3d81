import type { Clock } from '../../shared/clock.js';
import { HermesError } from '../../shared/errors.js';
import type { Ids } from '../../shared/ids.js';
import type { Random } from '../../shared/random.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import type { Metrics } from '../../shared/telemetry/metrics.js';
import { listenToBeats } from '../beats.js';
import { createEvents } from '../events.js';
import { decodeMessage, encodeMessage } from '../protocol/codec.js';
import { parseComponentId } from '../protocol/component-id.js';
import { DEFAULT_RETRY, MCP_VERSION, type Response } from '../protocol/envelope.js';
import { subjects } from '../protocol/subjects.js';
import type { Bus, BusMessage, Liveness } from '../transport/index.js';
import type { Asking } from './asking.js';
import type { CallSpec } from './call-spec.js';
import { createClockOffsets } from './clock-offsets.js';
import { createDelivery } from './delivery.js';
import { createPending } from './pending.js';
import { createPresence } from './presence.js';
import { withRetry } from './retry.js';

export interface CallResult {
  readonly response: Response;
  /** Deliveries, those to other instances included. */
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

/** @param component the caller's own id, `production_coordinator_v1.0`. */
export function createCaller(deps: CallerDeps, options: { component: string; tenant: string }): Caller {
  const { bus, clock, ids, logger, metrics } = deps;
  const { component, tenant } = options;
  const self = parseComponentId(component);
  const replySubject = subjects.reply(tenant, self.name, ids.nonce());
  const events = createEvents(deps, { source: self.name, tenant });
  const pending = createPending(clock);
  const offsets = createClockOffsets();
  const beats = listenToBeats(deps, { tenant });
  const presence = createPresence(deps.liveness, ({ component: name, instance }, how) => {
    // Goodbye is said while what was begun is finished: who has nobody else to ask waits for it.
    if (how === 'left' && presence.of(name).every(({ state }) => state !== 'ready')) return;
    const lost = () =>
      new HermesError('instance_lost', `${instance} is gone`, { outcome: 'unknown', callee: name, instance });
    pending.lost(instance, lost);
  });

  const send = (asking: Asking, instance: string | undefined, left: number): void => {
    const { callee } = asking;
    const subject =
      instance === undefined
        ? subjects.call(tenant, callee.name, callee.major, self.name)
        : subjects.direct(tenant, callee.name, instance, self.name);
    bus.publish(subject, encodeMessage(envelope(asking, instance, left)), { reply: replySubject });
  };

  const envelope = (asking: Asking, instance: string | undefined, left: number): Record<string, unknown> => {
    const { spec } = asking;
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
      // An instance that asks another of its own component speaks on their direct subject, as when it passes on.
      via: instance !== undefined && asking.callee.name === self.name ? [component] : undefined,
      request_id: asking.requestId,
      timeout_ms: Math.max(1, Math.round(left)),
      deadline_unix_ms: Math.round(spec.deadlineAt),
      sent_at_unix_ms: Math.round(clock.now()),
      clock_offset_ms: offsets.of(instance ?? asking.servedBy),
      attempt: asking.deliveries,
      traceparent: spec.traceparent,
      consistency_level: spec.consistency,
      params: spec.params,
    };
  };

  const delivery = createDelivery({
    clock,
    random: deps.random,
    presence,
    beats,
    pending,
    offsets,
    send,
    cancel: (requestId) => void events.emit('call.cancel', { request_id: requestId }),
    requestId: () => ids.request(self.name),
  });

  const replies = bus.subscribe(replySubject, (message: BusMessage) => {
    const response = decodeMessage(message.payload).message as unknown as Response;
    const waiting = pending.take(response.request_id);
    if (!waiting) {
      metrics.count('mcpLate', { component: self.name });
      logger.info({ request_id: response.request_id, served_by: response.served_by }, 'late reply dropped');
      return;
    }
    delivery.heard(waiting, response);
    waiting.resolve(response);
  });

  const retried = async (asking: Asking): Promise<Response> => {
    const { spec, requestId } = asking;
    return withRetry(() => delivery.deliver(asking), {
      policy: spec.retry ? { ...DEFAULT_RETRY, ...spec.retry } : DEFAULT_RETRY,
      clock,
      random: deps.random,
      deadlineAt: spec.deadlineAt,
      signal: spec.signal,
      deliveries: () => asking.deliveries,
      onRetry: ({ reason }, n, waitMs) => {
        logger.info(
          { tag: 'RETRY-ATTEMPT', request_id: requestId, goal_id: spec.goalId, reason, n, waitMs },
          'asking again',
        );
      },
    });
  };

  return {
    async call(spec) {
      const started = clock.monotonic();
      const requestId = spec.requestId ?? ids.request(self.name);
      const labels = { callee: spec.callee, method: spec.method };
      try {
        const asking = delivery.begin(spec, parseComponentId(spec.callee), requestId);
        const response = await retried(asking);
        metrics.count('mcpCalls', { ...labels, result: 'ok' });
        return { response, attempts: asking.deliveries };
      } catch (error) {
        metrics.count('mcpCalls', { ...labels, result: error instanceof HermesError ? error.reason : 'internal' });
        throw error;
      } finally {
        metrics.measure('mcpDuration', clock.monotonic() - started, labels);
      }
    },
    get pending() {
      return pending.size;
    },
    close() {
      replies.unsubscribe();
      presence.stop();
      beats.stop();
    },
  };
}
