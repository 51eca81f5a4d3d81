import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openTransport, type Transport } from '../../mcp/transport/index.js';
import { systemClock } from '../../shared/clock.js';
import { type NatsServer, startNatsServer } from '../support/nats-server.js';
import { startChild, type TransportChild } from '../support/transport-child.js';
import { natsOptions, untilTrue } from '../support/transport-nats.js';

const TTL_MS = 1_500;
const RENEW_MS = 300;
const clock = systemClock();

let server: NatsServer;
let watcher: Transport;
let cleanUp: () => Promise<void>;
let changes: { readonly what: string; readonly at: number }[];
const children: TransportChild[] = [];
let instances = 0;

beforeAll(async () => {
  server = await startNatsServer();
  const made = await natsOptions(server.url, { component: 'watcher', ttlMs: TTL_MS, renewMs: RENEW_MS });
  cleanUp = made.cleanUp;
  watcher = await openTransport('nats', made.options);
  watcher.liveness.watch(({ kind, member }) => {
    changes.push({ what: `${kind} ${member.instance}`, at: clock.monotonic() });
  });
}, 40_000);

afterEach(async () => {
  for (const child of children.splice(0)) await child.kill();
});

afterAll(async () => {
  await watcher.close();
  await cleanUp();
  await server.close();
}, 40_000);

/** A process that is a member, seen by the watcher. */
async function startMember(): Promise<{ readonly child: TransportChild; readonly instance: string }> {
  const instance = `member-${instances++}`;
  changes = [];
  const child = startChild('transport-member', [server.url, 'default', instance, String(TTL_MS), String(RENEW_MS)]);
  children.push(child);
  await child.printed(1);
  await untilTrue(() => seen(`joined ${instance}`) !== undefined);
  return { child, instance };
}

const seen = (what: string): number | undefined => changes.find((change) => change.what === what)?.at;

test('a process that is killed is known to be dead within its time to live, and not much before', async () => {
  const { child, instance } = await startMember();
  await clock.sleep(2 * RENEW_MS);
  const killed = clock.monotonic();
  await child.kill();
  await untilTrue(() => seen(`expired ${instance}`) !== undefined);
  const after = (seen(`expired ${instance}`) ?? 0) - killed;
  expect(after).toBeGreaterThan(TTL_MS - 2 * RENEW_MS);
  expect(after).toBeLessThan(TTL_MS + 3 * RENEW_MS);
  expect(watcher.liveness.members('member')).toEqual([]);
}, 40_000);

test('W2: a goodbye counts at once', async () => {
  const { child, instance } = await startMember();
  child.process.stdin?.write('leave\n');
  await child.printed(2);
  await untilTrue(() => seen(`left ${instance}`) !== undefined, RENEW_MS);
  expect(seen(`expired ${instance}`)).toBeUndefined();
}, 40_000);

test('W3: a main loop that is busy for three times the time to live is no death', async () => {
  const { child, instance } = await startMember();
  child.process.stdin?.write(`busy ${3 * TTL_MS}\n`);
  await child.printed(2);
  expect(watcher.liveness.members('member').length).toBe(1);
  expect(changes.map(({ what }) => what)).toEqual([`joined ${instance}`]);
}, 40_000);

test('a main loop that stands still for six times the time to live is dead, and back when it moves', async () => {
  const { child, instance } = await startMember();
  child.process.stdin?.write(`busy ${9 * TTL_MS}\n`);
  await untilTrue(() => seen(`expired ${instance}`) !== undefined, 10 * TTL_MS);
  await child.printed(2);
  // What it knows of itself is as old as its last renewal: it looks at the log before it relies on what it owns.
  expect(Number(child.lines[1]?.split(' ')[1])).toBeGreaterThan(TTL_MS);
  await untilTrue(() => watcher.liveness.members('member').length === 1);
}, 60_000);

test('a process that comes later sees at once who is there', async () => {
  const { instance } = await startMember();
  const made = await natsOptions(server.url, { component: 'late', ttlMs: TTL_MS, renewMs: RENEW_MS });
  const late = await openTransport('nats', made.options);
  expect(late.liveness.members('member').map((member) => member.instance)).toContain(instance);
  await late.close();
  await made.cleanUp();
}, 40_000);

test('a broker that is frozen kills nobody: members are judged only while the watcher itself is heard', async () => {
  const { instance } = await startMember();
  await server.stop('SIGSTOP');
  await clock.sleep(3 * TTL_MS);
  await server.stop('SIGCONT');
  await untilTrue(() => watcher.connected, 20_000);
  await clock.sleep(2 * TTL_MS);
  expect(changes.filter(({ what }) => what.endsWith(instance)).map(({ what }) => what)).toEqual([`joined ${instance}`]);
}, 60_000);

test('a liveness thread that ends is replaced: own members join again, the dead of meanwhile are noticed', async () => {
  const { child, instance } = await startMember();
  const own = { component: 'own', instance: 'own-a', version: '1.0', since: 1, state: 'ready' } as const;
  const membership = await watcher.liveness.join(own);
  const { worker } = watcher.liveness as unknown as { readonly worker: Worker };
  await child.kill();
  await worker.terminate();
  await untilTrue(() => !watcher.connected);
  await untilTrue(() => watcher.connected, 20_000);
  await untilTrue(() => membership.renewedAgoMs() < 2 * RENEW_MS, 20_000);
  await untilTrue(() => seen(`expired ${instance}`) !== undefined, 20_000);
  expect(watcher.liveness.members('own').length).toBe(1);
  await membership.leave();
}, 60_000);
