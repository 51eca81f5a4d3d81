import { existsSync } from 'node:fs';
import fastifyHelmet from '@fastify/helmet';
import { fastifySSE } from '@fastify/sse';
import fastifyStatic from '@fastify/static';
import fastifySwagger from '@fastify/swagger';
import fastifySwaggerUi from '@fastify/swagger-ui';
import fastify, { type FastifyInstance } from 'fastify';
import {
  jsonSchemaTransform,
  jsonSchemaTransformObject,
  serializerCompiler,
  validatorCompiler,
} from 'fastify-type-provider-zod';
import { HermesError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { agentRoutes } from './agent-routes.js';
import { approvalRoutes } from './approval-routes.js';
import { auditRoutes } from './audit-routes.js';
import { backupRoutes } from './backup-routes.js';
import type { HttpContext } from './context.js';
import { deviceRoutes } from './device-routes.js';
import { eventRoutes } from './event-routes.js';
import { goalRoutes } from './goal-routes.js';
import { healthRoutes } from './health-routes.js';
import { keyRoutes } from './key-routes.js';
import { guardLoopback, requireLoopback } from './loopback-guard.js';
import { memoryRoutes } from './memory-routes.js';
import { networkRoutes } from './network-routes.js';
import { sendProblem } from './problem.js';
import { toolRoutes } from './tool-routes.js';
import { traceRoutes } from './trace-routes.js';

export interface HttpServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Opens the HTTP side; port 0 takes a free one. @throws HermesError: the port is taken, the host is not loopback. */
export async function openHttpServer(
  context: HttpContext,
  options: { host: string; port: number },
): Promise<HttpServer> {
  requireLoopback(options.host);
  const app = fastify({ bodyLimit: LIMITS.goalBodyBytes, logger: false, forceCloseConnections: true });
  app.removeContentTypeParser('text/plain');
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler((error, request, reply) => {
    if (!(error instanceof HermesError) && (error as { statusCode?: number }).statusCode === undefined) {
      context.logger.error({ err: error, url: request.url }, 'a route failed');
    }
    return sendProblem(error, request, reply);
  });
  app.setNotFoundHandler((request, reply) =>
    sendProblem(
      new HermesError('not_found', `no ${request.method} ${request.url}`, { suggestion: 'see /docs' }),
      request,
      reply,
    ),
  );
  guardLoopback(app);
  await documentApi(app);
  await app.register(fastifySSE, { heartbeatInterval: 15_000 });
  await app.register(async (scope) => {
    goalRoutes(scope, context);
    agentRoutes(scope, context);
    approvalRoutes(scope, context);
    eventRoutes(scope, context);
    deviceRoutes(scope, context);
    memoryRoutes(scope, context);
    auditRoutes(scope, context);
    traceRoutes(scope, context);
    keyRoutes(scope, context);
    backupRoutes(scope, context);
    toolRoutes(scope, context);
    networkRoutes(scope, context);
    healthRoutes(scope, context);
  });
  await servePage(app, context);
  try {
    await app.listen({ host: options.host, port: options.port });
  } catch (cause) {
    await app.close();
    const taken = (cause as { code?: string }).code === 'EADDRINUSE';
    throw new HermesError(
      'invalid_params',
      taken ? `port ${options.port} is taken` : `cannot listen: ${String(cause)}`,
      {
        fields: [{ pointer: '/http/port', problem: taken ? 'taken' : 'cannot listen' }],
        suggestion: 'set HERMES_HTTP_PORT to a free port, or stop what listens there',
      },
      { cause },
    );
  }
  const address = app.server.address();
  const port = typeof address === 'object' && address ? address.port : options.port;
  return { url: `http://${options.host}:${port}`, port, close: () => app.close() };
}

async function documentApi(app: FastifyInstance): Promise<void> {
  await app.register(fastifyHelmet, {
    contentSecurityPolicy: {
      directives: { defaultSrc: ["'self'"], imgSrc: ["'self'", 'data:'], upgradeInsecureRequests: null },
    },
    strictTransportSecurity: false,
  });
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Hermes network',
        version: '1.0',
        description: 'Goals in, agents dispatched, everything on the record.',
      },
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });
  await app.register(fastifySwaggerUi, { routePrefix: '/docs' });
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}

async function servePage(app: FastifyInstance, { pageDir }: HttpContext): Promise<void> {
  if (pageDir && existsSync(pageDir)) {
    await app.register(fastifyStatic, { root: pageDir, wildcard: false });
    return;
  }
  app.get('/', { schema: { hide: true } }, async () => {
    throw new HermesError('not_found', 'the page is not built', { suggestion: 'run: npm run build' });
  });
}
