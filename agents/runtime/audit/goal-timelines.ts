import type { StoredEntry } from '../record/index.js';
import type { GoalTimeline } from './audit-package.js';

type Stage = GoalTimeline['stages'][number];

/** What entries say of each goal that they name: one stage an operation, from its claim to its end. */
export function goalTimelines(entries: readonly StoredEntry[], by: string): GoalTimeline[] {
  const goals = new Map<string, { trace_id?: string; stages: Stage[] }>();
  const begun = new Map<string, StoredEntry>();
  for (const entry of entries) {
    const { goal_id, operation_id, trace_id } = entry;
    if (goal_id === undefined) continue;
    if (entry.kind === 'started' && operation_id !== undefined) {
      begun.set(operation_id, entry);
      continue;
    }
    const goal = goals.get(goal_id) ?? { stages: [] };
    goals.set(goal_id, goal);
    goal.stages.push(stageOf(entry, operation_id === undefined ? undefined : begun.get(operation_id)));
    if (operation_id !== undefined) begun.delete(operation_id);
    if (trace_id !== undefined) goal.trace_id ??= trace_id;
  }
  for (const open of begun.values()) {
    const goal = goals.get(open.goal_id as string) ?? { stages: [] };
    goals.set(open.goal_id as string, goal);
    goal.stages.push(stageOf(open, open));
  }
  return [...goals].map(([goal_id, goal]) => ({ goal_id, by, ...goal }));
}

function stageOf(entry: StoredEntry, start = entry): Stage {
  const { kind, tool, operation_id, outcome, rollback, data, n, at } = entry;
  return {
    name: tool?.name ?? (typeof data?.type === 'string' ? `${kind} ${data.type}` : kind),
    ...(operation_id === undefined ? {} : { operation_id }),
    n,
    start_unix_ms: start.at,
    ms: Math.max(0, at - start.at),
    ...(outcome === undefined ? {} : { outcome }),
    ...(rollback?.executed ? { rollback: true } : {}),
  };
}
