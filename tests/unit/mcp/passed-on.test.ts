import { describe, expect, test } from 'vitest';
import { encodeMessage } from '../../../mcp/index.js';
import type { Bus } from '../../../mcp/transport/index.js';
import { HermesError } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import { mcpBench, type ServeOptions } from '../../support/mcp-bench.js';

/** Who is asked, who owns it and dies with it, and who may own it then. */
async function three(options: { readonly wrap?: (bus: Bus) => Bus } = {}) {
  const made = mcpBench();
  const served: { by: string; via: readonly string[] }[] = [];
  let owner = 'worker-b';
  const serve = (instance: string, more: ServeOptions = {}) =>
    made.serveAs(
      'worker_v1.0',
      instance,
      ({ request }) => {
        served.push({ by: instance, via: request.via });
        return instance === 'worker-b' ? new Promise(() => undefined) : Promise.resolve(instance);
      },
      { ownerOf: () => owner, ...more },
    );
  const a = await serve('worker-a', options);
  const b = await serve('worker-b');
  const c = await serve('worker-c');
  const sent = made.request({ deadline_unix_ms: Math.round(made.clock.now()) + 30_000 });
  const subject = 'hermes.default.direct.worker.worker-a.tester';
  made.send(sent, { subject });
  await made.clock.advance(100);
  expect(served.map(({ by }) => by)).toEqual(['worker-b']);
  /** The owner dies, another takes its place; how long until that is known is the transport's. */
  const die = async (next: string, waitMs = LIMITS.livenessTtlMs * 2): Promise<void> => {
    b.crash();
    owner = next;
    await made.clock.advance(waitMs);
  };
  const cancelAs = (source: string): void =>
    made.hand.bus.publish(
      `hermes.default.event.${source}.call.cancel`,
      encodeMessage({ source, data: { request_id: sent.request_id } }),
    );
  const answer = () => made.heard.at(-1)?.message;
  return { ...made, a, c, sent, served, die, cancelAs, answer };
}

describe('a message that was passed on to an owner that dies', () => {
  test('is taken up again by who passed it on, however late the death is known', async () => {
    const made = await three();
    await made.die('worker-a');
    expect(made.answer()).toMatchObject({ result: 'worker-a', request_id: made.sent.request_id });
    expect(made.heard).toHaveLength(1);
  });

  test('goes on to the next owner, which hears that one died with it', async () => {
    const made = await three();
    await made.die('worker-c');
    expect(made.answer()).toMatchObject({ result: 'worker-c', served_by: 'worker-c' });
    expect(made.served.at(-1)?.via).toEqual(['worker-a', 'worker-b']);
  });

  test.each(['worker-a', 'worker-c'])(
    'and is refused by %s is unknown: nobody can say that it was not begun',
    async (next) => {
      const made = await three();
      (next === 'worker-a' ? made.a : made.c).endpoint.drain();
      await made.die(next);
      const { error } = made.answer() as { error: { data: Record<string, unknown> } };
      expect(error.data).toMatchObject({ reason: 'not_ready', outcome: 'unknown' });
      expect(error.data).not.toHaveProperty('started');
    },
  );

  test('and whose caller has cancelled it meanwhile is not taken up', async () => {
    const made = await three();
    made.cancelAs('tester');
    await made.die('worker-a');
    expect(made.served).toHaveLength(1);
    expect(made.heard).toEqual([]);
  });

  test('stays when a stranger cancels it', async () => {
    const made = await three();
    made.cancelAs('stranger');
    await made.die('worker-a');
    expect(made.served).toHaveLength(2);
  });

  test('is not taken up after its deadline', async () => {
    const made = await three();
    await made.clock.advance(30_000);
    await made.die('worker-a');
    expect(made.served).toHaveLength(1);
  });

  test('while the line is down is lost with a word in the log, not with an unhandled rejection', async () => {
    let down = false;
    const made = await three({
      wrap: (bus) => ({
        ...bus,
        subscribe: bus.subscribe.bind(bus),
        flush: bus.flush.bind(bus),
        close: bus.close.bind(bus),
        publish: (...what) => {
          if (down) throw new HermesError('not_ready', 'the broker is away');
          bus.publish(...what);
        },
      }),
    });
    down = true;
    await made.die('worker-a');
    expect(made.complaints.join('\n')).toContain('an answer could not be sent');
  });
});

test('who says himself that an owner died with his message is still refused for its age', async () => {
  const made = await three();
  const old = made.request({ via: ['x', 'y'], sent_at_unix_ms: Math.round(made.clock.now()) - 5_000 });
  const answer = await made.ask(old, { subject: 'hermes.default.direct.worker.worker-a.tester' });
  expect(answer?.error?.data).toMatchObject({ reason: 'stale_or_skewed', started: false });
});
