import type { Clock } from '../../shared/clock.js';
import { type Deadline, openDeadline } from '../../shared/deadline.js';
import { HermesError, toHermesError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import type { Metrics } from '../../shared/telemetry/metrics.js';
import { inSpan } from '../../shared/telemetry/tracing.js';
import { decodeMessage, encodeMessage, type WireFormat } from '../protocol/codec.js';
import { formatComponentId, parseComponentId } from '../protocol/component-id.js';
import { MCP_VERSION, type Request, type Response } from '../protocol/envelope.js';
import { lastToken, subjects } from '../protocol/subjects.js';
import type { Bus, BusMessage } from '../transport/index.js';
import { admit } from './admission.js';
import type { AllowList } from './allow-list.js';
import { createMailbox } from './mailbox.js';
import { createStages, type Stages } from './stages.js';

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
  readonly serve: (call: ServedCall) => Promise<unknown>;
}

export interface EndpointDeps {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * The way in. An endpoint that throws answers 500 and lives on; every request that has a lawful reply address gets an
 * answer; deadlines are checked on arrival and at dequeue, and by the callee's own timer from then on.
 */
export interface Endpoint {
  /** Stops intake, lets what runs finish within `ms`, then aborts the rest. */
  stop(ms: number): Promise<void>;
  readonly load: { readonly waiting: number; readonly running: number };
}

export function openEndpoint(deps: EndpointDeps, options: EndpointOptions): Endpoint {
  const { bus, clock, logger, metrics } = deps;
  const self = parseComponentId(options.component);
  const mailbox = createMailbox({ size: LIMITS.mailboxSize, concurrency: LIMITS.mailboxConcurrency });
  const running = new Map<string, { deadline: Deadline; chain: readonly string[] }>();

  const receive = async (message: BusMessage): Promise<void> => {
    const receivedAt = Math.round(clock.now());
    const arrived = clock.monotonic();
    const stages = createStages(clock, formatComponentId(self), arrived);
    let format: WireFormat = 'json';
    let request: Request | undefined;
    let raw: Record<string, unknown> = {};
    let answer: { result?: unknown; error?: unknown };
    let queued = 0;
    try {
      const decoded = decodeMessage(message.payload);
      format = decoded.format;
      raw = decoded.message;
      request = admit(raw, lastToken(message.subject), message.reply, receivedAt, { ...options, self, metrics });
      const admitted = request;
      metrics.measure('mailboxDepth', mailbox.waiting, { component: self.name });
      const result = await mailbox.submit(options.actorKey(request), () => {
        queued = clock.monotonic() - arrived;
        stages.add('mailbox', arrived, queued);
        return run(admitted, stages);
      });
      answer = { result };
    } catch (thrown) {
      const error = toHermesError(thrown);
      answer = { error: error.toWire() };
      if (!request) refuse(error, message);
      if (error.reason === 'internal') logger.error({ err: thrown, method: request?.method }, 'a method threw');
      if (error.reason === 'bad_reply') return;
    }
    if (message.reply === undefined) return;
    const response: Response = {
      jsonrpc: '2.0',
      mcp_version: MCP_VERSION,
      request_id: typeof raw.request_id === 'string' ? raw.request_id : '',
      ...(answer as { result?: unknown }),
      served_by: options.instance,
      timing: {
        received_at_unix_ms: receivedAt,
        replied_at_unix_ms: Math.round(clock.now()),
        queued_ms: Math.round(queued),
        ran_ms: Math.round(clock.monotonic() - arrived - queued),
        stages: stages.list(),
      },
    };
    bus.publish(message.reply, encodeReply(response, format));
  };

  const run = async (request: Request, stages: Stages): Promise<unknown> => {
    const deadline = openDeadline(clock, request.deadline_unix_ms + request.clock_offset_ms);
    running.set(request.request_id, { deadline, chain: request.chain });
    try {
      deadline.check(false);
      const { method, traceparent, request_id } = request;
      return await inSpan(`${self.name}.${method}`, traceparent, { 'hermes.request_id': request_id }, () =>
        options.serve({ request, deadline, stages }),
      );
    } finally {
      running.delete(request.request_id);
      deadline.close();
    }
  };

  const refuse = (error: HermesError, message: BusMessage): void => {
    metrics.count('mcpRejected', { component: self.name, reason: error.reason });
    logger.warn({ subject: message.subject, reason: error.reason, detail: error.message }, 'message refused');
  };

  const cancelled = (message: BusMessage): void => {
    const { message: event } = decodeMessage(message.payload);
    const requestId = (event.data as { request_id?: unknown } | undefined)?.request_id;
    const call = typeof requestId === 'string' ? running.get(requestId) : undefined;
    const source = message.subject.split('.')[3] ?? '';
    if (!call || event.source !== source) return;
    if (call.chain.some((id) => parseComponentId(id).name === source)) call.deadline.cancel('cancelled by the caller');
  };

  const queue = subjects.queue(self.name, self.major);
  const subscriptions = [
    bus.subscribe(subjects.calls(options.tenant, self.name, self.major), receive, { queue }),
    bus.subscribe(subjects.directs(options.tenant, self.name, options.instance), receive),
  ];
  const cancels = bus.subscribe(subjects.eventsOn(options.tenant, 'call.cancel'), cancelled);

  return {
    async stop(ms) {
      for (const subscription of subscriptions) subscription.unsubscribe();
      const patience = openDeadline(clock, clock.now() + ms);
      patience.signal.addEventListener('abort', () => {
        for (const call of running.values()) call.deadline.cancel('the agent is stopping');
      });
      await mailbox.idle();
      patience.close();
      cancels.unsubscribe();
      await bus.flush();
    },
    get load() {
      return { waiting: mailbox.waiting, running: mailbox.running };
    },
  };
}

/** A result that cannot be encoded is the tool's fault, and still an answer. */
function encodeReply(response: Response, format: WireFormat): Uint8Array {
  try {
    return encodeMessage(response, format);
  } catch (cause) {
    const error = new HermesError('bad_output', 'the result cannot be sent', {}, { cause }).toWire();
    return encodeMessage({ ...response, result: undefined, error }, format);
  }
}
