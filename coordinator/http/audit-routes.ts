import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { StoredEntry } from '../../agents/runtime/index.js';
import { LIMITS } from '../../shared/limits.js';
import { type HttpContext, principalOf } from './context.js';
import { createHomeReader } from './home-reader.js';
import { componentField, instantField, pageField, versionField } from './query-fields.js';

const auditQuery = z.object({
  scope: z.string({ error: 'says whose record; for example device_PLC-007' }).min(1).max(LIMITS.scopeChars),
  component: componentField,
  from: instantField,
  to: instantField,
  principal: z.string().max(128).optional(),
  goal: z.string().max(64).optional(),
  outcome: z.enum(['confirmed', 'failed', 'unknown']).optional(),
  from_n: versionField.optional(),
  limit: pageField,
});

/** What was done: the record of a scope, asked of its home. */
export function auditRoutes(app: FastifyInstance, context: HttpContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const reader = createHomeReader(context);
  const schema = { tags: ['audit'], summary: 'What was done to a scope', querystring: auditQuery };
  routes.get('/v1/audit', { schema }, async (request) => {
    const { scope, component: asked, from_n, limit, ...filter } = request.query;
    const params = { scope, limit, ...(from_n ? { from_n } : {}) };
    const question = { method: 'audit_query', params, principal: principalOf(request) };
    const found = (await reader.ask(reader.home(scope, asked), question)) as { entries: StoredEntry[]; next?: number };
    return { ...found, entries: found.entries.filter((entry) => matches(entry, filter)) };
  });
}

interface AuditFilter {
  readonly from?: number;
  readonly to?: number;
  readonly principal?: string;
  readonly goal?: string;
  readonly outcome?: string;
}

function matches(entry: StoredEntry, filter: AuditFilter): boolean {
  if (filter.from !== undefined && entry.at < filter.from) return false;
  if (filter.to !== undefined && entry.at > filter.to) return false;
  if (filter.principal && entry.principal?.id !== filter.principal) return false;
  if (filter.goal && entry.goal_id !== filter.goal) return false;
  return !filter.outcome || entry.outcome === filter.outcome;
}
