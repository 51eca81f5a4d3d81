import { type Deadline, raceSignal } from '../../../shared/deadline.js';
import { HermesError, toHermesError } from '../../../shared/errors.js';
import { unknown, type Verification } from '../../../shared/outcome.js';
import type { Effect, EntryDraft, OperationRow, StoredEntry } from '../record/index.js';
import { type Tool, untouched } from './define-tool.js';
import { failureOf } from './failure.js';
import { openContext, type RunnerDeps } from './operation.js';
import { checkOutput } from './recordable.js';

/** The answer of an operation that has ended, as it was given. */
export async function recordedAnswer(deps: RunnerDeps, row: OperationRow): Promise<unknown> {
  const entry = await deps.view.entry(row.scope, row.finished as number);
  if (!entry) throw new HermesError('internal', `the record of ${row.request_id} is missing`);
  if (!entry.error) return entry.result;
  throw failureOf(entry);
}

/**
 * Ends an operation that began and was never finished, because its process died or its owner was lost: the device is
 * asked. Confirmed: finished and answered. Not done: failed, and may be redone on purpose. Unknown: a person. Never a
 * blind second effect.
 */
export async function settleOperation(
  deps: RunnerDeps,
  tool: Tool,
  row: OperationRow,
  deadline: Deadline,
): Promise<unknown> {
  const started = await deps.view.entry(row.scope, row.started as number);
  if (!started) throw new HermesError('internal', `the claim of ${row.request_id} is missing`);
  const ended = await waitForOwner(deps, row, started.instance, deadline);
  if (ended) return recordedAnswer(deps, ended);
  const verification = await ask(deps, tool, started, deadline);
  const draft = ending(tool, started, verification, Math.round(deps.clock.now()));
  deps.logger.info(
    { tag: 'RECOVERY', request_id: row.request_id, goal_id: started.goal_id, outcome: verification.outcome },
    'an interrupted operation was settled',
  );
  const entry = await deps.ends.write(row.scope, row.request_id, draft, started);
  if (draft.outcome === 'unknown') {
    deps.events.emit('needs_operator', {
      operation_id: started.operation_id,
      scope: row.scope,
      reason: 'outcome_unknown',
    });
  }
  if (entry.error) throw failureOf(entry);
  return entry.result;
}

type Settled = Verification & { readonly output?: unknown };

async function ask(deps: RunnerDeps, tool: Tool, started: StoredEntry, deadline: Deadline): Promise<Settled> {
  const { verify } = tool.spec;
  if (!verify) return unknown({ settled: 'the tool has no read-back' });
  const effects: Effect[] = [];
  const operationId = started.operation_id ?? '';
  const ctx = openContext(deps, { tool, effects, operationId, about: started }, { deadline, forward: true });
  try {
    const input = tool.input.parse(started.params);
    const said: Settled = await raceSignal(verify(ctx, input, undefined, started.pre_state ?? {}), deadline.signal);
    return said.output === undefined ? said : { ...said, output: checkOutput(tool, said.output) };
  } catch (thrown) {
    return unknown({ settled: toHermesError(thrown).message });
  }
}

function ending(tool: Tool, started: StoredEntry, verification: Settled, at: number): EntryDraft {
  const base: EntryDraft = {
    kind: 'finished',
    principal: started.principal,
    caller: started.caller,
    operation_id: started.operation_id,
    request_id: started.request_id,
    goal_id: started.goal_id,
    step_id: started.step_id,
    session_context_id: started.session_context_id,
    trace_id: started.trace_id,
    tool: started.tool,
    params: started.params,
    pre_state: started.pre_state,
    effects: inferredEffects(tool, started, verification, at),
    outcome: verification.outcome,
    verification: { outcome: verification.outcome, evidence: verification.evidence },
    rollback: untouched(tool),
    data: { settled: true },
  };
  if (verification.outcome === 'confirmed') return { ...base, result: verification.output ?? { settled: true } };
  const lost = verification.outcome === 'failed';
  const error = lost
    ? new HermesError('tool_failed', 'the process died before the effect', { not_done: true, started: true })
    : new HermesError('outcome_unknown', 'the process died during the effect; nobody can say whether it happened', {
        started: true,
        suggestion: `look at the device, then tell: hermes trace ${started.trace_id ?? ''}`,
      });
  return { ...base, error: error.toWire() };
}

/**
 * What the lost process had declared it would do, as far as the read-back tells whether it did: registers and time are
 * not known any more, and the record says that it was inferred.
 */
function inferredEffects(tool: Tool, started: StoredEntry, { outcome }: Settled, at: number): Effect[] {
  if (outcome === 'failed') return [];
  const device = started.params?.device_id;
  const target = typeof device === 'string' ? device : started.scope;
  const capabilities = new Set(tool.spec.side_effects.map((declared) => declared.split(':')[0] as string));
  return [...capabilities]
    .filter((capability) => WRITES.has(capability))
    .map((capability) => ({ capability, target, outcome, at, inferred: true }));
}

const WRITES: ReadonlySet<string> = new Set(['modbus.write', 'smtp.send']);

/** While the owner lives its own entry is the answer; undefined when it has died without one. */
async function waitForOwner(
  deps: RunnerDeps,
  row: OperationRow,
  owner: string,
  deadline: Deadline,
): Promise<OperationRow | undefined> {
  while (owner !== deps.instance && deps.alive(owner)) {
    await deps.clock.sleep(20, deadline.signal).catch(() => deadline.check(true));
    const current = await deps.view.operation(row.request_id);
    if (current?.finished !== undefined) return current;
  }
  return undefined;
}
