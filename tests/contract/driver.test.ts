import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { faultyLink, openModbusLink } from '../../agents/drivers/index.js';
import { type Clock, systemClock } from '../../shared/clock.js';
import type { LinkDriver } from '../../shared/device.js';
import { HermesError } from '../../shared/errors.js';
import { openFaults } from '../../shared/fault-plan.js';
import { seededRandom } from '../../shared/random.js';
import { silentLogger } from '../../shared/telemetry/logger.js';
import { openMetrics } from '../../shared/telemetry/metrics.js';
import { VirtualClock } from '../../shared/virtual-clock.js';
import { createWorld, openInProcessLink, startSimulators, type World } from '../../simulators/index.js';
import { SIM_DEVICES } from '../support/sim-site.js';
import { IDLE_PLAN, matches } from '../support/transport-harness.js';

interface Bench {
  readonly world: World;
  readonly clock: Clock;
  open(): LinkDriver;
  /** Waits for work on the bench's own time. */
  run<T>(work: Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  async 'modbus-serial over TCP'() {
    const clock = systemClock();
    const deps = { clock, random: seededRandom(1), logger: silentLogger() };
    const simulators = await startSimulators({ ...deps, devices: SIM_DEVICES, controlPort: 0 });
    const opened: LinkDriver[] = [];
    return {
      world: simulators.world,
      clock,
      open() {
        const resolve = async () => simulators.links()['line-1'] ?? { host: '', port: 0 };
        const driver = openModbusLink(
          { ...deps, metrics: openMetrics(), resolve },
          { link: 'line-1', backoffMinMs: 20 },
        );
        opened.push(driver);
        return driver;
      },
      run: (work) => work,
      async close() {
        await Promise.all(opened.map((driver) => driver.close()));
        await simulators.stop();
      },
    };
  },
  async 'in process, virtual time'() {
    const clock = new VirtualClock();
    const world = createWorld({ clock, random: seededRandom(1), devices: SIM_DEVICES });
    return {
      world,
      clock,
      open: () => openInProcessLink({ clock, world }, { link: 'line-1' }),
      run: (work) => clock.run(work),
      close: async () => undefined,
    };
  },
  async 'in process, with an idle fault plan'() {
    const clock = new VirtualClock();
    const random = seededRandom(1);
    const world = createWorld({ clock, random, devices: SIM_DEVICES });
    const faults = openFaults({ clock, random, matches }, IDLE_PLAN);
    const options = { faults, clock, component: 'plc', link: 'line-1' };
    return {
      world,
      clock,
      open: () => faultyLink(openInProcessLink({ clock, world }, { link: 'line-1' }), options),
      run: (work) => clock.run(work),
      close: async () => undefined,
    };
  },
};

const failure = async (work: Promise<unknown>): Promise<HermesError> => {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof HermesError) return outcome;
  throw new Error(`expected a HermesError, got ${String(outcome)}`);
};

const SETPOINT = { unit: 1, table: 'holding', address: 0 } as const;
const RESTART = { unit: 107, table: 'holding', address: 100 } as const;
const STATUS = { unit: 7, table: 'input', address: 1, count: 1 } as const;

describe.each(Object.entries(BENCHES))('driver contract: %s', (_name, openBench) => {
  let bench: Bench;
  let driver: LinkDriver;
  beforeEach(async () => {
    bench = await openBench();
    driver = bench.open();
  });
  afterEach(() => bench.close());

  it('reads every table as raw words and bits', async () => {
    const inputs = await bench.run(driver.read({ unit: 1, table: 'input', address: 1, count: 3 }));
    expect(inputs).toEqual([1, 0, 1]);
    expect(await bench.run(driver.read({ ...SETPOINT, count: 2 }))).toEqual([450, 80]);
    expect(await bench.run(driver.read({ unit: 1, table: 'coil', address: 0, count: 1 }))).toEqual([1]);
    expect(await bench.run(driver.read({ unit: 1, table: 'discrete', address: 0, count: 2 }))).toEqual([0, 0]);
  });

  it('writes by FC5, FC6, FC15 and FC16 and says which it sent', async () => {
    const coil = { unit: 1, table: 'coil', address: 0 } as const;
    expect(await bench.run(driver.write({ ...SETPOINT, values: [500] }))).toEqual({ function_code: 6 });
    expect(await bench.run(driver.write({ ...SETPOINT, values: [510, 40] }))).toEqual({ function_code: 16 });
    expect(await bench.run(driver.write({ ...coil, values: [0] }))).toEqual({ function_code: 5 });
    expect(await bench.run(driver.read({ ...SETPOINT, count: 2 }))).toEqual([510, 40]);
    expect(await bench.run(driver.read({ ...coil, count: 1 }))).toEqual([0]);
    const written = bench.world.frames().filter(({ dir, fc }) => dir === 'in' && fc > 4);
    expect(written.map(({ fc, values }) => [fc, values])).toEqual([
      [6, [500]],
      [16, [510, 40]],
      [5, [0]],
    ]);
    expect(written[0]?.raw).toBe('0001000000060106000001f4');
  });

  it.each([
    ['an address that does not exist', { unit: 1, table: 'input', address: 900, count: 1 }, 'exception_permanent'],
    ['a unit that is not there', { unit: 55, table: 'input', address: 0, count: 1 }, 'gateway_target_silent'],
  ] as const)('tells %s from a broken link', async (_what, request, cause) => {
    const error = await failure(bench.run(driver.read(request)));
    expect([error.reason, error.data.cause]).toEqual(['tool_failed', cause]);
    expect(await bench.run(driver.read(STATUS))).toEqual([0]);
  });

  it.each([
    [4, 'exception_device'],
    [5, 'exception_busy'],
    [6, 'exception_busy'],
    [7, 'exception_device'],
    [10, 'gateway_target_silent'],
    [99, 'exception_device'],
  ])('maps exception %i to %s', async (code, cause) => {
    bench.world.addFault({ device: 'PLC-001', kind: 'exception', params: { code } });
    const error = await failure(bench.run(driver.read({ ...SETPOINT, count: 1 })));
    expect(error.data).toMatchObject({ cause, exception: code });
  });

  it('refuses what is not Modbus before anything is sent, naming the field', async () => {
    const cases = [
      driver.read({ unit: 0, table: 'input', address: 0, count: 1 }),
      driver.read({ unit: 1, table: 'input', address: 0, count: 126 }),
      driver.write({ ...SETPOINT, values: [70_000] }),
      driver.write({ unit: 1, table: 'input', address: 0, values: [1] }),
      driver.write({ ...SETPOINT, values: [Number.NaN] }),
    ];
    const errors = await bench.run(Promise.all(cases.map(failure)));
    expect(errors.map((error) => error.data.fields?.[0]?.pointer)).toEqual([
      '/unit',
      '/count',
      '/values/0',
      '/table',
      '/values/0',
    ]);
    expect(bench.world.frames()).toEqual([]);
  });

  it('says of an unanswered write that it was sent, and does not send it again', async () => {
    bench.world.addFault({ device: 'PLC-001', kind: 'delay', params: { ms: 300, fc: 6 } });
    const error = await failure(bench.run(driver.write({ ...SETPOINT, values: [555] }, { timeoutMs: 100 })));
    expect(error.data).toMatchObject({ cause: 'timeout', sent: true });
    expect(await bench.run(driver.read({ ...SETPOINT, count: 1 }))).toEqual([555]);
    await bench.run(bench.clock.sleep(400));
    expect(bench.world.frames().filter(({ fc, dir }) => fc === 6 && dir === 'in')).toHaveLength(1);
    expect(bench.world.frames().filter(({ fc, dir }) => fc === 6 && dir === 'out')).toHaveLength(0);
  });

  it('gives up when the caller does, with the caller’s reason', async () => {
    bench.world.addFault({ device: 'PLC-001', kind: 'delay', params: { ms: 5_000 } });
    const controller = new AbortController();
    const asked = failure(driver.read({ ...SETPOINT, count: 1 }, { signal: controller.signal, timeoutMs: 4_000 }));
    bench.clock.timer(50, () => controller.abort(new HermesError('deadline', 'over')));
    expect((await bench.run(asked)).reason).toBe('deadline');
    const gone = AbortSignal.abort();
    expect((await failure(bench.run(driver.read(STATUS, { signal: gone })))).reason).toBe('cancelled');
    expect(await bench.run(driver.read(STATUS))).toEqual([0]);
  });

  it('one request at a time reaches the link, whoever asks', async () => {
    const asked = Array.from({ length: 20 }, (_, i) =>
      driver.read({ unit: i % 2 ? 1 : 7, table: 'input', address: 11, count: 3 }),
    );
    const values = await bench.run(Promise.all(asked));
    expect(values.map((words) => words[2])).toEqual(
      Array.from({ length: 20 }, (_, i) => (700_000 + (i % 2 ? 1 : 7)) & 0xffff),
    );
    const directions = bench.world.frames().map(({ dir }) => dir);
    expect(directions).toEqual(Array.from({ length: 40 }, (_, i) => (i % 2 ? 'out' : 'in')));
  });

  it('a silent unit costs the others one time-out, however much is asked of it', async () => {
    bench.world.addFault({ device: 'PLC-001', kind: 'delay', params: { ms: 3_000 } });
    const began = bench.clock.monotonic();
    const silent = Array.from({ length: 3 }, () => failure(driver.read({ ...SETPOINT, count: 1 })));
    const heard = Array.from({ length: 10 }, () => driver.read(STATUS));
    expect(await bench.run(Promise.all(heard))).toEqual(Array.from({ length: 10 }, () => [0]));
    expect(bench.clock.monotonic() - began).toBeLessThan(1_500);
    const causes = (await bench.run(Promise.all(silent))).map((error) => error.data.cause);
    expect(causes).toEqual(['timeout', 'timeout', 'timeout']);
    // The late reply of the first read meets nobody.
    expect(await bench.run(driver.read(STATUS))).toEqual([0]);
  });

  it('writes of one unit keep their order, before its reads', async () => {
    const done: string[] = [];
    const note = (what: string, work: Promise<unknown>) => work.then(() => done.push(what));
    const work = [
      note('read 7', driver.read(STATUS)),
      note('read 1', driver.read({ ...SETPOINT, count: 1 })),
      ...[500, 510, 520].map((value) => note(`write ${value}`, driver.write({ ...SETPOINT, values: [value] }))),
    ];
    await bench.run(Promise.all(work));
    expect(done).toEqual(['read 7', 'write 500', 'write 510', 'write 520', 'read 1']);
  });

  it('declares a fencing token once per connection', async () => {
    expect(await bench.run(driver.fence(1, 200, 70_000))).toEqual({
      unit: 1,
      address: 200,
      values: [1, 4464],
      function_code: 16,
    });
    expect(await bench.run(driver.fence(1, 200, 70_000))).toBeUndefined();
    expect(await bench.run(driver.read({ unit: 101, table: 'holding', address: 200, count: 2 }))).toEqual([1, 4464]);
  });

  it('an owner that was replaced can write no more; a foreign client can', async () => {
    const successor = bench.open();
    const foreign = bench.open();
    await bench.run(driver.fence(1, 200, 5));
    await bench.run(driver.write({ ...SETPOINT, values: [500] }));
    await bench.run(successor.fence(101, 200, 6));
    const refused = await failure(bench.run(driver.write({ ...SETPOINT, values: [600] })));
    expect(refused.data).toMatchObject({ cause: 'exception_permanent', exception: 3 });
    expect((await failure(bench.run(driver.fence(1, 200, 5).then(() => driver.fence(1, 200, 4))))).data.exception).toBe(
      3,
    );
    expect(await bench.run(driver.read({ ...SETPOINT, count: 1 }))).toEqual([500]);
    await bench.run(foreign.write({ ...SETPOINT, values: [700] }));
    expect(await bench.run(driver.read({ ...SETPOINT, count: 1 }))).toEqual([700]);
  });

  it('after a reconnect nothing is written without the token', async () => {
    await bench.run(driver.fence(1, 200, 5));
    bench.world.addFault({ device: 'PLC-001', kind: 'delay', params: { ms: 300, fc: 6 }, for_ms: 250 });
    await failure(bench.run(driver.write({ ...SETPOINT, values: [501] }, { timeoutMs: 60 })));
    const unsent = await failure(bench.run(driver.write({ ...SETPOINT, values: [502] })));
    expect(unsent.data).toMatchObject({ sent: false, cause: 'closed' });
    await bench.run(bench.clock.sleep(300));
    expect(await bench.run(driver.fence(1, 200, 5))).toMatchObject({ function_code: 16 });
    await bench.run(driver.write({ ...SETPOINT, values: [503] }));
    expect(await bench.run(driver.read({ ...SETPOINT, count: 1 }))).toEqual([503]);
  });

  it('restarts an offline PLC through its comm module', async () => {
    expect(await bench.run(driver.read(STATUS))).toEqual([0]);
    await bench.run(driver.write({ ...RESTART, values: [0xa5a5] }));
    expect(await bench.run(driver.read(STATUS))).toEqual([4]);
    await bench.run(bench.clock.sleep(200));
    expect(await bench.run(driver.read(STATUS))).toEqual([1]);
  });

  it('I8: half-open TCP is detected by timeout, and the link recovers when it is plugged in again', async () => {
    await bench.run(driver.read(STATUS));
    const fault = bench.world.addFault({ device: 'PLC-001', kind: 'half_open' });
    for (let i = 0; i < 3; i++) {
      const error = await failure(bench.run(driver.read(STATUS, { timeoutMs: 60 })));
      expect(error.data.cause).toBe('timeout');
    }
    bench.world.removeFault(fault.fault_id);
    // The socket of the outage stays dead: the driver has left it, or leaves it after this read.
    await bench.run(driver.read(STATUS, { timeoutMs: 60 }).catch(() => undefined));
    expect(await bench.run(driver.read(STATUS))).toEqual([0]);
  });

  it('I9: a device that resets does not stop its neighbours', async () => {
    await bench.run(driver.write({ ...RESTART, values: [0xa5a5] }));
    const seen = await bench.run(driver.read({ unit: 1, table: 'input', address: 1, count: 1 }));
    expect(seen).toEqual([1]);
  });

  it('a closed link refuses', async () => {
    await bench.run(driver.read(STATUS));
    expect(driver.state).toBe('connected');
    await driver.close();
    expect(driver.state).toBe('closed');
    expect((await failure(bench.run(driver.read(STATUS)))).data.cause).toBe('closed');
  });
});
