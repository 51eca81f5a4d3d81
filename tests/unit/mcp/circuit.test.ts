import { describe, expect, test } from 'vitest';
import { decodeMessage, encodeMessage } from '../../../mcp/index.js';
import { HermesError } from '../../../shared/errors.js';
import { callBench } from '../../support/call-bench.js';

const TIMEOUT = 200;

/** A worker that answers while `well`, and is silent while not. What it was asked is kept. */
async function bench() {
  const made = callBench();
  const asked: string[] = [];
  const worker = { well: true, probesWell: true };
  await made.serve('worker_v1.0', async ({ request, deadline }) => {
    asked.push(request.method);
    const silent = request.method === 'work' ? !worker.well : !worker.probesWell;
    if (silent) await made.clock.sleep(60_000, deadline.signal);
    return { asked: request.params, at: asked.length };
  });
  const changes: unknown[] = [];
  made.connect('spy').bus.subscribe('hermes.*.event.*.circuit.state_changed', ({ payload }) => {
    const { data, source } = JSON.parse(JSON.stringify(decode(payload)));
    changes.push([source, data.state]);
  });
  const quick = { timeoutMs: TIMEOUT, retry: { max_attempts: 1 } } as const;
  const soon = () => ({ ...quick, deadlineAt: made.clock.now() + 1_000 });
  const open = async (more: object = {}): Promise<void> => {
    worker.well = false;
    for (let n = 0; n < 3; n++) await made.fails({ ...soon(), ...more });
    asked.length = 0;
  };
  return { ...made, asked, worker, changes, soon, open };
}

const decode = (payload: Uint8Array) => decodeMessage(payload).message;

describe('the breaker', () => {
  test('R2: time-outs open it, and then a call fails in under 10 ms without being sent', async () => {
    const made = await bench();
    await made.open();
    const from = made.clock.now();
    const error = await made.fails(made.soon());
    expect(error).toMatchObject({ code: 408, reason: 'circuit_open', data: { started: false } });
    expect(made.clock.now() - from).toBeLessThan(10);
    expect(made.asked).toEqual([]);
    await made.clock.advance(10);
    expect(made.changes).toEqual([['coordinator', 'open']]);
  });

  test('R3: a read gets its last good result while it is open, marked, and only for the same question', async () => {
    const made = await bench();
    const principal = { id: 'ann', roles: ['operator'] };
    const read = { reads: true, params: { id: 'p1', more: 1 }, principal };
    const good = await made.call({ ...made.soon(), ...read });
    const at = made.clock.now();
    await made.open({ reads: true, params: { id: 'p2' } });
    const again = await made.call({ ...made.soon(), ...read, params: { more: 1, id: 'p1' } });
    expect(again.response).toMatchObject({ result: good.response.result, degraded: true });
    expect(Math.abs((again.response.cached_at ?? 0) - at)).toBeLessThan(5);
    const others = [
      { params: { id: 'p3' } },
      { principal: { id: 'bob', roles: [] } },
      { consistency: 'strong' as const },
      { reads: false },
    ];
    for (const other of others) {
      expect((await made.fails({ ...made.soon(), ...read, ...other })).reason).toBe('circuit_open');
    }
  });

  test('R4: of 100 concurrent calls on a half-open circuit one is a probe', async () => {
    const made = await bench();
    await made.open();
    await made.clock.advance(10_001);
    const calls = Array.from({ length: 100 }, () => made.caller.call(made.spec({ ...made.soon(), reads: true })));
    const ended = await made.clock.run(Promise.allSettled(calls));
    expect(made.asked).toEqual(['work']);
    const reasons = ended.map((one) => (one.status === 'rejected' ? one.reason.reason : 'ok'));
    expect(reasons.filter((reason) => reason === 'circuit_open')).toHaveLength(99);
  });

  test.each([
    ['the method’s declared read', { probe: { method: 'state', params: { of: 'p1' } } }, ['state', 'work']],
    ['health, where none is declared', {}, ['health', 'work']],
    ['the call itself, where it reads', { reads: true }, ['work']],
  ])('a probe is %s; what answers closes it, for the call that probed too', async (_what, more, asked) => {
    const made = await bench();
    await made.open(more);
    made.worker.well = true;
    await made.clock.advance(10_001);
    await made.call({ ...made.soon(), ...more });
    expect(made.asked).toEqual(asked);
    await made.call(made.soon());
    await made.clock.advance(5);
    expect(made.changes.map((change) => (change as string[])[1])).toEqual(['open', 'half_open', 'closed']);
  });

  test('a probe that fails re-opens it for ten seconds; then the next probes, and never the last', async () => {
    const made = await bench();
    await made.open();
    made.worker.probesWell = false;
    for (let round = 0; round < 3; round++) {
      await made.clock.advance(10_001);
      made.asked.length = 0;
      expect((await made.fails(made.soon())).reason).toBe('circuit_open');
      expect((await made.fails(made.soon())).reason).toBe('circuit_open');
      expect(made.asked).toEqual(['health']);
    }
    Object.assign(made.worker, { well: true, probesWell: true });
    await made.clock.advance(10_001);
    await made.call(made.soon());
  });

  test('another method, another key and another callee have circuits of their own', async () => {
    const made = await bench();
    await made.serve('other_v1.0', async () => 'fine');
    await made.open({ key: 'p1' });
    expect((await made.fails({ ...made.soon(), key: 'p1' })).reason).toBe('circuit_open');
    made.worker.well = true;
    await made.call({ ...made.soon(), key: 'p2' });
    await made.call({ ...made.soon(), key: 'p1', method: 'state' });
    await made.call({ ...made.soon(), key: 'p1', callee: 'other_v1.0' });
  });

  test('an impatient caller does not open it: less than the method’s time-out says nothing', async () => {
    const made = await bench();
    made.worker.well = false;
    for (let n = 0; n < 5; n++) await made.fails({ ...made.soon(), deadlineAt: made.clock.now() + TIMEOUT - 1 });
    made.worker.well = true;
    await made.call(made.soon());
  });

  test('an answer is an answer: refusals and failures of a tool do not open it', async () => {
    const made = callBench();
    await made.serve('worker_v1.0', async () => {
      throw new HermesError('tool_failed', 'no');
    });
    for (let n = 0; n < 6; n++) expect((await made.fails()).reason).toBe('tool_failed');
  });

  test('calls are counted after their retries; R7: an open circuit stops further attempts', async () => {
    const made = await bench();
    made.worker.well = false;
    const retry = { max_attempts: 4, initial_backoff_ms: 1_000, max_backoff_ms: 1_000, backoff_factor: 1 };
    const patient = made.caller.call(made.spec({ timeoutMs: TIMEOUT, retry, deadlineAt: made.clock.now() + 30_000 }));
    patient.catch(() => undefined);
    await made.clock.advance(TIMEOUT - 50);
    const calls = Array.from({ length: 3 }, () => made.caller.call(made.spec(made.soon())));
    await made.clock.run(Promise.allSettled(calls));
    const asked = made.asked.length;
    const error = await made.clock.run(patient).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ reason: 'deadline', data: { outcome: 'unknown' } });
    expect(made.asked.length - asked).toBeLessThanOrEqual(1);
  });

  test('a foreign agent.degraded only makes the next call probe first; nothing is refused on its word', async () => {
    const made = await bench();
    await made.call(made.soon());
    const event = {
      mcp_version: '1.2',
      event_id: 'e1',
      topic: 'agent.degraded',
      source: 'worker',
      tenant: 'default',
      data: {},
      at: 0,
    };
    made.hand.bus.publish('hermes.default.event.worker.agent.degraded', encodeMessage(event));
    await made.clock.advance(5);
    made.asked.length = 0;
    const calls = Array.from({ length: 5 }, () => made.caller.call(made.spec(made.soon())));
    await made.clock.run(Promise.all(calls));
    expect(made.asked.filter((method) => method === 'health')).toHaveLength(1);
    expect(made.asked.filter((method) => method === 'work')).toHaveLength(5);
  });
});

describe('the retry budget', () => {
  test('of a callee that answers nobody, retries are at most half the calls and a hundred', async () => {
    const made = callBench();
    let asked = 0;
    await made.serve('worker_v1.0', async () => {
      asked++;
      throw new HermesError('log_unavailable', 'away');
    });
    const calls = Array.from({ length: 400 }, () =>
      made.caller.call(made.spec({ retry: { max_attempts: 10, initial_backoff_ms: 1 } })).catch(() => undefined),
    );
    await made.clock.run(Promise.all(calls));
    expect(asked).toBeGreaterThan(400);
    expect(asked).toBeLessThanOrEqual(400 + 200 + 100);
  });

  test('R1: one layer retries: a call through two components reaches the last at most max_attempts times', async () => {
    const made = callBench();
    let writes = 0;
    const seen: number[] = [];
    await made.serve('device_v1.0', async ({ request }) => {
      writes++;
      seen.push(request.attempt);
      throw new HermesError('log_unavailable', 'away');
    });
    const inner = made.callerOf('worker_v1.0');
    await made.serve('worker_v1.0', ({ request }) =>
      inner.call({
        callee: 'device_v1.0',
        method: 'write',
        params: {},
        chain: request.chain,
        deadlineAt: request.deadline_unix_ms,
        retry: { max_attempts: 1 },
      }),
    );
    await made.fails({ retry: { max_attempts: 4, initial_backoff_ms: 10 } });
    expect(writes).toBe(4);
    expect(new Set(seen)).toEqual(new Set([1]));
  });
});
