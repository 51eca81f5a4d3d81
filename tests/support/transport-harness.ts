import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Bus,
  compilePattern,
  faultyTransport,
  type Log,
  openTransport,
  type Transport,
} from '../../mcp/transport/index.js';
import type { Clock } from '../../shared/clock.js';
import { openFaults, parseFaultPlan } from '../../shared/fault-plan.js';
import { LIMITS } from '../../shared/limits.js';
import { seededRandom } from '../../shared/random.js';
import type { LogFields, Logger } from '../../shared/telemetry/logger.js';
import type { Metrics } from '../../shared/telemetry/metrics.js';
import { VirtualClock } from '../../shared/virtual-clock.js';

/** A clock of which a test can tell whether something still waits on it. */
export interface TestClock extends Clock {
  readonly pending: number;
}

/** One transport under test: on a virtual clock that moves only while a test waits, or on the machine's. */
export interface TransportHarness {
  readonly clock: TestClock;
  /** Changes when it is opened again. */
  readonly transport: Transport;
  /** Its bus and log with subjects as a test writes them, wherever they lie on the wire. */
  readonly bus: Bus;
  readonly log: Log;
  readonly heads: Log;
  /** Time to live of a member. */
  readonly ttlMs: number;
  /** What the transport complained about. */
  readonly complaints: readonly string[];
  /** Waits for work, letting time and input/output go on. */
  run<T>(work: Promise<T>): Promise<T>;
  until(condition: () => boolean): Promise<void>;
  pass(ms: number): Promise<void>;
  /** Closes it and opens it again over the same durable state. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

export interface TransportFactory {
  readonly name: string;
  /** Time is virtual: hours may pass. */
  readonly virtual: boolean;
  open(): Promise<TransportHarness>;
  /** After the last test. */
  end(): Promise<void>;
}

interface Opened {
  readonly first: Transport;
  again(): Promise<Transport>;
  cleanUp(): Promise<void>;
}

/** Wall time that a condition may take: behind virtual time there is a real disk, and other work on the machine. */
export const PATIENCE_MS = 20_000;

export function recordingLogger(lines: string[]): Logger {
  const note = (_fields: LogFields, message: string): void => void lines.push(message);
  const logger: Logger = { debug: note, info: note, warn: note, error: note, child: () => logger };
  return logger;
}

export const silentMetrics = (): Metrics => ({ count: () => undefined, measure: () => undefined });

/** Moves the clock in small steps until the condition holds; each step lets ready work and finished I/O run. */
export async function advanceUntil(clock: VirtualClock, condition: () => boolean): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    if (condition()) return;
    await clock.advance(1);
  }
  throw new Error(`the condition did not come true within ${PATIENCE_MS} ms`);
}

async function harness(make: (clock: VirtualClock, logger: Logger) => Promise<Opened>): Promise<TransportHarness> {
  const clock = new VirtualClock();
  const complaints: string[] = [];
  const opened = await make(clock, recordingLogger(complaints));
  let transport = opened.first;
  const run = async <T>(work: Promise<T>): Promise<T> => {
    let settled = false;
    const watched = work.finally(() => {
      settled = true;
    });
    watched.catch(() => undefined);
    await advanceUntil(clock, () => settled);
    return watched;
  };
  return {
    clock,
    get transport() {
      return transport;
    },
    get bus() {
      return transport.bus;
    },
    get log() {
      return transport.log;
    },
    get heads() {
      return transport.heads;
    },
    ttlMs: LIMITS.livenessTtlMs,
    complaints,
    run,
    until: (condition) => advanceUntil(clock, condition),
    pass: (ms) => clock.advance(ms),
    async reopen() {
      await run(transport.close());
      transport = await run(opened.again());
    },
    async close() {
      await run(transport.close());
      await opened.cleanUp();
    },
  };
}

const nothing = async (): Promise<void> => undefined;

export const embeddedFactory: TransportFactory = {
  name: 'embedded',
  virtual: true,
  open: () =>
    harness(async (clock, logger) => {
      const dataDir = await mkdtemp(join(tmpdir(), 'hermes-transport-'));
      const options = { dataDir, clock, random: seededRandom(1), logger, metrics: silentMetrics() };
      const open = (): Promise<Transport> => openTransport('embedded', options);
      return { first: await open(), again: open, cleanUp: () => rm(dataDir, { recursive: true, force: true }) };
    }),
  end: nothing,
};

export const simFactory: TransportFactory = {
  name: 'sim',
  virtual: true,
  open: () =>
    harness(async (clock, logger) => {
      const sim = await openTransport('sim', { clock, random: seededRandom(1), logger });
      const connect = async (): Promise<Transport> => sim.connect('tester').transport;
      return { first: await connect(), again: connect, cleanUp: nothing };
    }),
  end: nothing,
};

/** Over a plan that could hit everything and never does: the wrappers keep the contracts. */
export const faultySimFactory: TransportFactory = {
  name: 'sim with an idle fault plan',
  virtual: true,
  open: () =>
    harness(async (clock, logger) => {
      const random = seededRandom(1);
      const sim = await openTransport('sim', { clock, random, logger });
      const faults = openFaults({ clock, random, matches }, IDLE_PLAN);
      const connect = async (): Promise<Transport> =>
        faultyTransport(sim.connect('tester').transport, { faults, clock, component: 'tester', logger });
      return { first: await connect(), again: connect, cleanUp: nothing };
    }),
  end: nothing,
};

export const matches = (pattern: string, name: string): boolean => compilePattern(pattern).matches(name);

export const IDLE_PLAN = parseFaultPlan({
  rules: [
    { on: 'bus', kind: 'delay', probability: 0 },
    ...(['append', 'read', 'tail'] as const).map((op) => ({ on: 'log', kind: 'delay', op, probability: 0 })),
    { on: 'liveness', kind: 'drop', probability: 0 },
    { on: 'link', kind: 'hang', probability: 0 },
  ],
});

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const text = (payload: Uint8Array): string => new TextDecoder().decode(payload);

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const out: T[] = [];
  for await (const item of items) out.push(item);
  return out;
}
