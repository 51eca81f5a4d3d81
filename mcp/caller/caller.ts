import type { Clock } from '../../shared/clock.js';
import { HermesError } from '../../shared/errors.js';
import type { Ids } from '../../shared/ids.js';
import type { Random } from '../../shared/random.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import type { Metrics } from '../../shared/telemetry/metrics.js';
import { listenToBeats } from '../beats.js';
import { createEvents } from '../events.js';
import { createLruMap } from '../lru-map.js';
import { parseComponentId } from '../protocol/component-id.js';
import { DEFAULT_RETRY, MCP_VERSION, type Response, readResponse } from '../protocol/envelope.js';
import { subjects } from '../protocol/subjects.js';
import { OLD_MCP_VERSION, SUPPORTED_MCP_VERSIONS } from '../protocol/versions.js';
import { readHeard } from '../read-heard.js';
import type { Bus, BusMessage, Liveness } from '../transport/index.js';
import type { Asking } from './asking.js';
import type { CallSpec } from './call-spec.js';
import { type Circuit, createCircuits } from './circuit.js';
import { createClockOffsets } from './clock-offsets.js';
import { createDelivery, unanswered } from './delivery.js';
import { createPairMemo } from './pair-memo.js';
import { createPending } from './pending.js';
import { createPresence } from './presence.js';
import { createRequestWriter } from './request-writer.js';
import { withRetry } from './retry.js';
import { BUDGET_BURST, deposit, FULL_BUDGET, type RetryBudget, withdraw } from './retry-budget.js';
import { createRoutes } from './routes.js';
import { createTraceSource, traced } from './trace-source.js';

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

/** Callees whose budget is remembered. */
const CALLEES = 1_000;

export interface CallerOptions {
  /** The caller's own id, `production_coordinator_v1.0`. */
  readonly component: string;
  readonly tenant: string;
  /** Calls that come with no trace begin one; this share of them is sampled. Default: they begin none. */
  readonly traceRatio?: number;
  /** Protocol versions of a component, by its manifest; default: it is taken to speak ours. */
  readonly speaks?: (component: string) => readonly string[] | undefined;
}

export function createCaller(deps: CallerDeps, options: CallerOptions): Caller {
  const { bus, clock, ids, logger, metrics } = deps;
  const { component, tenant } = options;
  const self = parseComponentId(component);
  const replySubject = subjects.reply(tenant, self.name, ids.nonce());
  const events = createEvents(deps, { source: self.name, tenant });
  const pending = createPending(clock, ({ spec }) => unanswered(spec, clock.now()));
  const offsets = createClockOffsets();
  const beats = listenToBeats(deps, { tenant });
  const presence = createPresence(deps.liveness, ({ component: name, instance }, how) => {
    // Goodbye is said while what was begun is finished: who has nobody else to ask waits for it.
    if (how === 'left' && presence.of(name).every(({ state }) => state !== 'ready')) return;
    const lost = () =>
      new HermesError('instance_lost', `${instance} is gone`, { outcome: 'unknown', callee: name, instance });
    pending.lost(instance, lost);
  });

  const writer = createRequestWriter(options);
  const replyTo = { reply: replySubject, handedOver: true };
  const directs = createPairMemo((callee, instance) => subjects.direct(tenant, callee, instance, self.name));
  const send = (asking: Asking, instance: string | undefined): void => {
    const { callee, traceparent } = asking;
    const subject =
      instance === undefined
        ? subjects.call(tenant, callee.name, callee.major, self.name)
        : directs.of(callee.name, instance);
    const sending = { now: clock.now(), clockOffsetMs: offsets.of(instance ?? asking.servedBy), traceparent };
    const isOld = speaksOldOnly(callee.name, options.speaks?.(callee.name));
    bus.publish(subject, isOld ? writer.writeOld(asking, sending) : writer.write(asking, sending), replyTo);
  };

  /** Unique by the random part, cheap by the count. */
  const life = ids.request(self.name);
  let made = 0;
  const nextId = (): string => `${life}-${(++made).toString(36)}`;
  const routes = createRoutes();
  const traces = options.traceRatio === undefined ? undefined : createTraceSource(deps, options.traceRatio);

  const delivery = createDelivery({
    clock,
    random: deps.random,
    presence,
    beats,
    pending,
    offsets,
    send,
    cancel: (requestId) => void events.emit('call.cancel', { request_id: requestId }),
    requestId: nextId,
  });

  const replies = bus.subscribe(replySubject, (message: BusMessage) => {
    const response = readHeard(deps, self.name, message, readResponse);
    if (response === undefined) return;
    const waiting = pending.take(response.request_id);
    if (!waiting) {
      metrics.count('mcpLate', { component: self.name });
      logger.info({ request_id: response.request_id, served_by: response.served_by }, 'late reply dropped');
      return;
    }
    delivery.heard(waiting, response);
    waiting.resolve(response);
  });

  const circuits = createCircuits({
    monotonic: () => clock.monotonic(),
    now: () => clock.now(),
    changed: (data) => void events.emit('circuit.state_changed', data),
    probe: (spec) => {
      const asking = delivery.begin(spec, routes.of(spec.callee, spec.method).callee, nextId());
      return delivery.attended(asking, () => delivery.deliver(asking));
    },
  });
  const degraded = events.on('agent.degraded', ({ source }) => circuits.warn(source));

  const budgets = createLruMap<RetryBudget>(CALLEES);
  const pay = (callee: string): boolean => {
    const left = withdraw(budgets.get(callee) ?? FULL_BUDGET);
    if (left) budgets.set(callee, left);
    return left !== undefined;
  };

  const retried = (asking: Asking, circuit: Circuit): Promise<Response> => {
    const { spec, requestId, callee } = asking;
    const budget = budgets.get(callee.name) ?? FULL_BUDGET;
    if (budget.tokens < BUDGET_BURST) budgets.set(callee.name, deposit(budget));
    return withRetry(
      () => delivery.deliver(asking),
      clock.monotonic(),
      () => ({
        policy: spec.retry ? { ...DEFAULT_RETRY, ...spec.retry } : DEFAULT_RETRY,
        clock,
        random: deps.random,
        deadlineAt: spec.deadlineAt,
        signal: spec.signal,
        deliveries: () => asking.deliveries,
        unanswered: () => asking.unanswered,
        reads: spec.reads,
        mayRetry: () => !circuit.isOpen && pay(callee.name),
        onRetry: ({ reason }, n, waitMs) => {
          logger.info(
            { tag: 'RETRY-ATTEMPT', request_id: requestId, goal_id: spec.goalId, reason, n, waitMs },
            'asking again',
          );
        },
      }),
    );
  };

  return {
    async call(spec) {
      const started = clock.monotonic();
      const route = routes.of(spec.callee, spec.method);
      const asking = delivery.begin(spec, route.callee, spec.requestId ?? nextId());
      asking.traceparent = spec.traceparent ?? traces?.begin();
      try {
        const response = await traced(asking, () =>
          circuits.guard(spec, (circuit) => delivery.attended(asking, () => retried(asking, circuit))),
        );
        metrics.count('mcpCalls', route.ok);
        return { response, attempts: asking.deliveries };
      } catch (error) {
        const result = error instanceof HermesError ? error.reason : 'internal';
        metrics.count('mcpCalls', { ...route.labels, result });
        throw error;
      } finally {
        metrics.measure('mcpDuration', clock.monotonic() - started, route.labels);
      }
    },
    get pending() {
      return pending.size;
    },
    close() {
      replies.unsubscribe();
      degraded.unsubscribe();
      presence.stop();
      beats.stop();
      if (pending.size === 0) pending.stop();
    },
  };
}

/** @throws HermesError `bad_version` for a callee that speaks no version of ours. */
function speaksOldOnly(component: string, versions: readonly string[] | undefined): boolean {
  if (versions === undefined || versions.includes(MCP_VERSION)) return false;
  if (versions.includes(OLD_MCP_VERSION)) return true;
  throw new HermesError('bad_version', `${component} speaks ${versions.join(', ')}`, {
    started: false,
    supported: SUPPORTED_MCP_VERSIONS,
  });
}
