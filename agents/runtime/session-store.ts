import type { Principal } from '../../mcp/index.js';
import type { SessionId } from '../../shared/ids.js';
import { type RecordBook, scopes, type View } from './record/index.js';
import type { DialogueContext } from './session/index.js';

/** One conversation as it stands: what was said is in its goals, this is where it is. */
export interface SessionState {
  readonly session_id: SessionId;
  readonly principal?: Principal;
  /** Undefined before the first sentence. */
  readonly context?: DialogueContext;
  readonly goals: readonly string[];
  /** The goal that waits for an answer in this session. */
  readonly asking?: string;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Sessions as entries of the record: each sentence leaves the next state; a restart goes on from the last. */
export interface SessionStore {
  load(id: SessionId): Promise<SessionState | undefined>;
  save(id: SessionId, change: Omit<SessionState, 'session_id' | 'created_at' | 'updated_at'>): Promise<void>;
}

export function createSessionStore(deps: { record: RecordBook; view: View }): SessionStore {
  const load: SessionStore['load'] = async (id) => {
    const scope = scopes.session(id);
    const { seq, n } = await deps.record.head(scope);
    if (n === 0) return undefined;
    await deps.view.waitFor(seq);
    const [first, last] = await Promise.all([deps.view.entry(scope, 1), deps.view.entry(scope, n)]);
    const state = last?.data as Omit<SessionState, 'session_id' | 'created_at' | 'updated_at'> | undefined;
    if (!first || !last || !state) return undefined;
    return { ...state, session_id: id, created_at: first.at, updated_at: last.at };
  };
  return {
    load,
    async save(id, change) {
      await deps.record.append(scopes.session(id), {
        kind: 'session',
        session_context_id: id,
        ...(change.principal ? { principal: change.principal } : {}),
        data: change as unknown as Readonly<Record<string, unknown>>,
      });
    },
  };
}
