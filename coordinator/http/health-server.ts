import fastify from 'fastify';
import { HermesError, toHermesError } from '../../shared/errors.js';
import { guardLoopback, requireLoopback } from './loopback-guard.js';
import { sendProblem } from './problem.js';
import type { HttpServer } from './server.js';

/** What an agent's process says of itself. */
export interface HealthSources {
  readonly now: () => number;
  /** What it can say of its parts; `status: 'unready'` when one keeps it from working. @throws the same in a word. */
  readonly ready: () => Promise<Readonly<Record<string, unknown>>>;
  readonly metricsText: () => Promise<string>;
}

/**
 * `/healthz`, `/readyz` and `/metrics` of a process that serves no goals; port 0 takes a free one.
 * @throws HermesError `invalid_params`: the port is taken, the host is not loopback.
 */
export async function openHealthServer(
  { now, ready, metricsText }: HealthSources,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<HttpServer> {
  requireLoopback(host);
  const app = fastify({ logger: false, forceCloseConnections: true });
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply));
  guardLoopback(app);
  app.get('/healthz', async () => ({ status: 'live', now: new Date(now()).toISOString() }));
  app.get('/readyz', async (_request, reply) => {
    try {
      const said = { status: 'ready', ...(await ready()) };
      return await reply.code(said.status === 'unready' ? 503 : 200).send(said);
    } catch (thrown) {
      return reply.code(503).send({ status: 'unready', error: toHermesError(thrown).message });
    }
  });
  app.get('/metrics', async (_request, reply) => reply.type('text/plain; version=0.0.4').send(await metricsText()));
  try {
    const url = await app.listen({ host, port });
    return { url, port: Number(new URL(url).port), close: () => app.close() };
  } catch (cause) {
    await app.close();
    const taken = (cause as { code?: string }).code === 'EADDRINUSE';
    const problem = taken ? `port ${port} is taken` : `cannot listen: ${String(cause)}`;
    const fields = [{ pointer: '/health_port', problem }];
    throw new HermesError(
      'invalid_params',
      problem,
      { fields, suggestion: 'set another HERMES_HEALTH_PORT' },
      { cause },
    );
  }
}
