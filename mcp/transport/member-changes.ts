import type { Logger } from '../../shared/telemetry/logger.js';
import type { MemberChange } from './liveness.js';

/** Tells watchers of changes: all in one order, also when one of them causes the next; one that throws is logged. */
export interface MemberChanges {
  watch(changed: (change: MemberChange) => void): { stop(): void };
  report(change: MemberChange): void;
}

export function createMemberChanges(logger: Logger): MemberChanges {
  const watchers = new Set<(change: MemberChange) => void>();
  const waiting: MemberChange[] = [];
  let reporting = false;
  const tell = (watcher: (change: MemberChange) => void, change: MemberChange): void => {
    try {
      watcher(change);
    } catch (thrown) {
      logger.error({ err: thrown, instance: change.member.instance }, 'a liveness watcher failed');
    }
  };
  return {
    watch(changed) {
      // The same function may watch twice.
      const watcher = (change: MemberChange): void => changed(change);
      watchers.add(watcher);
      return { stop: () => void watchers.delete(watcher) };
    },
    report(change) {
      waiting.push(change);
      if (reporting) return;
      reporting = true;
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        for (const watcher of [...watchers]) if (watchers.has(watcher)) tell(watcher, next);
      }
      reporting = false;
    },
  };
}
