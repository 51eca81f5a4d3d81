import { afterAll, beforeAll, expect, test } from 'vitest';
import { subjects } from '../../mcp/index.js';
import { type LogRecord, openTransport, type Transport } from '../../mcp/transport/index.js';
import { systemClock } from '../../shared/clock.js';
import { HermesError } from '../../shared/errors.js';
import { type NatsServer, startNatsCluster } from '../support/nats-server.js';
import { leaderOf } from '../support/nats-streams.js';
import { bytes, collect, text } from '../support/transport-harness.js';
import { natsOptions, untilTrue } from '../support/transport-nats.js';

const TENANT = 'default';
const clock = systemClock();
/** An election takes four to seven seconds. */
const ELECTION_MS = 15_000;
const at = (scope: string): string => subjects.log(TENANT, 'cluster', scope);

let servers: readonly NatsServer[] = [];
let writer: Transport;
let reader: Transport;
const cleanUps: (() => Promise<void>)[] = [];

beforeAll(async () => {
  servers = await startNatsCluster();
  const url = servers.map((server) => server.url).join(',');
  const open = async (component: string): Promise<Transport> => {
    const { options, cleanUp } = await natsOptions(url, { component, replicas: 3, ttlMs: 5_000, renewMs: 1_000 });
    cleanUps.push(cleanUp);
    return openTransport('nats', options);
  };
  writer = await open('writer');
  reader = await open('reader');
}, 60_000);

afterAll(async () => {
  await Promise.all([writer?.close(), reader?.close()]);
  for (const cleanUp of cleanUps) await cleanUp();
  for (const server of servers) await server.close();
}, 60_000);

/** Appends until it is certain, under one message id, as the record does. */
async function appendForSure(subject: string, body: string, expectedLastSeq: number): Promise<number> {
  for (const until = clock.monotonic() + ELECTION_MS; ; ) {
    try {
      return (await writer.log.append(subject, bytes(body), { expectedLastSeq, messageId: body })).seq;
    } catch (thrown) {
      if (!(thrown instanceof HermesError) || thrown.reason !== 'log_unavailable') throw thrown;
      if (clock.monotonic() > until) throw thrown;
      await clock.sleep(50);
    }
  }
}

/** The whole subject, once no election is under way: a server that has come back may begin another one. */
async function readForSure(subject: string): Promise<LogRecord[]> {
  for (const until = clock.monotonic() + ELECTION_MS; ; ) {
    try {
      return await collect(reader.log.read(subject));
    } catch (thrown) {
      if (!(thrown instanceof HermesError) || thrown.reason !== 'log_unavailable') throw thrown;
      if (clock.monotonic() > until) throw thrown;
      await clock.sleep(50);
    }
  }
}

test('the log’s leader is killed twice: nothing is lost or doubled, no strong read is stale', async () => {
  const subject = at('twice');
  const acknowledged: number[] = [];
  const seen: string[] = [];
  const expired: string[] = [];
  const stale: string[] = [];
  reader.liveness.watch(({ kind, member }) => {
    if (kind === 'expired') expired.push(member.instance);
  });
  await writer.liveness.join({ component: 'writer', instance: 'w-1', version: '1.0', since: 1, state: 'ready' });
  const tail = reader.log.tail(subject, 1, (record) => void seen.push(text(record.payload)));

  let done = false;
  const gaps = { append: 0, read: 0 };
  const writing = (async () => {
    for (let n = 0; !done; n++) {
      const began = clock.monotonic();
      acknowledged.push(await appendForSure(subject, String(n), acknowledged.at(-1) ?? 0));
      gaps.append = Math.max(gaps.append, clock.monotonic() - began);
      await clock.sleep(2);
    }
  })();
  const reading = (async () => {
    while (!done) {
      const floor = acknowledged.at(-1) ?? 0;
      const began = clock.monotonic();
      const record = await reader.log.last(subject).catch((thrown: HermesError) => {
        if (thrown.reason !== 'log_unavailable') throw thrown;
        return 'unavailable' as const;
      });
      if (record === 'unavailable') gaps.read = Math.max(gaps.read, clock.monotonic() - began);
      else if ((record?.seq ?? 0) < floor) stale.push(`${record?.seq} < ${floor}`);
      await clock.sleep(3);
    }
  })();

  for (const round of [1, 2]) {
    const before = acknowledged.length;
    await untilTrue(() => acknowledged.length > before + 100, ELECTION_MS);
    const leader = await leaderOf(servers.map(({ url }) => url).join(','), `HERMES_LOG_${TENANT}`);
    const server = servers.find(({ name }) => name === leader);
    expect(server, `round ${round}: the stream has a leader`).toBeDefined();
    await server?.stop('SIGKILL');
    const after = acknowledged.length;
    await untilTrue(() => acknowledged.length > after + 100, 2 * ELECTION_MS);
    await server?.start();
  }
  done = true;
  await Promise.all([writing, reading]);
  const stored = await readForSure(subject);
  const numbers = Array.from({ length: acknowledged.length }, (_, n) => String(n));
  expect(stored.map((record) => text(record.payload))).toEqual(numbers);
  expect(stored.map((record) => record.seq)).toEqual(acknowledged);
  await untilTrue(() => seen.length === numbers.length, ELECTION_MS);
  await tail.stop();
  expect(seen).toEqual(numbers);
  expect(stale).toEqual([]);
  expect(expired).toEqual([]);
  expect(gaps.append, 'the writers wait for an election, no longer').toBeLessThan(ELECTION_MS);
}, 120_000);

test('of two writers with one expectation one goes through, again and again', async () => {
  const subject = at('race');
  const both: number[] = [];
  let last = await appendForSure(subject, 'first', 0);
  for (let round = 0; round < 200; round++) {
    const tries = [writer, reader].map(({ log }, n) =>
      log.append(subject, bytes(`${round}.${n}`), { expectedLastSeq: last, messageId: `race-${round}.${n}` }),
    );
    const ended = await Promise.allSettled(tries);
    const won = ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value.seq] : []));
    if (won.length !== 1) both.push(won.length);
    last = won[0] ?? last;
  }
  expect(both).toEqual([]);
  expect((await readForSure(subject)).length).toBe(201);
}, 60_000);
