import { startBroker } from './broker.js';
import { openPair, type Pair } from './pair.js';
import type { Measured } from './process.js';
import { atLeast, median, type Row } from './row.js';

export interface WriteBenchOptions {
  readonly rounds: number;
  readonly msPerRun: number;
  readonly inFlight: number;
  readonly profileDir?: string;
}

const NAMES = ['recorded write', 'two appends', 'recorded write embedded', 'two appends embedded'] as const;
const WARM_MS = 4_000;

/** A write with its two entries on the record against two appends of the same size by compare-and-swap. */
export async function benchWrites(
  options: WriteBenchOptions,
): Promise<{ rows: Row[]; runs: Record<string, Measured[]> }> {
  const broker = await startBroker();
  const pairs = new Map<string, Pair>();
  const runs: Record<string, Measured[]> = Object.fromEntries(NAMES.map((name) => [name, []]));
  const { inFlight, msPerRun, rounds } = options;
  try {
    for (const name of NAMES) pairs.set(name, await openPair(name, { ...options, url: broker.url }));
    for (const pair of pairs.values()) await pair.measure({ inFlight, ms: WARM_MS });
    for (let round = 0; round < rounds; round++) {
      for (const [name, pair] of pairs) runs[name]?.push(await pair.measure({ inFlight, ms: msPerRun }));
    }
  } finally {
    for (const pair of pairs.values()) await pair.stop();
    await broker.stop();
  }
  const rate = (name: string): number => median((runs[name] ?? []).map(({ perSecond }) => perSecond));
  const ratio = (where: '' | ' embedded'): readonly [number, number] => [
    rate(`recorded write${where}`),
    rate(`two appends${where}`),
  ];
  return {
    rows: [
      atLeast('recorded write ÷ two bare appends', ratio(''), 0.7, 'writes/s'),
      atLeast('the same embedded, synced to the disk', ratio(' embedded'), 0.7, 'writes/s'),
    ],
    runs,
  };
}
