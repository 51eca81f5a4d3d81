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
        suggestion:
          'put a copy of the data folder from before in its place; keep this one, what is left of it can be read',
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
