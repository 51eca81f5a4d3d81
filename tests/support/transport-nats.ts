import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { subjects } from '../../mcp/index.js';
import { type Log, type NatsOptions, openTransport, type Transport } from '../../mcp/transport/index.js';
import { type Cancel, type Clock, sleepOn, systemClock } from '../../shared/clock.js';
import { systemRandom } from '../../shared/random.js';
import { type NatsServer, startNatsServer } from './nats-server.js';
import {
  PATIENCE_MS,
  recordingLogger,
  silentMetrics,
  type TestClock,
  type TransportFactory,
  type TransportHarness,
} from './transport-harness.js';
import { prefixedBus, prefixedLog } from './transport-prefix.js';

/** Short, so that tests of expiry are; long enough for a busy machine. */
export const TTL_MS = 1_000;
export const RENEW_MS = 200;

/** The machine's clock, counting what waits on it. */
export function countingClock(): TestClock {
  const inner = systemClock();
  const open = new Set<object>();
  const counted = (arm: (done: () => void) => Cancel): Cancel => {
    const entry = {};
    open.add(entry);
    const cancel = arm(() => open.delete(entry));
    return () => {
      open.delete(entry);
      cancel();
    };
  };
  const clock: Clock & { readonly pending: number } = {
    now: () => inner.now(),
    monotonic: () => inner.monotonic(),
    timer: (ms, run) =>
      counted((done) =>
        inner.timer(ms, () => {
          done();
          run();
        }),
      ),
    every: (ms, run) => counted(() => inner.every(ms, run)),
    sleep: (ms, signal) => sleepOn(clock, ms, signal),
    get pending() {
      return open.size;
    },
  };
  return clock;
}

/** Waits on the machine's clock. */
export async function untilTrue(condition: () => boolean, patienceMs = PATIENCE_MS): Promise<void> {
  const clock = systemClock();
  for (const until = clock.monotonic() + patienceMs; clock.monotonic() < until; await clock.sleep(5)) {
    if (condition()) return;
  }
  throw new Error(`the condition did not come true within ${patienceMs} ms`);
}

/** Options of a test's process, with a data directory of its own that `cleanUp` removes. */
export async function natsOptions(url: string, some: Partial<NatsOptions> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'hermes-transport-'));
  const options: NatsOptions = {
    url,
    tenant: 'default',
    component: 'tester',
    dataDir,
    clock: systemClock(),
    random: systemRandom(),
    logger: recordingLogger([]),
    metrics: silentMetrics(),
    ttlMs: TTL_MS,
    renewMs: RENEW_MS,
    ...some,
  };
  return { options, cleanUp: () => rm(dataDir, { recursive: true, force: true }) };
}

/** On one real nats-server; every harness is a tenant of its own. */
export function natsFactory(): TransportFactory {
  let server: Promise<NatsServer> | undefined;
  let tenants = 0;
  return {
    name: 'nats',
    virtual: false,
    async open() {
      server ??= startNatsServer();
      return openHarness((await server).url, `t${tenants++}`);
    },
    async end() {
      const ended = await server;
      server = undefined;
      await ended?.close();
    },
  };
}

/** One tenant on servers that run. */
export async function openHarness(
  url: string,
  tenant: string,
  some: Partial<NatsOptions> = {},
  patient: (log: Log) => Log = (log) => log,
): Promise<TransportHarness> {
  const clock = countingClock();
  const complaints: string[] = [];
  const { options, cleanUp } = await natsOptions(url, { tenant, clock, logger: recordingLogger(complaints), ...some });
  const open = (): Promise<Transport> => openTransport('nats', options);
  let transport = await open();
  return {
    clock,
    get transport() {
      return transport;
    },
    get bus() {
      return prefixedBus(transport.bus, 'contract.');
    },
    get log() {
      return patient(prefixedLog(transport.log, subjects.log(tenant, 'contract', '')));
    },
    get heads() {
      return patient(prefixedLog(transport.heads, subjects.head(tenant, 'contract', '')));
    },
    ttlMs: options.ttlMs ?? TTL_MS,
    complaints,
    run: (work) => work,
    until: (condition) => untilTrue(condition),
    pass: (ms) => clock.sleep(ms),
    async reopen() {
      await transport.close();
      transport = await open();
    },
    async close() {
      await transport.close();
      await cleanUp();
    },
  };
}
