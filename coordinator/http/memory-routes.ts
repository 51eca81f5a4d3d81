import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { type HttpContext, principalOf } from './context.js';
import { createHomeReader } from './home-reader.js';
import { componentField, scopeParam, versionField } from './query-fields.js';

/** What was remembered: snapshots of a scope, asked of its home. */
export function memoryRoutes(app: FastifyInstance, context: HttpContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const reader = createHomeReader(context);
  const tags = ['memory'];
  const level = z.enum(['strong', 'eventual']).optional();
  const one = z.object({ version: versionField.optional(), consistency_level: level, component: componentField });
  routes.get(
    '/v1/memory/:scope',
    {
      schema: { tags, summary: 'The newest snapshot of a scope, or one version', params: scopeParam, querystring: one },
    },
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
    {
      schema: {
        tags,
        summary: 'All versions',
        params: scopeParam,
        querystring: z.object({ component: componentField }),
      },
    },
    (request) => {
      const { scope } = request.params;
      const question = { method: 'memory_history', params: { scope }, principal: principalOf(request) };
      return reader.ask(reader.home(scope, request.query.component), question);
    },
  );
  const two = z.object({ from: versionField, to: versionField, component: componentField });
  routes.get(
    '/v1/memory/:scope/diff',
    { schema: { tags, summary: 'What changed between two versions', params: scopeParam, querystring: two } },
    (request) => {
      const { from, to, component: asked } = request.query;
      const { scope } = request.params;
      const question = { method: 'memory_diff', params: { scope, from, to }, principal: principalOf(request) };
      return reader.ask(reader.home(scope, asked), question);
    },
  );
}
