import { type Caller, createCaller, createEvents, type Events, type Manifest } from '../../mcp/index.js';
import { HermesError } from '../../shared/errors.js';
import { approvalUses } from './approval/index.js';
import { type Audit, createAudit } from './audit/index.js';
import type { AgentDoors, AgentPolicy } from './doors.js';
import {
  createMemory,
  createMemoryGuard,
  createNamedWriters,
  createRefusals,
  type Memory,
  type MemoryGuard,
  openUpkeep,
  type Refusals,
  type Upkeep,
} from './memory/index.js';
import type { BuiltinMethod } from './methods/index.js';
import {
  type AccessLog,
  type ComponentKey,
  componentKeys,
  createAccessLog,
  createRecord,
  type FoundSecret,
  openVault,
  openView,
  type Projection,
  publishKey,
  type RecordBook,
  type StoredEntry,
  scopes,
  type View,
} from './record/index.js';
import type { RulePackInput } from './session/index.js';
import type { Tool } from './tools/index.js';

/** What makes one agent different from another. */
export interface AgentDefinition {
  readonly name: string;
  /** `MAJOR.MINOR`. */
  readonly version: string;
  readonly description: { readonly zh: string; readonly en: string };
  readonly tools: readonly Tool[];
  readonly rulePack?: RulePackInput;
  /** How its tools came in; said by whoever loads it. */
  readonly admission?: Manifest['admission'];
  /** Kinds of scopes whose record it keeps, beside those of the devices that it serves: `work_order`. */
  readonly homes?: readonly string[];
  readonly maySpeakForPeople?: boolean;
  /** Whether it checks the signed heads of the others and countersigns them. */
  readonly countersigns?: boolean;
  /** What only one instance may have at all: the others stand by until it goes. */
  readonly exclusive?: string;
  readonly projections?: readonly Projection[];
  /** Methods that are not tools: what the coordinator answers about goals. */
  readonly methods?: (cell: Cell) => ReadonlyMap<string, BuiltinMethod> | Promise<ReadonlyMap<string, BuiltinMethod>>;
}

/** The inside of an agent, for what is built on it. */
export interface Cell {
  readonly component: string;
  readonly instance: string;
  readonly record: RecordBook;
  readonly view: View;
  readonly memory: Memory;
  /** Seals under the newest data key, where another process has rotated it. */
  readonly refreshKeys: () => Promise<void>;
  /** Public keys with which a component of this tenant signs. */
  readonly keysOf: (component: string) => Promise<readonly ComponentKey[]>;
  /** Who may read and write memory, inside tools too. */
  readonly guard: MemoryGuard;
  readonly upkeep: Upkeep;
  /** Who looked at the record, and who was refused. */
  readonly access: AccessLog;
  readonly audit: Audit;
  readonly caller: Caller;
  /** Protocol versions that components announced, by name; filled by who discovers them. */
  readonly spoken: Map<string, readonly string[]>;
  readonly events: Events;
  readonly doors: AgentDoors;
  readonly policy: AgentPolicy;
}

/** Record, view, memory, events and caller of one agent; the view has caught up with the log when it resolves. */
export async function openCell(definition: AgentDefinition, given: AgentDoors, policy: AgentPolicy): Promise<Cell> {
  const { name } = definition;
  const { tenant } = policy;
  const component = `${name}_v${definition.version}`;
  const instance = given.ids.instance(name);
  const doors: AgentDoors = { ...given, logger: given.logger.child({ component: name, instance }) };
  const { transport, clock, ids, logger, metrics, random, keys, signing } = doors;
  const { bus, log, heads, liveness } = transport;

  const { nextMaster } = doors;
  const vault = await openVault({ log, keys, random, ...(nextMaster ? { nextMaster } : {}) }, tenant);
  const about = { component, name, instance, ...(policy.retention ? { retention: policy.retention } : {}) };
  const secretRefused = (entry: StoredEntry, fields: readonly FoundSecret[]): void => {
    void reportSecret({ record, events, doors }, refusals, entry, fields);
  };
  const record = createRecord({ log, vault, clock, ids, metrics, secretRefused }, { ...about, tenant });
  await publishKey({ log, vault, record, clock, signing }, tenant, name);
  const projections = [approvalUses, ...(definition.projections ?? [])];
  // Damaged files are no loss: the log is the truth.
  const store = await transport.openStore(name, { discardCorrupt: true });
  const damaged = (): void => given.stuck?.(undefined);
  const view = await openView({ log, store, vault, clock, logger, damaged }, { tenant, component: name, projections });
  await view.catchUp();
  const access = createAccessLog({ record, logger });
  const refusals = createRefusals({ access, clock, metrics });
  const guard = createMemoryGuard({ roles: policy.roles, refusals, writers: createNamedWriters(view) });
  const memory = createMemory({ view, record, clock, guard });
  const events = createEvents({ bus, clock, ids, logger, metrics }, { source: name, tenant });
  const audit = createAudit(
    {
      ...{ log, heads, view, vault, memory, access, clock, ids, logger, signing },
      mismatch: async (head, problem) => {
        const { component: of, scope, n, hash } = head;
        logger.error({ of, scope, n, hash, problem }, 'a signed head and the log do not agree');
        await raiseAlarm({ record, events, doors }, 'audit_mismatch', of, { scope, n, hash, problem });
      },
    },
    { tenant, name, instance, countersigns: definition.countersigns ?? false },
  );
  const upkeep = openUpkeep({
    ...{ component: name, view, events, refusals, clock, logger, metrics },
    raiseAlarm: (kind, subject, facts) => raiseAlarm({ record, events, doors }, kind, subject, facts),
  });
  const chance = random.stream(instance);
  const spoken = new Map<string, readonly string[]>();
  const caller = createCaller(
    { bus, liveness, clock, random: chance, ids, logger, metrics },
    {
      ...{ component, tenant, speaks: (callee: string) => spoken.get(callee) },
      ...(doors.traceRatio === undefined ? {} : { traceRatio: doors.traceRatio }),
    },
  );
  return {
    component,
    instance,
    record,
    view,
    memory,
    guard,
    upkeep,
    refreshKeys: vault.refresh,
    keysOf: (component) => componentKeys({ log, vault }, tenant, component),
    access,
    audit,
    caller,
    spoken,
    events,
    doors,
    policy,
  };
}

/** An alarm and an entry: which fields of what, never the value. */
async function reportSecret(
  cell: Pick<Cell, 'record' | 'events' | 'doors'>,
  refusals: Refusals,
  { scope, principal, tool, operation_id, kind }: StoredEntry,
  fields: readonly FoundSecret[],
): Promise<void> {
  const pointers = fields.map(({ pointer, looks_like }) => ({ pointer: `/data${pointer}`, problem: looks_like }));
  const error = new HermesError(
    'invalid_params',
    `a snapshot of ${scope} was refused: a value looks like a credential`,
    {
      fields: pointers,
      suggestion: 'store a reference instead: {"kms_key_id": "…"}',
    },
  );
  const by = principal ?? { id: 'system:record', roles: [] };
  const facts = { operation_id, fields: pointers };
  const access = { principal: by, what: tool?.name ?? kind, scope, facts };
  // One that comes again and again is told once a minute.
  if (!(await refusals.note(access, error.toWire()))) return;
  await raiseAlarm(cell, 'secret_in_snapshot', scope, facts).catch((thrown: unknown) => {
    cell.doors.logger.error({ err: thrown, scope }, 'the alarm of a refused secret could not be raised');
  });
}

/** Ends what goes on beside the work, and closes the view. */
export async function closeCell({ upkeep, view }: Cell): Promise<void> {
  await upkeep.stop();
  await view.close();
}

/** Raises an alarm: an entry on a scope of its own, then the event. @returns its id, `<kind>:<device>:<since>`. */
export async function raiseAlarm(
  { record, events, doors }: Pick<Cell, 'record' | 'events' | 'doors'>,
  kind: string,
  deviceId: string,
  facts: Readonly<Record<string, unknown>>,
): Promise<string> {
  const alarm_id = `${kind}:${deviceId}:${Math.round(doors.clock.now())}`;
  const data = { alarm_id, kind, device_id: deviceId, state: 'active', ...facts };
  await record.append(scopes.alarm(alarm_id), { kind: 'alarm', data });
  events.emit('alarm.raised', data);
  return alarm_id;
}
