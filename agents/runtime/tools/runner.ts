import { parseOrRefuse, type ServedCall } from '../../../mcp/index.js';
import { type Deadline, openDeadline, raceSignal } from '../../../shared/deadline.js';
import { HermesError, toHermesError } from '../../../shared/errors.js';
import type { Scope } from '../../../shared/ids.js';
import { LIMITS } from '../../../shared/limits.js';
import { confirmed, type Verification } from '../../../shared/outcome.js';
import { type OperationRow, type SnapshotDraft, type StoredEntry, scopes } from '../record/index.js';
import { claimOperation } from './claim.js';
import { isRead, type PreState, type Tool, untouched } from './define-tool.js';
import { answerOf, failOperation } from './failure.js';
import { aboutOf, type Operation, openContext, type RunnerDeps } from './operation.js';
import { watchProcessing } from './processing.js';
import { checkOutput, checkParams, checkSnapshot, recordableEnd } from './recordable.js';
import { callIdentity, checkSameCall } from './same-call.js';
import { settleOperation } from './settle.js';

/**
 * Runs one tool: validate → preflight → claim (`started`, by compare-and-swap) → execute under the deadline →
 * validate the output → verify → `finished`, one append.
 *  1. A request id has at most one effect, whoever delivers it and when: the record is the claim.
 *  2. If the record cannot be written, the effect does not happen.
 *  3. What failed is rolled back, or the record says why not.
 *  4. A read claims nothing; it leaves one entry, and only within a goal, or when it reached for what it must not.
 */
export interface Runner {
  run(tool: Tool, call: ServedCall): Promise<unknown>;
  /** Ends what a life that is over began and is this one's concern: asks the device what became of it. */
  settleOpen(toolOf: (name: string) => Tool | undefined, concerns: (started: StoredEntry) => boolean): Promise<number>;
}

export function createRunner(deps: RunnerDeps): Runner {
  const { record, view, ids, clock, metrics } = deps;
  const inFlight = new Map<string, { readonly identity: string; readonly ending: Promise<unknown> }>();

  const once = (requestId: string, identity: string, work: () => Promise<unknown>): Promise<unknown> => {
    const running = inFlight.get(requestId);
    if (running) {
      checkSameCall(requestId, running.identity, identity);
      return running.ending;
    }
    const ending = work().finally(() => inFlight.delete(requestId));
    inFlight.set(requestId, { identity, ending });
    return ending;
  };

  const begin = (tool: Tool, call: ServedCall): Operation => {
    checkParams(call);
    const input = parseOrRefuse(tool.input, call.request.params, tool.manifest.name, '/params');
    const scope =
      tool.spec.scope?.(input, deps.site, call.request.request_id) ?? scopes.request(call.request.request_id);
    const operation = {
      tool,
      call,
      input,
      scope,
      operationId: ids.operation(),
      effects: [],
      underWay: new Set<Promise<unknown>>(),
      stop: {},
    };
    return { ...operation, preState: {} as PreState, about: aboutOf(tool, call.request, operation.operationId) };
  };

  const read = async (operation: Operation): Promise<unknown> => {
    const { tool, call, input } = operation;
    const ctx = openContext(deps, operation, { deadline: call.deadline, forward: true, stop: operation.stop });
    try {
      await tool.spec.preflight?.(ctx, input);
      const raw = await call.stages.time('execute', () =>
        raceSignal(tool.spec.execute(ctx, input, {}), call.deadline.signal),
      );
      if (operation.stop.because) throw operation.stop.because;
      const output = checkOutput(tool, raw);
      if (call.request.goal_id) await finish(operation, confirmed(), output, snapshotOf(operation, output));
      return output;
    } catch (thrown) {
      const error = toHermesError(thrown, 'tool_failed');
      if (call.request.goal_id || operation.stop.because) {
        const end = { ...operation.about, kind: 'finished', outcome: 'failed', error: error.toWire() } as const;
        await record.append(operation.scope, recordableEnd(end));
      }
      throw error;
    }
  };

  const effect = async (operation: Operation): Promise<unknown> => {
    const { tool, call } = operation;
    const claimed = await call.stages.time('claim', () => claimOperation(deps, operation));
    if ('answer' in claimed) return claimed.answer;
    const forward = forwardDeadline(deps, tool, call.deadline);
    const processing = watchProcessing(deps, operation);
    try {
      const { output, snapshot, verification } = await perform(operation, forward);
      processing.stop();
      const entry = await call.stages.time('record', () =>
        recorded(operation, () => finish(operation, verification, output, snapshot)),
      );
      metrics.count('toolRuns', { tool: tool.manifest.name, outcome: verification.outcome });
      return answerOf(entry);
    } catch (thrown) {
      processing.stop();
      const error = toHermesError(thrown, 'tool_failed');
      if (operation.finishing) throw error;
      metrics.count('toolRuns', { tool: tool.manifest.name, outcome: 'failed' });
      forward.cancel(OVER);
      return answerOf(await recorded(operation, () => failOperation(deps, operation, error)), error);
    } finally {
      forward.cancel(OVER);
      forward.close();
    }
  };

  /** The end of an operation waits for a log that is away, as long as somebody waits for the answer. */
  const recorded = async (operation: Operation, write: () => Promise<StoredEntry>): Promise<StoredEntry> => {
    const { request, deadline } = operation.call;
    try {
      return await write();
    } catch (thrown) {
      const error = toHermesError(thrown);
      const pending = error.reason === 'log_unavailable' ? deps.ends.pending(request.request_id) : undefined;
      if (!pending) throw error;
      return raceSignal(pending, deadline.signal).catch(() => {
        const data = { ...error.data, started: true, outcome: 'unknown' };
        throw new HermesError('log_unavailable', error.message, data, { cause: error });
      });
    }
  };

  const perform = async (operation: Operation, forward: Deadline): Promise<Performed> => {
    const { tool, call, input, preState } = operation;
    const { underWay, stop } = operation;
    const ctx = openContext(deps, operation, { deadline: forward, forward: true, underWay, stop });
    const raw = await call.stages.time('execute', () =>
      raceSignal(tool.spec.execute(ctx, input, preState), forward.signal),
    );
    const output = checkOutput(tool, raw);
    const snapshot = snapshotOf(operation, output);
    const verification = tool.spec.verify
      ? await call.stages.time('verify', () =>
          raceSignal(tool.spec.verify?.(ctx, input, output, preState) as Promise<Verification>, forward.signal),
        )
      : confirmed({ acknowledged: true });
    if (stop.because) throw stop.because;
    operation.verification = verification;
    if (verification.outcome === 'confirmed') return { output, snapshot, verification };
    const reason = verification.outcome === 'failed' ? 'verification_failed' : 'outcome_unknown';
    throw new HermesError(reason, `${tool.manifest.name} was acknowledged, the read-back says otherwise`, {
      evidence: verification.evidence,
    });
  };

  /** What it leaves in memory: found out while a failure to say it can still undo what was done. */
  const snapshotOf = ({ tool, input, operationId }: Operation, output: unknown) => {
    const at = new Date(clock.now()).toISOString();
    return checkSnapshot(tool, tool.spec.snapshot?.(input, output, { at, operator: deps.component, operationId }));
  };

  const finish = async (
    operation: Operation,
    verification: Verification,
    output: unknown,
    snapshot: SnapshotDraft | undefined,
  ): Promise<StoredEntry> => {
    const { tool, about, scope } = operation;
    operation.finishing = true;
    const entry = await deps.ends.write(
      scope,
      operation.call.request.request_id,
      {
        ...about,
        kind: 'finished',
        params: operation.call.request.params,
        pre_state: operation.preState,
        effects: operation.effects,
        outcome: verification.outcome,
        verification: { outcome: verification.outcome, evidence: verification.evidence },
        rollback: untouched(tool),
        result: output,
        ...(snapshot ? { snapshots: [snapshot] } : {}),
      },
      operation.started,
    );
    for (const written of entry.snapshots ?? []) {
      const { snapshot_id, version } = written;
      deps.events.emit('memory.snapshot_written', { scope, snapshot_id, version });
    }
    return entry;
  };

  return {
    run(tool, call) {
      const operation = begin(tool, call);
      if (isRead(tool)) return read(operation);
      return once(call.request.request_id, callIdentity(operation.about), () => effect(operation));
    },
    async settleOpen(toolOf, concerns) {
      await view.catchUp();
      const open: OperationRow[] = await view.openOperations();
      let settled = 0;
      for (const row of open) {
        const started = await view.entry(row.scope as Scope, row.started as number);
        const tool = started?.tool && concerns(started) ? toolOf(started.tool.name) : undefined;
        if (!started || !tool) continue;
        const deadline = openDeadline(clock, clock.now() + LIMITS.livenessTtlMs + tool.spec.timeout_ms);
        await once(row.request_id, callIdentity(started), () => settleOperation(deps, tool, row, deadline)).catch(
          (error: unknown) => {
            const { reason, message } = toHermesError(error);
            deps.logger.warn(
              { tag: 'RECOVERY', request_id: row.request_id, reason, detail: message },
              'operation settled',
            );
          },
        );
        deadline.close();
        settled++;
      }
      return settled;
    },
  };
}

interface Performed {
  readonly output: unknown;
  readonly snapshot: SnapshotDraft | undefined;
  readonly verification: Verification;
}

/** What a tool left running when it ended, well or not, may begin no effect any more: no entry would show it. */
const OVER = 'the operation is over';

/** Forward effects end early enough to leave time for undoing: as declared, at most a fifth of what is left. */
function forwardDeadline(deps: RunnerDeps, tool: Tool, deadline: Deadline): Deadline {
  const { rollback } = tool.spec;
  const share = deadline.remainingMs() * LIMITS.rollbackReserveShare;
  const reserve = 'none' in rollback ? 0 : Math.min(rollback.max_ms, share);
  return openDeadline(deps.clock, deadline.at - reserve, deadline.signal);
}
