import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockDataDir, openLevelStore, openTransport } from '../../../../../mcp/transport/index.js';
import { seededRandom } from '../../../../../shared/random.js';
import { silentLogger } from '../../../../../shared/telemetry/logger.js';
import { VirtualClock } from '../../../../../shared/virtual-clock.js';
import { startChild } from '../../../../support/transport-child.js';
import { silentMetrics } from '../../../../support/transport-harness.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hermes-lock-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const open = () =>
  openTransport('embedded', {
    dataDir: dir,
    clock: new VirtualClock(),
    random: seededRandom(1),
    logger: silentLogger(),
    metrics: silentMetrics(),
  });

test('a second process is refused with the pid of the first, and gets in once that was killed', async () => {
  const child = startChild('transport-locker', [dir]);
  try {
    await child.printed(1);
    expect(child.lines).toEqual(['locked']);
    await expect(open()).rejects.toMatchObject({
      reason: 'store_locked',
      data: { pid: child.pid, path: dir, suggestion: expect.stringContaining(String(child.pid)) },
    });
  } finally {
    await child.kill();
  }
  const transport = await open();
  await expect(lockDataDir(dir)).rejects.toMatchObject({ reason: 'store_locked', data: { pid: process.pid } });
  await transport.close();
  await (await lockDataDir(dir)).release();
});

test('a view store held by another process is refused with its pid', async () => {
  const child = startChild('transport-locker', [dir, 'store']);
  try {
    await child.printed(1);
    await expect(openLevelStore(dir)).rejects.toMatchObject({ reason: 'store_locked', data: { pid: child.pid } });
  } finally {
    await child.kill();
  }
  await (await openLevelStore(dir)).close();
});

test('of processes that start together over a stale lock exactly one gets in', async () => {
  await writeFile(join(dir, 'hermes.lock.4'), JSON.stringify({ pid: 999_999_999, start: '1', released: false }));
  const children = Array.from({ length: 4 }, () => startChild('transport-locker', [dir]));
  try {
    await Promise.all(children.map((child) => child.printed(1)));
    const winner = children.filter((child) => child.lines[0] === 'locked');
    expect(winner.length).toBe(1);
    const losers = children.filter((child) => child.lines[0] === `store_locked ${winner[0]?.pid}`);
    expect(losers.length).toBe(3);
  } finally {
    await Promise.all(children.map((child) => child.kill()));
  }
}, 30_000);

test('of many attempts at once in one process exactly one gets in, however often it changes hands', async () => {
  for (let round = 0; round < 20; round++) {
    const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataDir(dir)));
    const won = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
    expect(won.length).toBe(1);
    await won[0]?.release();
  }
  expect((await readdir(dir)).filter((name) => !/^hermes\.lock\.\d+$/.test(name))).toEqual([]);
});

test.each([
  ['its process is dead', JSON.stringify({ pid: 999_999_999, start: '1', released: false })],
  ['its pid was given to another process', JSON.stringify({ pid: process.pid, start: '1', released: false })],
  ['it was released', JSON.stringify({ pid: process.pid, start: null, released: true })],
  ['it is torn', '{"pid"'],
])('a lock is taken over when %s', async (_why, content) => {
  await writeFile(join(dir, 'hermes.lock.7'), content);
  const lock = await lockDataDir(dir);
  expect(await readdir(dir)).toEqual(['hermes.lock.8']);
  await lock.release();
});
