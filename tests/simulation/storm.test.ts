import { expect, test } from 'vitest';
import { createCaller } from '../../mcp/index.js';
import type { Transport } from '../../mcp/transport/index.js';
import { createIds } from '../../shared/ids.js';
import { seededRandom } from '../../shared/random.js';
import { silentLogger } from '../../shared/telemetry/logger.js';
import { openMetrics } from '../../shared/telemetry/metrics.js';
import { startTwin, type Twin } from '../../topology/index.js';
import { demoTopology } from '../support/demo-site.js';
import { times } from '../support/full-counts.js';

const CALLERS = 200;
const DROPPED = 0.3;
const PAUSE_MS = 5_000;
const RETRY = { max_attempts: 8, initial_backoff_ms: 200, max_backoff_ms: 2_000, backoff_factor: 2 };
/** Register of the set-point that is written: tenths of a degree from 5 °C. */
const SETPOINT = 0;
const LOWEST = 50;
const DEVICES = 12;

/** Replies get lost on their way out of every agent while it storms. */
function lossy(transport: Transport, lost: () => boolean): Transport {
  const { bus } = transport;
  const publish: typeof bus.publish = (subject, payload, how) => {
    if (subject.split('.')[2] === 'reply' && lost()) return;
    bus.publish(subject, payload, how);
  };
  return { ...transport, bus: { ...bus, publish } };
}

interface Storm {
  readonly calls: number;
  readonly succeeded: number;
  readonly requests: number;
}

/** Callers that write one set-point after the other, each value to its device once. */
async function storm(twin: Twin, stormMs: number): Promise<Storm> {
  const { clock } = twin;
  const random = seededRandom(1, 'callers');
  const ids = createIds(clock, random);
  const until = clock.monotonic() + stormMs;
  let requests = 0;
  let calls = 0;
  let succeeded = 0;
  const counting: typeof twin.sim.bus = {
    ...twin.sim.bus,
    publish(subject, payload, how) {
      if (['call', 'direct'].includes(subject.split('.')[2] ?? '')) requests++;
      twin.sim.bus.publish(subject, payload, how);
    },
  };
  const one = async (n: number): Promise<void> => {
    const deps = { bus: counting, liveness: twin.sim.liveness, clock, random, ids, logger: silentLogger() };
    const options = { component: 'production_coordinator_v1.0', tenant: 'default' };
    const caller = createCaller({ ...deps, metrics: openMetrics() }, options);
    await clock.sleep(random.int(PAUSE_MS));
    while (clock.monotonic() < until) {
      const call = calls++;
      const device_id = `PLC-${String((call % DEVICES) + 1).padStart(3, '0')}`;
      const value = (LOWEST + Math.floor(call / DEVICES)) / 10;
      const asked = caller.call({
        callee: 'plc_controller_v1.2',
        method: 'write_point',
        params: { device_id, point: 'temperature_setpoint', value },
        principal: { id: `operator-${n}`, roles: ['admin'] },
        deadlineAt: clock.now() + 20_000,
        timeoutMs: 1_000,
        retry: RETRY,
        key: device_id,
      });
      await asked.then(
        () => succeeded++,
        () => undefined,
      );
      await clock.sleep(PAUSE_MS);
    }
    caller.close();
  };
  await clock.run(Promise.all(Array.from({ length: CALLERS }, (_, n) => one(n))));
  return { calls, succeeded, requests };
}

test('a storm of lost replies: the devices get every write once, the network no more than the loss costs', async () => {
  const chance = seededRandom(1, 'storm');
  let storming = false;
  const twin = await startTwin(demoTopology(), {
    seed: 1,
    wrap: (_component, transport) => lossy(transport, () => storming && chance.float() < DROPPED),
  });
  storming = true;
  const { calls, succeeded, requests } = await storm(twin, times(30_000, 8_000));
  const frames = twin.world.frames();
  const writes = frames.filter(({ dir, fc, address }) => dir === 'in' && fc === 6 && address === SETPOINT);
  const seen = new Map<string, number>();
  for (const { device, values } of writes) {
    const write = `${device} ${values?.[0]}`;
    seen.set(write, (seen.get(write) ?? 0) + 1);
  }
  await twin.clock.run(twin.stop());
  expect(calls).toBeGreaterThan(times(1_000, 200));
  expect(succeeded / calls).toBeGreaterThanOrEqual(0.999);
  expect(requests).toBeLessThanOrEqual((1.2 * calls) / (1 - DROPPED));
  expect([...seen].filter(([, count]) => count > 1)).toEqual([]);
  expect(seen.size).toBe(calls);
}, 240_000);
