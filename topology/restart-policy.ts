const MINUTE_MS = 60_000;
const RESTARTS_A_MINUTE = 5;
const BACKOFF_MS = 500;
const BACKOFF_MAX_MS = 8_000;

/** When what has ended, or hangs, is started again: half a second later, doubled for each restart within a minute. */
export interface RestartPolicy {
  /** How long to wait now, ms; undefined after 5 restarts within a minute: it has failed. @param at monotonic, ms. */
  next(at: number): number | undefined;
}

export function createRestartPolicy(): RestartPolicy {
  let restarts: number[] = [];
  return {
    next(at) {
      restarts = [...restarts.filter((earlier) => at - earlier < MINUTE_MS), at];
      if (restarts.length > RESTARTS_A_MINUTE) return undefined;
      return Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** (restarts.length - 1));
    },
  };
}
