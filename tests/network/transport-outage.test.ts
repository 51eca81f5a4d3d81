import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { subjects } from '../../mcp/index.js';
import { openTransport, type Transport } from '../../mcp/transport/index.js';
import { systemClock } from '../../shared/clock.js';
import { HermesError } from '../../shared/errors.js';
import { type NatsServer, startNatsServer } from '../support/nats-server.js';
import { bytes, recordingLogger, text } from '../support/transport-harness.js';
import { natsOptions, untilTrue } from '../support/transport-nats.js';

/** CI stops the broker for a few seconds; HERMES_OUTAGE_MS=30000 is the acceptance figure. */
const OUTAGE_MS = Number(process.env.HERMES_OUTAGE_MS ?? 6_000);
/** Reconnecting waits at most 10 s between two tries. */
const BACK_MS = 20_000;
const clock = systemClock();
const at = (scope: string): string => subjects.log('default', 'outage', scope);

let server: NatsServer;
let transport: Transport;
let cleanUp: () => Promise<void>;
let counted: string[];
let complaints: string[];
let unhandled: unknown[];
const note = (reason: unknown): void => void unhandled.push(reason);

beforeEach(async () => {
  counted = [];
  complaints = [];
  unhandled = [];
  process.on('unhandledRejection', note);
  server = await startNatsServer();
  const made = await natsOptions(server.url, {
    logger: recordingLogger(complaints),
    metrics: {
      count: (metric, labels) => void (metric === 'busFaults' && counted.push(`${labels?.connection} ${labels?.kind}`)),
      measure: () => undefined,
    },
  });
  cleanUp = made.cleanUp;
  transport = await openTransport('nats', made.options);
}, 40_000);

afterEach(async () => {
  await transport.close();
  await cleanUp();
  await server.close();
  process.off('unhandledRejection', note);
}, 40_000);

describe('a broker that is stopped under load and started again', () => {
  test(
    'B3 B5 B6 B9: everything comes back, nothing is lost that was acknowledged, nothing is left unhandled',
    async () => {
      const heard = new Set<string>();
      const seen: string[] = [];
      const acknowledged = new Map<number, string>();
      const refused = new Set<string>();
      transport.bus.subscribe('outage.*', ({ payload }) => void heard.add(text(payload)));
      transport.bus.subscribe('outage.*', () => void 0, { queue: 'group' });
      const tail = transport.log.tail(at('>'), 1, (record) => void seen.push(text(record.payload)));
      const member = { component: 'tester', instance: 'tester-a', version: '1.0', since: 1, state: 'ready' } as const;
      const membership = await transport.liveness.join(member);
      const lost: string[] = [];
      transport.liveness.watch(({ kind }) => void lost.push(kind));

      let done = false;
      const publishing = repeat(
        () => done,
        async (n) => transport.bus.publish('outage.x', bytes(String(n))),
        refused,
      );
      const appending = repeat(
        () => done,
        async (n) => {
          const { seq } = await transport.log.append(at('lane'), bytes(String(n)), { messageId: `m${n}` });
          acknowledged.set(seq, String(n));
        },
        refused,
      );
      await untilTrue(() => heard.size > 50 && acknowledged.size > 50);
      const heapBefore = heap();
      await server.stop('SIGTERM');
      await untilTrue(() => !transport.connected);
      await clock.sleep(OUTAGE_MS);
      expect(refused).toContain('not_ready');
      expect(refused).toContain('log_unavailable');
      const heapAway = heap();
      await server.start();
      await untilTrue(() => transport.connected, BACK_MS);
      const [heardThen, acknowledgedThen] = [heard.size, acknowledged.size];
      await untilTrue(() => heard.size > heardThen + 50 && acknowledged.size > acknowledgedThen + 50, BACK_MS);
      done = true;
      await Promise.all([publishing, appending]);

      const last = [...acknowledged.values()].at(-1) ?? '';
      await untilTrue(() => seen.includes(last), BACK_MS);
      await tail.stop();
      for (const body of acknowledged.values()) expect(seen).toContain(body);
      expect(new Set(seen).size).toBe(seen.length);
      expect(transport.liveness.members('tester').length).toBe(1);
      await untilTrue(() => membership.renewedAgoMs() < 1_000);
      expect(lost).toEqual([]);
      expect(unhandled).toEqual([]);
      expect(counted).toContain('calls disconnected');
      expect(counted).toContain('jetstream disconnected');
      expect(counted).toContain('liveness disconnected');
      expect(heapAway - heapBefore, 'nothing piles up while the broker is away').toBeLessThan(24 * 1_048_576);
    },
    OUTAGE_MS + 60_000,
  );

  test('B1 B2: what is published while the broker is away fails at once and does not arrive later', async () => {
    const heard: string[] = [];
    transport.bus.subscribe('x', ({ payload }) => void heard.push(text(payload)));
    // Each connection notices by itself.
    const lost = (line: string): number => counted.filter((one) => one === `${line} disconnected`).length;
    const before = { calls: lost('calls'), jetstream: lost('jetstream') };
    await server.stop('SIGKILL');
    await untilTrue(() => lost('calls') > before.calls && lost('jetstream') > before.jetstream);
    const began = clock.monotonic();
    expect(() => transport.bus.publish('x', bytes('away'))).toThrowError(
      expect.objectContaining({ reason: 'not_ready', retryable: true }),
    );
    await expect(transport.log.append(at('a'), bytes('away'))).rejects.toMatchObject({
      reason: 'log_unavailable',
      data: { unknown: false },
    });
    await expect(transport.log.last(at('a'))).rejects.toMatchObject({ reason: 'log_unavailable' });
    expect(clock.monotonic() - began).toBeLessThan(500);
    await transport.bus.flush();
    await server.start();
    await untilTrue(() => transport.connected, BACK_MS);
    transport.bus.publish('x', bytes('back'));
    await untilTrue(() => heard.length > 0);
    expect(heard).toEqual(['back']);
    expect(counted).toContain('calls unsent');
    expect(await transport.log.last(at('a'))).toBeUndefined();
  }, 40_000);

  test('a subscription made while the broker is away is there when it comes back', async () => {
    const heard: string[] = [];
    await server.stop('SIGKILL');
    await untilTrue(() => !transport.connected);
    transport.bus.subscribe('late', ({ payload }) => void heard.push(text(payload)));
    await server.start();
    await untilTrue(() => transport.connected, BACK_MS);
    transport.bus.publish('late', bytes('x'));
    await untilTrue(() => heard.length === 1);
  }, 40_000);

  test('a transport is closed in seconds although the broker is away', async () => {
    await transport.liveness.join({ component: 'c', instance: 'c-1', version: '1.0', since: 1, state: 'ready' });
    await server.stop('SIGKILL');
    await untilTrue(() => !transport.connected);
    const began = clock.monotonic();
    await transport.close();
    expect(clock.monotonic() - began).toBeLessThan(8_000);
    expect(unhandled).toEqual([]);
  }, 40_000);
});

test('B6: handlers that throw end no subscription, and the connection lives on', async () => {
  const heard: string[] = [];
  transport.bus.subscribe('bad', () => {
    throw new Error('sync');
  });
  transport.bus.subscribe('bad', async () => Promise.reject(new Error('async')));
  transport.bus.subscribe('good', ({ payload }) => void heard.push(text(payload)));
  for (let n = 0; n < 20; n++) {
    transport.bus.publish('bad', bytes('x'));
    transport.bus.publish('good', bytes(String(n)));
  }
  await untilTrue(() => heard.length === 20);
  await untilTrue(() => complaints.filter((line) => line === 'a subscription handler failed').length === 40);
  expect(transport.connected).toBe(true);
  expect(unhandled).toEqual([]);
});

test('nobody at the address: opening fails in seconds and says what to do', async () => {
  const { options, cleanUp: remove } = await natsOptions('nats://127.0.0.1:1', {});
  await expect(openTransport('nats', options)).rejects.toMatchObject({
    reason: 'log_unavailable',
    data: { suggestion: expect.stringContaining('nats-server') },
  });
  await remove();
}, 30_000);

/** Does it again and again; what fails with a reason that may be retried is noted, everything else is thrown. */
async function repeat(isDone: () => boolean, work: (n: number) => Promise<void>, refused: Set<string>): Promise<void> {
  for (let n = 0; !isDone(); n++) {
    try {
      await work(n);
    } catch (thrown) {
      if (!(thrown instanceof HermesError) || !thrown.retryable) throw thrown;
      refused.add(thrown.reason);
    }
    await clock.sleep(2);
  }
}

const heap = (): number => process.memoryUsage().heapUsed;
