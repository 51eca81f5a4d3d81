import { watch } from 'node:fs';
import type { Cancel, Clock } from '../shared/clock.js';

/** An editor writes several files in a row. */
const QUIET_MS = 300;

/** Calls `changed` when files below a folder have changed and are quiet since; one call at a time. */
export function watchFolder(clock: Clock, folder: string, changed: () => Promise<void>): { stop(): Promise<void> } {
  let pending: Cancel | undefined;
  let working: Promise<void> = Promise.resolve();
  const watcher = watch(folder, { recursive: true }, () => {
    pending?.();
    pending = clock.timer(QUIET_MS, () => {
      working = working.then(changed);
    });
  });
  return {
    async stop() {
      watcher.close();
      pending?.();
      await working;
    },
  };
}
