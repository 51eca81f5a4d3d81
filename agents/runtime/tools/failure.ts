import { openDeadline, raceSignal } from '../../../shared/deadline.js';
import { HermesError, toHermesError, type WireError } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import { failed, type Outcome, unknown, type Verification } from '../../../shared/outcome.js';
import type { RollbackRecord, StoredEntry } from '../record/index.js';
import { type Operation, openContext, type RunnerDeps } from './operation.js';

/**
 * What follows a failure: ask the device what really happened, undo it, and write the end of the operation. The entry
 * is what the caller is told; where somebody else was first with the end, theirs.
 */
export async function failOperation(deps: RunnerDeps, operation: Operation, error: HermesError): Promise<StoredEntry> {
  await answersOf(deps, operation);
  const touched = operation.effects.some((effect) => effect.outcome !== 'failed');
  const verification = await learn(deps, operation, touched, error);
  const rollback = await undo(deps, operation, touched, error);
  const outcome = outcomeOf(operation, touched, verification, rollback);
  const entry = await deps.ends.write(
    operation.scope,
    operation.call.request.request_id,
    {
      ...operation.about,
      kind: 'finished',
      params: operation.call.request.params,
      pre_state: operation.preState,
      effects: operation.effects,
      outcome,
      ...(verification ? { verification } : {}),
      rollback,
      error: error.toWire(),
    },
    operation.started,
  );
  if (outcome === 'unknown' || rollback.outcome === 'failed') {
    deps.events.emit('needs_operator', {
      operation_id: operation.operationId,
      scope: operation.scope,
      reason: error.reason,
    });
  }
  return entry;
}

/** What the record says of an operation that is over, whoever ended it. */
export function answerOf(entry: StoredEntry, cause?: HermesError): unknown {
  if (entry.error) throw failureOf(entry, cause);
  return entry.result;
}

/** The failure as its caller is told, the same now and whenever it is asked for again. */
export function failureOf(entry: StoredEntry, cause?: HermesError): HermesError {
  const { rollback, verification } = entry;
  const known = HermesError.fromWire(entry.error as WireError);
  const data = {
    ...known.data,
    started: true,
    outcome: entry.outcome,
    operation_id: entry.operation_id,
    scope: entry.scope,
    rollback_executed: rollback?.executed ?? false,
    ...(rollback?.outcome === undefined ? {} : { rollback_outcome: rollback.outcome }),
    ...(rollback?.ms === undefined ? {} : { rollback_ms: rollback.ms }),
    ...(verification ? { evidence: verification.evidence } : {}),
  };
  if (rollback?.outcome !== 'failed') return new HermesError(known.reason, known.message, data, { cause });
  const message = `${known.message}; undoing it failed: ${rollback.error?.message ?? ''}`;
  return new HermesError('rollback_failed', message, { ...data, failed_with: known.reason }, { cause });
}

/** What is under way when an operation fails is waited for, as long as a read-back may take, to know how it ended. */
async function answersOf({ clock }: RunnerDeps, { underWay }: Operation): Promise<void> {
  if (underWay.size === 0) return;
  const answered = new AbortController();
  await Promise.race([
    Promise.allSettled([...underWay]),
    clock.sleep(LIMITS.readBackMs, answered.signal).catch(() => undefined),
  ]);
  answered.abort();
}

/** A tool that waited and looked before it gave up has said what it saw: nothing is left to ask. */
function seenByTool(error: HermesError): Verification | undefined {
  const { evidence } = error.data;
  return typeof evidence === 'object' && evidence !== null ? failed(evidence as Record<string, unknown>) : undefined;
}

/** The read-back after a failure; the verification that failed, when there was one. */
async function learn(
  deps: RunnerDeps,
  operation: Operation,
  touched: boolean,
  error: HermesError,
): Promise<Verification | undefined> {
  const { tool, input, preState } = operation;
  if (operation.verification) return plain(operation.verification);
  const seen = seenByTool(error);
  if (seen) return seen;
  const { verify } = tool.spec;
  if (!touched || !verify) return undefined;
  const limit = openDeadline(deps.clock, deps.clock.now() + LIMITS.readBackMs);
  const ctx = openContext(deps, { ...operation, effects: [] }, { deadline: limit, forward: true });
  try {
    const verification = await operation.call.stages.time('read_back', () =>
      raceSignal(verify(ctx, input, undefined, preState), limit.signal),
    );
    return plain(verification);
  } catch (thrown) {
    return unknown({ read_back: toHermesError(thrown).message });
  } finally {
    limit.close();
  }
}

async function undo(
  deps: RunnerDeps,
  operation: Operation,
  touched: boolean,
  error: HermesError,
): Promise<RollbackRecord> {
  const { rollback } = operation.tool.spec;
  if ('none' in rollback) return { available: false, reason: rollback.none, executed: false };
  const about = { available: true, name: rollback.name };
  if (!touched) return { ...about, executed: false, reason: 'no effect was begun' };
  const { clock, logger, metrics } = deps;
  const began = clock.monotonic();
  const past = () => (operation.call.deadline.remainingMs() === 0 ? { past_deadline: true } : {});
  const limit = openDeadline(clock, clock.now() + LIMITS.rollbackTimeoutMs);
  const ctx = openContext(deps, operation, { deadline: limit, forward: false });
  const { input, preState, effects } = operation;
  const spent = (): number => Math.round(clock.monotonic() - began);
  try {
    await operation.call.stages.time(
      'rollback',
      () => raceSignal(rollback.run(ctx, { input, preState, effects: [...effects] }), limit.signal),
      { rollback: true },
    );
    metrics.count('rollbacks', { tool: operation.tool.manifest.name, outcome: 'confirmed' });
    logger.info({ tag: 'ROLLBACK', ...ids(operation), cause: error.reason }, 'rolled back');
    return { ...about, executed: true, ms: spent(), outcome: 'confirmed', ...past() };
  } catch (thrown) {
    const failure = toHermesError(thrown, 'rollback_failed');
    metrics.count('rollbacks', { tool: operation.tool.manifest.name, outcome: 'failed' });
    logger.error({ tag: 'ROLLBACK', ...ids(operation), detail: failure.message }, 'rollback failed');
    return { ...about, executed: true, ms: spent(), outcome: 'failed', error: failure.toWire(), ...past() };
  } finally {
    limit.close();
  }
}

/**
 * Nothing begun is plainly failed; what may still arrive at the device is unknown, whatever a read-back says now; what
 * was undone is failed; else what the read-back says.
 */
function outcomeOf(
  { underWay }: Operation,
  touched: boolean,
  verification: Verification | undefined,
  rollback: RollbackRecord,
): Outcome {
  if (!touched) return 'failed';
  if (underWay.size > 0) return 'unknown';
  if (verification?.outcome === 'failed') return 'failed';
  if (verification?.outcome === 'confirmed' && rollback.outcome === 'confirmed') return 'failed';
  return 'unknown';
}

const ids = (operation: Operation) => ({
  operation_id: operation.operationId,
  goal_id: operation.about.goal_id,
  step_id: operation.about.step_id,
});

const plain = ({ outcome, evidence }: Verification): Verification => ({ outcome, evidence });
