import {
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
import { createLines } from '../../shared/lines.js';
import { createAsk } from './ask.js';
import { type BuiltinMethod, builtinMethods } from './builtin-methods.js';
import { type AgentDefinition, type Cell, openCell, raiseAlarm } from './cell.js';
import type { AgentDoors, AgentPolicy } from './doors.js';
import { takeLinks } from './ownership.js';
import { createEnds, createRunner, type Runner, type Tool } from './tools/index.js';

export interface Agent {
  readonly cell: Cell;
  readonly manifest: Manifest;
  /** Resolves when what an earlier life began is settled. */
  readonly settled: Promise<number>;
  /** Stops intake, finishes or aborts what runs, says goodbye, flushes. */
  stop(): Promise<void>;
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
  const builtin = builtinMethods({ describe: () => manifest, health, memory, clock, ask });
  const special = definition.methods?.(cell) ?? new Map<string, BuiltinMethod>();
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
    settled: runner
      .settleOpen((tool) => tools.get(tool))
      .catch((error: unknown) => {
        logger.error(
          { tag: 'RECOVERY', err: error },
          'open operations could not be settled; each is when it is asked for',
        );
        return 0;
      }),
    async stop() {
      await membership.leave();
      events.emit('agent.left', { component, instance });
      await endpoint.stop(LIMITS.stopMs / 2);
      caller.close();
      await view.close();
    },
  };
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
      epochOf: (link) => links.get(link),
    },
    alive: (other) => transport.liveness.members(name).some((member) => member.instance === other),
  });
}

/** Tools as components on the bus inside the agent. */
function openToolBus(cell: Cell, definition: AgentDefinition, tools: ReadonlyMap<string, Tool>, runner: Runner) {
  const { clock, observeLocal } = cell.doors;
  const local = createLocalBus({
    monotonic: () => clock.monotonic(),
    ...(observeLocal ? { observe: observeLocal } : {}),
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
    if (tool) return local.call(cell.component, toolId(tool), call);
    throw new HermesError('unknown_method', `${cell.component} has no method ${call.request.method}`, {
      methods: [...tools.keys()],
    });
  };
}

function manifestOf(component: string, definition: AgentDefinition): Manifest {
  return {
    component,
    description: definition.description,
    supported_mcp_versions: [...SUPPORTED_MCP_VERSIONS],
    methods: definition.tools.map((tool) => tool.manifest),
    ...(definition.rulePack ? { rule_pack: definition.rulePack } : {}),
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
  const parameter = tool?.spec.actor_key;
  if (!tool || !parameter || tool.spec.effect_class === 'read') return undefined;
  const value = request.params[parameter];
  return typeof value === 'string' ? `${parameter}=${value}` : undefined;
}
