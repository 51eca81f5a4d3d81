import type { Transport } from '../../mcp/transport/index.js';
import { HermesError } from '../../shared/errors.js';

/** When an append fails: before it reaches the log, or after, so that nobody knows. */
export type LogFault = 'lost' | 'unknown' | undefined;

/** A transport whose log refuses the appends that `fault` points at, counted over all of its component's appends. */
export function failingLog(transport: Transport, fault: (subject: string, n: number) => LogFault): Transport {
  let n = 0;
  const { log } = transport;
  return {
    ...transport,
    log: {
      append: async (subject, payload, options) => {
        const what = fault(subject, ++n);
        if (what === 'lost') throw new HermesError('log_unavailable', 'the disk is full');
        const done = await log.append(subject, payload, options);
        if (what === 'unknown') throw new HermesError('log_unavailable', 'no answer from the log', { unknown: true });
        return done;
      },
      last: (subject) => log.last(subject),
      read: (pattern, options) => log.read(pattern, options),
      tail: (pattern, fromSeq, handle) => log.tail(pattern, fromSeq, handle),
      headSeq: (pattern) => log.headSeq(pattern),
      close: () => log.close(),
    },
  };
}
