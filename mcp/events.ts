import type { Clock } from '../shared/clock.js';
import { toHermesError } from '../shared/errors.js';
import type { Ids } from '../shared/ids.js';
import type { Logger } from '../shared/telemetry/logger.js';
import type { Metrics } from '../shared/telemetry/metrics.js';
import { encodeMessage } from './protocol/codec.js';
import { type Event, eventSchema, MCP_VERSION, type Topic } from './protocol/envelope.js';
import { parseOrRefuse } from './protocol/field-problems.js';
import { sourceToken, subjects } from './protocol/subjects.js';
import { readHeard } from './read-heard.js';
import type { Bus, Subscription } from './transport/index.js';

/** Tells and hears what happened, on the closed list of topics. Idempotent by `event_id`. */
export interface Events {
  /** Never throws: what happened stands in the record already; an event that cannot be sent is logged and counted. */
  emit(topic: Topic, data: Record<string, unknown>, eventId?: string): Event;
  on(topic: Topic, handle: (event: Event) => void | Promise<void>): Subscription;
}

export function createEvents(
  deps: { bus: Bus; clock: Clock; ids: Ids; logger: Logger; metrics: Metrics },
  options: { source: string; tenant: string },
): Events {
  const { bus, clock, ids, logger, metrics } = deps;
  return {
    emit(topic, data, eventId = ids.event()) {
      const at = Math.round(clock.now());
      const event: Event = { mcp_version: MCP_VERSION, event_id: eventId, topic, ...options, data, at };
      try {
        bus.publish(subjects.event(options.tenant, options.source, topic), encodeMessage(event));
        metrics.count('eventsEmitted', { topic, source: options.source });
      } catch (thrown) {
        const { reason, message } = toHermesError(thrown);
        metrics.count('mcpRejected', { component: options.source, reason });
        logger.error({ topic, event_id: eventId, reason, detail: message }, 'an event could not be sent');
      }
      return event;
    },
    on: (topic, handle) =>
      bus.subscribe(subjects.eventsOn(options.tenant, topic), (message) => {
        const read = (raw: unknown): Event => parseOrRefuse(eventSchema, raw, 'event') as Event;
        const event = readHeard(deps, options.source, message, read);
        if (event === undefined) return;
        if (event.source === sourceToken(message.subject)) return handle(event);
        metrics.count('mcpRejected', { component: options.source, reason: 'bad_caller' });
        logger.warn({ subject: message.subject, claimed: event.source }, 'event with a foreign source dropped');
      }),
  };
}
