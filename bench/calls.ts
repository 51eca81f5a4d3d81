import { type Broker, startBroker } from './broker.js';
import { openPair, type Pair } from './pair.js';
import type { Measured } from './process.js';
import { atLeast, atMost, median, type Row } from './row.js';

export interface CallBenchOptions {
  readonly rounds: number;
  readonly msPerRun: number;
  readonly inFlight: number;
  readonly noteBytes: number;
  readonly profileDir?: string;
}

export interface Runs {
  readonly busy: Measured[];
  readonly single: Measured[];
}

const NAMES = ['mux', 'moleculer', 'moleculer traced', 'hermes', 'hermes embedded'] as const;
type Name = (typeof NAMES)[number] | 'hermes journalled';

/**
 * Interleaved rounds: each round measures every stack once, so that whatever else the machine does hits all of them;
 * figures are medians over the rounds, ratios are of medians.
 */
export async function benchCalls(options: CallBenchOptions): Promise<{ rows: Row[]; runs: Record<Name, Runs> }> {
  const broker = await startBroker();
  const pairs = new Map<string, Pair>();
  try {
    for (const name of NAMES) pairs.set(name, await openPair(name, { url: broker.url, ...options }));
    const runs = await measureAll(pairs, broker, options);
    return { rows: rowsOf(runs), runs };
  } finally {
    for (const pair of pairs.values()) await pair.stop();
    await broker.stop();
  }
}

const WARM_MS = 6_000;

async function measureAll(
  pairs: ReadonlyMap<string, Pair>,
  broker: Broker,
  { rounds, msPerRun, inFlight }: CallBenchOptions,
): Promise<Record<Name, Runs>> {
  const runs = Object.fromEntries(
    [...NAMES, 'hermes journalled'].map((name) => [name, { busy: [], single: [] }]),
  ) as unknown as Record<Name, Runs>;
  const one = async (name: Name, pair: Pair): Promise<void> => {
    runs[name].busy.push(await pair.measure({ inFlight, ms: msPerRun }));
    runs[name].single.push(await pair.measure({ inFlight: 1, ms: msPerRun / 2 }));
  };
  // Until the compiler has seen enough of every stack.
  for (const pair of pairs.values()) await pair.measure({ inFlight, ms: WARM_MS });
  for (let round = 0; round < rounds; round++) {
    for (const name of NAMES) await one(name, pairs.get(name) as Pair);
    await broker.journal(true);
    await one('hermes journalled', pairs.get('hermes') as Pair);
    await broker.journal(false);
  }
  return runs;
}

function rowsOf(runs: Record<Name, Runs>): Row[] {
  const rate = (name: Name): number => median(runs[name].busy.map(({ perSecond }) => perSecond));
  const p50 = (name: Name): number => median(runs[name].single.map(({ p50us }) => p50us));
  const p99 = (name: Name): number => median(runs[name].single.map(({ p99us }) => p99us));
  const hermes = rate('hermes');
  return [
    atLeast('calls/s ÷ Moleculer', [hermes, rate('moleculer')], 1.1, 'calls/s'),
    atLeast('calls/s ÷ Moleculer with its tracing', [hermes, rate('moleculer traced')], 1.25, 'calls/s'),
    atLeast('calls/s ÷ bare multiplexer', [hermes, rate('mux')], 0.5, 'calls/s'),
    atMost('one at a time: p50 ÷ bare multiplexer', [p50('hermes'), p50('mux')], 1.25, 'µs'),
    atMost('one at a time: p99 ÷ Moleculer', [p99('hermes'), p99('moleculer')], 0.75, 'µs'),
    atLeast('journal on ÷ off', [rate('hermes journalled'), hermes], 0.8, 'calls/s'),
    atLeast('embedded ÷ NATS', [rate('hermes embedded'), hermes], 3, 'calls/s'),
  ];
}
