import type { SessionState } from '../../agents/runtime/index.js';
import type { Goal } from './goal.js';
import type { SessionView } from './goal-port.js';

/** A session as everybody sees it, with the question that is open in it. */
export function sessionView(state: SessionState, asking?: Goal): SessionView {
  const prompt = asking?.state === 'paused' ? asking.prompt : undefined;
  return {
    session_id: state.session_id,
    state: prompt ? 'paused' : 'idle',
    stack: state.context?.stack ?? ['IDLE'],
    context: { ...state.context },
    goals: state.goals,
    ...(prompt ? { prompt } : {}),
  };
}
