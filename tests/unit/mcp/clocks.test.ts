import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createClockOffsets } from '../../../mcp/caller/clock-offsets.js';
import type { ServedCall } from '../../../mcp/index.js';
import type { Bus } from '../../../mcp/transport/index.js';
import type { Clock } from '../../../shared/clock.js';
import { raceSignal } from '../../../shared/deadline.js';
import { callBench } from '../../support/call-bench.js';

/** A machine whose wall clock is off by so much. */
const off = (clock: Clock, ms: number): Clock => ({
  now: () => clock.now() + ms,
  monotonic: () => clock.monotonic(),
  timer: (wait, run) => clock.timer(wait, run),
  every: (wait, run) => clock.every(wait, run),
  sleep: (wait, signal) => clock.sleep(wait, signal),
});

describe.each([300_000, -300_000])('a callee whose clock is off by %d ms', (skew) => {
  async function skewed(work: (call: ServedCall) => Promise<unknown>) {
    const made = callBench();
    await made.serveAs('worker_v1.0', 'worker-far', work, { clock: off(made.clock, skew) });
    return made;
  }

  test('is asked again at once by its own time, and from then on right away', async () => {
    const made = await skewed(async () => 'done');
    const from = made.clock.now();
    expect((await made.call({ retry: { max_attempts: 1 } })).attempts).toBe(2);
    expect(made.clock.now() - from).toBeLessThan(10);
    for (let n = 0; n < 20; n++) expect((await made.call()).attempts).toBe(1);
  });

  test('gives a call neither less nor more time than its caller meant', async () => {
    const left: number[] = [];
    const made = await skewed(async ({ deadline }) => {
      left.push(deadline.remainingMs());
      return raceSignal(made.clock.sleep(60_000), deadline.signal);
    });
    const from = made.clock.now();
    const error = await made.fails({ deadlineAt: from + 2_000 });
    expect(error.reason).toBe('deadline');
    expect(made.clock.now() - from).toBeGreaterThan(1_980);
    expect(left).toHaveLength(1);
    expect(Math.abs((left[0] ?? 0) - 2_000)).toBeLessThan(20);
  });
});

test('two instances with different clocks are each asked by their own time', async () => {
  const made = callBench();
  for (const [name, skew] of [
    ['a', 120_000],
    ['b', -120_000],
  ] as const) {
    await made.serveAs('worker_v1.0', `worker-${name}`, async () => name, { clock: off(made.clock, skew) });
  }
  for (let n = 0; n < 10; n++) await made.call();
  for (let n = 0; n < 20; n++) expect((await made.call()).attempts).toBe(1);
});

test('the owner of a key whose clock differs is found through others, by one correction', async () => {
  const made = callBench();
  for (const name of ['a', 'b', 'c', 'd']) {
    await made.serveAs('worker_v1.0', `worker-${name}`, async () => name, {
      ownerOf: () => 'worker-d',
      clock: off(made.clock, name === 'd' ? 3_000 : 0),
    });
  }
  for (let n = 0; n < 60; n++) {
    const caller = made.callerOf('coordinator_v1.0');
    const spec = made.spec({ key: `k${n}`, retry: { max_attempts: 1 } });
    const { response, attempts } = await made.clock.run(caller.call(spec));
    expect(response).toMatchObject({ result: 'd', served_by: 'worker-d' });
    expect(attempts).toBeLessThanOrEqual(2);
    caller.close();
  }
});

test('a held reply to an earlier delivery is not taken for a quick exchange with the later one', async () => {
  const made = callBench();
  const offsets: number[] = [];
  let held: (() => void) | undefined;
  await made.serveAs('worker_v1.0', 'worker-a', async ({ request }) => offsets.push(request.clock_offset_ms), {
    wrap: (bus) => ({
      ...bus,
      publish(subject, payload, options) {
        const publish = () => bus.publish(subject, payload, options);
        if (offsets.length > 1) held?.();
        if (offsets.length > 1) publish();
        else held = publish;
      },
    }),
  });
  const retry = { max_attempts: 2, initial_backoff_ms: 1 };
  expect((await made.call({ timeoutMs: 800, retry })).attempts).toBe(2);
  await made.clock.advance(2_000);
  await made.call();
  expect(Math.abs(offsets[2] ?? 0)).toBeLessThan(5);
});

test('a clock that jumps while the process runs is learnt anew', async () => {
  const made = callBench();
  let skew = 0;
  const clock = { ...off(made.clock, 0), now: () => made.clock.now() + skew };
  await made.serveAs('worker_v1.0', 'worker-far', async () => 'done', { clock });
  for (let n = 0; n < 10; n++) await made.call();
  skew = -40_000;
  expect((await made.call()).attempts).toBe(2);
  for (let n = 0; n < 10; n++) expect((await made.call()).attempts).toBe(1);
});

/** The broker holds back what the caller says while `held` is positive. */
function slowBroker(clock: Clock, held: () => number) {
  return (bus: Bus): Bus => ({
    ...bus,
    publish(subject, payload, options) {
      const wait = held();
      if (wait > 0) clock.timer(wait, () => bus.publish(subject, payload, options));
      else bus.publish(subject, payload, options);
    },
  });
}

test('20 s in the broker are not taken for another clock: the callee is asked for the time first', async () => {
  const made = callBench();
  let hold = 0;
  const methods: string[] = [];
  const offsets: number[] = [];
  const left: number[] = [];
  await made.serve('worker_v1.0', async ({ request, deadline }) => {
    methods.push(request.method);
    offsets.push(request.clock_offset_ms);
    left.push(deadline.remainingMs());
    return 'done';
  });
  const patient = made.callerOf(
    'patient_v1.0',
    slowBroker(made.clock, () => hold),
  );
  const call = async (ms: number) => {
    const deadlineAt = made.clock.now() + ms;
    const answer = patient.call(made.spec({ deadlineAt, retry: { max_attempts: 1 } }));
    await made.clock.advance(100);
    hold = 0;
    return made.clock.run(answer);
  };
  hold = 20_000;
  const { response } = await call(60_000);
  expect(response.result).toBe('done');
  await call(5_000);
  expect(methods).toEqual(['clock', 'work', 'work']);
  for (const offset of offsets) expect(Math.abs(offset)).toBeLessThan(5);
  expect(Math.abs((left[1] ?? 0) - 40_000)).toBeLessThan(100);
});

describe('the filter', () => {
  const exchange = (skew: number, there: number, back: number, sent = 1_000_000) => {
    const received = sent + there + skew;
    return { sent, received, replied: received + 3, heard: sent + there + 3 + back };
  };

  test('takes the exchange with the least delay among the last eight', () => {
    const offsets = createClockOffsets();
    offsets.offer('i', exchange(500, 10, 10));
    for (let n = 0; n < 7; n++) offsets.offer('i', exchange(500, 10, 600));
    expect(offsets.of('i')).toBe(500);
    offsets.offer('i', exchange(500, 10, 600));
    expect(offsets.of('i')).not.toBe(500);
    expect(offsets.of('j')).toBe(0);
  });

  test('is off by at most half of what the way took, and uses no exchange of more than a second', () => {
    fc.assert(
      fc.property(fc.integer({ min: -3e5, max: 3e5 }), fc.nat(5_000), fc.nat(5_000), (skew, there, back) => {
        const offsets = createClockOffsets();
        const used = offsets.offer('i', exchange(skew, there, back));
        expect(used).toBe(there + back <= 1_000);
        if (used) expect(Math.abs(offsets.of('i') - skew)).toBeLessThanOrEqual(Math.abs(there - back) / 2 + 1);
      }),
    );
  });

  test('what is no number is no exchange', () => {
    const offsets = createClockOffsets();
    expect(offsets.offer('i', { sent: 1, received: Number.NaN, replied: 1, heard: 2 })).toBe(false);
    expect(offsets.offer('i', { sent: 1, received: 1e308, replied: -1e308, heard: 2 })).toBe(false);
    expect(offsets.of('i')).toBe(0);
  });
});
