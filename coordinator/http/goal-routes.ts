import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { isFinal } from '../../agents/runtime/index.js';
import { LIMITS } from '../../shared/limits.js';
import { type Goal, TASK_TYPES } from '../goals/goal.js';
import { type HttpContext, principalOf } from './context.js';
import { linksOf, presentEvent, presentGoal } from './present.js';

const submission = z
  .strictObject({
    goal: z.string().trim().min(1, 'says what is wanted; it is empty').max(LIMITS.sentenceChars),
    session_id: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,64}$/, 'letters, digits, dashes')
      .optional(),
    timeout_ms: z.number().int().min(LIMITS.goalTimeoutMinMs).max(LIMITS.goalTimeoutMaxMs).optional(),
    deadline_unix_ms: z.number().int().positive().optional(),
    task_type: z.enum(TASK_TYPES).optional(),
    priority: z.number().int().min(0).max(9).optional(),
    dry_run: z.boolean().optional(),
    explain: z.boolean().optional(),
  })
  .refine((body) => body.timeout_ms === undefined || body.deadline_unix_ms === undefined, {
    path: ['deadline_unix_ms'],
    message: 'give timeout_ms or deadline_unix_ms, not both',
  });

const goalId = z.object({ id: z.string().max(64) });
const wait = z.object({ wait: z.coerce.number().int().min(0).max(LIMITS.goalWaitMaxMs).optional() });
const filter = z.object({
  state: z.string().max(32).optional(),
  session: z.string().max(64).optional(),
  device: z.string().max(64).optional(),
  before: z
    .string()
    .regex(/^\d{1,15}(-g-[a-z2-7]{16})?$/, 'next of the page before, or an instant in Unix ms')
    .optional(),
  limit: z.coerce.number().int().min(1).max(LIMITS.pageRows).default(50),
});
const keyHeader = z.looseObject({ 'idempotency-key': z.string().min(1).max(256).optional() });

/** Goals: accepted means durable; a slow or vanished client never holds one. */
export function goalRoutes(app: FastifyInstance, { coordinator }: HttpContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const { goals } = coordinator;
  const tags = ['goals'];

  routes.post(
    '/v1/goals',
    { schema: { tags, summary: 'Submit a goal', body: submission, querystring: wait, headers: keyHeader } },
    async (request, reply) => {
      const { dry_run, ...body } = request.body;
      const principal = principalOf(request);
      if (dry_run) return reply.code(200).send(await goals.rehearse(body, principal));
      const key = request.headers['idempotency-key'];
      const goal = await goals.submit(body, principal, typeof key === 'string' ? key : undefined);
      return answer(reply, goal, request.query.wait);
    },
  );

  const answer = async (reply: { code(n: number): { send(body: unknown): unknown } }, goal: Goal, waitMs?: number) => {
    if (waitMs === undefined) {
      const { goal_id, session_id, trace_id, state } = goal;
      return reply
        .code(202)
        .send({ goal_id, session_id, trace_id, state, links: linksOf(goal_id, trace_id, session_id) });
    }
    const settled = await goals.settled(goal.goal_id, waitMs);
    const over = isFinal(settled.state) || settled.state === 'paused';
    return reply.code(over ? 200 : 202).send(presentGoal(settled));
  };

  routes.get(
    '/v1/goals',
    { schema: { tags, summary: 'List goals, newest first', querystring: filter } },
    async (request) => {
      const { goals: found, next } = await goals.list(withoutUndefined(request.query));
      return { goals: found.map(presentGoal), ...(next === undefined ? {} : { next }) };
    },
  );

  routes.get('/v1/goals/:id', { schema: { tags, summary: 'One goal', params: goalId } }, async (request) =>
    presentGoal(await goals.get(request.params.id)),
  );

  routes.post('/v1/goals/:id/cancel', { schema: { tags, summary: 'Cancel a goal', params: goalId } }, async (request) =>
    presentGoal(await goals.cancel(request.params.id, principalOf(request))),
  );

  routes.get(
    '/v1/goals/:id/events',
    { schema: { tags, summary: 'Follow a goal (Server-Sent Events)', params: goalId }, sse: { kind: 'only' } },
    async (request, reply) => {
      const { goal_id } = await goals.get(request.params.id);
      const last = Number(request.headers['last-event-id'] ?? 0);
      const gone = new AbortController();
      reply.sse.onClose(() => gone.abort());
      const from = Number.isSafeInteger(last) && last >= 0 ? last + 1 : 1;
      for await (const entry of goals.watch(goal_id, from, gone.signal)) {
        await reply.sse.send({ id: String(entry.n), data: presentEvent(goal_id, entry) });
      }
      reply.sse.close();
    },
  );

  routes.post('/v1/sessions', { schema: { tags: ['sessions'], summary: 'Open a session' } }, async (request, reply) =>
    reply.code(201).send(await goals.openSession(principalOf(request))),
  );
  routes.get(
    '/v1/sessions/:id',
    { schema: { tags: ['sessions'], summary: 'One session', params: goalId } },
    (request) => goals.session(request.params.id),
  );
  const message = z.strictObject({ text: z.string().trim().min(1, 'is empty').max(LIMITS.sentenceChars) });
  routes.post(
    '/v1/sessions/:id/messages',
    {
      schema: {
        tags: ['sessions'],
        summary: 'Answer a prompt, or start a goal',
        params: goalId,
        body: message,
        querystring: wait,
      },
    },
    async (request, reply) => {
      const goal = await goals.converse(request.params.id, request.body.text, principalOf(request));
      return answer(reply, goal, request.query.wait);
    },
  );
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as never;
}
