import {
  createCaller,
  createEvents,
  createLocalBus,
  type Manifest,
  openEndpoint,
  parseComponentId,
  type Request,
  type ServedCall,
  SUPPORTED_MCP_VERSIONS,
} from '../../mcp/index.js';
import { HermesError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { createAsk } from './ask.js';
import { type BuiltinMethod, builtinMethods } from './builtin-methods.js';
import type { AgentDoors, AgentPolicy, CellPorts } from './doors.js';
import { createMemory, type Memory } from './memory/index.js';
import { takeLinks } from './ownership.js';
import {
  createRecord,
  openVault,
  openView,
  type Projection,
  type RecordBook,
  scopes,
  type View,
} from './record/index.js';
import type { RulePackInput } from './session/language/rule-pack.js';
import { createRunner, type Tool } from './tools/index.js';

/** What makes one agent different from another. */
export interface AgentDefinition {
  readonly name: string;
  /** `MAJOR.MINOR`. */
  readonly version: string;
  readonly description: { readonly zh: string; readonly en: string };
  readonly tools: readonly Tool[];
  readonly rulePack?: RulePackInput;
  readonly maySpeakForPeople?: boolean;
  readonly projections?: readonly Projection[];
  /** Methods that are not tools: what the coordinator answers about goals. */
  readonly methods?: (cell: Cell) => ReadonlyMap<string, BuiltinMethod>;
}

/** The inside of an agent, for what is built on it. */
export interface Cell extends CellPorts {
  readonly component: string;
  readonly instance: string;
  readonly record: RecordBook;
  readonly view: View;
  readonly memory: Memory;
  readonly doors: AgentDoors;
  readonly policy: AgentPolicy;
}

export interface Agent {
  readonly cell: Cell;
  readonly manifest: Manifest;
  /** Resolves when what an earlier life began is settled. */
  readonly settled: Promise<number>;
  /** Stops intake, finishes or aborts what runs, says goodbye, flushes. */
  stop(): Promise<void>;
}

/**
 * Starts one Hermes cell: record, view, memory, tools, session engine, endpoint. The order matters: an agent announces
 * itself only when it can answer, and owns its links before it acts on them.
 */
export async function startAgent(definition: AgentDefinition, doors: AgentDoors, policy: AgentPolicy): Promise<Agent> {
  const { transport, clock, ids, logger, metrics } = doors;
  const component = `${definition.name}_v${definition.version}`;
  parseComponentId(component);
  const instance = ids.instance(definition.name);
  const log = logger.child({ component: definition.name, instance });
  const vault = await openVault({ log: transport.log, keys: doors.keys, random: doors.random }, policy.tenant);
  const record = createRecord(
    { log: transport.log, vault, clock, ids, metrics },
    { tenant: policy.tenant, component, name: definition.name, instance },
  );
  const view = await openView(
    { log: transport.log, store: await transport.openStore(definition.name), vault, logger: log },
    {
      tenant: policy.tenant,
      component: definition.name,
      ...(definition.projections ? { projections: definition.projections } : {}),
    },
  );
  await view.catchUp();
  const events = createEvents(
    { bus: transport.bus, clock, ids, logger: log, metrics },
    { source: definition.name, tenant: policy.tenant },
  );
  const caller = createCaller(
    {
      bus: transport.bus,
      liveness: transport.liveness,
      clock,
      random: doors.random.stream(instance),
      ids,
      logger: log,
      metrics,
    },
    { component, tenant: policy.tenant },
  );
  const memory = createMemory({ view, record, clock, roles: policy.roles });
  const links = await takeLinks({ record, view, clock }, policy.links, instance);
  const raiseAlarm = async (kind: string, deviceId: string, data: Record<string, unknown>): Promise<string> => {
    const alarmId = `${kind}:${deviceId}:${Math.round(clock.now())}`;
    await record.append(scopes.alarm(alarmId), {
      kind: 'alarm',
      data: { alarm_id: alarmId, kind, device_id: deviceId, state: 'active', ...data },
    });
    events.emit('alarm.raised', { alarm_id: alarmId, kind, device_id: deviceId, ...data });
    return alarmId;
  };
  const runner = createRunner({
    record,
    view,
    clock,
    ids,
    logger: log,
    metrics,
    events,
    site: policy.site,
    capabilities: {
      site: policy.site,
      devices: doors.devices,
      ...(doors.mail ? { mail: doors.mail } : {}),
      raiseAlarm,
      now: () => clock.now(),
      epochOf: (link) => links.get(link),
    },
    grants: policy.grants,
    component,
    instance,
    alive: (other) => transport.liveness.members(definition.name).some((member) => member.instance === other),
  });

  const tools = new Map(definition.tools.map((tool) => [tool.manifest.name, tool]));
  const local = createLocalBus({
    monotonic: () => clock.monotonic(),
    ...(doors.observeLocal ? { observe: doors.observeLocal } : {}),
  });
  for (const tool of definition.tools) {
    local.register(toolId(tool), { '*': [definition.name] }, (call) => runner.run(tool, call));
  }
  const runTool = (call: ServedCall): Promise<unknown> => {
    const tool = tools.get(call.request.method);
    if (!tool)
      throw new HermesError('unknown_method', `${component} has no method ${call.request.method}`, {
        methods: [...tools.keys()],
      });
    return local.call(component, toolId(tool), call);
  };

  const manifest: Manifest = {
    component,
    description: definition.description,
    supported_mcp_versions: [...SUPPORTED_MCP_VERSIONS],
    methods: definition.tools.map((tool) => tool.manifest),
    ...(definition.rulePack ? { rule_pack: definition.rulePack } : {}),
    may_speak_for_people: definition.maySpeakForPeople ?? false,
  };
  const cell: Cell = { component, instance, record, view, memory, doors, policy, caller, events };
  const health = () => ({
    component,
    instance,
    state: 'ready',
    applied: view.applied,
    load: endpoint.load,
    pending: caller.pending,
  });
  const ask = createAsk({ cell, manifest, runTool });
  const builtin = builtinMethods({ describe: () => manifest, health, memory, clock, ask });
  const special = definition.methods?.(cell) ?? new Map<string, BuiltinMethod>();
  const serve = (call: ServedCall): Promise<unknown> => {
    const method = special.get(call.request.method) ?? builtin.get(call.request.method);
    return method ? method(call) : runTool(call);
  };

  const endpoint = openEndpoint(
    { bus: transport.bus, clock, logger: log, metrics },
    {
      component,
      instance,
      tenant: policy.tenant,
      allow: policy.allow,
      maySpeakForPeople: policy.maySpeakForPeople,
      actorKey: (request) => actorKey(tools, request),
      serve,
    },
  );
  const membership = await transport.liveness.join({
    component: definition.name,
    instance,
    version: definition.version,
    since: Math.round(clock.now()),
    state: 'ready',
  });
  events.emit('agent.joined', { component, instance });
  log.info({ component, methods: definition.tools.length }, 'agent ready');

  return {
    cell,
    manifest,
    settled: runner.settleOpen((name) => tools.get(name)),
    async stop() {
      await membership.leave();
      events.emit('agent.left', { component, instance });
      await endpoint.stop(LIMITS.stopMs / 2);
      caller.close();
      await view.close();
    },
  };
}

const toolId = (tool: Tool): string => {
  const [major = '1', minor = '0'] = tool.manifest.version.split('.');
  return `${tool.manifest.name}_v${major}.${minor}`;
};

/** Calls on one device that change it run one at a time; reads need no turn. */
function actorKey(tools: ReadonlyMap<string, Tool>, request: Request): string | undefined {
  const tool = tools.get(request.method);
  const parameter = tool?.spec.actor_key;
  if (!tool || !parameter || tool.spec.effect_class === 'read') return undefined;
  const value = request.params[parameter];
  return typeof value === 'string' ? `${parameter}=${value}` : undefined;
}
