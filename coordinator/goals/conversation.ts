import {
  type Cell,
  createSessionStore,
  type DialogueContext,
  newDialogue,
  type SessionState,
  type Understanding,
} from '../../agents/runtime/index.js';
import type { Principal } from '../../mcp/index.js';
import { HermesError } from '../../shared/errors.js';
import type { SessionId } from '../../shared/ids.js';
import { createLines } from '../../shared/lines.js';
import type { Planner } from '../planner/planner.js';

export interface Turn {
  readonly understanding: Understanding;
  /** Goal whose question this sentence answers. */
  readonly answers?: string;
  /** Goal whose question nobody can answer any more: something else was said. */
  readonly supersedes?: string;
  readonly parse: { readonly start_unix_ms: number; readonly ms: number };
}

/**
 * Sentences in their sessions, one at a time a session: what is understood moves the dialogue, and the next sentence
 * sees it moved.
 */
export interface Conversation {
  open(principal: Principal): Promise<SessionState>;
  /** @throws HermesError `not_found`. */
  get(sessionId: string): Promise<SessionState>;
  /** Whether a session's last state came after this goal. */
  knows(sessionId: string, goalId: string): Promise<boolean>;
  /**
   * Understands a sentence in its session, or in none. `adopt` gets the turn while the session is still held, and
   * says which goal came of it.
   */
  take<T>(
    sessionId: string | undefined,
    text: string,
    how: { principal: Principal; explain?: boolean },
    adopt: (turn: Turn, session: SessionId | undefined) => Promise<{ goalId?: string; paused?: boolean; value: T }>,
  ): Promise<T>;
}

const SESSION_ID = /^[A-Za-z0-9-]{1,64}$/;

interface Remembered {
  readonly dialogue: DialogueContext;
  /** The goal that waits for an answer in this session. */
  readonly asking?: string;
}

export function createConversation(cell: Cell, planner: Planner): Conversation {
  const store = createSessionStore(cell);
  const lines = createLines();

  const understand = (text: string, dialogue: DialogueContext, explain: boolean) => {
    const { clock, metrics } = cell.doors;
    const began = clock.monotonic();
    const start_unix_ms = Math.round(clock.now());
    const made = planner.understand(text, dialogue, { explain });
    const ms = clock.monotonic() - began;
    metrics.measure('sessionParse', ms);
    metrics.count('sessionFallback', { placed_by: made.understanding.placed_by });
    return { ...made, parse: { start_unix_ms, ms: Math.round(ms * 1000) / 1000 } };
  };

  const find = async (id: string): Promise<SessionState | undefined> =>
    SESSION_ID.test(id) ? store.load(id as SessionId) : undefined;

  return {
    async open(principal) {
      const id = cell.doors.ids.session();
      await store.save(id, { principal, goals: [], context: newDialogue() });
      return (await store.load(id)) as SessionState;
    },
    async get(sessionId) {
      const state = await find(sessionId);
      if (state) return state;
      throw new HermesError('not_found', `no session ${sessionId.slice(0, 64)}`, {
        suggestion: 'open one: POST /v1/sessions',
      });
    },
    knows: async (sessionId, goalId) => (await find(sessionId))?.goals.includes(goalId) ?? false,
    async take(sessionId, text, how, adopt) {
      if (sessionId === undefined) {
        const { understanding, parse } = understand(text, newDialogue(), how.explain ?? false);
        return (await adopt({ understanding, parse }, undefined)).value;
      }
      return lines.inLine(sessionId, async () => {
        const known = await find(sessionId);
        const remembered = memoryOf(known);
        const { understanding, context, parse } = understand(text, remembered.dialogue, how.explain ?? false);
        const fate = fateOf(remembered.asking, understanding, context);
        const made = await adopt({ understanding, parse, ...fate }, sessionId as SessionId);
        const open = context.open ? remembered.asking : undefined;
        const waiting = made.paused ? made.goalId : open;
        const asking = waiting ? { asking: waiting } : {};
        const goals =
          made.goalId && !known?.goals.includes(made.goalId)
            ? [...(known?.goals ?? []), made.goalId]
            : (known?.goals ?? []);
        const principal = known?.principal ?? how.principal;
        await store.save(sessionId as SessionId, { principal, goals: goals.slice(-100), context, ...asking });
        return made.value;
      });
    },
  };
}

/** What a sentence does to the question that was open: answers it, leaves it open, or ends it. */
function fateOf(
  asking: string | undefined,
  understanding: Understanding,
  context: DialogueContext,
): Pick<Turn, 'answers' | 'supersedes'> {
  if (!asking) return {};
  if (understanding.answers_prompt) return { answers: asking };
  return context.open && understanding.outcome !== 'ask' ? {} : { supersedes: asking };
}

function memoryOf(state: SessionState | undefined): Remembered {
  const asking = state?.asking;
  return { dialogue: state?.context ?? newDialogue(), ...(asking ? { asking } : {}) };
}
