import { describe, expect, test } from 'vitest';
import type { StoredEntry } from '../../../agents/runtime/index.js';
import { createViewWriter } from '../../../agents/runtime/record/view-writer.js';
import type { Store, StoreChange } from '../../../mcp/transport/index.js';
import { HermesError } from '../../../shared/errors.js';
import { VirtualClock } from '../../../shared/virtual-clock.js';
import { recordingLogger } from '../../support/transport-harness.js';

const entry = (seq: number): StoredEntry => ({ seq }) as unknown as StoredEntry;
const BATCH_MS = 10;

/** A store whose batches take a while, and fail when told to. */
function bench() {
  const clock = new VirtualClock();
  const complaints: string[] = [];
  const batches: number[][] = [];
  const told: number[] = [];
  let failures = 0;
  const store = {
    async batch(changes: readonly StoreChange[]) {
      await clock.sleep(BATCH_MS);
      if (failures > 0) {
        failures--;
        throw new HermesError('log_unavailable', 'the disk is full');
      }
      batches.push(changes.map(({ key }) => Number(key)));
    },
  } as unknown as Store;
  let composed = 0;
  const writer = createViewWriter({
    store,
    clock,
    logger: recordingLogger(complaints),
    changes: async (entries) => {
      composed++;
      return entries.map(({ seq }) => ({ type: 'del', key: String(seq) }));
    },
    written: (entries) => void told.push(...entries.map(({ seq }) => seq)),
  });
  const fail = (times: number): void => {
    failures = times;
  };
  return { clock, complaints, batches, told, writer, fail, composed: () => composed };
}

describe('entries on their way into a view', () => {
  test('that come while a batch is written leave together as the next one, in order', async () => {
    const { clock, batches, told, writer } = bench();
    for (let seq = 1; seq <= 100; seq++) await clock.run(writer.take(entry(seq)));
    expect(told).toEqual([]);
    await clock.advance(2 * BATCH_MS);
    expect(batches.map(({ length }) => length)).toEqual([1, 99]);
    expect(told).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  });

  test('hold up their reader when too many wait, and let it go on as they leave', async () => {
    const { clock, told, writer } = bench();
    let taken = 0;
    const reading = (async () => {
      for (let seq = 1; seq <= 1_000; seq++) {
        await writer.take(entry(seq));
        taken = seq;
      }
    })();
    await clock.settle();
    expect(taken).toBeLessThanOrEqual(257);
    await clock.run(reading);
    await clock.advance(2 * BATCH_MS);
    expect(told).toHaveLength(1_000);
  });

  test('are tried again, as they were composed, when the store fails: nothing is lost or doubled', async () => {
    const { clock, complaints, batches, told, writer, fail, composed } = bench();
    fail(3);
    await clock.run(writer.take(entry(1)));
    await clock.run(writer.take(entry(2)));
    await clock.advance(1_000);
    expect(batches).toEqual([[1], [2]]);
    expect(told).toEqual([1, 2]);
    expect(composed()).toBe(2);
    expect(complaints.join('\n')).toContain('the view cannot be written: the disk is full');
  });

  test('end with the writer: what is under way is waited for, the rest is left for the next life', async () => {
    const { clock, told, writer } = bench();
    for (let seq = 1; seq <= 3; seq++) await clock.run(writer.take(entry(seq)));
    await clock.run(writer.stop());
    expect(told).toEqual([1]);
    await clock.run(writer.take(entry(4)));
    await clock.advance(1_000);
    expect(told).toEqual([1]);
  });
});
