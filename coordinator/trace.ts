import type { StoredEntry } from '../agents/runtime/index.js';
import type { Journal, JournalEntry, Stage } from '../mcp/index.js';
import { HermesError } from '../shared/errors.js';
import type { Goal, GoalEvent } from './goals/goal.js';
import type { GoalStore } from './goals/goal-store.js';

/** One bar of the waterfall. */
export interface TraceStage {
  readonly name: string;
  readonly component: string;
  readonly instance: string;
  readonly start_unix_ms: number;
  readonly ms: number;
  readonly error?: string;
  readonly rollback?: boolean;
}

export interface Trace {
  readonly trace_id: string;
  readonly goal_id?: string;
  readonly stages: readonly TraceStage[];
}

/** More than a goal of 64 steps says; a timeline begins with its beginning. */
const MESSAGES = 10_000;
const TRACE_ID = /^[0-9a-f]{32}$/;

/**
 * The timeline of a goal: its own entries, and the stages that workers wrote into their answers, as the journal kept
 * them. @throws HermesError `not_found`.
 */
export async function traceOf(traceId: string, store: GoalStore, journal: Journal, self: string): Promise<Trace> {
  const goalId = TRACE_ID.test(traceId) ? await store.byTrace(traceId) : undefined;
  const entries = goalId ? await store.entries(goalId, 1) : [];
  const messages = TRACE_ID.test(traceId) ? await journal.query({ trace_id: traceId, limit: MESSAGES }) : [];
  if (entries.length === 0 && messages.length === 0) {
    throw new HermesError('not_found', `no trace ${traceId.slice(0, 64)}`, { suggestion: 'a goal names its trace_id' });
  }
  const goal = goalId ? (await store.find(goalId))?.goal : undefined;
  const stages = [...(goal ? goalStages(goal, entries, self) : []), ...messages.flatMap(messageStages)];
  stages.sort((a, b) => a.start_unix_ms - b.start_unix_ms || b.ms - a.ms);
  return { trace_id: traceId, ...(goalId ? { goal_id: goalId } : {}), stages };
}

function goalStages(goal: Goal, entries: readonly StoredEntry[], self: string): TraceStage[] {
  const own = { component: self, instance: entries[0]?.instance ?? self };
  const end = goal.ended_at ?? entries[entries.length - 1]?.at ?? goal.created_at;
  const bar = (name: string, from: number, to: number, error?: string): TraceStage => ({
    ...own,
    name,
    start_unix_ms: from,
    ms: Math.max(0, to - from),
    ...(error ? { error } : {}),
  });
  const at = (type: GoalEvent['type']) =>
    entries.find((entry) => entry.kind === 'goal' && entry.data?.type === type)?.at;
  const planned = at('plan');
  const answered = at('answer');
  const parse = entries[0]?.data?.parse as { start_unix_ms: number; ms: number } | undefined;
  const steps = goal.plan.steps.flatMap((step) => {
    if (step.started_at === undefined) return [];
    return [bar(`step ${step.id} ${step.method}`, step.started_at, step.ended_at ?? end, step.error?.data.reason)];
  });
  return [
    bar('goal', parse?.start_unix_ms ?? goal.created_at, end, goal.error?.data.reason),
    ...(parse ? [{ ...own, name: 'session.parse', ...parse }] : []),
    ...(planned === undefined ? [] : [bar('plan', goal.created_at, planned)]),
    ...steps,
    ...(answered === undefined ? [] : [bar('answer', answered, end)]),
  ];
}

/** An answer carries its stages; an event is a moment; a local tool call is a stretch of its own. */
function messageStages(entry: JournalEntry): TraceStage[] {
  if (entry.unreadable !== undefined) return [];
  if (entry.kind === 'event') {
    const { topic, source } = entry.message as { topic: string; source: string };
    return [{ name: topic, component: source, instance: source, start_unix_ms: entry.at, ms: 0 }];
  }
  if (entry.kind !== 'reply') return [];
  const { served_by, timing } = entry.message as {
    served_by: string;
    timing?: { received_at_unix_ms: number; stages?: readonly Stage[] };
  };
  return (timing?.stages ?? []).map((stage) => ({
    name: stage.name,
    component: stage.component,
    instance: served_by,
    start_unix_ms: (timing?.received_at_unix_ms ?? entry.at) + stage.offset_ms,
    ms: stage.ms,
    ...(stage.error ? { error: stage.error } : {}),
    ...(stage.rollback ? { rollback: true } : {}),
  }));
}
