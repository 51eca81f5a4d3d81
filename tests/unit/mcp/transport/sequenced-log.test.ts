import { beforeEach, expect, test } from 'vitest';
import type { Log } from '../../../../mcp/transport/index.js';
import type { LogBackend, LogBatch } from '../../../../mcp/transport/log-backend.js';
import { openSequencedLog } from '../../../../mcp/transport/sequenced-log.js';
import { createMemoryLog } from '../../../../mcp/transport/sim/memory-log.js';
import { silentLogger } from '../../../../shared/telemetry/logger.js';
import { VirtualClock } from '../../../../shared/virtual-clock.js';
import { advanceUntil, bytes, collect, text } from '../../../support/transport-harness.js';

type Fault = 'lost' | 'written' | 'none';

let clock: VirtualClock;
let log: Log;
let batches: LogBatch[];
let fault: Fault;
let loadFails: boolean;
let gate: Promise<void>;

beforeEach(async () => {
  clock = new VirtualClock();
  batches = [];
  fault = 'none';
  loadFails = false;
  gate = Promise.resolve();
  const inner = createMemoryLog();
  const backend: LogBackend = {
    ...inner,
    async load() {
      if (loadFails) throw new Error('the disk is away');
      return inner.load();
    },
    async write(batch) {
      batches.push(batch);
      await gate;
      const now = fault;
      fault = 'none';
      if (now !== 'lost') await inner.write(batch);
      if (now !== 'none') throw new Error('No space left on device');
    },
  };
  log = await openSequencedLog(backend, { clock, logger: silentLogger() });
});

const append = (body: string, expectedLastSeq?: number, messageId?: string) =>
  log.append('a', bytes(body), {
    ...(expectedLastSeq !== undefined && { expectedLastSeq }),
    ...(messageId !== undefined && { messageId }),
  });

test('appends that come while a batch is written join the next one', async () => {
  let open: () => void = () => undefined;
  gate = new Promise((resolve) => {
    open = resolve;
  });
  const first = append('0');
  await clock.settle();
  const rest = Array.from({ length: 20 }, (_, n) => append(String(n + 1)));
  await clock.settle();
  expect(batches.map((batch) => batch.entries.length)).toEqual([1]);
  open();
  const seqs = (await Promise.all([first, ...rest])).map(({ seq }) => seq);
  expect(batches.map((batch) => batch.entries.length)).toEqual([1, 20]);
  expect(seqs).toEqual(Array.from({ length: 21 }, (_, n) => n + 1));
});

test('every append of a failed batch is unknown, and one that was lost leaves nothing', async () => {
  await append('0', 0);
  fault = 'lost';
  const failed = await Promise.allSettled([append('1', 1), append('2')]);
  for (const result of failed) {
    expect(result).toMatchObject({ reason: { reason: 'log_unavailable', data: { unknown: true } } });
  }
  expect((await log.last('a'))?.seq).toBe(1);
  await append('3', 1);
  expect((await collect(log.read('a'))).map((record) => text(record.payload))).toEqual(['0', '3']);
});

test('a failed batch that was written after all is found: heads, message ids and tails know it', async () => {
  const seen: string[] = [];
  log.tail('a', 1, (record) => void seen.push(text(record.payload)));
  await append('0');
  fault = 'written';
  await expect(append('1', 1, 'm')).rejects.toMatchObject({ data: { unknown: true } });
  await advanceUntil(clock, () => seen.length === 2);
  expect((await log.last('a'))?.seq).toBe(2);
  expect(await append('1', 1, 'm')).toEqual({ seq: 2, duplicate: true });
  await expect(append('x', 1)).rejects.toMatchObject({ reason: 'version_conflict', data: { actual: 2 } });
});

test('a conflict with an append of the same failed batch is no conflict, and is known to be nothing', async () => {
  fault = 'lost';
  const [first, second] = await Promise.allSettled([append('1', 0), append('2', 0)]);
  expect(first).toMatchObject({ reason: { data: { unknown: true } } });
  expect(second).toMatchObject({ reason: { reason: 'log_unavailable', data: { unknown: false } } });
});

test('while nothing can be written appends say so and reads go on; it comes back by itself', async () => {
  await append('0');
  fault = 'lost';
  loadFails = true;
  await expect(append('1')).rejects.toMatchObject({ data: { unknown: true } });
  await expect(append('2')).rejects.toMatchObject({ reason: 'log_unavailable', data: { unknown: false } });
  expect((await log.last('a'))?.seq).toBe(1);
  expect(await log.headSeq('>')).toBe(1);
  expect((await collect(log.read('>'))).length).toBe(1);
  loadFails = false;
  expect(await append('3', 1)).toEqual({ seq: 2, duplicate: false });
});

test('close writes what was taken', async () => {
  const work = append('0');
  await log.close();
  expect(await work).toEqual({ seq: 1, duplicate: false });
});

test('a stopped tail leaves no timer, also in the middle of its back-off', async () => {
  const tail = log.tail('a', 1, () => {
    throw new Error('never');
  });
  await append('0');
  await clock.advance(500);
  expect(clock.pending).toBe(1);
  await tail.stop();
  expect(clock.pending).toBe(0);
});

test('a tail far behind reads old records from the medium', async () => {
  await Promise.all(Array.from({ length: 5_000 }, (_, n) => append(String(n))));
  const seen: number[] = [];
  log.tail('a', 10, (record) => void seen.push(record.seq));
  await advanceUntil(clock, () => seen.length === 4_991);
  expect(seen).toEqual(Array.from({ length: 4_991 }, (_, n) => n + 10));
});
