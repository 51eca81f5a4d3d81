import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { scopes } from '../../agents/runtime/index.js';
import { times } from '../support/full-counts.js';
import { natsWorkers } from '../support/nats-workers.js';

/** Two workers of one component on real connections: one device has one owner, and its writes one order. */
let bench: Awaited<ReturnType<typeof natsWorkers>>;
beforeAll(async () => {
  bench = await natsWorkers();
  await bench.start();
  await bench.start();
  await vi.waitFor(async () => {
    const loads = bench.agents.map((agent) => agent.read('health', {}, how()));
    const owned = (await Promise.all(loads)).map((health) => (health as { owns: string[] }).owns.length);
    expect(owned).toEqual([2, 2]);
  }, 15_000);
}, 60_000);
afterAll(() => bench.stop());
const how = () => ({ principal: { id: 'tester', roles: ['admin'] }, deadlineAt: bench.clock.now() + 5_000 });
const CALLERS = ['caller_a', 'caller_b', 'caller_c', 'caller_d'];
const EACH = times(250, 100);

describe('two workers over NATS', () => {
  test(`${EACH * 4} writes of four callers to one device run one at a time, in order of arrival`, {
    timeout: 120_000,
  }, async () => {
    const device_id = 'PLC-007';
    const callers = await Promise.all(CALLERS.map((name) => bench.caller(name)));
    const arrived = new Map<string, number>();
    const served = new Set<string>();
    const deliveries: number[] = [];
    await Promise.all(
      callers.map(async (caller, at) => {
        for (let n = 1; n <= EACH; n++) {
          const requestId = `${CALLERS[at]}-${n}`;
          const { response, attempts } = await caller.call({
            callee: 'plc_controller_v1.0',
            method: 'write_point',
            params: { device_id, point: 'temperature_setpoint', value: 20 + ((at + n) % 20) },
            requestId,
            deadlineAt: bench.clock.now() + 30_000,
            // Half of them know nobody's key and go to whichever instance: it passes them on.
            ...(n % 2 === 0 ? { key: device_id } : {}),
          });
          arrived.set(requestId, response.timing.received_at_unix_ms);
          served.add(response.served_by);
          deliveries.push(attempts);
        }
      }),
    );
    expect(served.size).toBe(1);
    expect(deliveries.filter((attempts) => attempts > 1)).toEqual([]);
    const owner = bench.agents.find(({ cell }) => served.has(cell.instance));
    await owner?.cell.view.catchUp();
    const entries = (await owner?.cell.view.entries(scopes.device(device_id))) ?? [];
    const kinds = entries.filter(({ kind }) => kind === 'started' || kind === 'finished');
    expect(kinds).toHaveLength(2 * EACH * CALLERS.length);
    // One at a time: nothing begins before the one before it has ended.
    for (let at = 0; at < kinds.length; at += 2) {
      expect([kinds[at]?.kind, kinds[at + 1]?.kind]).toEqual(['started', 'finished']);
      expect(kinds[at + 1]?.request_id).toBe(kinds[at]?.request_id);
    }
    const order = kinds.filter(({ kind }) => kind === 'started').map(({ request_id }) => request_id as string);
    const times = order.map((id) => arrived.get(id) as number);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    for (const name of CALLERS) {
      const own = order.filter((id) => id.startsWith(`${name}-`));
      expect(own).toEqual(Array.from({ length: EACH }, (_, at) => `${name}-${at + 1}`));
    }
    const ids = new Set(order);
    expect(ids.size).toBe(order.length);
  });
});
