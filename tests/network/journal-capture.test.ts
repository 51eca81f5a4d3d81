import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeMessage, openJournal, subjects } from '../../mcp/index.js';
import { openTransport, type Transport } from '../../mcp/transport/index.js';
import { systemClock } from '../../shared/clock.js';
import { type NatsServer, startNatsServer } from '../support/nats-server.js';
import { streamInfo } from '../support/nats-streams.js';
import { recordingLogger } from '../support/transport-harness.js';
import { natsOptions } from '../support/transport-nats.js';

const bare = { seal: (bytes: Uint8Array) => bytes, open: (bytes: Uint8Array) => bytes };
const clock = systemClock();
const STREAM = 'HERMES_JOURNAL_default';

let server: NatsServer;
let plc: Transport;
let journalTransport: Transport;
const cleanUps: (() => Promise<void>)[] = [];

const open = async (component: string): Promise<Transport> => {
  const { options, cleanUp } = await natsOptions(server.url, { component });
  cleanUps.push(cleanUp);
  return openTransport('nats', options);
};

beforeAll(async () => {
  server = await startNatsServer();
  plc = await open('plc');
  journalTransport = await open('journal');
}, 40_000);
afterAll(async () => {
  await plc.close();
  await journalTransport.close();
  for (const cleanUp of cleanUps) await cleanUp();
  await server.close();
}, 40_000);

const say = (n: number): void => {
  const reply = subjects.reply('default', 'plc', 'nonce');
  const message = encodeMessage({ jsonrpc: '2.0', request_id: `r-${n}`, goal_id: 'g-1', params: { n } });
  plc.bus.publish(subjects.call('default', 'hvac', 1, 'plc'), message, { reply });
  plc.bus.publish(reply, encodeMessage({ jsonrpc: '2.0', request_id: `r-${n}`, result: { n } }));
  plc.bus.publish(subjects.beat('default', 'plc'), encodeMessage({ load: n }));
};

test('what was said while the journal was away is in it, once, and it goes on after a restart', async () => {
  const store = await journalTransport.openStore('journal');
  const deps = { capture: journalTransport.capture, store, sealer: bare, clock, logger: recordingLogger([]) };
  const journal = () => openJournal(deps, { tenant: 'default', maxEntries: 10_000 });
  const kinds = async (opened: Awaited<ReturnType<typeof journal>>): Promise<string[]> =>
    (await opened.query({})).map(({ kind, request_id }) => `${kind} ${request_id}`);
  const until = async (opened: Awaited<ReturnType<typeof journal>>, count: number): Promise<void> => {
    for (const end = clock.monotonic() + 15_000; (await kinds(opened)).length < count; await clock.sleep(10)) {
      if (clock.monotonic() > end) throw new Error(`${(await kinds(opened)).length} of ${count} entries`);
    }
  };

  let opened = await journal();
  for (let there = false; !there; await clock.sleep(20))
    there = await streamInfo(server.url, STREAM).then(
      () => true,
      () => false,
    );
  say(1);
  await until(opened, 2);
  await opened.close();
  for (let n = 2; n <= 100; n++) say(n);
  await plc.bus.flush();
  opened = await journal();
  await until(opened, 200);
  const expected = Array.from({ length: 100 }, (_, n) => [`call r-${n + 1}`, `reply r-${n + 1}`]).flat();
  expect(await kinds(opened)).toEqual(expected);
  expect(opened.gaps).toBe(0);
  const [call, reply] = await opened.query({ request_id: 'r-50' });
  expect(call).toMatchObject({ kind: 'call', goal_id: 'g-1', message: { params: { n: 50 } } });
  expect(reply).toMatchObject({ kind: 'reply', goal_id: 'g-1', message: { result: { n: 50 } } });
  expect(Math.abs((call?.at ?? 0) - clock.now())).toBeLessThan(60_000);
  await opened.close();
}, 60_000);

test('a requester gets the true answer only, and JetStream’s own talk is not captured', async () => {
  const before = (await streamInfo(server.url, STREAM)).state.last_seq;
  const answers: string[] = [];
  plc.bus.subscribe(subjects.reply('default', 'plc', 'own'), ({ subject }) => void answers.push(subject));
  await plc.bus.flush();
  for (let n = 0; n < 20; n++) await plc.log.append(subjects.log('default', 'plc', 's'), new Uint8Array([n]));
  await plc.log.last(subjects.log('default', 'plc', 's'));
  plc.bus.publish(subjects.call('default', 'nobody', 1, 'plc'), encodeMessage({ jsonrpc: '2.0' }), {
    reply: subjects.reply('default', 'plc', 'own'),
  });
  await plc.bus.flush();
  let after = before;
  for (const end = clock.monotonic() + 5_000; after <= before && clock.monotonic() < end; await clock.sleep(20))
    after = (await streamInfo(server.url, STREAM)).state.last_seq;
  expect(after).toBe(before + 1);
  expect(answers).toEqual([]);
}, 30_000);

test('messages that fell out of the capture before they were read are counted as a gap', async () => {
  const store = await journalTransport.openStore('gapped');
  const number = (n: number): Uint8Array => new TextEncoder().encode(String(n));
  await store.batch([{ type: 'put', key: 'c/captured', value: number(5) }]);
  let follow: ((seq: number) => void) | undefined;
  const capture: Transport['capture'] = {
    follow(_patterns, afterSeq, handle) {
      expect(afterSeq).toBe(5);
      follow = (seq) => {
        const payload = encodeMessage({ jsonrpc: '2.0', request_id: `r-${seq}` });
        void handle({ subject: subjects.call('default', 'a', 1, 'b'), payload, at: 1, seq });
      };
      return { stop: async () => undefined };
    },
  };
  const journal = await openJournal(
    { capture, store, sealer: bare, clock, logger: recordingLogger([]) },
    { tenant: 'default', maxEntries: 10 },
  );
  follow?.(6);
  expect(journal.gaps).toBe(0);
  follow?.(10);
  expect(journal.gaps).toBe(3);
  await journal.flush();
  expect((await journal.query({})).map((entry) => entry.request_id)).toEqual(['r-6', 'r-10']);
  await journal.close();
});
