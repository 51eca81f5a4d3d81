import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { LIMITS } from '../../shared/limits.js';
import { type HttpContext, principalOf } from './context.js';
import { presentApproval } from './present.js';

const approvalId = z.object({ id: z.string().max(64) });
const decision = z.strictObject({
  decision: z.enum(['approve', 'reject'], { error: 'approve or reject' }),
  comment: z.string().trim().max(LIMITS.commentChars).optional(),
});
const which = z.object({ state: z.enum(['pending', 'all']).default('pending') });

/** Steps that wait for a person. Without configured authentication everybody on this machine may decide, by name. */
export function approvalRoutes(app: FastifyInstance, { coordinator }: HttpContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const { goals } = coordinator;
  const tags = ['approvals'];
  routes.get(
    '/v1/approvals',
    { schema: { tags, summary: 'Steps that wait for a decision, oldest first', querystring: which } },
    async (request) => ({
      approvals: (await goals.approvals(request.query.state)).map(presentApproval),
    }),
  );
  routes.post(
    '/v1/approvals/:id',
    { schema: { tags, summary: 'Approve or reject; the first decision counts', params: approvalId, body: decision } },
    async (request) => {
      const { decision: said, comment } = request.body;
      const by = { principal: principalOf(request), auth: 'none' } as const;
      return presentApproval(await goals.decide(request.params.id, said, by, comment));
    },
  );
  routes.post(
    '/v1/approvals/:id/renew',
    { schema: { tags, summary: 'Ask again: the time to decide begins anew', params: approvalId } },
    async (request) =>
      presentApproval(await goals.renew(request.params.id, { principal: principalOf(request), auth: 'none' })),
  );
}
