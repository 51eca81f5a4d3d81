import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { browserClock } from '../../../coordinator/console/src/browser-clock.js';
import type { Goal, GoalState } from '../../../coordinator/console/src/contract.js';
import { Problem } from '../../../coordinator/console/src/problem.js';
import { type GoalView, watchGoal } from '../../../coordinator/console/src/watch-goal.js';

const goalIn = (state: GoalState): Goal => ({ goal_id: 'g', session_id: 's', trace_id: 't', goal: 'x', state });

/** A coordinator with one goal and streams that the test feeds and ends. */
function scripted() {
  let goal = goalIn('running');
  let up = true;
  const resumed: (string | undefined)[] = [];
  const streams: ReadableStreamDefaultController<Uint8Array>[] = [];
  const api = {
    goal: vi.fn(async () => goal),
    events: async (_id: string, lastEventId: string | undefined, signal: AbortSignal) => {
      resumed.push(lastEventId);
      if (!up) throw new Problem(503, 'overloaded');
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          streams.push(controller);
          signal.addEventListener('abort', () => controller.error(new Error('aborted')));
        },
      });
      return new Response(body);
    },
  };
  const tell = (id: number) => streams.at(-1)?.enqueue(new TextEncoder().encode(`id: ${id}\ndata: {}\n\n`));
  return {
    api,
    resumed,
    tell,
    set: (state: GoalState) => {
      goal = goalIn(state);
    },
    breakStream(broken: boolean) {
      up = !broken;
      if (broken) streams.at(-1)?.error(new Error('reset'));
    },
  };
}

describe('watchGoal', () => {
  let views: GoalView[];
  let script: ReturnType<typeof scripted>;
  let stop: () => void;

  beforeEach(() => {
    vi.useFakeTimers();
    views = [];
    script = scripted();
    stop = watchGoal(script.api, browserClock(), 'g', (view) => views.push(view));
  });
  afterEach(() => {
    stop();
    vi.useRealTimers();
  });

  test('reads the goal once for a burst of events', async () => {
    await vi.advanceTimersByTimeAsync(500);
    script.api.goal.mockClear();
    script.set('paused');
    for (const id of [1, 2, 3, 4]) script.tell(id);
    await vi.advanceTimersByTimeAsync(500);
    expect(script.api.goal).toHaveBeenCalledTimes(1);
    expect(views.at(-1)).toMatchObject({ feed: 'live', goal: { state: 'paused' } });
  });

  test('asks every second while the stream is down and resumes it after the last event', async () => {
    await vi.advanceTimersByTimeAsync(100);
    script.tell(7);
    await vi.advanceTimersByTimeAsync(100);
    script.breakStream(true);
    script.set('paused');
    await vi.advanceTimersByTimeAsync(1_100);
    expect(views.at(-1)).toMatchObject({ feed: 'polling', goal: { state: 'paused' } });
    script.breakStream(false);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(views.at(-1)?.feed).toBe('live');
    expect(script.resumed[0]).toBeUndefined();
    expect(script.resumed.at(-1)).toBe('7');
  });

  test('ends by itself after the final state and asks nothing more', async () => {
    await vi.advanceTimersByTimeAsync(100);
    script.set('completed');
    script.tell(9);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(views.at(-1)).toMatchObject({ feed: 'ended', goal: { state: 'completed' } });
    script.api.goal.mockClear();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(script.api.goal).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a stop leaves no timer behind', async () => {
    await vi.advanceTimersByTimeAsync(100);
    stop();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(vi.getTimerCount()).toBe(0);
  });
});
