import { expect, test } from 'vitest';
import { scopes, verifyChain } from '../../../agents/runtime/index.js';
import type { Log, LogRecord } from '../../../mcp/transport/index.js';
import { cellBench, toyTool } from '../../support/cell-bench.js';

/** A log one of whose records, the `nth` of a subject, comes back from the disk as garbage. */
function garbled(log: Log, subject: string, nth: number): Log {
  let seen = 0;
  let seq = 0;
  const spoilt = (record: LogRecord): LogRecord => {
    if (record.subject === subject && record.seq > seq) {
      seen += 1;
      if (seen <= nth) seq = record.seq;
    }
    if (record.seq !== seq || seen < nth) return record;
    return { ...record, payload: record.payload.map((byte, at) => (at > 20 ? byte ^ 0x55 : byte)) };
  };
  return {
    append: (...args) => log.append(...args),
    last: async (asked) => {
      const record = await log.last(asked);
      return record && record.seq === seq && seen >= nth ? spoilt(record) : record;
    },
    read: (...args) => log.read(...args),
    tail: (pattern, fromSeq, handle) => log.tail(pattern, fromSeq, (record) => handle(spoilt(record))),
    headSeq: (pattern) => log.headSeq(pattern),
    close: () => log.close(),
  };
}

const PLC = scopes.device('PLC-007');
const SUBJECT = `hermes.default.log.worker.${PLC}`;

test('S2: a record that does not open is left aside: the version before it is served, the rest goes on', async () => {
  const bench = await cellBench({
    tools: [toyTool('idempotent_write')],
    wrap: (transport) => ({ ...transport, log: garbled(transport.log, SUBJECT, 4) }),
  });
  const write = (value: number, device_id = 'PLC-007') => bench.call({ params: { device_id, value } });
  await write(21);
  await write(22);
  const { view, memory } = bench.agent().cell;
  await bench.clock.run(view.catchUp());
  expect(view.quarantined().map(({ subject }) => subject)).toEqual([SUBJECT]);
  expect((await bench.entries()).map(({ n }) => n)).toEqual([1, 2, 3]);
  const read = await bench.clock.run(memory.read(PLC, { principal: bench.admin, consistency: 'eventual' }));
  expect([read.version, read.data.value]).toEqual([1, 21]);
  await write(30, 'PLC-008');
  expect(await bench.entries(scopes.device('PLC-008'))).toHaveLength(2);
});

test('S2: its gap is found by the chain; a writer that cannot read the head writes nothing', async () => {
  const bench = await cellBench({
    tools: [toyTool('idempotent_write')],
    wrap: (transport) => ({ ...transport, log: garbled(transport.log, SUBJECT, 2) }),
  });
  await bench.call({ params: { device_id: 'PLC-007', value: 21 } });
  bench.crash();
  await bench.restart();
  const writes = bench.device.writes.length;
  const error = await bench.fails({ params: { device_id: 'PLC-007', value: 23 } });
  expect([error.reason, bench.device.writes.length]).toEqual(['log_unavailable', writes]);
  const other = await cellBench({
    tools: [toyTool('idempotent_write')],
    wrap: (transport) => ({ ...transport, log: garbled(transport.log, SUBJECT, 2) }),
  });
  await other.call({ params: { device_id: 'PLC-007', value: 21 } });
  await other.call({ params: { device_id: 'PLC-007', value: 22 } });
  const entries = await other.entries();
  expect(entries.map(({ n }) => n)).toEqual([1, 3, 4]);
  expect(verifyChain(entries)).toBe(2);
});
