import { createMemory, type Memory } from '../../agents/runtime/memory/index.js';
import {
  createRecord,
  openVault,
  openView,
  type RecordBook,
  scopes,
  type View,
} from '../../agents/runtime/record/index.js';
import type { Principal } from '../../mcp/index.js';
import { openTransport } from '../../mcp/transport/index.js';
import { systemClock } from '../../shared/clock.js';
import { createIds } from '../../shared/ids.js';
import { systemRandom } from '../../shared/random.js';
import { silentLogger } from '../../shared/telemetry/logger.js';
import { guardOf } from './memory-guard.js';
import { masterKeys, TENANT, WORKER } from './record-bench.js';
import { silentMetrics } from './transport-harness.js';
import { natsOptions } from './transport-nats.js';

/** One thing that an instance did with a scope, and when, by the machine's monotonic clock, ms. */
export interface Operation {
  readonly instance: number;
  readonly op: 'write' | 'strong' | 'eventual';
  readonly from: number;
  readonly to: number;
  /** Written or read; 0 where there was none yet. */
  readonly version: number;
}

/** When a version had come into an instance's view. */
export interface Applied {
  readonly instance: number;
  readonly version: number;
  readonly at: number;
}

/** Strong reads that miss a version which somebody had been told of before they began. */
export function staleReads(history: readonly Operation[]): string[] {
  const told = history.filter(({ op }) => op !== 'eventual').sort((a, b) => a.to - b.to);
  return history
    .filter(({ op }) => op === 'strong')
    .flatMap((read) => {
      const known = told.filter(({ to }) => to < read.from).reduce((most, { version }) => Math.max(most, version), 0);
      return read.version < known ? [`instance ${read.instance} read ${read.version}, ${known} was known`] : [];
    });
}

/** Reads of a version that nobody had begun to write when they ended, or that their own view had passed before. */
export function impossibleReads(history: readonly Operation[], applied: readonly Applied[]): string[] {
  const begun = new Map(history.filter(({ op }) => op === 'write').map(({ version, from }) => [version, from]));
  return history
    .filter(({ op }) => op === 'eventual')
    .flatMap(({ instance, version, from, to }) => {
      const had = applied.filter((one) => one.instance === instance && one.at < from);
      const least = had.reduce((most, one) => Math.max(most, one.version), 0);
      if (version < least) return [`instance ${instance} read ${version} when it had ${least}`];
      return version > 0 && (begun.get(version) ?? 0) > to ? [`instance ${instance} read ${version} too soon`] : [];
    });
}

/** How long after a version was known each view had it, ms; the longest that a reader of a view may be behind. */
export function lags(history: readonly Operation[], applied: readonly Applied[]): number[] {
  const known = new Map(history.filter(({ op }) => op === 'write').map(({ version, to }) => [version, to]));
  return applied.map(({ version, at }) => Math.max(0, at - (known.get(version) ?? at))).sort((a, b) => a - b);
}

/** How far behind each eventual read was: since when it had been known that there was more, ms. */
export function staleness(history: readonly Operation[]): number[] {
  const known = new Map(history.filter(({ op }) => op === 'write').map(({ version, to }) => [version, to]));
  return history
    .filter(({ op }) => op === 'eventual')
    .map(({ version, from }) => Math.max(0, from - (known.get(version + 1) ?? from)));
}

export const SCOPE = scopes.device('PLC-003');
const READER: Principal = { id: 'auditor', roles: ['all'] };
const clock = systemClock();

export interface MemoryInstance {
  readonly record: RecordBook;
  readonly view: View;
  readonly memory: Memory;
  /** One operation, noted in the history when it was answered. */
  write(): Promise<void>;
  read(op: 'strong' | 'eventual', signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** An instance of one agent with connections, record and view of its own. */
export async function openMemoryInstance(
  url: string,
  instance: number,
  told: { readonly history: Operation[]; readonly applied: Applied[] },
  replicas = 1,
): Promise<MemoryInstance> {
  const { options, cleanUp } = await natsOptions(url, { component: WORKER, replicas, ttlMs: 5_000, renewMs: 1_000 });
  const transport = await openTransport('nats', { ...options, logger: silentLogger() });
  const { log } = transport;
  const random = systemRandom();
  const vault = await openVault({ log, keys: masterKeys(), random }, TENANT);
  const record = createRecord(
    { log, vault, clock, ids: createIds(clock, random), metrics: silentMetrics() },
    { tenant: TENANT, component: `${WORKER}_v1.0`, name: WORKER, instance: `${WORKER}-${instance}` },
  );
  const store = await transport.openStore(WORKER, { discardCorrupt: true });
  const view = await openView(
    { log, store, vault, clock, logger: silentLogger() },
    { tenant: TENANT, component: WORKER },
  );
  const guard = guardOf({ all: { read: ['device_*'], write: [] } });
  const memory = createMemory({ view, record, clock, guard });
  const watch = view.onEntry(({ last_version: version }) => {
    told.applied.push({ instance, version, at: clock.monotonic() });
  });
  const note = async (op: Operation['op'], work: () => Promise<number>): Promise<void> => {
    const from = clock.monotonic();
    const version = await work();
    told.history.push({ instance, op, from, to: clock.monotonic(), version });
  };
  let n = 0;
  return {
    record,
    view,
    memory,
    write: () =>
      note('write', async () => {
        const snapshots = [{ data: { instance, n: n++ } }];
        return (await record.append(SCOPE, { kind: 'snapshot', snapshots })).last_version;
      }),
    read: (consistency, signal) =>
      note(consistency, async () => {
        const how = { principal: READER, consistency, ...(signal ? { signal } : {}) };
        return (await memory.read(SCOPE, how)).version;
      }),
    async close() {
      watch.stop();
      await view.close();
      await store.close();
      await transport.close();
      await cleanUp();
    },
  };
}
