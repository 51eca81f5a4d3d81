import { describe, expect, test } from 'vitest';
import { faultyLink } from '../../../agents/drivers/index.js';
import { openDeadline } from '../../../shared/deadline.js';
import { openFaults, parseFaultPlan } from '../../../shared/fault-plan.js';
import { seededRandom } from '../../../shared/random.js';
import { VirtualClock } from '../../../shared/virtual-clock.js';
import { createWorld, openInProcessLink } from '../../../simulators/index.js';
import { SIM_DEVICES } from '../../support/sim-site.js';
import { matches } from '../../support/transport-harness.js';

const SETPOINT = { unit: 1, table: 'holding', address: 0 } as const;

function open(rule: Readonly<Record<string, unknown>>) {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const world = createWorld({ clock, random, devices: SIM_DEVICES });
  const plan = parseFaultPlan({ rules: [{ on: 'link', limit: 1, ...rule }] });
  const faults = openFaults({ clock, random, matches }, plan);
  const inner = openInProcessLink({ clock, world }, { link: 'line-1' });
  const driver = faultyLink(inner, { faults, clock, component: 'plc', link: 'line-1' });
  const writes = () => world.frames().filter(({ dir, fc }) => dir === 'in' && fc === 6).length;
  return { clock, driver, inner, writes };
}

describe('a faulty link', () => {
  test.each([
    ['error', {}, { cause: 'exception_busy', sent: true }, 0],
    ['cut', {}, { cause: 'refused', sent: false }, 0],
    ['hang', { how: 'lost' }, { cause: 'timeout', sent: true }, 0],
    ['hang', { how: 'arrives' }, { cause: 'timeout', sent: true }, 1],
  ])('a write that meets %s %j fails as the contract says, and the next one passes', async (kind, how, data, sent) => {
    const { clock, driver, writes } = open({ kind, ...how });
    const write = () => clock.run(driver.write({ ...SETPOINT, values: [500] }));
    await expect(write()).rejects.toMatchObject({ reason: 'tool_failed', data });
    expect(writes()).toBe(sent);
    expect(await write()).toEqual({ function_code: 6 });
  });

  test('a delay costs its time, and a time-out when it is longer', async () => {
    const { clock, driver } = open({ kind: 'delay', ms: 900 });
    const before = clock.monotonic();
    await clock.run(driver.read({ ...SETPOINT, count: 1 }));
    expect(clock.monotonic() - before).toBeGreaterThan(2);
    const slow = open({ kind: 'delay', ms: 900 });
    const read = slow.driver.read({ ...SETPOINT, count: 1 }, { timeoutMs: 1 });
    await expect(slow.clock.run(read)).rejects.toMatchObject({ data: { cause: 'timeout' } });
  });

  test('a caller that gives up is let go at once, and nothing is sent for it afterwards', async () => {
    const { clock, driver, inner, writes } = open({ kind: 'hang', how: 'arrives' });
    const before = clock.monotonic();
    const deadline = openDeadline(clock, clock.now() + 100);
    const line = Array.from({ length: 60 }, () => inner.write({ ...SETPOINT, values: [400] }));
    const write = driver.write({ ...SETPOINT, values: [500] }, { signal: deadline.signal });
    await expect(clock.run(write)).rejects.toMatchObject({
      reason: 'deadline',
      data: { sent: true, cause: 'timeout' },
    });
    expect(clock.monotonic() - before).toBe(100);
    await clock.run(Promise.all(line));
    expect(writes()).toBe(60);
  });

  test('a read hangs without its writes, when the plan says reads', async () => {
    const { clock, driver } = open({ kind: 'hang', op: 'read' });
    await clock.run(driver.write({ ...SETPOINT, values: [500] }));
    await expect(clock.run(driver.read({ ...SETPOINT, count: 1 }))).rejects.toMatchObject({
      data: { cause: 'timeout' },
    });
  });
});
