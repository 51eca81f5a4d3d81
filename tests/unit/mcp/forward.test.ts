import { describe, expect, test } from 'vitest';
import { encodeMessage } from '../../../mcp/index.js';
import { HermesError } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import { callBench } from '../../support/call-bench.js';

/** Two instances that agree on who owns key `b` (worker-b) and key `a` (worker-a). */
async function pair(owner: (asked: string, key: string) => string | undefined = (_asked, key) => `worker-${key}`) {
  const made = callBench();
  const served: { by: string; via: readonly string[]; caller: string }[] = [];
  const endpoints = new Map<string, Awaited<ReturnType<typeof made.serveAs>>['endpoint']>();
  for (const name of ['a', 'b']) {
    const instance = `worker-${name}`;
    const { endpoint } = await made.serveAs(
      'worker_v1.0',
      instance,
      async ({ request }) => {
        served.push({ by: instance, via: request.via, caller: request.caller });
        return instance;
      },
      {
        allow: { work: ['coordinator', 'tester'] },
        ownerOf: ({ params }) => (typeof params.key === 'string' ? owner(instance, params.key) : undefined),
      },
    );
    endpoints.set(name, endpoint);
  }
  const direct = (to: string, from: string) => `hermes.default.direct.worker.worker-${to}.${from}`;
  return { ...made, served, endpoints, direct };
}

describe('a call for what another instance owns', () => {
  test('is served by the owner, whoever is asked, and the next one goes to the owner itself', async () => {
    const made = await pair();
    for (const key of ['a', 'b', 'a', 'b']) {
      const { response, attempts } = await made.call({ params: { key }, key });
      expect(response).toMatchObject({ result: `worker-${key}`, served_by: `worker-${key}` });
      expect(attempts).toBe(1);
    }
    for (const { caller } of made.served) expect(caller).toBe('coordinator_v1.0');
    expect(made.served.slice(2).every(({ via }) => via.length === 0)).toBe(true);
  });

  test('takes no slot of the mailbox on its way', async () => {
    const made = await pair();
    const sent = LIMITS.mailboxSize * 2;
    for (let n = 0; n < sent; n++) {
      made.send(made.request({ params: { key: 'b' } }), { subject: made.direct('a', 'tester') });
    }
    await made.clock.advance(3);
    expect(made.endpoints.get('a')?.load).toEqual({ waiting: 0, running: 0 });
    await made.clock.advance(1_000);
    expect(made.heard).toHaveLength(sent);
  });

  test('is passed on once: a second time is owner_moved, not begun', async () => {
    const made = await pair((asked) => (asked === 'worker-a' ? 'worker-b' : 'worker-a'));
    const answer = await made.ask(made.request({ params: { key: 'x' } }), { subject: made.direct('a', 'tester') });
    expect(answer).toMatchObject({ served_by: 'worker-b', error: { data: { reason: 'owner_moved', started: false } } });
    expect(made.served).toEqual([]);
  });

  test('what ownerOf throws is the answer', async () => {
    const made = await pair(() => {
      throw new HermesError('not_ready', 'nobody owns it yet', { started: false });
    });
    const answer = await made.ask(made.request({ params: { key: 'a' } }));
    expect(answer?.error?.data).toMatchObject({ reason: 'not_ready', started: false });
  });

  test('in JSON it stays JSON, and unknown fields arrive', async () => {
    const made = await pair();
    const request = made.request({ params: { key: 'b' }, x_note: 'kept' });
    const spoken: Uint8Array[] = [];
    made.connect('spy').bus.subscribe(made.direct('b', 'worker'), ({ payload }) => void spoken.push(payload));
    await made.ask(encodeMessage(request, 'json'), { subject: made.direct('a', 'tester') });
    expect(JSON.parse(Buffer.from(spoken[0] as Uint8Array).toString())).toMatchObject({
      x_note: 'kept',
      via: ['worker-a'],
    });
    expect(made.heard[0]?.payload[0]).toBe(0x7b);
  });
});

describe('a message on the way between two instances', () => {
  test.each([
    ['without via', {}],
    ['with an empty via', { via: [] }],
    ['with a via that is no list', { via: 'worker-a' }],
  ])('%s is refused and goes to nobody', async (_what, more) => {
    const made = await pair();
    const answer = await made.ask(made.request(more), { subject: made.direct('b', 'worker') });
    expect(answer).toBeUndefined();
    expect(made.served).toEqual([]);
    expect(made.counted).toContainEqual({ name: 'mcpRejected', labels: { component: 'worker', reason: 'bad_caller' } });
  });

  test('is answered to the first caller only, whose right counts, not that of the one who passed it on', async () => {
    const made = await pair();
    const via = ['worker-a'];
    const subject = made.direct('b', 'worker');
    expect((await made.ask(made.request({ via }), { subject }))?.result).toBe('worker-b');
    const elsewhere = { subject, reply: 'hermes.default.reply.coordinator.nonce' };
    expect(await made.ask(made.request({ via }), elsewhere)).toBeUndefined();
    const stranger = { subject, reply: 'hermes.default.reply.stranger.nonce' };
    const refused = await made.ask(made.request({ via, caller: 'stranger_v1.0' }), stranger);
    expect(refused?.error?.data.reason).toBe('not_allowed');
  });

  test('that cannot be read is dropped, and the endpoint lives on', async () => {
    const made = await pair();
    expect(await made.ask(Uint8Array.from([0xc1]), { subject: made.direct('b', 'worker') })).toBeUndefined();
    expect((await made.ask(made.request()))?.result).toMatch(/^worker-/);
  });
});
