import { expect, test } from 'vitest';
import type { StoredEntry } from '../../../agents/runtime/index.js';
import { createViewRows, type OperationRow } from '../../../agents/runtime/record/view-rows.js';
import type { Store } from '../../../mcp/transport/index.js';

/** Rows in a map, as they are. */
function bench() {
  const kept = new Map<string, unknown>();
  const rows = createViewRows(
    {
      store: { get: async (key: string) => (kept.has(key) ? new Uint8Array() : undefined) } as unknown as Store,
      load: async <T>(key: string) => kept.get(key) as T | undefined,
      sealed: (key, value) => ({ type: 'put', key, value: value as Uint8Array }),
    },
    [],
  );
  let seq = 0;
  const entry = (kind: 'started' | 'finished', request: number): StoredEntry => {
    seq++;
    return { kind, request_id: `r${request}`, scope: 'device_PLC-007', n: seq, seq } as unknown as StoredEntry;
  };
  const write = async (entries: readonly StoredEntry[]): Promise<void> => {
    for (const change of await rows.changes(entries)) {
      if (change.type === 'put') kept.set(change.key, change.value);
      else kept.delete(change.key);
    }
    rows.written(entries);
  };
  return { kept, entry, write };
}

test('the end of an operation keeps its beginning, however many are open and whichever share a batch', async () => {
  const { kept, entry, write } = bench();
  const open = 10_050;
  for (let from = 0; from < open; from += 150) {
    await write(Array.from({ length: 150 }, (_, index) => entry('started', from + index)));
  }
  // Oldest first, each right after a new one has begun.
  for (let old = 0; old < 100; old += 10) {
    const batch = Array.from({ length: 10 }, (_, index) => [
      entry('started', open + old + index),
      entry('finished', old + index),
    ]);
    await write(batch.flat());
  }
  for (let request = 0; request < 100; request++) {
    const row = kept.get(`o/r${request}`) as OperationRow;
    expect(row).toMatchObject({ started: expect.any(Number), finished: expect.any(Number) });
    expect(kept.has(`p/r${request}`)).toBe(false);
  }
  expect([...kept.keys()].filter((key) => key.startsWith('p/'))).toHaveLength(open);
});

type Step = readonly [kind: 'started' | 'finished', request: number];
const STORIES: readonly (readonly [what: string, steps: readonly Step[]])[] = [
  [
    'one after the other',
    [
      ['started', 1],
      ['finished', 1],
      ['started', 2],
    ],
  ],
  [
    'ended and begun again',
    [
      ['started', 1],
      ['finished', 1],
      ['started', 1],
    ],
  ],
  [
    'ended twice',
    [
      ['started', 1],
      ['finished', 1],
      ['finished', 1],
    ],
  ],
  [
    'a read and a write under one id',
    [
      ['finished', 1],
      ['started', 1],
      ['finished', 1],
    ],
  ],
];

test.each(STORIES)('rows are the same however the log is cut into batches: %s', async (_what, steps) => {
  const outcomes = new Set<string>();
  for (let cuts = 0; cuts < 2 ** (steps.length - 1); cuts++) {
    const { kept, entry, write } = bench();
    let batch: StoredEntry[] = [];
    for (const [at, [kind, request]] of steps.entries()) {
      batch.push(entry(kind, request));
      if (at < steps.length - 1 && (cuts & (1 << at)) === 0) continue;
      await write(batch);
      batch = [];
    }
    outcomes.add(JSON.stringify([...kept].filter(([key]) => /^[op]\//.test(key)).sort()));
  }
  expect([...outcomes]).toHaveLength(1);
});
