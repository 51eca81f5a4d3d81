import { HermesError } from '../../shared/errors.js';
import type { Log } from './log.js';

/** A log that is read and takes nothing: what it has lost must not be written over. */
export function readOnlyLog(log: Log, damage: string): Log {
  return {
    ...bound(log),
    append: async () => {
      throw new HermesError('log_unavailable', `the log is read-only: ${damage}`, {
        unknown: false,
        read_only: true,
        suggestion: 'restore a backup into a new folder: hermes restore <file> --data-dir <folder>',
      });
    },
  };
}

const bound = (log: Log): Omit<Log, 'append'> => ({
  last: (subject) => log.last(subject),
  read: (pattern, options) => log.read(pattern, options),
  tail: (pattern, fromSeq, handle) => log.tail(pattern, fromSeq, handle),
  headSeq: (pattern) => log.headSeq(pattern),
  close: () => log.close(),
});
