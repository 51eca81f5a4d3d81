import {
  type Cell,
  type EntryDraft,
  moveTo,
  type Phase,
  type State,
  type StoredEntry,
  scopes,
} from '../../agents/runtime/index.js';
import { HermesError } from '../../shared/errors.js';
import type { GoalId } from '../../shared/ids.js';
import type { Answered, GoalEvent } from './goal.js';
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
  /** What a running goal is busy with. */
  phase(goalId: GoalId, phase: Phase): Promise<void>;
  /** The first entry of a goal; with an id derived from an idempotency key, at most one wins. */
  create(goalId: GoalId, event: GoalEvent | Answered, about: Partial<EntryDraft>): Promise<StoredEntry>;
  step(goalId: GoalId, kind: 'dispatch' | 'finished', draft: Omit<EntryDraft, 'kind'>): Promise<StoredEntry>;
  /** The goal that this key's sentence answered. */
  answeredBy(keyId: GoalId): Promise<{ goalId: GoalId; bodyHash: string } | undefined>;
  /** The newest state, after everything that was appended before the call. */
  find(goalId: string): Promise<FoldedGoal | undefined>;
  /** What an idempotency key was used for, when it was used for an answer. */
  answered(goalId: GoalId): Promise<(Answered & { readonly at: number }) | undefined>;
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

export function createGoalStore(cell: Cell): GoalStore {
  const { record, view } = cell;
  const draftOf = (goalId: GoalId, event: GoalEvent | Answered, about: Partial<EntryDraft> = {}): EntryDraft => ({
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

  const tell = async (goalId: GoalId, facts: StateFacts & { state: State }): Promise<void> => {
    await append(goalId, { type: 'state', ...facts });
    const { state, phase } = facts;
    cell.events.emit('goal.state_changed', { goal_id: goalId, state, ...(phase ? { phase } : {}) });
  };

  return {
    append,
    async move(goalId, to, facts = {}) {
      const { goal } = await get(goalId);
      const life = moveTo({ id: goalId, state: goal.state }, to);
      await tell(goalId, { state: to, ...(life.phase ? { phase: life.phase } : {}), ...facts });
    },
    phase: (goalId, phase) => tell(goalId, { state: 'running', phase }),
    async create(goalId, event, about) {
      const scope = scopes.goal(goalId);
      const head = await record.head(scope);
      if (head.n > 0) throw new HermesError('version_conflict', `goal ${goalId} exists`, { goal_id: goalId });
      return record.claim(scope, head, draftOf(goalId, event, about));
    },
    step: (goalId, kind, draft) => record.append(scopes.goal(goalId), { ...draft, kind, goal_id: goalId }),
    find,
    async answered(goalId) {
      const first = await view.entry(scopes.goal(goalId), 1);
      const event = first?.data as unknown as GoalEvent | Answered | undefined;
      return first && event?.type === 'answered' ? { ...event, at: first.at } : undefined;
    },
    get,
    async answeredBy(keyId) {
      const scope = scopes.goal(keyId);
      const { seq, n } = await record.head(scope);
      if (n === 0) return undefined;
      await view.waitFor(seq);
      const event = (await view.entry(scope, 1))?.data as GoalEvent | undefined;
      if (event?.type !== 'answered') return undefined;
      return { goalId: event.goal_id as GoalId, bodyHash: event.body_hash };
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
