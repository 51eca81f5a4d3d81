import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { StoredEntry } from '../../agents/runtime/index.js';
import { LIMITS } from '../../shared/limits.js';
import { COORDINATOR } from '../coordinator.js';
import { traceOf } from '../trace.js';
import { type HttpContext, principalOf } from './context.js';
import { createHomeReader } from './home-reader.js';

const scoped = z.object({ scope: z.string().min(1).max(LIMITS.scopeChars) });
const component = z.string().max(48).optional();
const version = z.coerce.number().int().positive();
const page = z.coerce.number().int().min(1).max(LIMITS.pageRows).default(200);
/** Unix milliseconds or ISO 8601. */
const instant = z
  .string()
  .transform((text) => (/^\d+$/.test(text) ? Number(text) : Date.parse(text)))
  .refine((at) => Number.isFinite(at), 'Unix milliseconds, or ISO 8601')
  .optional();
const auditQuery = z.object({
  scope: z.string({ error: 'says whose record; for example device_PLC-007' }).min(1).max(LIMITS.scopeChars),
  component,
  from: instant,
  to: instant,
  principal: z.string().max(128).optional(),
  goal: z.string().max(64).optional(),
  outcome: z.enum(['confirmed', 'failed', 'unknown']).optional(),
  from_n: version.optional(),
  limit: page,
});

/** What was remembered, done and said: memory and audit of a scope's home, traces, the journal. */
export function recordRoutes(app: FastifyInstance, context: HttpContext): void {
  memoryRoutes(app, context);
  traceRoutes(app, context);
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

function memoryRoutes(app: FastifyInstance, context: HttpContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const reader = createHomeReader(context);
  const tags = ['memory'];
  const level = z.enum(['strong', 'eventual']).optional();
  const one = z.object({ version: version.optional(), consistency_level: level, component });
  routes.get(
    '/v1/memory/:scope',
    { schema: { tags, summary: 'The newest snapshot of a scope, or one version', params: scoped, querystring: one } },
    (request) => {
      const { version: wanted, component: asked, consistency_level } = request.query;
      const { scope } = request.params;
      return reader.ask(reader.home(scope, asked), {
        method: 'memory_read',
        params: { scope, ...(wanted ? { version: wanted } : {}) },
        principal: principalOf(request),
        ...(consistency_level ? { consistency: consistency_level } : {}),
      });
    },
  );
  routes.get(
    '/v1/memory/:scope/history',
    { schema: { tags, summary: 'All versions', params: scoped, querystring: z.object({ component }) } },
    (request) => {
      const { scope } = request.params;
      const question = { method: 'memory_history', params: { scope }, principal: principalOf(request) };
      return reader.ask(reader.home(scope, request.query.component), question);
    },
  );
  const two = z.object({ from: version, to: version, component });
  routes.get(
    '/v1/memory/:scope/diff',
    { schema: { tags, summary: 'What changed between two versions', params: scoped, querystring: two } },
    (request) => {
      const { from, to, component: asked } = request.query;
      const { scope } = request.params;
      const question = { method: 'memory_diff', params: { scope, from, to }, principal: principalOf(request) };
      return reader.ask(reader.home(scope, asked), question);
    },
  );
}

function traceRoutes(app: FastifyInstance, { coordinator, journal }: HttpContext): void {
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
    since: instant,
    limit: page,
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
