import type { FastifyInstance } from 'fastify';
import { subjects } from '../../mcp/index.js';
import { transportHealth } from '../../mcp/transport/index.js';
import { COORDINATOR } from '../coordinator.js';
import type { HttpContext } from './context.js';

/** Live: the process answers. Ready: bus and log work; an agent that is missing, or cannot be seen, only degrades. */
export function healthRoutes(app: FastifyInstance, context: HttpContext): void {
  const { coordinator, clock, expected, metricsText, problems = () => [] } = context;
  const { cell } = coordinator.agent;
  app.get('/healthz', { schema: { tags: ['health'], summary: 'Whether the process lives' } }, async () => ({
    status: 'live',
    now: new Date(clock.now()).toISOString(),
  }));

  app.get('/readyz', { schema: { tags: ['health'], summary: 'Whether goals are served' } }, async (_request, reply) => {
    const own = subjects.logOf(cell.policy.tenant, COORDINATOR);
    const { bus, log, presence } = await transportHealth(cell.doors.transport, clock, own);
    const missing = expected.filter((name) => coordinator.discovery.members(name).length === 0);
    const agents = { ...presence, ok: presence.ok && missing.length === 0, missing };
    const wrong = problems();
    const works = bus.ok && log.ok;
    const status = !works ? 'unready' : agents.ok && wrong.length === 0 ? 'ready' : 'degraded';
    const more = wrong.length > 0 ? { problems: wrong } : {};
    return reply.code(works ? 200 : 503).send({ status, bus, log, agents, missing_agents: missing, ...more });
  });

  if (!metricsText) return;
  app.get('/metrics', { schema: { tags: ['health'], summary: 'Prometheus metrics' } }, async (_request, reply) =>
    reply.type('text/plain; version=0.0.4').send(await metricsText()),
  );
}
