import { isFinal, type Projection } from '../../agents/runtime/index.js';
import type { GoalEvent } from './goal.js';

export const GOALS = 'goals';
const pad = (ms: number): string => String(ms).padStart(15, '0');

/** Which goals there are, by time, and which are open. Everything else about a goal is folded from its entries. */
export const goalIndex: Projection = {
  name: GOALS,
  rows(entry) {
    if (entry.kind !== 'goal' || !entry.goal_id) return [];
    const event = entry.data as unknown as GoalEvent;
    if (event.type === 'accepted') {
      return [
        { key: `all/${pad(entry.at)}/${entry.goal_id}`, value: { goal_id: entry.goal_id, at: entry.at } },
        { key: `open/${entry.goal_id}`, value: entry.goal_id },
        { key: `trace/${event.trace_id}`, value: entry.goal_id },
      ];
    }
    const ended = event.type === 'state' && isFinal(event.state);
    return ended ? [{ key: `open/${entry.goal_id}`, value: undefined }] : [];
  },
};
