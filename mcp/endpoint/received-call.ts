import type { Clock } from '../../shared/clock.js';
import type { Deadline } from '../../shared/deadline.js';
import { HermesError, toHermesError, type WireError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import type { Metrics } from '../../shared/telemetry/metrics.js';
import { inSpan } from '../../shared/telemetry/tracing.js';
import { encodeMessage, type WireFormat } from '../protocol/codec.js';
import { MCP_VERSION, type Request, type Response } from '../protocol/envelope.js';
import { isSampled } from '../protocol/trace-context.js';
import type { Bus, BusMessage } from '../transport/index.js';
import type { Intake, Seen } from './intake.js';
import type { CallWork, OpenCalls } from './open-calls.js';
import { Stages } from './stages.js';

/** One call, admitted, on its turn. */
export interface ServedCall {
  readonly request: Request;
  readonly deadline: Deadline;
  readonly stages: Stages;
}

/** What all messages of one endpoint go through. */
export interface Reception {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Name of the component, and its full id. */
  readonly name: string;
  readonly component: string;
  readonly instance: string;
  readonly intake: Intake;
  readonly calls: OpenCalls;
  readonly actorKey: (request: Request) => string | undefined;
  readonly serve: (call: ServedCall) => Promise<unknown>;
  /** Before a call is taken in. @throws HermesError when none is. */
  readonly takesCalls: () => void;
  /** One that is refused before it is a request. */
  readonly refused: (error: HermesError, message: BusMessage, isAnswered: boolean) => void;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

const HANDED_OVER = { handedOver: true };

/** One message, from its arrival to its answer. It is one object: 64 of them are under way at any moment. */
export class ReceivedCall implements Seen, CallWork {
  format: WireFormat = 'msgpack';
  requestId = '';
  lawful = false;
  comesBack = false;
  version: string = MCP_VERSION;
  request: Request | undefined = undefined;
  readonly #reception: Reception;
  readonly #message: BusMessage;
  readonly #receivedAt: number;
  readonly #arrived: number;
  readonly #stages: Stages;
  #queued = 0;

  /** @param after the owner that died with the message, which is taken up again here. */
  constructor(
    reception: Reception,
    message: BusMessage,
    public after: string | undefined,
  ) {
    const { clock, component } = reception;
    this.#reception = reception;
    this.#message = message;
    this.#receivedAt = Math.round(clock.now());
    this.#arrived = clock.monotonic();
    this.#stages = new Stages(clock, component, this.#arrived);
  }

  receive(): void {
    const { intake, calls, takesCalls, actorKey } = this.#reception;
    try {
      const request = intake.admit(this.#message, this.#receivedAt, this);
      if (request === undefined) return;
      takesCalls();
      calls.take(request, actorKey(request), this);
    } catch (thrown) {
      this.failed(thrown);
    }
  }

  serve(deadline: Deadline): Promise<unknown> {
    const { clock, name, serve } = this.#reception;
    const request = this.request as Request;
    const stages = this.#stages;
    this.#queued = clock.monotonic() - this.#arrived;
    stages.add('mailbox', this.#arrived, this.#queued);
    const { traceparent, method, request_id } = request;
    // A span only where the caller's trace is sampled: deciding first spares what would be thrown away.
    if (!isSampled(traceparent)) return serve({ request, deadline, stages });
    return inSpan(`${name}.${method}`, traceparent, { 'hermes.request_id': request_id }, (own) =>
      serve({ request: { ...request, traceparent: own }, deadline, stages }),
    );
  }

  answered(result: unknown): void {
    this.#reply(result, undefined);
  }

  failed(thrown: unknown): void {
    const { logger, refused } = this.#reception;
    const error = toHermesError(thrown);
    if (!this.request) refused(error, this.#message, this.lawful && this.#message.reply !== undefined);
    if (error.reason === 'internal') logger.error({ err: thrown, method: this.request?.method }, 'a method threw');
    this.#reply(undefined, this.after === undefined ? error.toWire() : unproven(error).toWire());
  }

  #reply(result: unknown, error: WireError | undefined): void {
    const { bus, clock, logger, metrics, instance, name } = this.#reception;
    const { reply } = this.#message;
    if (!this.lawful || reply === undefined) return;
    const response: Mutable<Response> = {
      jsonrpc: '2.0',
      mcp_version: MCP_VERSION,
      request_id: this.requestId,
      served_by: instance,
      timing: {
        received_at_unix_ms: this.#receivedAt,
        replied_at_unix_ms: Math.round(clock.now()),
        queued_ms: Math.round(this.#queued),
        ran_ms: Math.round(clock.monotonic() - this.#arrived - this.#queued),
        stages: this.#stages.list(),
      },
    };
    if (error) response.error = error;
    else response.result = result;
    try {
      bus.publish(reply, encodeReply(response, this.format), HANDED_OVER);
    } catch (thrown) {
      const { reason, message: detail } = toHermesError(thrown);
      metrics.count('mcpRejected', { component: name, reason: 'reply_failed' });
      logger.warn({ request_id: this.requestId, reason, detail }, 'an answer could not be sent');
    }
  }
}

/** What was not begun here may have been begun by the owner that died with it: only the record can say. */
function unproven(error: HermesError): HermesError {
  const { started, ...data } = error.data;
  if (error.code !== 408 || started !== false) return error;
  return new HermesError(error.reason, error.message, { ...data, outcome: 'unknown' });
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
