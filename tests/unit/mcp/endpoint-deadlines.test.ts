import { describe, expect, test } from 'vitest';
import { encodeMessage, type ServedCall } from '../../../mcp/index.js';
import { raceSignal } from '../../../shared/deadline.js';
import { mcpBench } from '../../support/mcp-bench.js';

async function worker(work: (call: ServedCall) => Promise<unknown>) {
  const bench = mcpBench();
  const endpoint = await bench.serve('worker_v1.0', work, { actorKey: () => 'one' });
  const cancel = (requestId: string, source = 'tester'): void => {
    const event = { mcp_version: '1.2', event_id: bench.ids.event(), topic: 'call.cancel', source, tenant: 'default' };
    bench.hand.bus.publish(
      `hermes.default.event.${source}.call.cancel`,
      encodeMessage({ ...event, data: { request_id: requestId }, at: 0 }),
    );
  };
  return { ...bench, endpoint, cancel };
}

/** Works for `ms` unless it is stopped. */
const busy = (bench: { clock: { sleep(ms: number, signal?: AbortSignal): Promise<void> } }, call: ServedCall) =>
  raceSignal(bench.clock.sleep(Number(call.request.params.ms ?? 0)), call.deadline.signal);

describe('deadlines at the callee', () => {
  test('a call that arrives after its deadline is answered at once, even behind a long queue', async () => {
    const bench = await worker((call) => busy(bench, call));
    bench.send(bench.request({ params: { ms: 4_000 } }));
    await bench.clock.advance(10);
    const late = bench.request({ deadline_unix_ms: Math.round(bench.clock.now()) - 1 });
    const answer = await bench.ask(late, { waitMs: 50 });
    expect(answer).toMatchObject({
      request_id: late.request_id,
      error: { data: { reason: 'deadline', started: false } },
    });
  });

  test('a call whose deadline passes in the queue never begins', async () => {
    let begun = 0;
    const bench = await worker(async (call) => {
      begun++;
      await busy(bench, call);
    });
    bench.send(bench.request({ params: { ms: 1_000 } }));
    const queued = bench.request({ deadline_unix_ms: Math.round(bench.clock.now()) + 500 });
    bench.send(queued);
    await bench.clock.advance(2_000);
    expect(begun).toBe(1);
    const answer = bench.heard.find(({ message }) => message.request_id === queued.request_id);
    expect(answer?.message.error).toMatchObject({ data: { reason: 'deadline', started: false } });
  });

  test('D2: the callee stops by its own timer when no cancel comes', async () => {
    const bench = await worker((call) => busy(bench, call));
    const answer = await bench.ask(
      bench.request({ params: { ms: 60_000 }, deadline_unix_ms: Math.round(bench.clock.now()) + 300 }),
      { waitMs: 400 },
    );
    expect(answer?.error?.data.reason).toBe('deadline');
    expect(bench.endpoint.load).toEqual({ waiting: 0, running: 0 });
  });
});

describe('cancel', () => {
  test('D4: a running call stops at the word of its caller, within a second', async () => {
    const bench = await worker((call) => busy(bench, call));
    const request = bench.request({ params: { ms: 4_000 }, chain: ['tester_v1.0'] });
    bench.send(request);
    await bench.clock.advance(100);
    bench.cancel(String(request.request_id));
    await bench.clock.advance(50);
    expect(bench.heard[0]?.message).toMatchObject({ error: { data: { reason: 'cancelled' } } });
  });

  test('a caller that names no chain may still take back its own call', async () => {
    const bench = await worker((call) => busy(bench, call));
    const request = bench.request({ params: { ms: 4_000 } });
    bench.send(request);
    await bench.clock.advance(100);
    bench.cancel(String(request.request_id));
    await bench.clock.advance(50);
    expect(bench.heard[0]?.message).toMatchObject({ error: { data: { reason: 'cancelled' } } });
  });

  test('a call that waits in the mailbox is cancelled too and never begins', async () => {
    const begun: unknown[] = [];
    const bench = await worker(async (call) => {
      begun.push(call.request.request_id);
      await busy(bench, call);
    });
    const first = bench.request({ params: { ms: 1_000 }, chain: ['tester_v1.0'] });
    const second = bench.request({ chain: ['tester_v1.0'] });
    bench.send(first);
    bench.send(second);
    await bench.clock.advance(100);
    bench.cancel(String(second.request_id));
    await bench.clock.advance(2_000);
    expect(begun).toEqual([first.request_id]);
    expect(bench.heard.map(({ message }) => message.request_id)).toContain(second.request_id);
  });

  test('a component outside the chain, or one that only claims to be in it, cancels nothing', async () => {
    const bench = await worker((call) => busy(bench, call));
    const request = bench.request({ params: { ms: 1_000 }, chain: ['tester_v1.0'] });
    bench.send(request);
    await bench.clock.advance(50);
    bench.cancel(String(request.request_id), 'stranger');
    const forged = { mcp_version: '1.2', event_id: 'e', topic: 'call.cancel', source: 'tester', tenant: 'default' };
    bench.hand.bus.publish(
      'hermes.default.event.stranger.call.cancel',
      encodeMessage({ ...forged, data: { request_id: request.request_id }, at: 0 }),
    );
    bench.hand.bus.publish('hermes.default.event.tester.call.cancel', Uint8Array.from([0xc1]));
    await bench.clock.advance(2_000);
    expect(bench.heard[0]?.message.error).toBeUndefined();
  });

  test('B13: two callers that use one request id do not cancel each other', async () => {
    const bench = mcpBench();
    await bench.serve('worker_v1.0', (call) => busy(bench, call));
    const same = { request_id: '1', params: { ms: 500 } };
    bench.send(bench.request({ ...same, chain: ['tester_v1.0'] }));
    bench.send(bench.request({ ...same, caller: 'other_v1.0', chain: ['other_v1.0'] }), {
      subject: 'hermes.default.call.worker.v1.other',
      reply: 'hermes.default.reply.other.nonce',
    });
    await bench.clock.advance(50);
    const event = { mcp_version: '1.2', event_id: 'e', topic: 'call.cancel', source: 'tester', tenant: 'default' };
    bench.hand.bus.publish(
      'hermes.default.event.tester.call.cancel',
      encodeMessage({ ...event, data: { request_id: '1' }, at: 0 }),
    );
    await bench.clock.advance(1_000);
    const of = (caller: string) => bench.heard.find(({ subject }) => subject.includes(`.reply.${caller}.`))?.message;
    expect(of('tester')?.error).toMatchObject({ data: { reason: 'cancelled' } });
    expect(of('other')?.error).toBeUndefined();
  });

  test('a cancel reaches each of two deliveries under one request id', async () => {
    const bench = mcpBench();
    await bench.serve('worker_v1.0', (call) => busy(bench, call));
    const request = bench.request({ params: { ms: 2_000 }, chain: ['tester_v1.0'] });
    bench.send(request);
    bench.send({ ...request, params: { ms: 100 } });
    await bench.clock.advance(500);
    const event = { mcp_version: '1.2', event_id: 'e', topic: 'call.cancel', source: 'tester', tenant: 'default' };
    bench.hand.bus.publish(
      'hermes.default.event.tester.call.cancel',
      encodeMessage({ ...event, data: { request_id: request.request_id }, at: 0 }),
    );
    await bench.clock.advance(50);
    expect(bench.heard.map(({ message }) => (message.error ? 'cancelled' : 'done'))).toEqual(['done', 'cancelled']);
  });
});

describe('stopping', () => {
  test('W1: what runs finishes, what waits runs, nothing new is taken, all is answered', async () => {
    const bench = await worker((call) => busy(bench, call));
    for (let n = 0; n < 3; n++) bench.send(bench.request({ params: { ms: 300 } }));
    await bench.clock.advance(20);
    const stopped = bench.endpoint.stop(5_000);
    bench.send(bench.request());
    await bench.clock.run(stopped);
    await bench.clock.advance(20);
    expect(bench.heard).toHaveLength(3);
    expect(bench.heard.every(({ message }) => message.error === undefined)).toBe(true);
  });

  test('W1: after its patience it cancels what runs and what waits, and is gone in time', async () => {
    const begun: unknown[] = [];
    const bench = await worker(async (call) => {
      begun.push(call.request.request_id);
      await busy(bench, call);
    });
    for (let n = 0; n < 5; n++) bench.send(bench.request({ params: { ms: 4_500 } }));
    await bench.clock.advance(20);
    const from = bench.clock.now();
    await bench.clock.run(bench.endpoint.stop(1_000));
    expect(bench.clock.now() - from).toBeLessThan(1_100);
    await bench.clock.advance(20);
    expect(begun).toHaveLength(1);
    expect(bench.heard).toHaveLength(5);
    for (const { message } of bench.heard) expect(message.error).toMatchObject({ data: { reason: 'not_ready' } });
  });

  test('W1: a method that will not listen holds up the stop no longer than twice the patience', async () => {
    const bench = await worker(() => bench.clock.sleep(600_000));
    bench.send(bench.request());
    await bench.clock.advance(20);
    const from = bench.clock.now();
    await bench.clock.run(bench.endpoint.stop(1_000));
    expect(bench.clock.now() - from).toBeLessThanOrEqual(2_100);
  });
});
