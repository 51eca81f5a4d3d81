import { type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import { z } from 'zod';
import type { LinkAddress } from '../shared/device.js';
import { HermesError, invalidParams, toHermesError } from '../shared/errors.js';
import type { Logger } from '../shared/telemetry/logger.js';
import type { SmtpReceiver } from './smtp-receiver.js';
import type { SimDeviceView, World } from './world.js';

export interface ControlDeps {
  readonly logger: Logger;
  readonly world: World;
  readonly mail: SmtpReceiver;
  /** Where each link listens, `smtp` among them. */
  readonly links: () => Readonly<Record<string, LinkAddress>>;
}

export interface Control {
  readonly url: string;
  close(): Promise<void>;
}

const PUT_BODY = z.strictObject({ value: z.union([z.number(), z.boolean(), z.string()]) });
const FAULT_BODY = z.strictObject({
  device: z.string(),
  kind: z.string(),
  params: z.record(z.string(), z.union([z.number(), z.string(), z.array(z.number())])).optional(),
  after_ms: z.number().min(0).optional(),
  for_ms: z.number().min(0).optional(),
});
const FRAMES_QUERY = z.strictObject({ device: z.string().optional(), since: z.coerce.number().min(0).optional() });
const MAIL_QUERY = z.strictObject({ to: z.string().optional() });
const DEVICE_PATH = z.object({ id: z.string() });
const POINT_PATH = z.object({ id: z.string(), point: z.string() });
const FAULT_PATH = z.object({ id: z.string() });

/**
 * The control endpoint: what a person at the machine could see and do. Loopback only; no authentication, because
 * whoever reaches it owns the machine. Refusals are problem documents (RFC 9457) that name the field.
 */
export async function openControl(deps: ControlDeps, options: { host: string; port: number }): Promise<Control> {
  const server = fastify({ logger: false, forceCloseConnections: true });
  server.setErrorHandler((error, _request, reply) => sendProblem(reply, error, deps.logger));
  server.setNotFoundHandler((request, reply) =>
    sendProblem(reply, new HermesError('not_found', `no ${request.method} ${request.url}`), deps.logger),
  );
  // A body is not needed for POST /sim/reset, whatever its content type says.
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    const text = String(body);
    try {
      done(null, text === '' ? undefined : JSON.parse(text));
    } catch (error) {
      done(invalidParams('the body is not JSON', [{ pointer: '', problem: toHermesError(error).message }]));
    }
  });
  deviceRoutes(server, deps);
  faultRoutes(server, deps);
  recordRoutes(server, deps);
  await server.listen({ host: options.host, port: options.port });
  const address = server.server.address();
  const port = typeof address === 'object' && address ? address.port : options.port;
  return { url: `http://${options.host}:${port}`, close: () => server.close() };
}

function deviceRoutes(server: FastifyInstance, { world, links }: ControlDeps): void {
  const placed = ({ link, ...device }: SimDeviceView) => ({ ...device, link, ...links()[link] });
  server.get('/sim/links', () => links());
  server.get('/sim/devices', () => world.devices().map(placed));
  server.get('/sim/devices/:id', (request) => placed(world.device(parse(DEVICE_PATH, request.params).id)));
  server.put('/sim/devices/:id/points/:point', (request) => {
    const { id, point } = parse(POINT_PATH, request.params);
    world.device(id);
    const { value } = parse(PUT_BODY, request.body);
    world.put(id, point, value);
    return world.device(id).points.find((candidate) => candidate.name === point);
  });
}

function faultRoutes(server: FastifyInstance, { world }: ControlDeps): void {
  server.get('/sim/faults', () => world.faults());
  server.post('/sim/faults', (request, reply) => {
    const { device, kind, params, after_ms, for_ms } = parse(FAULT_BODY, request.body);
    const fault = world.addFault({
      device,
      kind,
      ...(params === undefined ? {} : { params }),
      ...(after_ms === undefined ? {} : { after_ms }),
      ...(for_ms === undefined ? {} : { for_ms }),
    });
    return reply.code(201).send(fault);
  });
  server.delete('/sim/faults/:id', (request, reply) => {
    world.removeFault(parse(FAULT_PATH, request.params).id);
    return reply.code(204).send();
  });
}

function recordRoutes(server: FastifyInstance, { world, mail }: ControlDeps): void {
  server.get('/sim/mail', (request) => mail.mails(parse(MAIL_QUERY, request.query).to));
  // No receiver of web hooks is built yet: nothing can have come.
  server.get('/sim/webhooks', () => []);
  server.get('/sim/frames', (request) => {
    const { device, since } = parse(FRAMES_QUERY, request.query);
    if (device !== undefined) world.device(device);
    return world.frames({ ...(device === undefined ? {} : { device }), ...(since === undefined ? {} : { since }) });
  });
  server.post('/sim/reset', () => {
    world.reset();
    mail.clear();
    return { reset: true };
  });
}

function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const fields = result.error.issues.flatMap((issue) => {
    const names = issue.code === 'unrecognized_keys' ? issue.keys : [undefined];
    return names.map((name) => ({
      pointer: [...issue.path, ...(name === undefined ? [] : [name])].map((part) => `/${String(part)}`).join(''),
      problem: issue.message,
    }));
  });
  throw invalidParams('the request is not accepted', fields);
}

function sendProblem(reply: FastifyReply, thrown: unknown, logger: Logger): FastifyReply {
  const own = fastifyStatus(thrown);
  const error = toHermesError(thrown);
  const status = own ?? error.httpStatus;
  if (status >= 500) logger.error({ err: error.message }, 'simulator control failed');
  const { fields, suggestion, ...data } = error.data;
  return reply
    .code(status)
    .header('content-type', 'application/problem+json')
    .send({
      type: `urn:hermes:reason:${error.reason}`,
      title: error.reason,
      status,
      detail: fields ? `${error.message}: ${fields.map((f) => `${f.pointer} ${f.problem}`).join('; ')}` : error.message,
      ...(fields ? { fields } : {}),
      ...data,
    });
}

/** Status of an error of the framework itself: a body that is too large, a content type it does not know. */
function fastifyStatus(thrown: unknown): number | undefined {
  if (thrown instanceof HermesError || !(thrown instanceof Error)) return undefined;
  return (thrown as Error & { statusCode?: number }).statusCode;
}
