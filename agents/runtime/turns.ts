import type { Clock } from '../../shared/clock.js';
import { type Deadline, raceSignal } from '../../shared/deadline.js';
import { HermesError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { createLines } from '../../shared/lines.js';

/** Work on one key one at a time, whichever way it came into the agent (its own methods, `ask`). */
export interface Turns {
  /**
   * Waits for the key's turn, at most until the deadline; nothing was begun then. Work that runs on long after its end,
   * as the endpoint has it (`LIMITS.stuckAfterMs` past the time for rollback), is given up, and its turn goes on.
   * @throws HermesError `deadline` or `cancelled` (`started: false`); `deadline` with `outcome: unknown` and
   * `stuck: true` for what was given up; what `work` throws.
   */
  take<T>(key: string, deadline: Deadline, work: () => Promise<T>): Promise<T>;
}

/** @param stuck told of each key whose work was given up. */
export function createTurns(clock: Clock, stuck: (key: string) => void): Turns {
  const lines = createLines();

  const watched = <T>(key: string, { signal }: Deadline, work: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const running = work();
      let cancel = (): void => undefined;
      const giveUp = (): void => {
        const data = { started: true, outcome: 'unknown', stuck: true };
        reject(new HermesError('deadline', 'the call did not end at its deadline and was given up', data));
        stuck(key);
      };
      const ended = (): void => {
        cancel = clock.timer(LIMITS.rollbackTimeoutMs + LIMITS.stuckAfterMs, giveUp);
      };
      signal.addEventListener('abort', ended, { once: true });
      running.then(resolve, reject).finally(() => {
        signal.removeEventListener('abort', ended);
        cancel();
      });
    });

  return {
    async take(key, deadline, work) {
      let began = false;
      const turn = lines.inLine(key, async () => {
        deadline.check(false);
        began = true;
        return watched(key, deadline, work);
      });
      const waiting = raceSignal(turn, deadline.signal);
      try {
        return await waiting;
      } catch (thrown) {
        // Ended by its deadline: while it waits that is the answer, once it runs its own end is.
        if (began) return await turn;
        deadline.check(false);
        throw thrown;
      }
    },
  };
}
