import type { Consumer, ConsumerMessages } from '@nats-io/jetstream';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { subjects } from '../../mcp/index.js';
import { initNatsStreams, openTransport } from '../../mcp/transport/index.js';
import type { Jet } from '../../mcp/transport/nats/jet.js';
import { type Line, openLine } from '../../mcp/transport/nats/line.js';
import { createNatsBus } from '../../mcp/transport/nats/nats-bus.js';
import { followStream } from '../../mcp/transport/nats/stream-feed.js';
import { systemClock } from '../../shared/clock.js';
import { systemRandom } from '../../shared/random.js';
import { silentLogger } from '../../shared/telemetry/logger.js';
import { type NatsServer, startNatsServer } from '../support/nats-server.js';
import { streamInfo } from '../support/nats-streams.js';
import { bytes, silentMetrics, text } from '../support/transport-harness.js';
import { natsOptions, untilTrue } from '../support/transport-nats.js';

const clock = systemClock();
const doors = { clock, random: systemRandom(), logger: silentLogger() };
let server: NatsServer;
beforeAll(async () => {
  server = await startNatsServer();
}, 40_000);
afterAll(() => server.close());

describe('the streams of a tenant', () => {
  test('are made once, with the figures that the contracts need', async () => {
    const names = await initNatsStreams({ url: server.url, tenant: 'made', ...doors });
    expect(names).toEqual(['HERMES_LOG_made', 'HERMES_HEADS_made', 'KV_HERMES_LIVE_made', 'HERMES_JOURNAL_made']);
    expect(await initNatsStreams({ url: server.url, tenant: 'made', ...doors })).toEqual(names);
    const [log, heads, live, journal] = await Promise.all(
      names.map(async (name) => (await streamInfo(server.url, name)).config),
    );
    const forEver = { storage: 'file', deny_delete: true, deny_purge: true };
    expect(log).toMatchObject({ subjects: ['hermes.made.log.>'], ...forEver });
    expect(heads).toMatchObject({ subjects: ['hermes.made.head.>'], ...forEver });
    expect((log?.duplicate_window ?? 0) / 1e6).toBeGreaterThanOrEqual(120_000);
    for (const config of [log, heads, live, journal]) expect(config?.allow_direct ?? false).toBe(false);
    expect(live).toMatchObject({ max_msgs_per_subject: 1, max_age: 10e9 });
    expect(journal).toMatchObject({ no_ack: true, max_bytes: 2 ** 31, max_age: 7 * 24 * 3_600e9 });
    expect(journal?.subjects).toEqual(subjects.journal('made'));
  }, 30_000);

  test('a log that any replica may answer for is refused', async () => {
    const connection = await connect({ servers: server.url });
    const manager = await jetstreamManager(connection);
    const stream = { name: 'HERMES_LOG_direct', subjects: ['hermes.direct.log.>'], allow_direct: true };
    await manager.streams.add(stream);
    await connection.close();
    const { options, cleanUp } = await natsOptions(server.url, { tenant: 'direct' });
    await expect(openTransport('nats', options)).rejects.toMatchObject({
      reason: 'log_unavailable',
      data: { suggestion: expect.stringContaining('--no-allow-direct') },
    });
    await cleanUp();
  }, 30_000);
});

test('a repeat of an append whose answer was lost is found by its id, also after the fast path forgot it', async () => {
  const { options, cleanUp } = await natsOptions(server.url, { tenant: 'repeat' });
  const transport = await openTransport('nats', options);
  const subject = subjects.log('repeat', 'plc', 'a');
  const append = (n: string, expectedLastSeq: number) =>
    transport.log.append(subject, bytes(n), { expectedLastSeq, messageId: n });
  const first = await append('1', 0);
  const second = await append('2', first.seq);
  await append('3', second.seq);
  const connection = await connect({ servers: server.url });
  const manager = await jetstreamManager(connection);
  // The window shrinks to nothing: only the comparison of ids is left.
  await manager.streams.update('HERMES_LOG_repeat', { duplicate_window: 100e6 });
  await clock.sleep(500);
  expect(await append('2', first.seq)).toEqual({ seq: second.seq, duplicate: true });
  await expect(
    transport.log.append(subject, bytes('x'), { expectedLastSeq: first.seq, messageId: 'x' }),
  ).rejects.toEqual(expect.objectContaining({ reason: 'version_conflict' }));
  await connection.close();
  await transport.close();
  await cleanUp();
}, 30_000);

describe('a consumer that stalls for good', () => {
  test('is replaced from the last record on, twice silent although behind', async () => {
    const opened: number[] = [];
    const faults: string[] = [];
    const stopped: (() => void)[] = [];
    /** Delivers three records from where it starts, then nothing more until it is stopped. */
    const consume = async (from: number): Promise<ConsumerMessages> => {
      opened.push(from);
      let wake = (): void => undefined;
      const silence = new Promise<void>((resolve) => {
        wake = resolve;
      });
      stopped.push(wake);
      async function* three() {
        for (let seq = from; seq < from + 3; seq++)
          yield { seq, subject: 's', data: bytes(String(seq)), time: new Date(0), headers: undefined };
        await silence;
      }
      return Object.assign(three(), { stop: wake }) as unknown as ConsumerMessages;
    };
    const get = async (_stream: string, { opt_start_seq }: { opt_start_seq: number }) =>
      ({ consume: () => consume(opt_start_seq), delete: async () => true }) as unknown as Consumer;
    const jet = { client: () => ({ consumers: { get } }) } as unknown as Jet;
    const line = { connected: true } as Line;
    const stop = new AbortController();
    const feed = followStream(
      { line, jet, clock, logger: silentLogger(), fault: (kind) => void faults.push(kind) },
      { stream: 'S', pattern: 's', from: 1, head: async () => 7, stop: stop.signal },
    );
    const seen: string[] = [];
    for await (const record of feed) {
      seen.push(text(record.payload));
      if (record.seq === 7) stop.abort();
    }
    for (const wake of stopped) wake();
    expect(seen).toEqual(['1', '2', '3', '4', '5', '6', '7']);
    expect(opened).toEqual([1, 4, 7]);
    expect(faults).toEqual(['stalled', 'stalled']);
  }, 20_000);
});

test('B5: a client that gave up is built anew, and every subscription comes back', async () => {
  const faults: string[] = [];
  const fault = (kind: string): void => void faults.push(kind);
  const line = await openLine({
    ...doors,
    ...{ name: 'calls', component: 'tester', url: server.url, inboxPrefix: '_INBOX.tester', fault },
  });
  const heard: string[] = [];
  const bus = createNatsBus({ line, logger: silentLogger(), metrics: silentMetrics(), fault });
  bus.subscribe('rebuilt.*', ({ payload }) => void heard.push(text(payload)));
  const gone = bus.subscribe('rebuilt.*', ({ payload }) => void heard.push(`gone ${text(payload)}`));
  gone.unsubscribe();
  await line.connection().close();
  await untilTrue(() => !line.connected);
  expect(() => line.connection()).toThrowError(expect.objectContaining({ reason: 'not_ready' }));
  await untilTrue(() => line.connected);
  bus.publish('rebuilt.x', bytes('back'));
  await untilTrue(() => heard.length > 0);
  await bus.flush();
  expect(heard).toEqual(['back']);
  expect(faults).toEqual(['disconnected', 'rebuilt']);
  await bus.close();
  await line.close();
}, 30_000);
