import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Level } from 'level';
import { createRecord, openVault, openView, scopes } from '../agents/runtime/index.js';
import { openTransport } from '../mcp/transport/index.js';
import { createIds } from '../shared/ids.js';
import { softwareKeyProvider } from '../shared/keys/index.js';
import { atLeast, atMost, median, type Row } from './row.js';
import { doors } from './stacks/index.js';

export interface MemoryBenchOptions {
  readonly rounds: number;
  readonly msPerRun: number;
  readonly inFlight: number;
}

const SNAPSHOTS = 100_000;
const SESSIONS = 5_000;
const LOOKUPS = 200;
const TENANT = 'bench';
const NAME = 'worker';

/** What a device's snapshot says. */
const data = (n: number) => ({
  ...{ device_id: `PLC-${n % 500}`, action: 'set_setpoint', trigger_reason: 'request', result: 'confirmed' },
  ...{ temperature_c: 20 + (n % 10), setpoint_c: 24, mode: 'cool', fan_pct: 60, operator: 'worker_v1.0' },
});

/** A record with its view, embedded, sealed, every append synced. */
async function openBench(dataDir: string) {
  const { clock, logger, metrics, random } = doors;
  const ids = createIds(clock, random);
  const transport = await openTransport('embedded', { ...doors, dataDir });
  const { log } = transport;
  const keys = softwareKeyProvider('bench', random.bytes(32), random);
  const vault = await openVault({ log, keys, random }, TENANT);
  const options = { tenant: TENANT, component: `${NAME}_v1.0`, name: NAME, instance: `${NAME}-1` };
  const record = createRecord({ log, vault, clock, ids, metrics }, options);
  const store = await transport.openStore(NAME);
  const view = await openView({ log, store, vault, clock, logger }, { tenant: TENANT, component: NAME });
  let n = 0;
  /** One snapshot, on the disk and found by scope and session. */
  const write = async (lane: number, indexed: boolean): Promise<number> => {
    n += 1;
    const draft = {
      kind: 'finished',
      session_context_id: `s-${n % SESSIONS}`,
      snapshots: [{ data: data(n) }],
    } as const;
    const { seq } = await record.append(scopes.device(`PLC-${lane}`), draft);
    if (indexed) await view.waitFor(seq);
    return seq;
  };
  const close = async (): Promise<void> => {
    await view.close();
    await transport.close();
  };
  return { log, view, write, close };
}

/** So many lanes, each one after the other, for so long. @returns how often a second. */
async function rate(lanes: number, ms: number, once: (lane: number) => Promise<unknown>): Promise<number> {
  const began = performance.now();
  let done = 0;
  const run = async (lane: number): Promise<void> => {
    while (performance.now() < began + ms) {
      await once(lane);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, lane) => run(lane)));
  return Math.round((done * 1_000) / (performance.now() - began));
}

const microseconds = async (times: number, work: (n: number) => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  for (let n = 0; n < times; n++) await work(n);
  return Math.round(((performance.now() - began) * 1_000) / times);
};

/** By the index, against opening every snapshot of the view and looking whose it is. */
async function lookups({ rounds, inFlight }: MemoryBenchOptions, folder: string) {
  const { view, write, close } = await openBench(join(folder, 'lookup'));
  let left = SNAPSHOTS;
  const lane = async (of: number): Promise<void> => {
    while (left-- > 0) await write(of, false);
  };
  await Promise.all(Array.from({ length: inFlight }, (_, of) => lane(of)));
  await view.catchUp();
  const [scan, index]: [number[], number[]] = [[], []];
  const session = (n: number): string => `s-${(n * 37) % SESSIONS}`;
  for (let round = 0; round < rounds; round++) {
    const byScan = async (n: number): Promise<number> => {
      const all = await view.snapshotsUnder('', { limit: SNAPSHOTS * 2 });
      return all.filter((one) => one.session_context_id === session(n)).length;
    };
    const [scanned, found] = [await byScan(1), (await view.bySession(session(1))).length];
    if (scanned !== found || found === 0) throw new Error(`the scan found ${scanned}, the index ${found}`);
    scan.push(await microseconds(1, byScan));
    index.push(await microseconds(LOOKUPS, (n) => view.bySession(session(n))));
  }
  await close();
  return { scan, index };
}

/** Sealed, chained, indexed and synced, against a key-value store that only syncs as many bytes. */
async function writes({ rounds, msPerRun, inFlight }: MemoryBenchOptions, folder: string) {
  const { log, write, close } = await openBench(join(folder, 'writes'));
  const bare = new Level<string, Uint8Array>(join(folder, 'bare'), { keyEncoding: 'utf8', valueEncoding: 'view' });
  await bare.open();
  await write(0, true);
  const sample = await log.last(`hermes.${TENANT}.log.${NAME}.device_PLC-0`);
  const bytes = doors.random.bytes(sample?.payload.length ?? 0);
  if (bytes.length === 0) throw new Error('there is nothing to compare with');
  let n = 0;
  const put = (): Promise<void> => bare.put(String(n++).padStart(12, '0'), bytes, { sync: true });
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds + 1; round++) {
    const mine = await rate(inFlight, msPerRun, (lane) => write(lane, true));
    const other = await rate(inFlight, msPerRun, put);
    // The first round warms up.
    if (round > 0) ours.push(mine);
    if (round > 0) theirs.push(other);
  }
  await bare.close();
  await close();
  return { ours, theirs, bytes: bytes.length };
}

export interface MemoryRuns {
  readonly lookups: { readonly scan: readonly number[]; readonly index: readonly number[] };
  readonly writes: { readonly ours: readonly number[]; readonly theirs: readonly number[]; readonly bytes: number };
}

export async function benchMemory(options: MemoryBenchOptions): Promise<{ rows: Row[]; runs: MemoryRuns }> {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-bench-memory-'));
  try {
    const written = await writes(options, folder);
    const found = await lookups(options, folder);
    const rows = [
      atLeast('scan ÷ session lookup at 100 000 snapshots', [median(found.scan), median(found.index)], 40, 'µs'),
      atMost(
        'bare synced writes/s ÷ sealed, indexed, synced ones',
        [median(written.theirs), median(written.ours)],
        1.5,
        `writes/s, ${written.bytes} bytes each`,
      ),
    ];
    return { rows, runs: { lookups: found, writes: written } };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
