import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { subjects } from '../../mcp/index.js';
import { natsUser, type Transport } from '../../mcp/transport/index.js';
import { type NatsTenant, natsConfig } from '../../topology/index.js';
import { type IdentityBench, identityBench, type RawIdentity } from '../support/nats-identities.js';
import { bytes, collect, text } from '../support/transport-harness.js';
import { untilTrue } from '../support/transport-nats.js';

const tenantOf = (tenant: string): NatsTenant => ({
  tenant,
  members: [
    { name: 'plc', role: 'component' },
    { name: 'vision', role: 'component' },
    { name: 'coordinator', role: 'component' },
    { name: 'journal', role: 'journal' },
    { name: 'hermes_cli', role: 'caller' },
    { name: 'ops', role: 'ops' },
  ],
});
const TENANTS = [tenantOf('acme'), tenantOf('umbra')];

let bench: IdentityBench;
let plc: Transport;
let coordinator: Transport;
let rogue: RawIdentity;
let plcFaults: string[];

beforeAll(async () => {
  bench = await identityBench(TENANTS);
  const opened = await bench.open('acme', 'plc');
  plc = opened.transport;
  plcFaults = opened.faults;
  coordinator = (await bench.open('acme', 'coordinator')).transport;
  rogue = await bench.raw('acme', 'vision');
}, 60_000);
afterAll(() => bench.close(), 60_000);

/** Messages by subject, as the operator sees them. */
async function streamSubjects(subject: string): Promise<Readonly<Record<string, number>>> {
  const { connection } = await bench.raw('acme', 'ops');
  const manager = await jetstreamManager(connection, { checkAPI: false });
  return (await manager.streams.info('HERMES_LOG_acme', { subjects_filter: subject })).state.subjects ?? {};
}

describe('a whole call under least permissions', () => {
  test('a call goes to the queue group, is answered, captured, and nobody is refused anything', async () => {
    const captured: string[] = [];
    const journal = await bench.open('acme', 'journal');
    const following = journal.transport.capture.follow(
      subjects.journal('acme'),
      0,
      ({ subject }) => void captured.push(subject),
    );
    const answers: string[] = [];
    const reply = subjects.reply('acme', 'coordinator', 'nonce');
    coordinator.bus.subscribe(reply, ({ payload }) => void answers.push(text(payload)));
    const serve = (subject: string, queue?: string): void =>
      void plc.bus.subscribe(subject, (message) => plc.bus.publish(message.reply ?? '', bytes('done')), {
        ...(queue && { queue }),
      });
    serve(subjects.calls('acme', 'plc', 1), subjects.queue('plc', 1));
    serve(subjects.directs('acme', 'plc', 'plc-a'));
    await plc.bus.flush();
    coordinator.bus.publish(subjects.call('acme', 'plc', 1, 'coordinator'), bytes('do'), { reply });
    coordinator.bus.publish(subjects.direct('acme', 'plc', 'plc-a', 'coordinator'), bytes('do'), { reply });
    await untilTrue(() => answers.length === 2);
    await untilTrue(() => captured.length === 4);
    await following.stop();
    expect(plcFaults).toEqual([]);
    expect(journal.faults).toEqual([]);
  }, 30_000);

  test('log, liveness, events and beats work', async () => {
    const seen: string[] = [];
    const events: string[] = [];
    const subject = subjects.log('acme', 'plc', 'device_W001');
    plc.log.tail(subjects.logOf('acme', 'plc'), 1, (record) => void seen.push(text(record.payload)));
    const { seq } = await plc.log.append(subject, bytes('one'), { expectedLastSeq: 0, messageId: 'm' });
    await expect(plc.log.append(subject, bytes('two'), { expectedLastSeq: 0 })).rejects.toMatchObject({
      data: { actual: seq },
    });
    await untilTrue(() => seen.length === 1);
    await plc.heads.append(subjects.head('acme', 'plc', 'device_W001'), bytes('head'));
    const [head] = await collect(coordinator.heads.read(subjects.headsOf('acme', 'plc')));
    expect(text(head?.payload ?? bytes(''))).toBe('head');
    await coordinator.heads.append(subjects.countersigned('acme', 'coordinator', 'plc', 'device_W001'), bytes('seen'));
    const countersigned = collect(plc.heads.read(subjects.countersignaturesOf('acme', 'plc', 'device_W001')));
    expect((await countersigned).map(({ payload }) => text(payload))).toEqual(['seen']);
    coordinator.bus.subscribe('hermes.acme.event.*.alarm.raised', ({ payload }) => void events.push(text(payload)));
    coordinator.bus.subscribe('hermes.acme.beat.*', ({ payload }) => void events.push(text(payload)));
    await coordinator.bus.flush();
    plc.bus.publish(subjects.event('acme', 'plc', 'alarm.raised'), bytes('alarm'));
    plc.bus.publish('hermes.acme.beat.plc', bytes('load'));
    await untilTrue(() => events.length === 2);
    const member = { component: 'plc', instance: 'plc-a', version: '1.0', since: 1, state: 'ready' } as const;
    const joined = await plc.liveness.join(member);
    await untilTrue(() => coordinator.liveness.members('plc').length === 1);
    await joined.leave();
    await untilTrue(() => coordinator.liveness.members('plc').length === 0);
  }, 30_000);
});

describe('what the server refuses a component that has only its own seed', () => {
  const forged: readonly [string, string][] = [
    ['a call as another', 'hermes.acme.call.plc.v1.coordinator'],
    ['a direct message as another', 'hermes.acme.direct.plc.plc-a.coordinator'],
    ['an event of another', 'hermes.acme.event.plc.alarm.cleared'],
    ['a beat of another', 'hermes.acme.beat.plc'],
    ['a record of another', 'hermes.acme.log.plc.device_W001'],
    ['a life of another', '$KV.HERMES_LIVE_acme.live.plc.plc-a'],
    ['an answer of JetStream to another', '_INBOX.plc.x'],
    ['another tenant’s call', 'hermes.umbra.call.plc.v1.vision'],
    ['the log’s end', '$JS.API.STREAM.PURGE.HERMES_LOG_acme'],
    ['the log’s deletion', '$JS.API.STREAM.DELETE.HERMES_LOG_acme'],
    ['the heads’ end', '$JS.API.STREAM.PURGE.HERMES_HEADS_acme'],
    ['the heads’ deletion', '$JS.API.STREAM.DELETE.HERMES_HEADS_acme'],
    ['one head’s deletion', '$JS.API.STREAM.MSG.DELETE.HERMES_HEADS_acme'],
    ['a head in another’s name', 'hermes.acme.head.plc.device_X'],
    ['a countersignature in another’s name', 'hermes.acme.head.coordinator.plc.device_X'],
    ['a stream of its own', '$JS.API.STREAM.CREATE.MINE'],
    ['another’s records in order', '$JS.API.CONSUMER.CREATE.HERMES_LOG_acme.x.hermes.acme.log.plc.>'],
    ['all records in order', '$JS.API.CONSUMER.CREATE.HERMES_LOG_acme.x'],
    ['the journal', '$JS.API.CONSUMER.CREATE.HERMES_JOURNAL_acme.x'],
    ['a message of the journal', '$JS.API.STREAM.MSG.GET.HERMES_JOURNAL_acme'],
  ];
  test.each(forged)('publishing %s', async (_what, subject) => {
    const before = rogue.refused.length;
    rogue.connection.publish(subject, bytes('{}'));
    await rogue.connection.flush();
    await untilTrue(() => rogue.refused.length > before);
    expect(rogue.refused.at(-1)).toBe(`publish ${subject}`);
  });

  const overheard: readonly [string, string, string?][] = [
    ['another’s calls', 'hermes.acme.call.plc.v1.*', 'plc_v1'],
    ['another’s direct messages', 'hermes.acme.direct.plc.*.*'],
    ['another’s answers', 'hermes.acme.reply.coordinator.>'],
    ['own calls outside of the queue group', 'hermes.acme.call.vision.v1.*'],
    ['another’s inbox', '_INBOX.plc.>'],
    ['the operator’s inbox', '_INBOX.ops.>'],
    ['everything', '>'],
    ['the log', 'hermes.acme.log.>'],
  ];
  test.each(overheard)('hearing %s', async (_what, subject, queue) => {
    const before = rogue.refused.length;
    rogue.connection.subscribe(subject, { callback: () => undefined, ...(queue && { queue }) });
    await rogue.connection.flush();
    await untilTrue(() => rogue.refused.length > before);
    expect(rogue.refused.at(-1)).toBe(`subscription ${subject}`);
  });

  test('a seed of nobody', async () => {
    const stranger = bench.seeds.get('acme') as Map<string, string>;
    stranger.set('stranger', natsUser().seed);
    await expect(bench.open('acme', 'stranger')).rejects.toMatchObject({ reason: 'not_allowed' });
  });

  test('tenants on the same subjects do not hear each other', async () => {
    const heard: string[] = [];
    const other = await bench.raw('umbra', 'plc');
    other.connection.subscribe('hermes.umbra.event.>', { callback: (_e, m) => void heard.push(m.subject) });
    await other.connection.flush();
    const own = await bench.raw('acme', 'ops');
    own.connection.publish('hermes.umbra.event.plc.alarm.raised', bytes('x'));
    await own.connection.flush();
    const mine = await bench.raw('umbra', 'vision');
    mine.connection.publish('hermes.umbra.event.vision.alarm.raised', bytes('x'));
    await untilTrue(() => heard.length > 0);
    expect(heard).toEqual(['hermes.umbra.event.vision.alarm.raised']);
  });
});

describe('deputies that are not confused', () => {
  test('an answer cannot be sent as a call: no worker may publish where a forged reply points', async () => {
    const heard: string[] = [];
    const { transport, faults } = await bench.open('acme', 'plc');
    const visionCalls: string[] = [];
    const vision = (await bench.open('acme', 'vision')).transport;
    vision.bus.subscribe(subjects.calls('acme', 'vision', 1), ({ payload }) => void visionCalls.push(text(payload)), {
      queue: subjects.queue('vision', 1),
    });
    await vision.bus.flush();
    transport.bus.subscribe(subjects.directs('acme', 'plc', 'plc-b'), (message) => {
      heard.push(message.reply ?? '');
      if (message.reply) transport.bus.publish(message.reply, bytes('forged'));
    });
    await transport.bus.flush();
    const reply = subjects.call('acme', 'vision', 1, 'coordinator');
    rogue.connection.publish(subjects.direct('acme', 'plc', 'plc-b', 'vision'), bytes('{}'), { reply });
    await untilTrue(() => heard.length === 1);
    await untilTrue(() => faults.includes('permission_denied'));
    expect(heard).toEqual([reply]);
    expect(visionCalls).toEqual([]);
  }, 30_000);

  test('a stored message cannot be delivered as a call through a consumer', async () => {
    const calls: string[] = [];
    const { transport } = await bench.open('acme', 'plc');
    transport.bus.subscribe(subjects.directs('acme', 'plc', 'plc-c'), ({ subject }) => void calls.push(subject));
    await transport.bus.flush();
    const { connection } = rogue;
    const manager = await jetstreamManager(connection, { checkAPI: false });
    await jetstream(connection).publish(subjects.log('acme', 'vision', 'coordinator'), bytes('{"forged": true}'));
    const filter = subjects.logOf('acme', 'vision');
    await manager.consumers.add('HERMES_LOG_acme', { name: 'rogue', filter_subject: filter, ack_policy: 'none' });
    connection.publish('$JS.API.CONSUMER.MSG.NEXT.HERMES_LOG_acme.rogue', bytes('1'), {
      reply: subjects.direct('acme', 'plc', 'plc-c', 'coordinator'),
    });
    await connection.flush();
    coordinator.bus.publish(subjects.direct('acme', 'plc', 'plc-c', 'coordinator'), bytes('true'));
    await untilTrue(() => calls.length > 0);
    expect(calls).toEqual([subjects.direct('acme', 'plc', 'plc-c', 'coordinator')]);
  }, 30_000);
});

describe('answers of the server that a rogue aims at another', () => {
  test('are no records: reads pass them over, appends go on, the last record stays the last', async () => {
    const { transport, faults } = await bench.open('acme', 'plc');
    const scope = subjects.log('acme', 'plc', 'device_W002');
    const { seq } = await transport.log.append(scope, bytes('1'), { expectedLastSeq: 0, messageId: 'm1' });
    const aim = async (): Promise<void> => {
      rogue.connection.publish('$JS.API.STREAM.INFO.HERMES_LOG_acme', '', { reply: scope });
      await rogue.connection.flush();
    };
    const counts = async (): Promise<number> => (await streamSubjects(scope))[scope] ?? 0;
    await aim();
    await vi.waitFor(async () => expect(await counts()).toBe(2), 10_000);
    expect(await transport.log.last(scope)).toMatchObject({ seq });
    expect(await transport.log.headSeq(subjects.logOf('acme', 'plc'))).toBe(seq);
    await expect(transport.log.append(scope, bytes('x'), { expectedLastSeq: 0 })).rejects.toMatchObject({
      reason: 'version_conflict',
      data: { actual: seq },
    });
    const again = await transport.log.append(scope, bytes('1'), { expectedLastSeq: 0, messageId: 'm1' });
    expect(again).toEqual({ seq, duplicate: true });
    const next = await transport.log.append(scope, bytes('2'), { expectedLastSeq: seq });
    await aim();
    const records = await collect(transport.log.read(scope));
    expect(records.map((record) => text(record.payload))).toEqual(['1', '2']);
    expect(records.at(-1)?.seq).toBe(next.seq);
    expect(faults).toContain('foreign_record');
  }, 30_000);

  test('keep nobody alive', async () => {
    const watcher = (await bench.open('acme', 'coordinator')).transport;
    const { transport } = await bench.open('acme', 'plc');
    const member = { component: 'plc', instance: 'plc-dead', version: '1.0', since: 1, state: 'ready' } as const;
    await transport.liveness.join(member);
    await untilTrue(() => watcher.liveness.members('plc').length === 1);
    const reply = '$KV.HERMES_LIVE_acme.live.plc.plc-ghost';
    rogue.connection.publish('$JS.API.STREAM.INFO.HERMES_LOG_acme', '', { reply });
    await rogue.connection.flush();
    expect(watcher.liveness.members('plc').map(({ instance }) => instance)).toEqual(['plc-dead']);
  }, 30_000);
});

describe('the configuration', () => {
  test('nats-server takes it, with encryption at rest', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hermes-nats-conf-'));
    const file = join(folder, 'nats.conf');
    const { text: config } = natsConfig(TENANTS, { storeDir: folder, encryptionKeyVariable: 'JS_KEY' });
    await writeFile(file, config);
    const checked = spawnSync('nats-server', ['-t', '-c', file], {
      encoding: 'utf8',
      env: { ...process.env, JS_KEY: 'k'.repeat(32) },
    });
    expect(checked.stderr).toMatch(/configuration file .* is valid/i);
    expect(checked.status).toBe(0);
    await rm(folder, { recursive: true });
  });

  test('keeps known seeds, makes the rest, and holds no secret', () => {
    const first = natsConfig(TENANTS);
    const again = natsConfig(TENANTS, { seeds: first.seeds });
    expect(again.text).toBe(first.text);
    const all = [...first.seeds.values()].flatMap((seeds) => [...seeds.values()]);
    expect(new Set(all).size).toBe(12);
    for (const seed of all) expect(first.text).not.toContain(seed);
    expect(() => natsUser('SUNOTASEED')).toThrowError(expect.objectContaining({ reason: 'invalid_params' }));
  });
});
