import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Device } from '../../shared/device.js';
import { HermesError, toHermesError } from '../../shared/errors.js';
import { type HttpContext, principalOf } from './context.js';
import { createHomeReader } from './home-reader.js';

const byId = z.object({ id: z.string().max(64) });

/** Devices of the site, with where their links are now and what their points say now. */
export function deviceRoutes(app: FastifyInstance, context: HttpContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const { site } = context;
  const reader = createHomeReader(context);
  const tags = ['devices'];

  routes.get('/v1/devices', { schema: { tags, summary: 'Devices of the site' } }, async () => {
    const links = new Map<string, Promise<LinkPlace>>();
    for (const { link } of site.devices) if (!links.has(link)) links.set(link, placeOf(context, link));
    return Promise.all(site.devices.map(async (device) => describe(device, await links.get(device.link))));
  });

  routes.get(
    '/v1/devices/:id',
    { schema: { tags, summary: 'One device with live points', params: byId } },
    async (request) => {
      const wanted = request.params.id.toLowerCase();
      const device = site.devices.find((candidate) => candidate.id.toLowerCase() === wanted);
      if (!device) throw new HermesError('not_found', `no device ${wanted}`, { suggestion: 'see GET /v1/devices' });
      const described = describe(device, await placeOf(context, device.link));
      const question = { method: 'device_read', params: { device_id: device.id }, principal: principalOf(request) };
      try {
        const { points } = (await reader.ask(device.home, question)) as { points: unknown };
        return { ...described, points };
      } catch (thrown) {
        return { ...described, points: {}, error: toHermesError(thrown).toWire() };
      }
    },
  );
}

interface LinkPlace {
  readonly host: string | null;
  readonly port: number | null;
  readonly error?: string;
}

const placeOf = ({ resolveLink }: HttpContext, link: string): Promise<LinkPlace> =>
  resolveLink(link).catch((error: unknown) => ({ host: null, port: null, error: toHermesError(error).message }));

const describe = (device: Device, place?: LinkPlace): Record<string, unknown> => ({
  id: device.id,
  kind: device.kind,
  names: device.names,
  zone: device.zone ?? null,
  criticality: device.criticality,
  home: device.home,
  link: { id: device.link, unit: device.unit, ...place },
});
