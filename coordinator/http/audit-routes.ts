import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { StoredEntry } from '../../agents/runtime/index.js';
import { LIMITS } from '../../shared/limits.js';
import { fetchExport } from './audit-export.js';
import { type HttpContext, principalOf } from './context.js';
import { tellGoals } from './goals-told.js';
import { createHomeReader } from './home-reader.js';
import { presentAudit } from './present-audit.js';
import { componentField, instantField, pageField, versionField } from './query-fields.js';

const scopeField = z.string({ error: 'says whose record; for example device_PLC-007' }).min(1).max(LIMITS.scopeChars);
const auditQuery = z.object({
  scope: scopeField,
  component: componentField,
  from: instantField,
  to: instantField,
  principal: z.string().max(128).optional(),
  goal: z.string().max(64).optional(),
  outcome: z.enum(['confirmed', 'failed', 'unknown']).optional(),
  from_n: versionField.optional(),
  limit: pageField,
});
const exportQuery = z.object({ scope: scopeField, component: componentField, from: instantField, to: instantField });

/** What was done: the record of a scope, asked of its home. */
export function auditRoutes(app: FastifyInstance, context: HttpContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const reader = createHomeReader(context);
  const tags = ['audit'];
  routes.get(
    '/v1/audit',
    { schema: { tags, summary: 'What was done to a scope', querystring: auditQuery } },
    async (request) => {
      const { component: asked, ...wish } = request.query;
      const question = { method: 'audit_query', params: given(wish), principal: principalOf(request) };
      const answer = await reader.ask(reader.home(wish.scope, asked), question);
      const { entries, next } = answer as { entries: readonly StoredEntry[]; next?: number };
      return { entries: entries.map(presentAudit), ...(next === undefined ? {} : { next }) };
    },
  );
  routes.get(
    '/v1/audit/export',
    { schema: { tags, summary: 'The record of a scope as one signed file', querystring: exportQuery } },
    async (request, reply) => {
      const { component: asked, ...wish } = request.query;
      const home = reader.home(wish.scope, asked);
      const principal = principalOf(request);
      const tell = (goals: readonly string[]) => tellGoals(context, goals, principal, wish.scope);
      const file = await fetchExport(reader, home, given(wish), principal, tell);
      reply.header('content-disposition', `attachment; filename="${wish.scope.replace(/[^\w-]/g, '')}.audit.json"`);
      return reply.type('application/json; charset=utf-8').send(file);
    },
  );
}

const given = (wish: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined));
