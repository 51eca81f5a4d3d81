import type { Clock } from '../shared/clock.js';
import { toHermesError } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import { type Child, createRestartPolicy } from '../topology/index.js';

/** What a supervised process is doing. `failed` stays until somebody acts. */
export type SupervisedState = 'starting' | 'running' | 'waiting' | 'failed' | 'stopped';

/** A process that is started again when it ends without having been asked to. */
export interface Supervised {
  readonly name: string;
  readonly state: SupervisedState;
  readonly pid: number | undefined;
  /** SIGTERM, then SIGKILL a little after the 10 s that a process takes at most. */
  stop(): Promise<void>;
}

export interface SupervisedOptions {
  readonly name: string;
  readonly start: () => Promise<Pick<Child, 'pid' | 'exited' | 'kill'>>;
  /** Told of each change that is worth a line: started, crashed, failed. */
  readonly say: (line: string) => void;
  /** What to do about it when it has failed for good. */
  readonly remedy: string;
  /** Told once, when it has. */
  readonly onFailed?: () => void;
}

/** Wrong usage does not become right by another start. */
const USAGE_EXIT = 2;

/** A process under the policy of restarts; once it has failed nothing is started. */
export function supervise(clock: Clock, { name, start, say, remedy, onFailed }: SupervisedOptions): Supervised {
  let state: SupervisedState = 'starting';
  let child: Pick<Child, 'pid' | 'exited' | 'kill'> | undefined;
  const stopping = new AbortController();
  const policy = createRestartPolicy();

  const runOnce = async (): Promise<number | string> => {
    try {
      child = await start();
    } catch (thrown) {
      return toHermesError(thrown).message;
    }
    state = 'running';
    if (stopping.signal.aborted) child.kill('SIGTERM');
    return child.exited.finally(() => {
      child = undefined;
    });
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const exit = await runOnce();
      if (stopping.signal.aborted) break;
      const how = typeof exit === 'number' ? `exit ${exit}` : exit;
      const waitMs = policy.next(clock.monotonic());
      if (exit === USAGE_EXIT || waitMs === undefined) {
        state = 'failed';
        say(`${name} has failed (${how}) and is not started again; next: ${remedy}`);
        onFailed?.();
        return;
      }
      state = 'waiting';
      say(`${name} ended (${how}); it is started again in ${waitMs / 1_000} s`);
      await clock.sleep(waitMs, stopping.signal).catch(() => undefined);
      state = 'starting';
    }
    state = 'stopped';
  };
  const done = run();

  return {
    name,
    get state() {
      return state;
    },
    get pid() {
      return child?.pid;
    },
    async stop() {
      stopping.abort();
      child?.kill('SIGTERM');
      const late = clock.timer(LIMITS.stopMs + 1_000, () => child?.kill('SIGKILL'));
      await done;
      late();
      state = 'stopped';
    },
  };
}
