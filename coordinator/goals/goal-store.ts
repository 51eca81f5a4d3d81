import {
  type Cell,
  type EntryDraft,
  isFinal,
  moveTo,
  type Phase,
  type State,
  type StoredEntry,
  scopes,
} from '../../agents/runtime/index.js';
import { HermesError } from '../../shared/errors.js';
import type { GoalId } from '../../shared/ids.js';
import type { GoalEvent } from './goal.js';
import { type FoldedGoal, foldGoal } from './goal-fold.js';
import { GOALS } from './goal-index.js';

/** What a change of state tells beside the state. */
export type StateFacts = Omit<Extract<GoalEvent, { type: 'state' }>, 'type' | 'state'>;

/** Goals in the record: their events are appended, their state is folded. */
export interface GoalStore {
  append(goalId: GoalId, event: GoalEvent, about?: Partial<EntryDraft>): Promise<StoredEntry>;
  /**
   * The only way from one state to another: the record's newest state decides whether it is legal.
   * @throws InvalidStateTransition
   */
  move(goalId: GoalId, to: State, facts?: StateFacts): Promise<void>;
  /** It runs, whoever made it run; false when it has ended. */
  running(goalId: GoalId): Promise<boolean>;
  /** What a running goal is busy with; false, and nothing written, when it does not run any more. */
  phase(goalId: GoalId, phase: Phase): Promise<boolean>;
  /**
   * The goal waits for people: these steps wait, each undecided. False, and nothing written, when somebody has decided
   * in the meantime, or the goal runs no more.
   */
  pauseForPeople(goalId: GoalId, waiting: readonly string[]): Promise<boolean>;
  /**
   * Writes an entry on top of exactly what it was decided on; undefined, and nothing written, when `decided` says so
   * or there is no such goal.
   */
  decide(
    goalId: GoalId,
    decided: (folded: FoldedGoal) => Omit<EntryDraft, 'goal_id'> | undefined,
  ): Promise<StoredEntry | undefined>;
  /** The first entry of a goal; with an id derived from an idempotency key, at most one wins. */
  create(goalId: GoalId, event: GoalEvent, about: Partial<EntryDraft>): Promise<StoredEntry>;
  step(goalId: GoalId, kind: 'dispatch' | 'finished', draft: Omit<EntryDraft, 'kind'>): Promise<StoredEntry>;
  /** The goal that this key's sentence answered. */
  answeredBy(keyId: GoalId): Promise<{ goalId: GoalId; bodyHash: string; at: number } | undefined>;
  /** The newest state, after everything that was appended before the call. */
  find(goalId: string): Promise<FoldedGoal | undefined>;
  /** @throws HermesError `not_found`. */
  get(goalId: string): Promise<FoldedGoal>;
  entries(goalId: string, fromN: number): Promise<StoredEntry[]>;
  /** Newest first, after the row whose cursor is `before`. */
  list(options: { before?: string; limit: number }): Promise<{ goal_id: string; cursor: string }[]>;
  open(): Promise<GoalId[]>;
  byTrace(traceId: string): Promise<string | undefined>;
}

/** Row of a cursor `<instant>-<goal>` in the index; an instant alone comes before all of its goals. */
const rowOf = (cursor: string): string =>
  cursor.replace(/^(\d+)-?/, (_whole, at: string) => `${at.padStart(15, '0')}/`);

const GOAL_ID = /^g-[a-z2-7]{16}$/;

/** A deadline that is a span moves by the time that the goal stood still; one that is an instant stays. */
function movedDeadline({ goal, relative, pausedAt }: FoldedGoal, now: number): { deadline_unix_ms?: number } {
  if (!relative || pausedAt === undefined || goal.deadline_unix_ms === undefined) return {};
  return { deadline_unix_ms: goal.deadline_unix_ms + now - pausedAt };
}

export function createGoalStore(cell: Cell): GoalStore {
  const { record, view } = cell;
  const { clock } = cell.doors;
  const draftOf = (goalId: GoalId, event: GoalEvent, about: Partial<EntryDraft> = {}): EntryDraft => ({
    ...about,
    kind: 'goal',
    goal_id: goalId,
    data: event as unknown as Readonly<Record<string, unknown>>,
  });

  const find = async (goalId: string): Promise<FoldedGoal | undefined> => {
    if (!GOAL_ID.test(goalId)) return undefined;
    const scope = scopes.goal(goalId);
    const { seq } = await record.head(scope);
    await view.waitFor(seq);
    return foldGoal(goalId, await view.entries(scope));
  };

  const append: GoalStore['append'] = (goalId, event, about) =>
    record.append(scopes.goal(goalId), draftOf(goalId, event, about));

  const get: GoalStore['get'] = async (goalId) => {
    const goal = await find(goalId);
    if (goal) return goal;
    throw new HermesError('not_found', `no goal ${goalId.slice(0, 64)}`, { suggestion: 'list them: GET /v1/goals' });
  };

  /** Whoever was first decides, the other decides anew. */
  const decide: GoalStore['decide'] = async (goalId, decided) => {
    const scope = scopes.goal(goalId);
    for (;;) {
      const head = await record.head(scope);
      await view.waitFor(head.seq);
      const folded = foldGoal(goalId, await view.entries(scope));
      if (!folded) return undefined;
      const draft = decided(folded);
      if (!draft) return undefined;
      try {
        return await record.claim(scope, head, { ...draft, goal_id: goalId });
      } catch (error) {
        if (error instanceof HermesError && error.reason === 'version_conflict') continue;
        throw error;
      }
    }
  };

  const decideState = async (
    goalId: GoalId,
    decided: (folded: FoldedGoal) => (StateFacts & { state: State }) | undefined,
  ): Promise<boolean> => {
    const written = await decide(goalId, (folded) => {
      const facts = decided(folded);
      return facts && draftOf(goalId, { type: 'state', ...facts });
    });
    if (!written) return false;
    const { state, phase } = written.data as unknown as Extract<GoalEvent, { type: 'state' }>;
    cell.events.emit('goal.state_changed', { goal_id: goalId, state, ...(phase ? { phase } : {}) });
    return true;
  };

  return {
    append,
    async move(goalId, to, facts = {}) {
      await decideState(goalId, ({ goal: { state } }) => {
        const { phase } = moveTo({ id: goalId, state }, to);
        return { state: to, ...(phase ? { phase } : {}), ...facts };
      });
    },
    async running(goalId) {
      let ended = false;
      await decideState(goalId, (folded) => {
        const { state } = folded.goal;
        ended = isFinal(state);
        if (ended || state === 'running') return undefined;
        const { phase } = moveTo({ id: goalId, state }, 'running');
        return { state: 'running', ...(phase ? { phase } : {}), ...movedDeadline(folded, Math.round(clock.now())) };
      });
      return !ended;
    },
    decide,
    phase: (goalId, phase) =>
      decideState(goalId, ({ goal: { state } }) => (state === 'running' ? { state, phase } : undefined)),
    pauseForPeople: (goalId, waiting) =>
      decideState(goalId, ({ goal, statuses }) =>
        goal.state === 'running' && waiting.every((id) => statuses.get(id)?.state === 'waiting')
          ? { state: 'paused', waiting_for: 'approval' }
          : undefined,
      ),
    async create(goalId, event, about) {
      const scope = scopes.goal(goalId);
      const head = await record.head(scope);
      if (head.n > 0) throw new HermesError('version_conflict', `goal ${goalId} exists`, { goal_id: goalId });
      return record.claim(scope, head, draftOf(goalId, event, about));
    },
    step: (goalId, kind, draft) => record.append(scopes.goal(goalId), { ...draft, kind, goal_id: goalId }),
    find,
    get,
    async answeredBy(keyId) {
      const scope = scopes.goal(keyId);
      const { seq, n } = await record.head(scope);
      if (n === 0) return undefined;
      await view.waitFor(seq);
      const entry = await view.entry(scope, 1);
      const event = entry?.data as GoalEvent | undefined;
      if (!entry || event?.type !== 'answered') return undefined;
      return { goalId: event.goal_id as GoalId, bodyHash: event.body_hash, at: entry.at };
    },
    entries: (goalId, fromN) => view.entries(scopes.goal(goalId), { fromN }),
    async list({ before, limit }) {
      const end = before === undefined ? {} : { before: `all/${rowOf(before)}` };
      const rows = await view.rows<{ goal_id: string; at: number }>(GOALS, 'all/', { reverse: true, limit, ...end });
      return rows.map(({ goal_id, at }) => ({ goal_id, cursor: `${at}-${goal_id}` }));
    },
    open: () => view.rows<GoalId>(GOALS, 'open/'),
    byTrace: async (traceId) => (await view.rows<string>(GOALS, `trace/${traceId}`))[0],
  };
}
