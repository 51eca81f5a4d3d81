import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { COMPONENT_NAME, listenToBeats } from '../../mcp/index.js';
import { HermesError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { COORDINATOR } from '../coordinator.js';
import { type HttpContext, principalOf } from './context.js';

const byName = z.object({ name: z.string().max(48) });
const byInstance = z.object({ instance: z.string().max(64) });
const call = z.strictObject({
  method: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'snake_case'),
  params: z.record(z.string(), z.unknown()).default({}),
  timeout_ms: z.number().int().min(1).max(LIMITS.goalWaitMaxMs).default(10_000),
});

const arrival = z.strictObject({
  name: z.string().regex(COMPONENT_NAME, 'snake_case, at most 48 characters').describe('component name'),
  /** Code that this machine is told to run: only what the product itself holds. */
  module: z
    .string()
    .regex(/^(agents|examples)\/[a-z0-9]+([-_][a-z0-9]+)*$/, 'a folder agents/<name> or examples/<name> of the product')
    .optional()
    .describe('folder of its code; default agents/<name>'),
});

/** Agents: who is there, what they can do, and one method of one of them by hand. */
export function agentRoutes(app: FastifyInstance, context: HttpContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const { coordinator, clock, intake } = context;
  const { discovery, agent } = coordinator;
  const tags = ['agents'];
  const load = openLoads(app, context);

  routes.get('/v1/agents', { schema: { tags, summary: 'Agents and their instances' } }, async () =>
    agentNames(context).map((name) => describeAgent(context, name, load)),
  );

  routes.get(
    '/v1/agents/:name',
    { schema: { tags, summary: 'One agent, with its manifest', params: byName } },
    async (request) => {
      const { name } = request.params;
      if (!agentNames(context).includes(name)) throw unknown(name);
      const manifest = name === COORDINATOR ? agent.manifest : discovery.manifest(name);
      return { ...describeAgent(context, name, load), manifest: manifest ?? null };
    },
  );

  routes.post(
    '/v1/agents',
    { schema: { tags, summary: 'Take in an agent that the topology does not list; it may read', body: arrival } },
    async (request, reply) => {
      const { name, module } = request.body;
      const joined = await intake.join({ name, ...(module === undefined ? {} : { module }) });
      return reply.code(201).send(joined);
    },
  );

  routes.delete(
    '/v1/agents/:name',
    { schema: { tags, summary: 'Let an agent go that joined', params: byName } },
    async (request, reply) => {
      await intake.leave(request.params.name);
      return reply.code(204).send();
    },
  );

  drainRoute(app, context);
  routes.post(
    '/v1/agents/:name/call',
    { schema: { tags, summary: 'Call one method of one agent', params: byName, body: call } },
    async (request) => {
      const manifest = discovery.manifest(request.params.name);
      if (!manifest) throw unknown(request.params.name);
      const { method, params, timeout_ms } = request.body;
      const { response } = await agent.cell.caller.call({
        callee: manifest.component,
        method,
        params,
        deadlineAt: clock.now() + timeout_ms,
        principal: principalOf(request),
      });
      return { result: response.result, served_by: response.served_by, timing: response.timing };
    },
  );
}

/** Intake of one instance ends; what it owns goes to its siblings. */
function drainRoute(app: FastifyInstance, { coordinator, clock }: HttpContext): void {
  const { discovery, agent } = coordinator;
  app
    .withTypeProvider<ZodTypeProvider>()
    .post(
      '/v1/agents/:instance/drain',
      { schema: { tags: ['agents'], summary: 'Have one instance hand over what it owns', params: byInstance } },
      async (request) => {
        const { instance } = request.params;
        const member = discovery.members().find((one) => one.instance === instance);
        if (!member) {
          const suggestion = 'see the instances at GET /v1/agents';
          throw new HermesError('not_found', `no instance ${instance} is alive`, { suggestion });
        }
        const { response } = await agent.cell.caller.call({
          callee: `${member.component}_v${member.version}`,
          method: 'drain',
          params: {},
          instance,
          deadlineAt: clock.now() + LIMITS.stopMs,
          principal: principalOf(request),
        });
        return { instance, component: member.component, result: response.result };
      },
    );
}

const unknown = (name: string): HermesError =>
  new HermesError('not_found', `no agent ${name}`, { suggestion: 'see GET /v1/agents' });

function agentNames({ coordinator, expected }: HttpContext): string[] {
  const present = coordinator.discovery.members().map((member) => member.component);
  return [...new Set([...expected, ...present])].sort();
}

type LoadOf = (component: string, instance: string) => number;

/** What instances say of their load, heard from now on: the first answer knows it already. */
function openLoads(app: FastifyInstance, context: HttpContext): LoadOf {
  const { doors, policy } = context.coordinator.agent.cell;
  const beats = listenToBeats({ bus: doors.transport.bus, ...doors }, policy);
  const listen = (): void => {
    for (const name of agentNames(context)) beats.load(name, '');
  };
  listen();
  const changes = context.coordinator.discovery.onChange(listen);
  app.addHook('onClose', async () => {
    changes.stop();
    beats.stop();
  });
  return beats.load;
}

function describeAgent({ coordinator }: HttpContext, name: string, load: LoadOf): Record<string, unknown> {
  const manifest = name === COORDINATOR ? coordinator.agent.manifest : coordinator.discovery.manifest(name);
  const members = coordinator.discovery.members(name);
  return {
    name,
    version: members[0]?.version ?? manifest?.component.split('_v').at(-1) ?? null,
    supported_mcp_versions: manifest?.supported_mcp_versions ?? [],
    state: members.length === 0 ? 'absent' : (members[0]?.state ?? 'ready'),
    methods: manifest?.methods.map((method) => method.name) ?? [],
    instances: members.map(({ instance, state, since, owns = [] }) => ({
      instance,
      state,
      load: load(name, instance),
      owns,
      since: new Date(since).toISOString(),
    })),
    circuits: [],
  };
}
