import {
  componentName,
  type Events,
  type Principal,
  parseTraceparent,
  type Request,
  type ServedCall,
} from '../../../mcp/index.js';
import type { Clock } from '../../../shared/clock.js';
import type { Deadline } from '../../../shared/deadline.js';
import type { Ids, Scope } from '../../../shared/ids.js';
import type { Verification } from '../../../shared/outcome.js';
import type { Site } from '../../../shared/site.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { Metrics } from '../../../shared/telemetry/metrics.js';
import type { ApprovalGate } from '../approval/index.js';
import type { MemoryGuard } from '../memory/index.js';
import type { Effect, EntryDraft, RecordBook, StoredEntry, View } from '../record/index.js';
import { type CapabilityDeps, openCapabilities, type Stop } from './capabilities.js';
import type { PreState, Tool, ToolContext } from './define-tool.js';
import type { Ends } from './ends.js';

export interface RunnerDeps {
  readonly ends: Ends;
  readonly record: RecordBook;
  readonly view: View;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly events: Events;
  readonly site: Site;
  readonly capabilities: CapabilityDeps;
  /** Who may read and write memory. */
  readonly guard: MemoryGuard;
  /** The operator's grants to this agent. */
  readonly grants: readonly string[];
  /** Component id with version: the operator that snapshots name. */
  readonly component: string;
  /** Whether an instance lives: the owner of a claim that is found open. */
  readonly alive: (instance: string) => boolean;
  readonly instance: string;
  /** Where a person has to agree first. */
  readonly approvals: ApprovalGate;
  /** @throws HermesError `owner_moved` when another instance owns what the call is about. */
  readonly stillOwns: (call: { method: string; params: Readonly<Record<string, unknown>> }) => Promise<void>;
}

/** One execution of one tool, from its call to its last entry. */
export interface Operation {
  readonly tool: Tool;
  readonly call: ServedCall;
  readonly input: unknown;
  readonly scope: Scope;
  readonly operationId: string;
  readonly effects: Effect[];
  /** Effects that have begun and not been answered. */
  readonly underWay: Set<Promise<unknown>>;
  readonly stop: Stop;
  /** Who, for whom, with which tool: the same in each of the operation's entries. */
  readonly about: Omit<EntryDraft, 'kind'>;
  preState: PreState;
  verification?: Verification;
  /** Its claim. */
  started?: StoredEntry;
  /** The last entry is being written: from here on a failure is the log's, not the tool's. */
  finishing?: boolean;
}

/** The context of an execution, a read-back or a rollback, each with its own deadline. */
export function openContext(
  deps: RunnerDeps,
  operation: Pick<Operation, 'tool' | 'effects' | 'operationId' | 'about'>,
  use: { deadline: Deadline; forward: boolean; underWay?: Set<Promise<unknown>>; stop?: Stop },
): ToolContext {
  const { tool, effects, operationId, about } = operation;
  const { goal_id, step_id, trace_id } = about;
  const principal = principalOf(deps, about);
  const cause = Object.fromEntries(
    Object.entries({ operation_id: operationId, goal_id, step_id, trace_id }).filter(([, id]) => id),
  );
  const capabilities: CapabilityDeps = {
    ...deps.capabilities,
    raiseAlarm: (kind, deviceId, data) => deps.capabilities.raiseAlarm(kind, deviceId, { ...data, ...cause }),
    async snapshot(scope) {
      const newest = await deps.capabilities.snapshot(scope);
      await deps.guard.read({ principal, what: tool.manifest.name }, scope, newest);
      return newest;
    },
  };
  const grant = { tool: tool.manifest.name, declared: tool.spec.side_effects, granted: deps.grants };
  return {
    ...openCapabilities(capabilities, grant, { effects, ...use }),
    site: deps.site,
    clock: deps.clock,
    signal: use.deadline.signal,
    remainingMs: () => use.deadline.remainingMs(),
    principal,
    self: componentName(deps.component),
    operationId,
    requestId: about.request_id ?? operationId,
    ...(about.goal_id ? { goalId: about.goal_id } : {}),
    logger: deps.logger.child({ tool: tool.manifest.name, goal_id: about.goal_id }),
  };
}

/** For whom an operation acts: for nobody but the component itself, where it names no person. */
export const principalOf = ({ component }: RunnerDeps, { principal }: Pick<EntryDraft, 'principal'>): Principal =>
  principal ?? { id: `component:${component}`, roles: [] };

/** Who, for whom, with which tool. */
export function aboutOf(tool: Tool, request: Request, operationId: string): Omit<EntryDraft, 'kind'> {
  const trace = parseTraceparent(request.traceparent);
  return {
    ...(request.principal ? { principal: request.principal } : {}),
    caller: request.chain[0] ?? request.caller,
    clock_offset_ms: Math.round(request.clock_offset_ms),
    operation_id: operationId,
    request_id: request.request_id,
    ...(request.goal_id ? { goal_id: request.goal_id } : {}),
    ...(request.step_id ? { step_id: request.step_id } : {}),
    ...(request.session_context_id ? { session_context_id: request.session_context_id } : {}),
    ...(trace ? { trace_id: trace.trace_id } : {}),
    tool: { name: tool.manifest.name, version: tool.manifest.version, digest: tool.digest },
    params: request.params,
  };
}
