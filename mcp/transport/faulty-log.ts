import { HermesError } from '../../shared/errors.js';
import type { Fault } from '../../shared/fault-plan.js';
import type { FaultyDoors } from './faulty-doors.js';
import type { Log, LogRecord } from './log.js';

/**
 * A log that answers one component late, refuses its appends, or takes them without saying so, as the plan says. Its
 * contract holds: a refused append leaves nothing, an unknown outcome says that it is one, order is kept.
 */
export function faultyLog(log: Log, { faults, clock, component }: FaultyDoors): Log {
  const reading = async <T>(subject: string, work: () => Promise<T>): Promise<T> => {
    await stand(faults.at({ on: 'log', name: subject, component, op: 'read' }));
    return work();
  };
  const stand = async (fault: Fault | undefined): Promise<void> => {
    if (fault?.kind === 'delay') await clock.sleep(fault.ms);
    if (fault?.kind === 'error') throw unavailable('the log does not answer');
  };
  const late = async <T>({ how, ms }: Fault, work: () => Promise<T>): Promise<T> => {
    if (how !== 'written') await clock.sleep(ms);
    try {
      return await work();
    } finally {
      if (how === 'written') await clock.sleep(ms);
    }
  };
  const hold = (handle: (record: LogRecord) => void | Promise<void>) => {
    return async (record: LogRecord): Promise<void> => {
      const fault = faults.at({ on: 'log', name: record.subject, component, op: 'tail', kinds: ['delay'] });
      if (fault) await clock.sleep(fault.ms);
      await handle(record);
    };
  };
  return {
    async append(subject, payload, options) {
      const fault = faults.at({ on: 'log', name: subject, component, op: 'append' });
      const own = fault ? payload.slice() : payload;
      if (fault?.kind === 'delay') return late(fault, () => log.append(subject, own, options));
      if (fault?.kind !== 'error') return log.append(subject, own, options);
      if (fault.how === 'written') await log.append(subject, own, options);
      throw unavailable('the log took nothing', fault.how !== 'refused');
    },
    last: (subject) => reading(subject, () => log.last(subject)),
    headSeq: (pattern) => reading(pattern, () => log.headSeq(pattern)),
    read: (pattern, options) => readingAll(log.read(pattern, options), () => reading(pattern, async () => undefined)),
    tail: (pattern, fromSeq, handle) =>
      log.tail(pattern, fromSeq, concerned(faults.plan.rules) ? hold(handle) : handle),
    close: () => log.close(),
  };
}

const concerned = (rules: readonly { readonly on: string; readonly op?: unknown }[]): boolean =>
  rules.some(({ on, op }) => on === 'log' && op === 'tail');

async function* readingAll<T>(items: AsyncIterable<T>, first: () => Promise<void>): AsyncIterable<T> {
  await first();
  yield* items;
}

const unavailable = (message: string, unknown = false): HermesError =>
  new HermesError('log_unavailable', message, unknown ? { unknown } : {});
