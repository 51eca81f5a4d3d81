import type { Api } from './api.js';
import type { BrowserClock } from './browser-clock.js';
import { type Goal, isFinal } from './contract.js';
import { followStream } from './follow-stream.js';
import { asProblem, type Problem } from './problem.js';

/** How the page hears of changes: from the stream, by asking while the stream is down, or not any more. */
export type Feed = 'connecting' | 'live' | 'polling' | 'ended';

export interface GoalView {
  readonly goal?: Goal;
  readonly feed: Feed;
  readonly problem?: Problem;
}

const DEBOUNCE_MS = 50;
const POLL_MS = 1_000;
/** The answer may be logged a moment after the final state. */
const AFTERGLOW_MS = 1_500;

/**
 * Follows one goal. Events only say that something changed: what is shown is always the goal as the coordinator gives
 * it, so a lost, doubled or late event cannot make the page lie. The stream resumes after the last event seen; while
 * it is down the goal is asked for every second. Ends by itself after the final state.
 */
export function watchGoal(
  api: Pick<Api, 'goal' | 'events'>,
  clock: BrowserClock,
  goalId: string,
  onView: (view: GoalView) => void,
): () => void {
  const watch = new GoalWatch(api, clock, goalId, onView);
  return () => watch.stop();
}

class GoalWatch {
  readonly #abort = new AbortController();
  readonly #cancelPoll: () => void;
  #view: GoalView = { feed: 'connecting' };
  #cancelRefresh: () => void = () => undefined;
  #cancelEnd: (() => void) | undefined;
  #fetching = false;
  #again = false;

  constructor(
    private readonly api: Pick<Api, 'goal' | 'events'>,
    private readonly clock: BrowserClock,
    private readonly goalId: string,
    private readonly onView: (view: GoalView) => void,
  ) {
    this.#cancelPoll = clock.every(POLL_MS, () => {
      if (this.#view.feed !== 'live') void this.#refresh();
    });
    void this.#refresh();
    void followStream((id) => api.events(goalId, id, this.#abort.signal), clock, this.#abort.signal, {
      live: () => {
        this.#show({ feed: 'live' });
        this.#refreshSoon();
      },
      down: () => this.#show({ feed: 'polling' }),
      changed: () => this.#refreshSoon(),
    });
  }

  stop(): void {
    this.#abort.abort();
    this.#cancelPoll();
    this.#cancelRefresh();
    this.#cancelEnd?.();
  }

  #show(change: Partial<GoalView>): void {
    if (this.#abort.signal.aborted) return;
    this.#view = { ...this.#view, ...change };
    this.onView(this.#view);
  }

  #end(): void {
    this.#show({ feed: 'ended' });
    this.stop();
  }

  #refreshSoon(): void {
    this.#cancelRefresh();
    this.#cancelRefresh = this.clock.timer(DEBOUNCE_MS, () => void this.#refresh());
  }

  async #refresh(): Promise<void> {
    if (this.#fetching) {
      this.#again = true;
      return;
    }
    this.#fetching = true;
    await this.#fetch();
    this.#fetching = false;
    if (!this.#again || this.#abort.signal.aborted) return;
    this.#again = false;
    await this.#refresh();
  }

  async #fetch(): Promise<void> {
    try {
      const goal = await this.api.goal(this.goalId);
      this.#show({ goal, problem: undefined });
      if (isFinal(goal.state)) {
        this.#cancelEnd ??= this.clock.timer(AFTERGLOW_MS, () => void this.#fetch().finally(() => this.#end()));
      }
    } catch (error) {
      const problem = asProblem(error);
      this.#show({ problem });
      if (problem.status === 404) this.#end();
    }
  }
}
