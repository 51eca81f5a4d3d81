import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { componentName } from '../../mcp/index.js';
import { COORDINATOR } from '../coordinator.js';
import { createKeyDesk, type KeyList } from '../key-desk.js';
import { type HttpContext, principalOf } from './context.js';

const rotation = z.strictObject({ rewrap: z.boolean().default(false) });

/** Which keys seal and sign, and their changes; no key itself is ever told. */
export function keyRoutes(app: FastifyInstance, { coordinator, expected }: HttpContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const joined = () => coordinator.discovery.manifests().map(({ component }) => componentName(component));
  const desk = createKeyDesk(coordinator.agent.cell, () => [...new Set([COORDINATOR, ...expected, ...joined()])]);
  const tags = ['keys'];
  routes.get('/v1/keys', { schema: { tags, summary: 'Data keys by number, public keys of components' } }, async () =>
    present(await desk.list()),
  );
  routes.post(
    '/v1/keys/rotate',
    { schema: { tags, summary: 'A new data key; with rewrap, all under the new master key', body: rotation } },
    async (request) => {
      const principal = principalOf(request);
      return present(await (request.body.rewrap ? desk.rewrap(principal) : desk.rotate(principal)));
    },
  );
}

const iso = (at: number | undefined): string | undefined => (at === undefined ? undefined : new Date(at).toISOString());

const present = <T extends KeyList>({ data_keys, components, ...rest }: T) => ({
  ...rest,
  data_keys: data_keys.map((one) => ({ ...one, since: iso(one.since) })),
  components: components.map((one) => ({ ...one, since: iso(one.since) })),
});
