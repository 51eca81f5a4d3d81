import { createLocalBus, type Request, type ServedCall } from '../../mcp/index.js';
import { HermesError } from '../../shared/errors.js';
import { createApprovalGate, DEFAULT_APPROVAL_POLICY } from './approval/index.js';
import { type AgentDefinition, type Cell, raiseAlarm } from './cell.js';
import type { Owned } from './ownership/index.js';
import { createEnds, createIdentify, createRunner, isRead, type Runner, type Tool } from './tools/index.js';
import { createTurns } from './turns.js';

/** Runs one of the agent's tools. @throws HermesError `owner_moved` when another instance owns what it is about. */
export type RunTool = (call: ServedCall) => Promise<unknown>;

/** The runner with this agent's capabilities; it writes behind links that it owns. */
export function openRunner(cell: Cell, name: string, { keys, ownership }: Owned): Runner {
  const { record, view, events, component, instance, policy, guard } = cell;
  const { transport, clock, ids, logger, metrics, devices, mail } = cell.doors;
  return createRunner({
    ends: createEnds({ record, view, clock, logger }),
    record,
    view,
    clock,
    ids,
    logger,
    metrics,
    events,
    guard,
    component,
    instance,
    site: policy.site,
    grants: policy.grants,
    approvals: createApprovalGate({
      policy: policy.approvals ?? DEFAULT_APPROVAL_POLICY,
      view,
      clock,
      signers: () => keysOfSpeakers(cell),
    }),
    capabilities: {
      site: policy.site,
      devices,
      ...(mail ? { mail } : {}),
      raiseAlarm: (kind, deviceId, data) => raiseAlarm(cell, kind, deviceId, data),
      now: () => clock.now(),
      identify: createIdentify(devices, clock),
      snapshot: async (scope) => {
        await view.catchUp();
        return view.snapshot(scope);
      },
      scopesOf: async (kind) => {
        await view.catchUp();
        return (await view.scopes()).filter((scope) => scope.startsWith(`${kind}_`));
      },
      hold: async (link) => {
        const key = keys.ofLink(link);
        return key && ownership.hold(key);
      },
    },
    stillOwns: async ({ method, params }) => {
      const key = keys.ofCall(method, params);
      if (key) await ownership.hold(key);
    },
    alive: (other) => transport.liveness.members(name).some((member) => member.instance === other),
  });
}

/** Tools as components on the bus inside the agent; each runs while this instance owns what it is about. */
export function openToolBus(
  cell: Cell,
  definition: AgentDefinition,
  tools: ReadonlyMap<string, Tool>,
  runner: Runner,
  { keys, ownership }: Owned,
): RunTool {
  const { clock, logger, observeLocal } = cell.doors;
  const { policy } = cell;
  const local = createLocalBus({
    monotonic: () => clock.monotonic(),
    ...(observeLocal ? { observe: observeLocal } : {}),
    onObserverError: (thrown) => logger.error({ err: thrown }, 'the observer of local calls threw'),
  });
  const turns = createTurns(clock, (key) => {
    logger.error({ key }, 'a tool call did not end and was given up');
    cell.doors.stuck?.(key);
  });
  for (const tool of definition.tools) {
    local.register(toolId(tool), { '*': [definition.name] }, (call) => {
      const key = actorKey(tools, call.request);
      if (key === undefined) return runner.run(tool, call);
      return turns.take(key, call.deadline, () => runner.run(tool, call));
    });
  }
  return async (call) => {
    const tool = tools.get(call.request.method);
    if (tool && policy.readsOnly && !isRead(tool)) throw readsOnly(definition.name, tool.manifest.name);
    const key = tool && keys.ofCall(call.request.method, call.request.params);
    if (tool && key) return ownership.use(key, call.deadline, () => local.call(cell.component, toolId(tool), call));
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

/**
 * A call of this agent to itself, about what another instance may own: that one is asked then, under the same request
 * id.
 */
export async function runOrForward(
  cell: Cell,
  { keys, ownership }: Owned,
  runTool: RunTool,
  call: ServedCall,
): Promise<unknown> {
  const { request, deadline } = call;
  const key = keys.ofCall(request.method, request.params);
  const owner = key && ownership.ownerOf(key);
  if (owner === undefined || owner === cell.instance) return runTool(call);
  const { response } = await cell.caller.call({
    callee: cell.component,
    instance: owner,
    method: request.method,
    params: request.params,
    requestId: request.request_id,
    deadlineAt: deadline.at,
    signal: deadline.signal,
    chain: request.chain,
    ...(request.principal ? { principal: request.principal } : {}),
    ...(request.traceparent ? { traceparent: request.traceparent } : {}),
    ...(request.session_context_id ? { sessionContextId: request.session_context_id } : {}),
  });
  return response.result;
}

const toolId = (tool: Tool): string => {
  const [major = '1', minor = '0'] = tool.manifest.version.split('.');
  return `${tool.manifest.name}_v${major}.${minor}`;
};

/** Calls on one device that change it run one at a time; reads need no turn. */
export function actorKey(tools: ReadonlyMap<string, Tool>, request: Request): string | undefined {
  const tool = tools.get(request.method);
  if (!tool || tool.spec.effect_class === 'read') return undefined;
  if (tool.spec.turn !== undefined) return `turn=${tool.spec.turn}`;
  const parameter = tool.spec.actor_key;
  if (!parameter) return undefined;
  const value = request.params[parameter];
  return typeof value === 'string' ? `${parameter}=${value}` : undefined;
}

/** Public keys of the components that may speak for people, by their ids. */
async function keysOfSpeakers({ keysOf, policy }: Cell): Promise<ReadonlyMap<string, string>> {
  const all = await Promise.all([...policy.maySpeakForPeople].map(keysOf));
  return new Map(all.flat().map(({ key_id, public_pem }) => [key_id, public_pem]));
}
