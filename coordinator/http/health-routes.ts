import type { FastifyInstance } from 'fastify';
import { subjects } from '../../mcp/index.js';
import { toHermesError } from '../../shared/errors.js';
import { COORDINATOR } from '../coordinator.js';
import type { HttpContext } from './context.js';

/** Live: the process answers. Ready: the log can be read and the coordinator works; a missing agent only degrades. */
export function healthRoutes(app: FastifyInstance, context: HttpContext): void {
  const { coordinator, clock, expected, metricsText, problems = () => [] } = context;
  const { cell } = coordinator.agent;
  app.get('/healthz', { schema: { tags: ['health'], summary: 'Whether the process lives' } }, async () => ({
    status: 'live',
    now: new Date(clock.now()).toISOString(),
  }));

  app.get('/readyz', { schema: { tags: ['health'], summary: 'Whether goals are served' } }, async (_request, reply) => {
    const log = await cell.doors.transport.log.headSeq(subjects.logOf(cell.policy.tenant, COORDINATOR)).then(
      (seq) => ({ ok: true, seq }),
      (error: unknown) => ({ ok: false, error: toHermesError(error).message }),
    );
    const missing = expected.filter((name) => coordinator.discovery.members(name).length === 0);
    const wrong = problems();
    const status = !log.ok ? 'unready' : missing.length + wrong.length > 0 ? 'degraded' : 'ready';
    const more = wrong.length > 0 ? { problems: wrong } : {};
    return reply.code(log.ok ? 200 : 503).send({ status, log, bus: { ok: true }, missing_agents: missing, ...more });
  });

  if (!metricsText) return;
  app.get('/metrics', { schema: { tags: ['health'], summary: 'Prometheus metrics' } }, async (_request, reply) =>
    reply.type('text/plain; version=0.0.4').send(await metricsText()),
  );
}
