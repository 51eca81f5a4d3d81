import {
  createDeadLetters,
  createVersionUse,
  type Manifest,
  MCP_VERSION,
  openEndpoint,
  parseComponentId,
  SUPPORTED_MCP_VERSIONS,
} from '../../mcp/index.js';
import { LIMITS } from '../../shared/limits.js';
import { createAsk } from './ask.js';
import { type AgentDefinition, type Cell, closeCell, openCell } from './cell.js';
import type { AgentDoors, AgentPolicy } from './doors.js';
import { deviceReader, type LocalRead, readInPlace } from './local-reads.js';
import { type BuiltinMethod, builtinMethods, READ_METHODS } from './methods/index.js';
import { createOwnPresence } from './own-presence.js';
import {
  type Owned,
  type OwnedKey,
  type OwnedKeys,
  type Ownership,
  openOwnership,
  ownedKeys,
} from './ownership/index.js';
import type { StoredEntry } from './record/index.js';
import { actorKey, openRunner, openToolBus, runOrForward } from './tool-bus.js';
import { isRead, type Runner, type Tool } from './tools/index.js';

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

/**
 * Starts one Hermes cell. The order matters: an agent owns its links before it acts on them, and announces itself only
 * when it can answer.
 */
export async function startAgent(definition: AgentDefinition, doors: AgentDoors, policy: AgentPolicy): Promise<Agent> {
  parseComponentId(`${definition.name}_v${definition.version}`);
  const cell = await openCell(definition, doors, policy);
  const { component, instance, view, caller, memory, events, audit } = cell;
  const { transport, clock, logger, metrics } = cell.doors;
  const { name, version } = definition;
  const tools = new Map(definition.tools.map((tool) => [tool.manifest.name, tool]));
  const keys = ownedKeys(name, policy.site, policy.links, tools, definition.exclusive);
  const since = Math.round(clock.now());
  const membership = await transport.liveness.join({ component: name, instance, version, since, state: 'starting' });
  const presence = createOwnPresence(membership, logger);
  let inherited: (key: OwnedKey) => void = () => undefined;
  const ownership = await openOwnership(
    { ...cell, ...cell.doors, liveness: transport.liveness, renewedAgoMs: () => membership.renewedAgoMs() },
    {
      component: name,
      instance,
      keys: keys.all,
      inherited: (key) => inherited(key),
      changed: (ids) => presence.owns(ids),
      lost: (key) => (key === keys.ofResource(definition.exclusive ?? '') ? cell.doors.superseded?.() : undefined),
    },
  );
  await standBy(cell, definition, keys, ownership);
  const owned: Owned = { keys, ownership };
  const runner = openRunner(cell, name, owned);
  const runTool = openToolBus(cell, definition, tools, runner, owned);
  const manifest = manifestOf(component, definition);

  const health = () => ({
    component,
    instance,
    applied: view.applied,
    load: endpoint.load,
    pending: caller.pending,
    owns: ownership.owned,
  });
  const ask = createAsk({ cell, manifest, runTool: (call) => runOrForward(cell, owned, runTool, call) });
  const readDevice = deviceReader(cell, name, owned);
  const drain = async () => {
    await presence.become('draining');
    endpoint.drain();
    ownership.drain();
    return { instance, state: 'draining' as const };
  };
  const deadLetters = createDeadLetters();
  const versions = createVersionUse(clock, { current: MCP_VERSION });
  const told = { describe: () => manifest, health, deadLetters: deadLetters.list, versionUse: versions.report };
  const builtin = builtinMethods({ ...told, component, memory, audit, clock, readDevice, ask, drain });
  const special = (await definition.methods?.(cell)) ?? new Map<string, BuiltinMethod>();
  const endpoint = openEndpoint(
    { bus: transport.bus, clock, logger, metrics, deadLetters, versions },
    {
      ...{ component, instance, tenant: policy.tenant, maySpeakForPeople: policy.maySpeakForPeople },
      allow: withReaders(policy, definition.tools),
      actorKey: (request) => actorKey(tools, request),
      ownerOf: ({ method, params }) => {
        const key = keys.ofCall(method, params);
        return key && ownership.ownerOf(key);
      },
      onInstanceLost: (lost) => watchSiblings(cell, name, lost),
      onStuck: (key) => cell.doors.stuck?.(key),
      serve: (call) => (special.get(call.request.method) ?? builtin.get(call.request.method) ?? runTool)(call),
    },
  );
  inherited = (key) => {
    void settleQuietly(
      cell,
      runner,
      tools,
      ({ tool, params }) => tool !== undefined && keys.ofCall(tool.name, params ?? {}) === key,
    );
  };
  const announced = announce(cell, definition);
  audit.start();
  await presence.become('ready');
  const cancelKeyCheck = keepKeysFresh(cell);
  events.emit('agent.joined', { component, instance });
  logger.info({ methods: tools.size, owns: ownership.owned }, 'agent ready');

  return {
    cell,
    manifest,
    read: (method, params, how) => readInPlace(cell, builtin, method, params, how),
    settled: settleQuietly(cell, runner, tools, (started) => {
      const key = started.tool && keys.ofCall(started.tool.name, started.params ?? {});
      return !livesElsewhere(cell, name, started) && (!key || ownership.ownerOf(key) === instance);
    }),
    async stop() {
      await presence.become('draining').catch((thrown: unknown) => {
        logger.warn({ err: thrown }, 'the others were not told that this instance drains');
      });
      cancelKeyCheck();
      await announced?.stop();
      await endpoint.stop(LIMITS.finishMs);
      await within(cell, LIMITS.giveBackMs, ownership.stop().finally(audit.stop));
      await membership.leave();
      events.emit('agent.left', { component, instance });
      caller.close();
      await closeCell(cell);
    },
  };
}

/** What is sealed is sealed under the newest data key, a minute after another process has made it. */
const keepKeysFresh = ({ refreshKeys, doors: { clock, logger } }: Cell): (() => void) =>
  clock.every(LIMITS.keyCheckMs, () => {
    refreshKeys().catch((err: unknown) => logger.warn({ err }, 'the data keys could not be looked up'));
  });

/** Makes the instance known to the broker's own tools, where there is a broker. */
const announce = ({ component, instance, policy, doors }: Cell, { name, version, description }: AgentDefinition) =>
  doors.transport.announce?.({
    name: `${name}_v${parseComponentId(component).major}`,
    version,
    description: description.en,
    metadata: { instance, tenant: policy.tenant },
  });

/** Tells of instances of this agent that leave or die. */
const watchSiblings = ({ doors }: Cell, name: string, gone: (instance: string) => void): { stop(): void } =>
  doors.transport.liveness.watch(({ kind, member }) => {
    if (member.component === name && (kind === 'expired' || kind === 'left')) gone(member.instance);
  });

/** What hangs on a broker that is away does not hold up the end of the process. */
async function within({ doors }: Cell, ms: number, work: Promise<void>): Promise<void> {
  const ended = new AbortController();
  const late = doors.clock.sleep(ms, ended.signal).then(
    () => doors.logger.warn({ ms }, 'what was left to do at the end could not be done in time'),
    () => undefined,
  );
  await Promise.race([work, late]);
  ended.abort();
}

/** The allow-list, with the readers on everything that reads. */
function withReaders({ allow, readers = [] }: AgentPolicy, tools: readonly Tool[]): AgentPolicy['allow'] {
  const reads = [...READ_METHODS, ...tools.filter(isRead).map(({ manifest }) => manifest.name)];
  return { ...allow, ...Object.fromEntries(reads.map((name) => [name, [...(allow[name] ?? []), ...readers]])) };
}

/** What could not be settled now is settled when it is asked for. */
function settleQuietly(
  { doors }: Cell,
  runner: Runner,
  tools: ReadonlyMap<string, Tool>,
  concerns: (started: StoredEntry) => boolean,
): Promise<number> {
  return runner
    .settleOpen((tool) => tools.get(tool), concerns)
    .catch((error: unknown) => {
      doors.logger.error({ tag: 'RECOVERY', err: error }, 'open operations could not be settled now');
      return 0;
    });
}

/** The instance that began it is another one and lives: it ends it itself. */
const livesElsewhere = ({ doors, instance }: Cell, name: string, started: StoredEntry): boolean =>
  started.instance !== instance &&
  doors.transport.liveness.members(name).some((member) => member.instance === started.instance);

/** Until what only one instance may have is this one's: another that has it lives. */
async function standBy(
  { doors, instance }: Cell,
  definition: AgentDefinition,
  keys: OwnedKeys,
  ownership: Ownership,
): Promise<void> {
  const key = definition.exclusive === undefined ? undefined : keys.ofResource(definition.exclusive);
  if (!key) return;
  const owner = ownership.ownerOf(key);
  if (owner !== undefined && owner !== instance) doors.logger.warn({ owner }, 'standing by until the owner goes');
  await ownership.acquired(key);
}

function manifestOf(component: string, definition: AgentDefinition): Manifest {
  return {
    component,
    description: definition.description,
    supported_mcp_versions: [...SUPPORTED_MCP_VERSIONS],
    methods: definition.tools.map((tool) => tool.manifest),
    ...(definition.rulePack ? { rule_pack: definition.rulePack } : {}),
    homes: [...(definition.homes ?? [])],
    ...(definition.admission ? { admission: definition.admission } : {}),
    may_speak_for_people: definition.maySpeakForPeople ?? false,
  };
}
