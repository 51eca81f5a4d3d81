import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { COORDINATOR } from '../coordinator.js';
import { traceOf } from '../trace.js';
import type { HttpContext } from './context.js';
import { instantField, pageField } from './query-fields.js';

/** Timelines, and what was said between components. */
export function traceRoutes(app: FastifyInstance, { coordinator, journal }: HttpContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const tags = ['traces'];
  routes.get(
    '/v1/traces/:id',
    { schema: { tags, summary: 'The timeline of one trace', params: z.object({ id: z.string().max(64) }) } },
    (request) => traceOf(request.params.id, coordinator.goals.store, journal, COORDINATOR),
  );
  const query = z.object({
    request_id: z.string().max(128).optional(),
    trace_id: z.string().max(64).optional(),
    since: instantField,
    limit: pageField,
  });
  routes.get(
    '/v1/journal',
    { schema: { tags, summary: 'What was said between components', querystring: query } },
    async (request) => {
      const wanted = Object.fromEntries(Object.entries(request.query).filter(([, value]) => value !== undefined));
      return { entries: await journal.query(wanted), gaps: journal.gaps };
    },
  );
}
