import { openDeadline, raceSignal } from '../../../shared/deadline.js';
import { HermesError } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import { entryOfUse } from '../approval/index.js';
import type { EntryDraft, ScopeHead, StoredEntry } from '../record/index.js';
import { plannedEffects } from './define-tool.js';
import { type Operation, openContext, principalOf, type RunnerDeps } from './operation.js';
import { checkPreState } from './recordable.js';
import { callIdentity, checkSameCall } from './same-call.js';
import { recordedAnswer, settleOperation } from './settle.js';

/** The answer that the record has already, or the claim. */
export async function claimOperation(
  deps: RunnerDeps,
  operation: Operation,
): Promise<{ answer: unknown } | { started: StoredEntry }> {
  const { record, view } = deps;
  const { tool, call, scope } = operation;
  const { request, deadline } = call;
  // What was seen last is most often still so. The claim finds out, and before anything is refused the log is asked.
  for (let seen = record.seen(scope); ; seen = undefined) {
    const head = seen ?? (await record.head(scope));
    await view.waitFor(head.seq, deadline.signal);
    const row = await view.operation(request.request_id);
    if (row && seen) continue;
    const known = row && (await view.entry(row.scope, (row.started ?? row.finished) as number));
    if (known) checkSameCall(request.request_id, callIdentity(known), callIdentity(operation.about));
    if (row?.finished !== undefined) return { answer: await recordedAnswer(deps, row) };
    const pending = row && deps.ends.pending(row.request_id);
    if (pending) {
      await raceSignal(pending, deadline.signal);
      continue;
    }
    if (row?.started !== undefined) return { answer: await settleOperation(deps, tool, row, deadline) };
    try {
      await checkWriter(deps, operation, seen === undefined);
      await prepare(deps, operation);
      deadline.check(false);
      await deps.stillOwns(request);
    } catch (thrown) {
      if (seen) continue;
      throw thrown;
    }
    try {
      const on = await approve(deps, operation, head);
      const started = {
        ...operation.about,
        kind: 'started',
        params: request.params,
        pre_state: operation.preState,
      } as EntryDraft;
      operation.started = await record.claim(scope, on, started);
      return { started: operation.started };
    } catch (error) {
      if (seen && isRefusal(error)) continue;
      if (!(error instanceof HermesError) || error.reason !== 'version_conflict') throw error;
    }
  }
}

/**
 * What leaves a snapshot is done for a person who may write its scope: by a role, and where the newest snapshot names
 * writers, by being one. @throws HermesError `scope_denied`.
 */
async function checkWriter(deps: RunnerDeps, { tool, scope, about, call }: Operation, sure: boolean): Promise<void> {
  if (!tool.spec.snapshot) return;
  // Found out before the effect: after it, the entry of what was done could not be written.
  deps.record.retention.of(scope);
  const use = { principal: principalOf(deps, about), what: tool.manifest.name };
  await deps.guard.write(use, scope, sure);
  await deps.guard.holdsNoSecret(use, scope, call.request.params);
}

/** Where a person has to agree: their approval is written down as used, and the claim goes on top of that. */
async function approve(deps: RunnerDeps, operation: Operation, head: ScopeHead): Promise<ScopeHead> {
  const { record } = deps;
  const { tool, call, input, scope, about, preState } = operation;
  const { name, version, risk, effect_class, rollback } = tool.manifest;
  const grant = await deps.approvals.admit({
    method: { name, risk, effect_class },
    need: () => ({
      tool: { name, version, digest: tool.digest },
      params: call.request.params,
      scope,
      risk,
      effects: plannedEffects(tool, input, preState),
      rollback,
      pre_state: preState,
    }),
    requestId: call.request.request_id,
    approval: call.request.approval,
  });
  if (!grant) return head;
  await record.claim(scope, head, entryOfUse(grant, about));
  return record.seen(scope) as ScopeHead;
}

/** Preflight, and what stands there before. */
async function prepare(deps: RunnerDeps, operation: Operation): Promise<void> {
  const { clock } = deps;
  const { tool, call, input } = operation;
  const limit = openDeadline(clock, Math.min(call.deadline.at, clock.now() + LIMITS.preflightMs), call.deadline.signal);
  const ctx = openContext(deps, operation, { deadline: limit, forward: true });
  try {
    await call.stages.time('preflight', () =>
      raceSignal(
        (async () => {
          await identifyActor(deps, operation, limit.signal);
          await tool.spec.preflight?.(ctx, input);
          operation.preState = checkPreState(tool, (await tool.spec.preState?.(ctx, input)) ?? {});
        })(),
        limit.signal,
      ),
    );
  } finally {
    limit.close();
  }
}

/** The device that a call names is the declared one, before anything is claimed about it. */
async function identifyActor({ site, capabilities }: RunnerDeps, { tool, input }: Operation, signal: AbortSignal) {
  const key = tool.manifest.actor_key;
  const named = key === undefined ? undefined : (input as Readonly<Record<string, unknown>>)[key];
  const device = site.devices.find(({ id }) => id === named);
  if (device) await capabilities.identify(device, signal);
}

/** Refused where nobody had agreed: asked again on the true head, as all refusals are. */
const isRefusal = (error: unknown): boolean => error instanceof HermesError && error.reason === 'approval_required';
