import type { StoredEntry } from '../../agents/runtime/index.js';

/**
 * An entry as the API tells it: always the same fields, `null` and empty lists where it does not say. Beside them its
 * number in the chain, and what only its kind says.
 */
export function presentAudit(entry: StoredEntry): Record<string, unknown> {
  const said = <K extends keyof StoredEntry>(field: K) => entry[field] ?? null;
  return {
    kind: entry.kind,
    operation_id: said('operation_id'),
    request_id: said('request_id'),
    goal_id: said('goal_id'),
    step_id: said('step_id'),
    scope: entry.scope,
    seq: entry.seq,
    at: entry.at,
    clock_offset_ms: entry.clock_offset_ms,
    principal: said('principal'),
    caller: said('caller'),
    component: entry.component,
    instance: entry.instance,
    tool: said('tool'),
    params: said('params'),
    pre_state: said('pre_state'),
    snapshot_ids: entry.snapshot_ids ?? [],
    effects: entry.effects ?? [],
    verification: said('verification'),
    rollback: said('rollback'),
    outcome: said('outcome'),
    prev: entry.prev,
    hash: entry.hash,
    n: entry.n,
    ...(entry.data === undefined ? {} : { data: entry.data }),
    ...(entry.error === undefined ? {} : { error: entry.error }),
  };
}
