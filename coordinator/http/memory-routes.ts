import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { toHermesError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { COORDINATOR } from '../coordinator.js';
import { type HttpContext, principalOf } from './context.js';
import { createHomeReader, type HomeQuestion } from './home-reader.js';
import { componentField, scopeParam, versionField } from './query-fields.js';

const archive = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .optional();
const where = { component: componentField, archive };
const one = z.object({
  ...where,
  version: versionField.optional(),
  consistency_level: z.enum(['strong', 'eventual']).optional(),
});
const paged = z.object({
  ...where,
  from_version: versionField.optional(),
  limit: z.coerce.number().int().min(1).max(LIMITS.pageRows).optional(),
});
const two = z.object({ ...where, from: versionField, to: versionField });
const checked = z.object({ scope: z.string().min(1).max(LIMITS.scopeChars).optional(), component: componentField });

/** What was remembered: snapshots of a scope, asked of its home. */
export function memoryRoutes(app: FastifyInstance, context: HttpContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const reader = createHomeReader(context);
  const tags = ['memory'];
  routes.get(
    '/v1/memory/:scope',
    {
      schema: { tags, summary: 'The newest snapshot of a scope, or one version', params: scopeParam, querystring: one },
    },
    (request) => {
      const { component: asked, consistency_level, ...rest } = request.query;
      const { scope } = request.params;
      return reader.ask(reader.home(scope, asked), {
        method: 'memory_read',
        params: given({ scope, ...rest }),
        principal: principalOf(request),
        ...(consistency_level ? { consistency: consistency_level } : {}),
      });
    },
  );
  for (const [path, summary, querystring] of [
    ['history', 'Versions of a scope, oldest first', paged],
    ['diff', 'What changed between two versions', two],
  ] as const) {
    routes.get(
      `/v1/memory/:scope/${path}`,
      { schema: { tags, summary, params: scopeParam, querystring } },
      (request) => {
        const { component: asked, ...rest } = request.query;
        const { scope } = request.params;
        const params = given({ scope, ...rest });
        const question = { method: `memory_${path}`, params, principal: principalOf(request) };
        return reader.ask(reader.home(scope, asked), question);
      },
    );
  }

  /** Each component about itself; one that does not answer stands there with its error. */
  const askAll = (question: HomeQuestion, asked: string | undefined): Promise<unknown[]> => {
    const names = asked === undefined ? [COORDINATOR, ...context.site.agents.map(({ name }) => name)] : [asked];
    return Promise.all(
      names.map((component) =>
        reader.ask(component, question).catch((thrown: unknown) => {
          if (asked !== undefined) throw thrown;
          return { component, error: toHermesError(thrown).toWire() };
        }),
      ),
    );
  };
  routes.get(
    '/v1/memory/stats',
    {
      schema: {
        ...{ tags, summary: 'Snapshots in the hot view, by component and kind of scope' },
        querystring: z.object({ component: componentField }),
      },
    },
    async (request) => {
      const question = { method: 'memory_stats', params: {}, principal: principalOf(request) };
      return { components: await askAll(question, request.query.component) };
    },
  );
  routes.get(
    '/v1/memory/check',
    { schema: { tags, summary: 'Chains, versions and index rows, held against the entries', querystring: checked } },
    async (request) => {
      const { scope, component: asked } = request.query;
      const question = { method: 'memory_check', params: given({ scope }), principal: principalOf(request) };
      return { components: await askAll(question, asked ?? (scope && reader.home(scope, undefined))) };
    },
  );
}

/** Without the fields that were left out. */
const given = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
