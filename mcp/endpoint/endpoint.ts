import type { Clock } from '../../shared/clock.js';
import type { Deadline } from '../../shared/deadline.js';
import { HermesError, toHermesError, type WireError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import type { Metrics } from '../../shared/telemetry/metrics.js';
import { inSpan } from '../../shared/telemetry/tracing.js';
import { sendBeats } from '../beats.js';
import type { DeadLetters } from '../dead-letters.js';
import { encodeMessage, type WireFormat } from '../protocol/codec.js';
import { formatComponentId, parseComponentId } from '../protocol/component-id.js';
import { MCP_VERSION, type Request, type Response } from '../protocol/envelope.js';
import { sourceToken, subjects } from '../protocol/subjects.js';
import { isSampled } from '../protocol/trace-context.js';
import { readHeard } from '../read-heard.js';
import type { Bus, BusMessage } from '../transport/index.js';
import type { VersionUse } from '../version-use.js';
import type { AllowList } from './allow-list.js';
import { checkCycle } from './call-cycle.js';
import { createIntake, type Seen } from './intake.js';
import { createMailbox } from './mailbox.js';
import { createOpenCalls, type StuckCall } from './open-calls.js';
import { createPassedOn } from './passed-on.js';
import { createStages, type Stages } from './stages.js';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

const HANDED_OVER = { handedOver: true };

/** One call, admitted, on its turn. */
export interface ServedCall {
  readonly request: Request;
  readonly deadline: Deadline;
  readonly stages: Stages;
}

export interface EndpointOptions {
  readonly component: string;
  readonly instance: string;
  readonly tenant: string;
  readonly allow: AllowList;
  readonly maySpeakForPeople: ReadonlySet<string>;
  /** Actor key of a call: calls with one key run one at a time. Undefined: no order. */
  readonly actorKey: (request: Request) => string | undefined;
  /**
   * The instance that owns what a call is about (a link, a turn). Another than this one: the message goes on to its
   * direct subject. Undefined: anybody may serve it. @throws HermesError when nobody can say yet.
   */
  readonly ownerOf?: (request: Request) => string | undefined;
  /** Tells of instances of this component that died: what went to them from here is taken up again. */
  readonly onInstanceLost?: (lost: (instance: string) => void) => { stop(): void };
  /**
   * A call of this key (undefined: of none) did not end and was given up; the key goes on with the next call. Whatever
   * holds it below may hold the next one too: the owner of the endpoint may want to start again.
   */
  readonly onStuck?: (key: string | undefined) => void;
  readonly serve: (call: ServedCall) => Promise<unknown>;
}

export interface EndpointDeps {
  readonly bus: Bus;
  /** Where messages go that are refused and have no lawful reply address. */
  readonly deadLetters?: DeadLetters;
  /** Counts who speaks which version of the protocol. */
  readonly versions?: VersionUse;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * The way in. An endpoint that throws answers 500 and lives on; every request that has a lawful reply address gets an
 * answer; deadlines are checked on arrival and at dequeue, and by the callee's own timer from then on.
 */
export interface Endpoint {
  /** Stops intake, lets what runs finish within `ms`, then aborts the rest and gives it as long again to answer. */
  stop(ms: number): Promise<void>;
  /** New calls are answered `not_ready`, not begun, so that their callers go on to the next; what runs goes on. */
  drain(): void;
  readonly load: { readonly waiting: number; readonly running: number };
}

export function openEndpoint(deps: EndpointDeps, options: EndpointOptions): Endpoint {
  const { bus, clock, logger, metrics } = deps;
  const self = parseComponentId(options.component);
  const mailbox = createMailbox({ size: LIMITS.mailboxSize, concurrency: LIMITS.mailboxConcurrency });
  const calls = createOpenCalls(clock, mailbox, (call) => reportStuck(deps, self.name, options.onStuck, call));
  const passedOn = createPassedOn(clock);
  const looping = (request: Request): void => checkCycle(request, options.actorKey(request), self.name, calls.all);
  const admission = { ...options, self, checkCycle: looping };
  const intake = createIntake({ bus, metrics, passedOn, versions: deps.versions }, admission);
  const load = (): number => mailbox.waiting + mailbox.running;
  const beats = sendBeats(deps, { ...options, component: self.name, load });
  let draining = false;

  const depth = { component: self.name };
  const served = formatComponentId(self);

  const receive = async (message: BusMessage, after?: string): Promise<void> => {
    const receivedAt = Math.round(clock.now());
    const arrived = clock.monotonic();
    const stages = createStages(clock, served, arrived);
    const seen: Seen = { format: 'msgpack', requestId: '', lawful: false, version: MCP_VERSION };
    if (after !== undefined) seen.after = after;
    let result: unknown;
    let failed: WireError | undefined;
    let queued = 0;
    try {
      const request = intake.admit(message, receivedAt, seen);
      if (request === undefined) return;
      if (draining) throw new HermesError('not_ready', `${options.instance} is stopping`, { started: false });
      beats.touch();
      metrics.measure('mailboxDepth', mailbox.waiting, depth);
      result = await calls.take(request, options.actorKey(request), (deadline) => {
        queued = clock.monotonic() - arrived;
        stages.add('mailbox', arrived, queued);
        return traced(self.name, request, (own) => options.serve({ request: own, deadline, stages }));
      });
    } catch (thrown) {
      const error = toHermesError(thrown);
      failed = seen.after === undefined ? error.toWire() : unproven(error).toWire();
      if (!seen.request) refuse(error, message, seen.lawful && message.reply !== undefined);
      if (error.reason === 'internal') logger.error({ err: thrown, method: seen.request?.method }, 'a method threw');
    }
    if (!seen.lawful || message.reply === undefined) return;
    const response: Mutable<Response> = {
      jsonrpc: '2.0',
      mcp_version: MCP_VERSION,
      request_id: seen.requestId,
      served_by: options.instance,
      timing: {
        received_at_unix_ms: receivedAt,
        replied_at_unix_ms: Math.round(clock.now()),
        queued_ms: Math.round(queued),
        ran_ms: Math.round(clock.monotonic() - arrived - queued),
        stages: stages.list(),
      },
    };
    if (failed) response.error = failed;
    else response.result = result;
    bus.publish(message.reply, encodeReply(response, seen.format), HANDED_OVER);
  };

  const lost = options.onInstanceLost?.((instance) => {
    for (const message of passedOn.takeFrom(instance)) {
      receive(message, instance).catch((thrown: unknown) => {
        const { reason, message: detail } = toHermesError(thrown);
        logger.warn({ subject: message.subject, reason, detail }, 'a message taken up again could not be answered');
      });
    }
  });

  const refuse = (error: HermesError, message: BusMessage, isAnswered: boolean): void => {
    const { subject, payload } = message;
    const { reason, message: detail } = error;
    if (!isAnswered) deps.deadLetters?.add({ subject, payload, reason, detail, at: Math.round(clock.now()) });
    metrics.count('mcpRejected', { component: self.name, reason: error.reason });
    logger.warn({ subject: message.subject, reason: error.reason, detail: error.message }, 'message refused');
  };

  const cancelled = (message: BusMessage): void => {
    const event = readHeard(deps, self.name, message, (raw) => raw);
    const requestId = (event?.data as { request_id?: unknown } | undefined)?.request_id;
    const source = sourceToken(message.subject);
    if (typeof requestId !== 'string' || event?.source !== source) return;
    calls.cancel(requestId, source);
    passedOn.cancel(requestId, source);
  };

  const queue = subjects.queue(self.name, self.major);
  const subscriptions = [
    bus.subscribe(subjects.calls(options.tenant, self.name, self.major), (one) => receive(one), { queue }),
    bus.subscribe(subjects.directs(options.tenant, self.name, options.instance), (one) => receive(one)),
  ];
  const cancels = bus.subscribe(subjects.eventsOn(options.tenant, 'call.cancel'), cancelled);

  return {
    async stop(ms) {
      draining = true;
      for (const subscription of subscriptions) subscription.unsubscribe();
      beats.stop();
      lost?.stop();
      const answered = new AbortController();
      const patience = async (): Promise<void> => {
        await clock.sleep(ms, answered.signal);
        calls.endAll('the agent is stopping');
        await clock.sleep(ms, answered.signal);
        logger.warn({ component: self.name, running: mailbox.running }, 'stopped while calls still run');
      };
      await Promise.race([mailbox.idle(), patience().catch(() => undefined)]);
      answered.abort();
      calls.stop();
      cancels.unsubscribe();
      await bus.flush();
    },
    drain() {
      draining = true;
    },
    get load() {
      return { waiting: mailbox.waiting, running: mailbox.running };
    },
  };
}

/** The dump of a call that was given up: one line, one count, one word to the owner. */
function reportStuck(
  { logger, metrics }: EndpointDeps,
  component: string,
  tell: EndpointOptions['onStuck'],
  { request, key, ranMs, overdueMs, failed }: StuckCall,
): void {
  const { method, request_id } = request;
  const dump = { key, method, request_id, ran_ms: Math.round(ranMs), overdue_ms: Math.round(overdueMs), failed };
  logger.error({ component, ...dump }, 'a call did not end and was given up');
  metrics.count('mcpStuck', { component, method });
  try {
    tell?.(key);
  } catch (thrown) {
    logger.error({ err: thrown, component, key }, 'who was told of a stuck key failed');
  }
}

/** What was not begun here may have been begun by the owner that died with it: only the record can say. */
function unproven(error: HermesError): HermesError {
  const { started, ...data } = error.data;
  if (error.code !== 408 || started !== false) return error;
  return new HermesError(error.reason, error.message, { ...data, outcome: 'unknown' });
}

/** A span only where the caller's trace is sampled: deciding first spares what would be thrown away. */
function traced(name: string, request: Request, work: (request: Request) => Promise<unknown>): Promise<unknown> {
  const { traceparent, method, request_id } = request;
  if (!isSampled(traceparent)) return work(request);
  const attributes = { 'hermes.request_id': request_id };
  return inSpan(`${name}.${method}`, traceparent, attributes, (own) => work({ ...request, traceparent: own }));
}

/** A result that cannot be encoded is the tool's fault, an id too long for an answer is cut: still an answer. */
function encodeReply(response: Response, format: WireFormat): Uint8Array {
  try {
    return encodeMessage(response, format);
  } catch (cause) {
    const request_id = response.request_id.slice(0, LIMITS.requestIdChars);
    if (request_id !== response.request_id) return encodeReply({ ...response, request_id }, format);
    const error = new HermesError('bad_output', 'the result cannot be sent', {}, { cause }).toWire();
    return encodeMessage({ ...response, result: undefined, error }, format);
  }
}
