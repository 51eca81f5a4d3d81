import type { Bus, BusMessage, Log, LogRecord } from '../../mcp/transport/index.js';

/** A bus whose subjects a test writes without the prefix that they have on the wire. */
export function prefixedBus(bus: Bus, prefix: string): Bus {
  const bare = (subject: string): string => subject.slice(prefix.length);
  const seen = ({ subject, payload, reply }: BusMessage): BusMessage => ({
    subject: bare(subject),
    payload,
    ...(reply !== undefined && { reply: bare(reply) }),
  });
  return {
    publish(subject, payload, { reply } = {}) {
      bus.publish(`${prefix}${subject}`, payload, reply === undefined ? {} : { reply: `${prefix}${reply}` });
    },
    subscribe: (pattern, handle, options) =>
      bus.subscribe(`${prefix}${pattern}`, (message) => handle(seen(message)), options),
    flush: () => bus.flush(),
    close: () => bus.close(),
  };
}

/** A log likewise. */
export function prefixedLog(log: Log, prefix: string): Log {
  const seen = (record: LogRecord): LogRecord => ({ ...record, subject: record.subject.slice(prefix.length) });
  async function* all(records: AsyncIterable<LogRecord>): AsyncGenerator<LogRecord> {
    for await (const record of records) yield seen(record);
  }
  return {
    append: (subject, payload, options) => log.append(`${prefix}${subject}`, payload, options),
    async last(subject) {
      const record = await log.last(`${prefix}${subject}`);
      return record && seen(record);
    },
    read: (pattern, options) => all(log.read(`${prefix}${pattern}`, options)),
    tail: (pattern, fromSeq, handle) => log.tail(`${prefix}${pattern}`, fromSeq, (record) => handle(seen(record))),
    headSeq: (pattern) => log.headSeq(`${prefix}${pattern}`),
    close: () => log.close(),
  };
}
