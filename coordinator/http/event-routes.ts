import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { type Event, type Events, TOPICS, type Topic } from '../../mcp/index.js';
import type { HttpContext } from './context.js';

const query = z.object({ topic: z.enum(TOPICS).optional() });

/** A client that is this far behind is let go; it may come again. */
const WAITING_MAX = 1_000;

/** What happens on the network, as it happens: every event, or those of one topic. Nothing is kept for who is away. */
export function eventRoutes(app: FastifyInstance, { coordinator }: HttpContext): void {
  const { events } = coordinator.agent.cell;
  app.withTypeProvider<ZodTypeProvider>().get(
    '/v1/events',
    {
      schema: { tags: ['events'], summary: 'Follow events (Server-Sent Events)', querystring: query },
      sse: { kind: 'only' },
    },
    async (request, reply) => {
      const { topic } = request.query;
      const heard = hear(events, topic ? [topic] : TOPICS);
      reply.sse.onClose(() => heard.close());
      for await (const event of heard.stream) await reply.sse.send({ id: event.event_id, data: event });
      reply.sse.close();
    },
  );
}

/** Events in order, until `close`, or until too many wait. */
function hear(events: Events, topics: readonly Topic[]): { readonly stream: AsyncIterable<Event>; close(): void } {
  const waiting: Event[] = [];
  let open = true;
  let wake: () => void = () => undefined;
  const close = (): void => {
    open = false;
    for (const subscription of subscriptions) subscription.unsubscribe();
    wake();
  };
  const subscriptions = topics.map((topic) =>
    events.on(topic, (event) => {
      waiting.push(event);
      if (waiting.length > WAITING_MAX) close();
      wake();
    }),
  );
  async function* stream(): AsyncGenerator<Event> {
    while (open) {
      const next = waiting.shift();
      if (next) yield next;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  return { stream: stream(), close };
}
