import { LIMITS } from '../../../shared/limits.js';
import type { Operation, RunnerDeps } from './operation.js';

/**
 * Says of an operation that takes long that it is under way: a snapshot on its scope after three seconds, which its end
 * supersedes, and `step.progress` events from then on. How far it is comes from the time that the tool declares it may
 * take; nobody knows better.
 */
export interface Processing {
  stop(): void;
}

export function watchProcessing(deps: RunnerDeps, operation: Operation): Processing {
  const { clock, record, events, logger } = deps;
  const { tool, scope, about, operationId } = operation;
  const began = clock.monotonic();
  const most = tool.spec.timeout_ms;
  const say = (isFirst: boolean): void => {
    const spent = clock.monotonic() - began;
    const progress = Math.min(0.99, Math.round((spent / most) * 100) / 100);
    const eta_ms = Math.max(0, Math.round(most - spent));
    const { goal_id, step_id } = about;
    const whose = { ...(goal_id ? { goal_id } : {}), ...(step_id ? { step_id } : {}) };
    events.emit('step.progress', { ...whose, operation_id: operationId, state: 'processing', progress, eta_ms });
    if (!isFirst) return;
    const data = { status: 'processing', tool: tool.manifest.name, operation_id: operationId, progress, eta_ms };
    // Queued before the end of the operation, which stands in the same line.
    record.append(scope, { ...about, kind: 'snapshot', snapshots: [{ data }] }).catch((error: unknown) => {
      logger.warn({ operation_id: operationId, err: error }, 'that an operation is under way could not be written');
    });
  };
  let cancel = clock.timer(LIMITS.processingMs, () => {
    say(true);
    cancel = clock.every(LIMITS.processingMs, () => say(false));
  });
  return { stop: () => cancel() };
}
