import { describe, expect, test } from 'vitest';
import { decodeMessage, encodeMessage, type ServedCall } from '../../../mcp/index.js';
import { HermesError, type Reason } from '../../../shared/errors.js';
import { callBench } from '../../support/call-bench.js';

const failing =
  (reason: Reason, seen: ServedCall[] = []) =>
  async (served: ServedCall) => {
    seen.push(served);
    throw new HermesError(reason, `the worker says ${reason}`);
  };

describe('retries', () => {
  test.each(['overloaded', 'circuit_open', 'instance_lost', 'owner_moved', 'log_unavailable', 'not_ready'] as const)(
    '%s is asked again, under the same request id, with the attempt counted, at most max_attempts times',
    async (reason) => {
      const { serve, fails } = callBench();
      const seen: ServedCall[] = [];
      await serve('worker_v1.0', failing(reason, seen));
      const error = await fails({ retry: { max_attempts: 3, initial_backoff_ms: 10 } });
      expect(error.reason).toBe(reason);
      expect(seen.map(({ request }) => request.attempt)).toEqual([1, 2, 3]);
      expect(new Set(seen.map(({ request }) => request.request_id)).size).toBe(1);
    },
  );

  test.each(['invalid_params', 'not_allowed', 'deadline', 'cancelled', 'tool_failed', 'outcome_unknown'] as const)(
    '%s is not asked again',
    async (reason) => {
      const { serve, fails } = callBench();
      const seen: ServedCall[] = [];
      await serve('worker_v1.0', failing(reason, seen));
      const error = await fails();
      expect(error.reason).toBe(reason);
      expect(seen).toHaveLength(1);
    },
  );

  test('R8: the final error keeps first and last cause, attempts and elapsed', async () => {
    const { serve, fails } = callBench();
    const reasons: Reason[] = ['overloaded', 'not_ready', 'tool_failed'];
    await serve('worker_v1.0', async () => {
      throw new HermesError(reasons.shift() ?? 'internal', 'said in turn');
    });
    const error = await fails();
    expect(error.reason).toBe('tool_failed');
    expect(error.data).toMatchObject({ attempts: 3, first_cause: { reason: 'overloaded' } });
    expect(error.data.elapsed_ms).toBeGreaterThan(0);
    expect(error.cause).toMatchObject({ reason: 'tool_failed' });
  });

  test('an answer of a later attempt says how many it took', async () => {
    const { serve, call } = callBench();
    let n = 0;
    await serve('worker_v1.0', async () => {
      if (++n < 3) throw new HermesError('not_ready', 'wait');
      return n;
    });
    expect(await call()).toMatchObject({ attempts: 3, response: { result: 3 } });
  });

  test('an attempt without an answer is repeated after its own time-out, never past the deadline', async () => {
    const { serve, fails, clock } = callBench();
    const seen: number[] = [];
    await serve('worker_v1.0', () => {
      seen.push(clock.now());
      return clock.sleep(60_000);
    });
    const from = clock.now();
    const error = await fails({ timeoutMs: 300, deadlineAt: from + 1_000, retry: { initial_backoff_ms: 50 } });
    expect(error).toMatchObject({ reason: 'deadline', data: { outcome: 'unknown' } });
    expect(clock.now() - from).toBeLessThanOrEqual(1_001);
    expect(seen.length).toBeGreaterThan(1);
    for (const at of seen) expect(at).toBeLessThan(from + 1_000);
  });

  test('back-off never sleeps past the deadline: the call ends when no attempt fits any more', async () => {
    const { serve, fails, clock } = callBench();
    await serve('worker_v1.0', failing('overloaded'));
    const from = clock.now();
    await fails({ deadlineAt: from + 500, retry: { max_attempts: 10, initial_backoff_ms: 400, backoff_factor: 5 } });
    expect(clock.now() - from).toBeLessThanOrEqual(500);
  });

  test.each([1, 2, 3, 4, 5])('R11: a cancel during back-off ends it at once (seed %d)', async (seed) => {
    const { serve, caller, spec, clock } = callBench(seed);
    await serve('worker_v1.0', failing('overloaded'));
    const stop = new AbortController();
    const retry = { max_attempts: 10, initial_backoff_ms: 60_000, max_backoff_ms: 60_000 };
    const call = caller.call(spec({ deadlineAt: clock.now() + 600_000, signal: stop.signal, retry }));
    call.catch(() => undefined);
    await clock.advance(50);
    stop.abort(new HermesError('cancelled', 'enough'));
    const from = clock.now();
    await expect(clock.run(call)).rejects.toMatchObject({ reason: 'cancelled' });
    expect(clock.now()).toBe(from);
    expect(clock.pending).toBeLessThan(10);
  });

  test('a cancel in back-off reaches who is still at it, and its outcome is unknown', async () => {
    const { serve, caller, spec, clock } = callBench(3);
    const ended: unknown[] = [];
    await serve('worker_v1.0', ({ deadline: { signal } }) => {
      signal.addEventListener('abort', () => ended.push(signal.reason.reason));
      return clock.sleep(120_000, signal);
    });
    const stop = new AbortController();
    const retry = { initial_backoff_ms: 30_000 };
    const write = spec({ deadlineAt: clock.now() + 90_000, timeoutMs: 200, signal: stop.signal, retry });
    const call = caller.call(write);
    call.catch(() => undefined);
    await clock.advance(300);
    expect(caller.pending).toBe(0);
    stop.abort(new HermesError('cancelled', 'enough'));
    await expect(clock.run(call)).rejects.toMatchObject({ reason: 'cancelled', data: { outcome: 'unknown' } });
    await clock.advance(50);
    expect(ended).toEqual(['cancelled']);
  });

  test('a call that was cancelled before it begins is sent to nobody', async () => {
    const { serve, fails } = callBench();
    const seen: ServedCall[] = [];
    await serve('worker_v1.0', failing('overloaded', seen));
    const error = await fails({ signal: AbortSignal.abort(new HermesError('cancelled', 'enough')) });
    expect(error).toMatchObject({ reason: 'cancelled', data: { started: false } });
    expect(seen).toEqual([]);
  });

  test('nobody there is said at once', async () => {
    const { fails, clock } = callBench();
    const from = clock.now();
    const error = await fails();
    expect(error).toMatchObject({ reason: 'no_worker', data: { started: false, callee: 'worker' } });
    expect(clock.now()).toBe(from);
  });

  test('a call whose deadline is over is not sent', async () => {
    const { serve, fails, clock } = callBench();
    let served = 0;
    await serve('worker_v1.0', async () => served++);
    const error = await fails({ deadlineAt: clock.now() });
    expect(error).toMatchObject({ reason: 'deadline', data: { started: false } });
    expect(served).toBe(0);
  });

  test('less than half a millisecond left is a deadline, not a wrong field', async () => {
    const { serve, fails, clock } = callBench();
    await serve('worker_v1.0', async () => 1);
    const error = await fails({ deadlineAt: clock.now() + 0.3 });
    expect(error.reason).toBe('deadline');
  });

  test('a callee whose clock differs is asked again with the difference, and answers', async () => {
    const { call, connect, clock, ids } = callBench();
    const { liveness } = connect('worker');
    const member = { component: 'worker', instance: 'worker-1', version: '1.0', since: 0, state: 'ready' as const };
    await clock.run(liveness.join(member));
    const offsets: number[] = [];
    const { bus } = connect('skewed');
    bus.subscribe('hermes.default.direct.worker.worker-1.*', ({ payload, reply }) => {
      const { message } = decodeMessage(payload);
      const now = Math.round(clock.now()) + 90_000;
      offsets.push(Number(message.clock_offset_ms));
      const age = now - (Number(message.sent_at_unix_ms) + Number(message.clock_offset_ms));
      const skewed = new HermesError('stale_or_skewed', 'another clock', { started: false, now });
      const body = Math.abs(age) > 1_000 ? { error: skewed.toWire() } : { result: ids.event() };
      bus.publish(reply ?? '', encodeMessage({ jsonrpc: '2.0', request_id: message.request_id, ...body }));
    });
    const { attempts } = await call();
    expect(attempts).toBe(2);
    expect(offsets[0]).toBe(0);
    expect(Math.abs((offsets[1] ?? 0) - 90_000)).toBeLessThan(10);
    expect((await call()).attempts).toBe(1);
  });
});

describe('answers', () => {
  test('D6: a reply after the caller gave up is counted as late and never matched to another call', async () => {
    const { serve, fails, call, clock, counted } = callBench();
    let n = 0;
    await serve('worker_v1.0', async () => {
      const mine = ++n;
      if (mine === 1) await clock.sleep(500);
      return mine;
    });
    await fails({ deadlineAt: clock.now() + 400, retry: { max_attempts: 1 } });
    const second = call();
    expect((await second).response.result).toBe(2);
    await clock.advance(1_000);
    expect(counted.filter(({ name }) => name === 'mcpLate').length).toBeGreaterThanOrEqual(1);
  });

  test('B13: two calls under one request id: the second is refused, the first still gets its answer', async () => {
    const { serve, caller, spec, clock } = callBench();
    await serve('worker_v1.0', () => clock.sleep(100).then(() => 'first'));
    const first = caller.call(spec({ requestId: '1' }));
    const second = caller.call(spec({ requestId: '1' }));
    second.catch(() => undefined);
    const [one, two] = await clock.run(Promise.allSettled([first, second]));
    expect(two).toMatchObject({ status: 'rejected', reason: { reason: 'invalid_params' } });
    expect(one).toMatchObject({ status: 'fulfilled', value: { response: { result: 'first' }, attempts: 1 } });
  });

  test('B13: two callers that both use request id "1" each get their own answer', async () => {
    const { serve, caller, callerOf, spec, clock } = callBench();
    await serve('worker_v1.0', async ({ request }) => request.caller);
    const calls = [caller, callerOf('other_v1.0')].map((one) => one.call(spec({ requestId: '1' })));
    const answers = await clock.run(Promise.all(calls));
    expect(answers.map(({ response }) => response.result)).toEqual(['coordinator_v1.0', 'other_v1.0']);
  });

  test.each([
    ['no error at all', { error: null, result: 1 }],
    ['an error that is a word', { error: 'broken' }],
    ['a reason nobody knows', { error: { code: 500, name: 'X', message: 'm', data: { reason: 'because' } } }],
    ['an error without data', { error: { code: 500, message: 'm' } }],
  ])('a malformed answer (%s) ends its call and leaves nothing', async (_what, body) => {
    const { connect, clock, caller, spec } = callBench();
    const { bus, liveness } = connect('worker');
    const member = { component: 'worker', instance: 'worker-1', version: '1.0', since: 0, state: 'ready' as const };
    await clock.run(liveness.join(member));
    bus.subscribe('hermes.default.direct.worker.>', ({ payload, reply }) => {
      const { request_id } = decodeMessage(payload).message;
      bus.publish(reply ?? '', Uint8Array.from([0xc1]));
      bus.publish(reply ?? '', encodeMessage({ no: 'id' }));
      bus.publish(reply ?? '', encodeMessage({ jsonrpc: '2.0', request_id, ...body }));
    });
    const [ended] = await clock.run(Promise.allSettled([caller.call(spec())]));
    if (ended?.status === 'rejected') expect(ended.reason).toBeInstanceOf(HermesError);
    expect(caller.pending).toBe(0);
  });

  test('W4: after 10 000 failed calls nothing is kept', { timeout: 60_000 }, async () => {
    const { serve, caller, spec, clock } = callBench();
    let n = 0;
    const silent = await serve('worker_v1.0', async () => {
      if (++n % 3 === 0) throw new HermesError('tool_failed', 'no');
      if (n % 3 === 1) return clock.sleep(200);
      throw new Error('broken');
    });
    for (let round = 0; round < 50; round++) {
      const calls = Array.from({ length: 200 }, (_, index) =>
        caller.call(spec({ deadlineAt: clock.now() + 50 + index, retry: { max_attempts: 1 } })).catch(() => undefined),
      );
      await clock.run(Promise.all(calls));
      await clock.advance(300);
    }
    expect(caller.pending).toBe(0);
    await clock.run(silent.stop(1_000));
    await clock.advance(1_000);
    expect(silent.load).toEqual({ waiting: 0, running: 0 });
    expect(clock.pending).toBeLessThan(10);
  });
});
