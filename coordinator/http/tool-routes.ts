import type { FastifyInstance } from 'fastify';
import type { HttpContext } from './context.js';

/** Tools of the agents that are known, as their manifests say them, and how they came in. */
export function toolRoutes(app: FastifyInstance, { coordinator: { discovery } }: HttpContext): void {
  app.get('/v1/tools', { schema: { tags: ['agents'], summary: 'Tools of all agents, and who signed them' } }, () => ({
    tools: discovery
      .manifests()
      .flatMap(({ component, admission, methods }) =>
        methods.map((method) => ({ component, ...method, admission: admission ?? null })),
      ),
  }));
}
