import { describe, expect, test } from 'vitest';
import { decodeMessage, encodeMessage, type ServedCall } from '../../../mcp/index.js';
import { HermesError } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import { mcpBench } from '../../support/mcp-bench.js';

const REPLY = 'hermes.default.reply.tester.nonce';

async function worker(work: (call: ServedCall) => Promise<unknown> = async () => 'done', seed = 1) {
  const bench = mcpBench(seed);
  const endpoint = await bench.serve('worker_v1.2', work, {
    allow: { work: ['tester', 'coordinator'], health: ['*'] },
    maySpeakForPeople: ['coordinator'],
    actorKey: (request) => (typeof request.params.key === 'string' ? request.params.key : undefined),
  });
  return { ...bench, endpoint };
}

describe('who may speak', () => {
  test('a message that claims another caller than its subject is refused', async () => {
    const bench = await worker();
    const answer = await bench.ask(bench.request({ caller: 'coordinator_v1.0' }));
    expect(answer?.error?.data.reason).toBe('bad_caller');
    expect(answer?.error?.code).toBe(403);
  });

  test.each([
    ['another component’s prefix', 'hermes.default.reply.coordinator.nonce'],
    ['a call subject', 'hermes.default.call.worker.v1.worker'],
    ['an event', 'hermes.default.event.worker.alarm.raised'],
    ['another tenant', 'hermes.other.reply.tester.nonce'],
    ['a longer name', 'hermes.default.reply.tester2.nonce'],
  ])('a reply address under %s is never answered, whatever else is wrong', async (_what, reply) => {
    const bench = await worker();
    const spoken: string[] = [];
    bench.connect('spy').bus.subscribe('>', (message) => void spoken.push(message.subject));
    const mutants: (object | Uint8Array)[] = [
      bench.request(),
      bench.request({ mcp_version: '9.9' }),
      bench.request({ method: 7 }),
      bench.request({ caller: 'coordinator_v1.0' }),
      bench.request({ tenant: 'other' }),
      bench.request({ deadline_unix_ms: 0 }),
      Uint8Array.from([0xc1, 0x00]),
    ];
    for (const mutant of mutants) bench.send(mutant, { reply });
    await bench.clock.advance(100);
    const answers = spoken.filter((subject) => subject !== 'hermes.default.call.worker.v1.tester');
    expect(answers).toEqual([]);
    expect(bench.counted.filter(({ name }) => name === 'mcpRejected')).toHaveLength(mutants.length);
  });

  test('another tenant’s message is refused', async () => {
    const bench = await worker();
    expect((await bench.ask(bench.request({ tenant: 'other' })))?.error?.data.reason).toBe('wrong_tenant');
  });

  test('the allow-list is deny by default, by method', async () => {
    const bench = await worker();
    const ask = (caller: string, method: string) =>
      bench.ask(bench.request({ caller: `${caller}_v1.0`, method }), {
        subject: `hermes.default.call.worker.v1.${caller}`,
        reply: `hermes.default.reply.${caller}.nonce`,
      });
    expect((await ask('stranger', 'work'))?.error?.data.reason).toBe('not_allowed');
    expect((await ask('stranger', 'health'))?.result).toBe('done');
    expect((await ask('tester', 'other'))?.error?.data.reason).toBe('not_allowed');
  });

  test('only who may speak for people sets a principal; others act as themselves', async () => {
    const seen: unknown[] = [];
    const bench = await worker(async ({ request }) => void seen.push(request.principal));
    const principal = { id: 'local_admin', roles: ['admin'] };
    await bench.ask(bench.request({ principal }));
    await bench.ask(bench.request({ principal, caller: 'coordinator_v1.0' }), {
      subject: 'hermes.default.call.worker.v1.coordinator',
      reply: 'hermes.default.reply.coordinator.nonce',
    });
    expect(seen).toEqual([{ id: 'component:tester', roles: [] }, principal]);
  });
});

describe('what is refused', () => {
  test.each([
    ['another component', { callee: 'other_v1.0' }, 'bad_version'],
    ['a higher minor', { callee: 'worker_v1.3' }, 'bad_version'],
    ['another major', { callee: 'worker_v2.0' }, 'bad_version'],
    ['an unknown protocol version (B17)', { mcp_version: '3.0' }, 'bad_version'],
    ['W7: its own name in the chain', { chain: ['worker_v1.0', 'tester_v1.0'] }, 'call_cycle'],
    ['too long a chain', { chain: Array.from({ length: 9 }, (_, n) => `c${n}_v1.0`) }, 'too_deep'],
    ['a broken chain', { chain: ['no component'] }, 'invalid_params'],
  ])('%s', async (_what, more, reason) => {
    const bench = await worker();
    const answer = await bench.ask(bench.request(more));
    expect(answer?.error?.data.reason).toBe(reason);
    expect(answer?.request_id).toMatch(/^hand-/);
  });

  test('a chain at the limit is served', async () => {
    const bench = await worker();
    const chain = Array.from({ length: LIMITS.chainDepth }, (_, n) => `c${n}_v1.0`);
    expect((await bench.ask(bench.request({ chain })))?.result).toBe('done');
  });

  test.each([-2_000, 2_000])('a message %d ms off by this clock is stale_or_skewed, with the clock', async (off) => {
    const bench = await worker();
    const answer = await bench.ask(bench.request({ sent_at_unix_ms: Math.round(bench.clock.now()) + off }));
    expect(answer?.error?.data).toMatchObject({ reason: 'stale_or_skewed', started: false });
    expect(Math.abs(Number(answer?.error?.data.now) - bench.clock.now())).toBeLessThan(100);
  });

  test('a known offset between the clocks is no skew, and moves the deadline with it', async () => {
    const left: number[] = [];
    const bench = await worker(async ({ deadline }) => void left.push(deadline.remainingMs()));
    const now = Math.round(bench.clock.now());
    const skewed = { sent_at_unix_ms: now - 60_000, deadline_unix_ms: now - 55_000, clock_offset_ms: 60_000 };
    expect((await bench.ask(bench.request(skewed)))?.error).toBeUndefined();
    expect(left[0]).toBeGreaterThan(4_900);
  });

  test('bytes that are no message get a 400 at a lawful address, one count, and the endpoint lives', async () => {
    const bench = await worker();
    const answer = await bench.ask(Uint8Array.from([0xc1]));
    expect(answer?.error?.code).toBe(400);
    expect(bench.counted).toContainEqual({
      name: 'mcpRejected',
      labels: { component: 'worker', reason: 'invalid_params' },
    });
    expect((await bench.ask(bench.request()))?.result).toBe('done');
  });
});

describe('what is answered', () => {
  test('JSON is answered in JSON, MessagePack in MessagePack', async () => {
    const bench = await worker();
    await bench.ask(encodeMessage(bench.request(), 'json'));
    await bench.ask(bench.request());
    expect(bench.heard.map(({ payload }) => decodeMessage(payload).format)).toEqual(['json', 'msgpack']);
  });

  test('B14: a method that throws, at once or later, answers 500 and the endpoint lives on', async () => {
    const bench = await worker(({ request }) => {
      if (request.params.how === 'now') throw new TypeError('broken');
      if (request.params.how === 'later') return Promise.reject(new TypeError('broken'));
      if (request.params.how === 'string') return Promise.reject('a string');
      return Promise.resolve('fine');
    });
    for (const how of ['now', 'later', 'string']) {
      const answer = await bench.ask(bench.request({ params: { how } }));
      expect(answer?.error, how).toMatchObject({ code: 500, data: { reason: 'internal' } });
    }
    expect((await bench.ask(bench.request()))?.result).toBe('fine');
  });

  test.each([
    ['a cycle', () => Object.assign({}, { self: undefined as unknown })],
    ['a function', () => ({ f: () => 1 })],
    ['more than a message holds', () => 'x'.repeat(LIMITS.messageBytes)],
    ['a symbol', () => ({ s: Symbol('s') })],
  ])('a result that cannot be sent (%s) is bad_output', async (what, make) => {
    const bench = await worker(async () => {
      const value = make();
      if (what === 'a cycle') (value as { self: unknown }).self = value;
      return value;
    });
    const answer = await bench.ask(bench.request());
    expect(answer?.error?.data.reason).toBe('bad_output');
    expect(bench.endpoint.load).toEqual({ waiting: 0, running: 0 });
  });

  test('an error that cannot be sent is an answer too', async () => {
    const bench = await worker(async () => {
      throw new HermesError('tool_failed', 'too much', { dump: 'x'.repeat(LIMITS.messageBytes) });
    });
    expect((await bench.ask(bench.request()))?.error?.code).toBe(500);
  });

  test('B14: of a thousand requests of every kind each gets exactly one answer', async () => {
    const bench = await worker(async ({ request }) => {
      if (request.params.n === 3) throw new Error('broken');
      return request.params.n;
    });
    const ids: string[] = [];
    for (let n = 0; n < 1_000; n++) {
      const more = [{}, { method: 'other' }, { callee: 'worker_v9.0' }, { deadline_unix_ms: 1 }, {}][n % 5];
      const request = bench.request({ params: { n: n % 7 }, ...more });
      ids.push(String(request.request_id));
      bench.send(request);
      if (n % 50 === 0) await bench.clock.advance(5);
    }
    await bench.clock.advance(1_000);
    const answered = bench.heard.map(({ message }) => String(message.request_id));
    expect(answered.sort()).toEqual(ids.sort());
    expect(bench.heard.every(({ subject }) => subject === REPLY)).toBe(true);
  });

  test('a full mailbox says overloaded at once, with nothing begun, and drains', async () => {
    const bench = await worker(() => bench.clock.sleep(1_000));
    const total = LIMITS.mailboxSize + LIMITS.mailboxConcurrency + 10;
    for (let n = 0; n < total; n++) bench.send(bench.request());
    await bench.clock.advance(100);
    expect(bench.heard).toHaveLength(10);
    for (const { message } of bench.heard) {
      expect(message.error).toMatchObject({ code: 408, data: { reason: 'overloaded', started: false } });
    }
    await bench.clock.advance(20_000);
    expect(bench.heard).toHaveLength(total);
    expect(bench.endpoint.load).toEqual({ waiting: 0, running: 0 });
  });

  test('calls of one key run in order one at a time, other keys beside them', async () => {
    const log: string[] = [];
    const bench = await worker(async ({ request }) => {
      const { key, n } = request.params;
      log.push(`+${key}${n}`);
      await bench.clock.sleep(100);
      log.push(`-${key}${n}`);
    });
    for (const [key, n] of [
      ['a', 1],
      ['a', 2],
      ['b', 1],
      ['a', 3],
      ['b', 2],
    ] as const) {
      bench.send(bench.request({ params: { key, n } }));
    }
    await bench.clock.advance(1_000);
    const of = (key: string) => log.filter((line) => line[1] === key).join(' ');
    expect(of('a')).toBe('+a1 -a1 +a2 -a2 +a3 -a3');
    expect(of('b')).toBe('+b1 -b1 +b2 -b2');
    expect(log.indexOf('+b1')).toBeLessThan(log.indexOf('-a1'));
  });
});
