import {
  createLocalBus,
  createStages,
  type Manifest,
  MCP_VERSION,
  openEndpoint,
  type Principal,
  parseComponentId,
  parseOrRefuse,
  type Request,
  requestSchema,
  type ServedCall,
  SUPPORTED_MCP_VERSIONS,
} from '../../mcp/index.js';
import { openDeadline } from '../../shared/deadline.js';
import { HermesError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { createLines } from '../../shared/lines.js';
import { createAsk } from './ask.js';
import { type BuiltinMethod, type BuiltinSources, builtinMethods, READ_METHODS } from './builtin-methods.js';
import { type AgentDefinition, type Cell, openCell, raiseAlarm } from './cell.js';
import type { AgentDoors, AgentPolicy } from './doors.js';
import type { Consistency } from './memory/index.js';
import { takeLinks } from './ownership.js';
import { tellPoints } from './told-points.js';
import { createEnds, createRunner, isRead, type Runner, type Tool } from './tools/index.js';

export interface Agent {
  readonly cell: Cell;
  readonly manifest: Manifest;
  /**
   * One of the reads that every agent answers, served in place, as it is over the bus: for the process that the agent
   * lives in. @throws HermesError `unknown_method` for anything that is not such a read.
   */
  read(method: string, params: Readonly<Record<string, unknown>>, how: LocalRead): Promise<unknown>;
  /** Resolves when what an earlier life began is settled. */
  readonly settled: Promise<number>;
  /** Stops intake, finishes or aborts what runs, says goodbye, flushes. */
  stop(): Promise<void>;
}

export interface LocalRead {
  readonly principal: Principal;
  readonly consistency?: Consistency;
  readonly deadlineAt: number;
}

/**
 * Starts one Hermes cell. The order matters: an agent owns its links before it acts on them, and announces itself only
 * when it can answer.
 */
export async function startAgent(definition: AgentDefinition, doors: AgentDoors, policy: AgentPolicy): Promise<Agent> {
  parseComponentId(`${definition.name}_v${definition.version}`);
  const cell = await openCell(definition, doors, policy);
  const { component, instance, view, caller, memory, events } = cell;
  const { transport, clock, logger, metrics } = cell.doors;
  const tools = new Map(definition.tools.map((tool) => [tool.manifest.name, tool]));
  const runner = await openRunner(cell, definition.name);
  const runTool = openToolBus(cell, definition, tools, runner);
  const manifest = manifestOf(component, definition);

  const health = () => ({ component, instance, applied: view.applied, load: endpoint.load, pending: caller.pending });
  const ask = createAsk({ cell, manifest, runTool });
  const readDevice = deviceReader(cell, definition.name);
  const builtin = builtinMethods({ describe: () => manifest, health, memory, clock, readDevice, ask });
  const special = (await definition.methods?.(cell)) ?? new Map<string, BuiltinMethod>();
  const endpoint = openEndpoint(
    { bus: transport.bus, clock, logger, metrics },
    {
      component,
      instance,
      tenant: policy.tenant,
      allow: policy.allow,
      maySpeakForPeople: policy.maySpeakForPeople,
      actorKey: (request) => actorKey(tools, request),
      serve: (call) => (special.get(call.request.method) ?? builtin.get(call.request.method) ?? runTool)(call),
    },
  );
  const { name, version } = definition;
  const since = Math.round(clock.now());
  const membership = await transport.liveness.join({ component: name, instance, version, since, state: 'ready' });
  events.emit('agent.joined', { component, instance });
  logger.info({ methods: tools.size }, 'agent ready');

  return {
    cell,
    manifest,
    read: (method, params, how) => readInPlace(cell, builtin, method, params, how),
    settled: settleQuietly(cell, runner, tools),
    async stop() {
      await membership.leave();
      events.emit('agent.left', { component, instance });
      await endpoint.stop(LIMITS.stopMs / 2);
      caller.close();
      await view.close();
    },
  };
}

/** Live points of a device that this agent serves. @throws HermesError `unknown_entity` for any other. */
function deviceReader({ doors, policy }: Cell, name: string): BuiltinSources['readDevice'] {
  return async (deviceId, asked, signal) => {
    const device = policy.site.devices.find(({ id, home }) => id === deviceId && home === name);
    if (!device)
      throw new HermesError('unknown_entity', `${name} serves no device ${deviceId}`, { device_id: deviceId });
    const names = asked ?? device.points.map((point) => point.name);
    const strange = names.filter((point) => !device.points.some((one) => one.name === point));
    if (strange.length > 0) throw new HermesError('unknown_entity', `${deviceId} has no point ${strange.join(', ')}`);
    const values = await doors.devices.read(device, names, { signal });
    const byName = Object.fromEntries(values.map((value) => [value.point, value]));
    return { device_id: deviceId, points: tellPoints(device, names, byName, doors.clock.now()) };
  };
}

/** What could not be settled now is settled when it is asked for. */
function settleQuietly({ doors }: Cell, runner: Runner, tools: ReadonlyMap<string, Tool>): Promise<number> {
  return runner
    .settleOpen((tool) => tools.get(tool))
    .catch((error: unknown) => {
      doors.logger.error({ tag: 'RECOVERY', err: error }, 'open operations could not be settled now');
      return 0;
    });
}

/** The same call as one from the bus, from the component to itself. */
async function readInPlace(
  { component, doors, policy }: Cell,
  builtin: ReadonlyMap<string, BuiltinMethod>,
  method: string,
  params: Readonly<Record<string, unknown>>,
  { principal, consistency, deadlineAt }: LocalRead,
): Promise<unknown> {
  const { clock, ids } = doors;
  const serve = READ_METHODS.some((read) => read === method) ? builtin.get(method) : undefined;
  if (!serve) {
    throw new HermesError('unknown_method', `${component} has no read ${method}`, { methods: [...READ_METHODS] });
  }
  const message = {
    mcp_version: MCP_VERSION,
    request_id: ids.request('read'),
    caller: component,
    callee: component,
    method,
    params,
    deadline_unix_ms: Math.round(deadlineAt),
    tenant: policy.tenant,
    principal,
    ...(consistency ? { consistency_level: consistency } : {}),
  };
  const request = parseOrRefuse(requestSchema, message, 'request') as Request;
  const deadline = openDeadline(clock, deadlineAt);
  try {
    deadline.check(false);
    return await serve({ request, deadline, stages: createStages(clock, component) });
  } finally {
    deadline.close();
  }
}

/** The runner with this agent's capabilities; it owns its links from here on. */
async function openRunner(cell: Cell, name: string): Promise<Runner> {
  const { record, view, events, component, instance, policy } = cell;
  const { transport, clock, ids, logger, metrics, devices, mail } = cell.doors;
  const links = await takeLinks({ record, view, clock }, policy.links, instance);
  return createRunner({
    ends: createEnds({ record, view, clock, logger }),
    record,
    view,
    clock,
    ids,
    logger,
    metrics,
    events,
    component,
    instance,
    site: policy.site,
    grants: policy.grants,
    capabilities: {
      site: policy.site,
      devices,
      ...(mail ? { mail } : {}),
      raiseAlarm: (kind, deviceId, data) => raiseAlarm(cell, kind, deviceId, data),
      now: () => clock.now(),
      snapshot: async (scope) => {
        await view.catchUp();
        return view.snapshot(scope);
      },
      scopesOf: async (kind) => {
        await view.catchUp();
        return (await view.scopes()).filter((scope) => scope.startsWith(`${kind}_`));
      },
      epochOf: (link) => links.get(link),
    },
    alive: (other) => transport.liveness.members(name).some((member) => member.instance === other),
  });
}

/** Tools as components on the bus inside the agent. */
function openToolBus(cell: Cell, definition: AgentDefinition, tools: ReadonlyMap<string, Tool>, runner: Runner) {
  const { clock, logger, observeLocal } = cell.doors;
  const { policy } = cell;
  const local = createLocalBus({
    monotonic: () => clock.monotonic(),
    ...(observeLocal ? { observe: observeLocal } : {}),
    onObserverError: (thrown) => logger.error({ err: thrown }, 'the observer of local calls threw'),
  });
  const turns = createLines();
  for (const tool of definition.tools) {
    local.register(toolId(tool), { '*': [definition.name] }, (call) => {
      const key = actorKey(tools, call.request);
      if (key === undefined) return runner.run(tool, call);
      // One at a time on one device, whichever way the call came in (endpoint, ask).
      return turns.inLine(key, async () => {
        call.deadline.check(false);
        return runner.run(tool, call);
      });
    });
  }
  return async (call: ServedCall): Promise<unknown> => {
    const tool = tools.get(call.request.method);
    if (tool && policy.readsOnly && !isRead(tool)) throw readsOnly(definition.name, tool.manifest.name);
    if (tool) return local.call(cell.component, toolId(tool), call);
    throw new HermesError('unknown_method', `${cell.component} has no method ${call.request.method}`, {
      methods: [...tools.keys()],
    });
  };
}

const readsOnly = (name: string, method: string): HermesError =>
  new HermesError('not_allowed', `${name} has no row in the topology and may only read; ${method} changes something`, {
    suggestion: `add ${name} to the agents of the topology, with its grants`,
  });

function manifestOf(component: string, definition: AgentDefinition): Manifest {
  return {
    component,
    description: definition.description,
    supported_mcp_versions: [...SUPPORTED_MCP_VERSIONS],
    methods: definition.tools.map((tool) => tool.manifest),
    ...(definition.rulePack ? { rule_pack: definition.rulePack } : {}),
    homes: [...(definition.homes ?? [])],
    may_speak_for_people: definition.maySpeakForPeople ?? false,
  };
}

const toolId = (tool: Tool): string => {
  const [major = '1', minor = '0'] = tool.manifest.version.split('.');
  return `${tool.manifest.name}_v${major}.${minor}`;
};

/** Calls on one device that change it run one at a time; reads need no turn. */
function actorKey(tools: ReadonlyMap<string, Tool>, request: Request): string | undefined {
  const tool = tools.get(request.method);
  if (!tool || tool.spec.effect_class === 'read') return undefined;
  if (tool.spec.turn !== undefined) return `turn=${tool.spec.turn}`;
  const parameter = tool.spec.actor_key;
  if (!parameter) return undefined;
  const value = request.params[parameter];
  return typeof value === 'string' ? `${parameter}=${value}` : undefined;
}
