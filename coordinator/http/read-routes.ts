import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { StoredEntry } from '../../agents/runtime/index.js';
import type { Device } from '../../shared/device.js';
import { HermesError, toHermesError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { COORDINATOR } from '../coordinator.js';
import { homeOf } from '../home.js';
import { traceOf } from '../trace.js';
import { type HttpContext, principalOf } from './context.js';

const scoped = z.object({ scope: z.string().min(1).max(LIMITS.scopeChars) });
const component = z.string().max(48).optional();
const consistency = z.enum(['strong', 'eventual']).optional();
const auditQuery = z.object({
  scope: z.string({ error: 'says whose record; for example device_PLC-007' }).min(1).max(LIMITS.scopeChars),
  component,
  from: z.coerce.number().optional(),
  to: z.coerce.number().optional(),
  principal: z.string().max(128).optional(),
  goal: z.string().max(64).optional(),
  outcome: z.enum(['confirmed', 'failed', 'unknown']).optional(),
  from_n: z.coerce.number().int().positive().optional(),
  limit: z.coerce.number().int().min(1).max(LIMITS.pageRows).default(200),
});

/** Reads of the record, memory, traces, agents and devices: asked of their home components over the bus. */
export function readRoutes(app: FastifyInstance, context: HttpContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const { coordinator, journal, site, clock } = context;
  const { discovery, agent, goals } = coordinator;

  /** Asks a component's read method on behalf of the person who asked us. */
  const ask = async (
    name: string,
    method: string,
    params: Record<string, unknown>,
    principal: ReturnType<typeof principalOf>,
    level?: 'strong' | 'eventual',
  ) => {
    if (name === COORDINATOR) return own(method, params, principal);
    const manifest = discovery.manifest(name);
    if (!manifest)
      throw new HermesError('not_found', `no agent ${name} is known`, { suggestion: 'see GET /v1/agents' });
    const { response } = await agent.cell.caller.call({
      callee: manifest.component,
      method,
      params,
      ...(level ? { consistency: level } : {}),
      deadlineAt: clock.now() + 10_000,
      timeoutMs: 5_000,
      principal,
    });
    return response.result;
  };

  const own = async (method: string, params: Record<string, unknown>, principal: ReturnType<typeof principalOf>) => {
    const { memory } = agent.cell;
    const scope = String(params.scope);
    if (method === 'memory_read')
      return memory.read(scope, { principal, ...(params.version ? { version: Number(params.version) } : {}) });
    if (method === 'memory_history') return { versions: await memory.history(scope, { principal }) };
    if (method === 'memory_diff') {
      const [from, to] = [Number(params.from), Number(params.to)];
      return { from, to, changes: await memory.diff(scope, from, to, { principal }) };
    }
    return {
      entries: await memory.audit(scope, {
        principal,
        limit: Number(params.limit ?? 200),
        fromN: Number(params.from_n ?? 1),
      }),
    };
  };
  const home = (scope: string, asked?: string): string => asked ?? homeOf(scope, site);

  routes.get('/v1/devices', { schema: { tags: ['devices'], summary: 'Devices of the site' } }, async () =>
    Promise.all(site.devices.map((device) => describeDevice(context, device))),
  );
  routes.get(
    '/v1/devices/:id',
    { schema: { tags: ['devices'], summary: 'One device with live points', params: z.object({ id: z.string() }) } },
    async (request) => {
      const device = site.devices.find((candidate) => candidate.id.toLowerCase() === request.params.id.toLowerCase());
      if (!device)
        throw new HermesError('not_found', `no device ${request.params.id}`, { suggestion: 'see GET /v1/devices' });
      const described = await describeDevice(context, device);
      try {
        const read = (await ask(device.home, 'read_points', { device_id: device.id }, principalOf(request))) as {
          points: unknown;
        };
        return { ...described, points: read.points };
      } catch (thrown) {
        return { ...described, points: {}, error: toHermesError(thrown).toWire() };
      }
    },
  );

  routes.get(
    '/v1/traces/:id',
    { schema: { tags: ['traces'], summary: 'The timeline of one trace', params: z.object({ id: z.string() }) } },
    (request) => traceOf(request.params.id, goals.store, journal, COORDINATOR),
  );
  const journalQuery = z.object({
    request_id: z.string().max(128).optional(),
    trace_id: z.string().max(64).optional(),
    since: z.coerce.number().optional(),
    limit: z.coerce.number().int().min(1).max(LIMITS.pageRows).default(200),
  });
  routes.get(
    '/v1/journal',
    { schema: { tags: ['traces'], summary: 'What was said between components', querystring: journalQuery } },
    async (request) => {
      const { request_id, trace_id, since, limit } = request.query;
      const wanted = {
        limit,
        ...(request_id ? { request_id } : {}),
        ...(trace_id ? { trace_id } : {}),
        ...(since ? { since } : {}),
      };
      return { entries: await journal.query(wanted), gaps: journal.gaps };
    },
  );

  const memoryQuery = z.object({
    version: z.coerce.number().int().positive().optional(),
    consistency_level: consistency,
    component,
  });
  routes.get(
    '/v1/memory/:scope',
    {
      schema: {
        tags: ['memory'],
        summary: 'The newest snapshot of a scope, or one version',
        params: scoped,
        querystring: memoryQuery,
      },
    },
    (request) => {
      const { version, component: asked, consistency_level } = request.query;
      const { scope } = request.params;
      return ask(
        home(scope, asked),
        'memory_read',
        { scope, ...(version ? { version } : {}) },
        principalOf(request),
        consistency_level,
      );
    },
  );
  routes.get(
    '/v1/memory/:scope/history',
    { schema: { tags: ['memory'], summary: 'All versions', params: scoped, querystring: z.object({ component }) } },
    (request) =>
      ask(
        home(request.params.scope, request.query.component),
        'memory_history',
        { scope: request.params.scope },
        principalOf(request),
      ),
  );
  const diffQuery = z.object({
    from: z.coerce.number().int().positive(),
    to: z.coerce.number().int().positive(),
    component,
  });
  routes.get(
    '/v1/memory/:scope/diff',
    {
      schema: {
        tags: ['memory'],
        summary: 'What changed between two versions',
        params: scoped,
        querystring: diffQuery,
      },
    },
    (request) => {
      const { from, to, component: asked } = request.query;
      const { scope } = request.params;
      return ask(home(scope, asked), 'memory_diff', { scope, from, to }, principalOf(request));
    },
  );

  routes.get(
    '/v1/audit',
    { schema: { tags: ['audit'], summary: 'What was done to a scope', querystring: auditQuery } },
    async (request) => {
      const { scope, component: asked, from_n, limit, ...filter } = request.query;
      const params = { scope, limit, ...(from_n ? { from_n } : {}) };
      const page = (await ask(home(scope, asked), 'audit_query', params, principalOf(request))) as {
        entries: StoredEntry[];
        next?: number;
      };
      return { ...page, entries: page.entries.filter((entry) => matches(entry, filter)) };
    },
  );
}

function matches(
  entry: StoredEntry,
  filter: { from?: number; to?: number; principal?: string; goal?: string; outcome?: string },
): boolean {
  if (filter.from !== undefined && entry.at < filter.from) return false;
  if (filter.to !== undefined && entry.at > filter.to) return false;
  if (filter.principal && entry.principal?.id !== filter.principal) return false;
  if (filter.goal && entry.goal_id !== filter.goal) return false;
  return !filter.outcome || entry.outcome === filter.outcome;
}

async function describeDevice({ resolveLink }: HttpContext, device: Device): Promise<Record<string, unknown>> {
  const { id, kind, names, zone, criticality, home } = device;
  const address = await resolveLink(device.link).catch((error: unknown) => ({
    host: null,
    port: null,
    error: toHermesError(error).message,
  }));
  return {
    id,
    kind,
    names,
    zone: zone ?? null,
    criticality,
    home,
    link: { id: device.link, unit: device.unit, ...address },
  };
}
