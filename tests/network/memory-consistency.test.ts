import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../shared/clock.js';
import { HermesError } from '../../shared/errors.js';
import { times } from '../support/full-counts.js';
import {
  type Applied,
  impossibleReads,
  lags,
  type MemoryInstance,
  type Operation,
  openMemoryInstance,
  SCOPE,
  staleness,
  staleReads,
} from '../support/memory-history.js';
import { type NatsServer, startNatsCluster, startNatsServer } from '../support/nats-server.js';
import { leaderOf } from '../support/nats-streams.js';
import { untilTrue } from '../support/transport-nats.js';

const VERSIONS = times(1_000, 150);
const INSTANCES = [1, 2, 3];
/** An election takes four to seven seconds, and a server that comes back may begin another. */
const ELECTION_MS = 30_000;
/** A view that has not caught up after this has stopped. */
const LAG_MS = 2_000;
const clock = systemClock();

const ends: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
}, 60_000);

interface Played {
  readonly history: Operation[];
  readonly applied: Applied[];
  readonly instances: readonly MemoryInstance[];
  /** Writes whose outcome nobody knows. */
  unknown: number;
  /** Writes that gave up: others were first, time and again. They did not happen. */
  outrun: number;
}

/** What cannot be had while there is no leader; the outcome of a write is unknown then. */
const isAway = (thrown: unknown): boolean => thrown instanceof HermesError && thrown.retryable;
const isOutrun = (thrown: unknown): boolean => thrown instanceof HermesError && thrown.reason === 'version_conflict';

/** Three instances write and read one scope at once until so many versions are acknowledged. */
async function play(url: string, replicas: number, meanwhile: (played: Played) => Promise<void>): Promise<Played> {
  const told = { history: [] as Operation[], applied: [] as Applied[] };
  const instances: MemoryInstance[] = [];
  for (const n of INSTANCES) {
    const one = await openMemoryInstance(url, n, told, replicas);
    instances.push(one);
    ends.push(one.close);
  }
  const played: Played = { ...told, instances, unknown: 0, outrun: 0 };
  await instances[0]?.write();
  await Promise.all(instances.map(({ view }) => view.catchUp()));
  const written = (): number => told.history.filter(({ op }) => op === 'write').length;
  let isOver = false;
  const until = async (work: () => Promise<void>, lost: () => void): Promise<void> => {
    while (!isOver) {
      await work().catch((thrown: unknown) => {
        if (isOutrun(thrown)) played.outrun++;
        else if (isAway(thrown)) lost();
        else throw thrown;
      });
      await clock.sleep(1);
    }
  };
  const busy = instances.flatMap((one) => [
    until(one.write, () => void played.unknown++),
    until(
      () => one.read('strong', AbortSignal.timeout(ELECTION_MS)),
      () => undefined,
    ),
    until(
      () => one.read('eventual'),
      () => undefined,
    ),
  ]);
  const all = Promise.all(busy);
  const done = (async () => {
    await meanwhile(played);
    await untilTrue(() => written() >= VERSIONS, 120_000);
  })();
  await Promise.race([done, all]).finally(() => {
    isOver = true;
  });
  await all;
  return played;
}

/** Every instance tells the same versions, one after the other, those that were acknowledged among them. */
async function expectGapless({ instances, history, unknown, outrun }: Played): Promise<void> {
  const acknowledged = history.filter(({ op }) => op === 'write').map(({ version }) => version);
  expect(new Set(acknowledged).size).toBe(acknowledged.length);
  expect(outrun, 'who writes is not starved by the others').toBeLessThan(acknowledged.length / 20);
  for (const { view } of instances) {
    await view.catchUp(AbortSignal.timeout(ELECTION_MS));
    const versions = (await view.snapshots(SCOPE)).map(({ version }) => version).sort((a, b) => a - b);
    expect(versions).toEqual(Array.from({ length: versions.length }, (_, index) => index + 1));
    expect(versions.length).toBeGreaterThanOrEqual(Math.max(...acknowledged));
    expect(versions.length - acknowledged.length).toBeLessThanOrEqual(unknown);
  }
}

const at = (sorted: readonly number[], share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;

function expectBounded({ history, applied }: Played): void {
  const behind = lags(history, applied);
  const read = staleness(history).sort((a, b) => a - b);
  const round = (ms: number): number => Math.round(ms * 10) / 10;
  const said = [0.5, 0.99, 1].map((share) => `${round(at(behind, share))}/${round(at(read, share))}`).join(' ');
  process.stdout.write(`views behind/eventual reads behind, ms, p50 p99 max: ${said}\n`);
  expect(impossibleReads(history, applied)).toEqual([]);
  // A reader sees what its view has; between the last version that came in and the next it may be as old as the lag.
  expect(at(read, 1)).toBeLessThanOrEqual(at(behind, 1));
}

describe('three instances of one agent', () => {
  test(`write ${VERSIONS} versions of one scope on one server: gapless, strong reads never stale`, async () => {
    const server: NatsServer = await startNatsServer();
    ends.push(() => server.close());
    const played = await play(server.url, 1, async () => undefined);
    await expectGapless(played);
    expect(staleReads(played.history)).toEqual([]);
    expectBounded(played);
    expect(at(lags(played.history, played.applied), 0.99)).toBeLessThan(LAG_MS);
    for (const op of ['write', 'strong', 'eventual'])
      expect(played.history.filter((one) => one.op === op).length).toBeGreaterThan(VERSIONS / 3);
  }, 180_000);

  test('the same on three servers whose leader is killed in the middle', async () => {
    const servers = await startNatsCluster();
    ends.push(async () => {
      for (const server of servers) await server.close();
    });
    const url = servers.map((server) => server.url).join(',');
    const played = await play(url, 3, async ({ history }) => {
      const writes = (): number => history.filter(({ op }) => op === 'write').length;
      await untilTrue(() => writes() > 30, 60_000);
      const leader = await leaderOf(url, 'HERMES_LOG_default');
      const server = servers.find(({ name }) => name === leader);
      expect(server, 'the stream has a leader').toBeDefined();
      await server?.stop('SIGKILL');
      const before = writes();
      await untilTrue(() => writes() > before + 30, 2 * ELECTION_MS);
      await server?.start();
    });
    await expectGapless(played);
    expect(staleReads(played.history)).toEqual([]);
    expectBounded(played);
  }, 300_000);
});

describe('the checker', () => {
  const op = (instance: number, kind: Operation['op'], from: number, to: number, version: number): Operation => ({
    ...{ instance, op: kind, from, to, version },
  });

  test('finds a strong read that misses what had been acknowledged, or read, before it began', () => {
    const written = [op(1, 'write', 0, 10, 1), op(1, 'write', 20, 30, 2)];
    expect(staleReads([...written, op(2, 'strong', 31, 40, 1)])).toHaveLength(1);
    expect(staleReads([...written, op(2, 'strong', 25, 40, 1)])).toEqual([]);
    expect(staleReads([...written, op(2, 'strong', 21, 25, 2), op(3, 'strong', 26, 29, 1)])).toHaveLength(1);
    expect(staleReads([...written, op(2, 'strong', 31, 40, 2)])).toEqual([]);
  });

  test('finds an eventual read of what was not begun, or that goes back', () => {
    const written = [op(1, 'write', 0, 10, 1), op(1, 'write', 20, 30, 2)];
    const applied = [{ instance: 2, version: 1, at: 12 }];
    expect(impossibleReads([...written, op(2, 'eventual', 14, 15, 2)], applied)).toHaveLength(1);
    expect(impossibleReads([...written, op(2, 'eventual', 13, 14, 0)], applied)).toHaveLength(1);
    expect(impossibleReads([...written, op(2, 'eventual', 40, 41, 1)], applied)).toEqual([]);
    expect(lags(written, applied)).toEqual([2]);
    expect(staleness([...written, op(2, 'eventual', 40, 41, 1)])).toEqual([10]);
  });
});
