import { describe, expect, test } from 'vitest';
import { encodeMessage, type ServedCall } from '../../../mcp/index.js';
import { LIMITS } from '../../../shared/limits.js';
import { mcpBench } from '../../support/mcp-bench.js';

const GIVEN_UP_MS = LIMITS.rollbackTimeoutMs + LIMITS.stuckAfterMs;

/** A worker whose method `params.how: never` does not end, whatever its deadline says. */
async function worker(onStuck?: (key: string | undefined) => void) {
  const bench = mcpBench();
  const work = async ({ request }: ServedCall): Promise<unknown> => {
    if (request.params.how === 'never') await new Promise(() => undefined);
    if (typeof request.params.ms === 'number') await bench.clock.sleep(request.params.ms);
    return 'done';
  };
  const endpoint = await bench.serve('worker_v1.0', work, {
    actorKey: ({ params }) => (typeof params.key === 'string' ? params.key : undefined),
    ...(onStuck ? { onStuck } : {}),
  });
  const send = (params: Record<string, unknown>, ms = 1_000): unknown => {
    const request = bench.request({ params, deadline_unix_ms: Math.round(bench.clock.now()) + ms });
    bench.send(request);
    return request.request_id;
  };
  const answerTo = (id: unknown) => bench.heard.find(({ message }) => message.request_id === id)?.message;
  const cancel = (requestId: string): void => {
    const event = { mcp_version: '1.2', event_id: 'e', topic: 'call.cancel', source: 'tester', tenant: 'default' };
    bench.hand.bus.publish(
      'hermes.default.event.tester.call.cancel',
      encodeMessage({ ...event, data: { request_id: requestId }, at: 0 }),
    );
  };
  return { ...bench, endpoint, sendOn: send, answerTo, cancel };
}

describe('W9: a key behind a call that does not end', () => {
  test('W9: is freed; the call is answered as unknown, those behind it as overloaded with nothing begun', async () => {
    const told: unknown[] = [];
    const bench = await worker((key) => told.push(key));
    const stuck = bench.sendOn({ key: 'a', how: 'never' });
    const behind = [bench.sendOn({ key: 'a' }, 60_000), bench.sendOn({ key: 'a' }, 60_000)];
    await bench.clock.advance(1_000 + GIVEN_UP_MS - 50);
    expect([bench.answerTo(stuck), told]).toEqual([undefined, []]);
    await bench.clock.advance(100);
    expect(bench.answerTo(stuck)?.error).toMatchObject({
      code: 408,
      data: { reason: 'deadline', started: true, outcome: 'unknown', stuck: true },
    });
    for (const id of behind) {
      expect(bench.answerTo(id)?.error).toMatchObject({ code: 408, data: { reason: 'overloaded', started: false } });
    }
    expect(told).toEqual(['a']);
    expect(bench.counted.filter(({ name }) => name === 'mcpStuck')).toHaveLength(1);
    expect(bench.complaints.filter((line) => line === 'a call did not end and was given up')).toHaveLength(1);
    const next = await bench.ask(bench.request({ params: { key: 'a' } }));
    expect(next?.result).toBe('done');
    expect(bench.endpoint.load).toEqual({ waiting: 0, running: 0 });
  });

  test('W9: other keys go on all the while, however many calls ended waiting behind it', async () => {
    const bench = await worker();
    bench.sendOn({ key: 'a', how: 'never' });
    for (let n = 0; n < LIMITS.mailboxSize; n++) bench.sendOn({ key: 'a' }, 500);
    await bench.clock.advance(600);
    expect(bench.endpoint.load).toEqual({ waiting: 0, running: 1 });
    for (let n = 0; n < 12; n++) {
      const other = await bench.ask(bench.request({ params: { key: 'b' } }));
      expect(other?.result).toBe('done');
      await bench.clock.advance(1_000);
    }
  });

  test('W9: calls without a key that do not end give their places back', async () => {
    const bench = await worker();
    for (let n = 0; n < LIMITS.mailboxConcurrency; n++) bench.sendOn({ how: 'never' });
    const late = bench.sendOn({ key: 'b' }, 60_000);
    await bench.clock.advance(5_000);
    expect(bench.answerTo(late)).toBeUndefined();
    await bench.clock.advance(GIVEN_UP_MS);
    expect(bench.answerTo(late)?.result).toBe('done');
  });

  test('W9: one that is late but ends in its time for rollback is not given up', async () => {
    const bench = await worker();
    const slow = bench.sendOn({ key: 'a', ms: 1_000 + LIMITS.rollbackTimeoutMs });
    const behind = bench.sendOn({ key: 'a' }, 60_000);
    await bench.clock.advance(30_000);
    expect([bench.answerTo(slow)?.result, bench.answerTo(behind)?.result]).toEqual(['done', 'done']);
    expect(bench.counted.some(({ name }) => name === 'mcpStuck')).toBe(false);
  });

  test('W9: what ends after it was given up frees nothing twice and is not answered twice', async () => {
    const bench = await worker();
    const stuck = bench.sendOn({ key: 'a', ms: 20_000 });
    await bench.clock.advance(1_000 + GIVEN_UP_MS + 50);
    const order = [bench.sendOn({ key: 'a', ms: 15_000 }, 30_000), bench.sendOn({ key: 'a' }, 60_000)];
    await bench.clock.advance(12_000);
    expect(bench.endpoint.load).toEqual({ waiting: 1, running: 1 });
    await bench.clock.advance(10_000);
    const answers = bench.heard.map(({ message }) => message.request_id);
    expect(answers).toEqual([stuck, ...order]);
  });

  test('W9: a cancelled call that does not listen is given up too; an owner that throws changes nothing', async () => {
    const bench = await worker(() => {
      throw new Error('cannot restart');
    });
    const stuck = bench.sendOn({ key: 'a', how: 'never' }, 600_000);
    await bench.clock.advance(20);
    bench.cancel(String(stuck));
    await bench.clock.advance(GIVEN_UP_MS + 50);
    expect(bench.answerTo(stuck)?.error).toMatchObject({ data: { stuck: true } });
    expect((await bench.ask(bench.request({ params: { key: 'a' } })))?.result).toBe('done');
  });
});
