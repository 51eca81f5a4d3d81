import { expect, test } from 'vitest';
import { VirtualClock } from '../../../shared/virtual-clock.js';

test('timers fire in order of time, then of insertion, each at its own instant', async () => {
  const clock = new VirtualClock(0);
  const fired: string[] = [];
  for (const [name, ms] of [
    ['d', 30],
    ['a', 10],
    ['c', 20],
    ['b', 10],
    ['now', 0],
    ['past', -5],
  ] as const) {
    clock.timer(ms, () => void fired.push(`${name}@${clock.now()}`));
  }
  await clock.advance(20);
  expect(fired).toEqual(['now@0', 'past@0', 'a@10', 'b@10', 'c@20']);
  expect(clock.now()).toBe(20);
  await clock.advance(100);
  expect(fired.at(-1)).toBe('d@30');
  expect([clock.now(), clock.monotonic()]).toEqual([120, 120]);
});

test('a cancelled timer never fires, also when it was due at the same instant', async () => {
  const clock = new VirtualClock(0);
  const fired: string[] = [];
  const cancelLater = clock.timer(10, () => void fired.push('later'));
  clock.timer(5, () => void fired.push('kept'));
  const cancelSame = { run: (): void => undefined };
  clock.timer(7, () => cancelSame.run());
  cancelSame.run = clock.timer(7, () => void fired.push('same'));
  cancelLater();
  await clock.advance(20);
  expect(fired).toEqual(['kept']);
  expect(clock.pending).toBe(0);
});

test('every fires at each multiple until it is cancelled, also from inside', async () => {
  const clock = new VirtualClock(0);
  const at: number[] = [];
  const cancel = clock.every(10, () => {
    at.push(clock.now());
    if (at.length === 3) cancel();
  });
  await clock.advance(100);
  expect(at).toEqual([10, 20, 30]);
  expect(clock.pending).toBe(0);
});

test('a timer set at an instant for the same instant fires at it, after those that waited', async () => {
  const clock = new VirtualClock(0);
  const fired: string[] = [];
  clock.timer(10, () => {
    fired.push('first');
    clock.timer(0, () => void fired.push(`nested@${clock.now()}`));
  });
  clock.timer(10, () => void fired.push('second'));
  await clock.advance(10);
  expect(fired).toEqual(['first', 'second', 'nested@10']);
});

test('everything that is ready runs before the next timer fires', async () => {
  const clock = new VirtualClock(0);
  const fired: string[] = [];
  clock.timer(1, () => {
    void (async () => {
      for (let hop = 0; hop < 50; hop++) await Promise.resolve();
      fired.push('long chain');
    })();
  });
  clock.timer(1, () => void fired.push('next timer'));
  await clock.advance(1);
  expect(fired).toEqual(['long chain', 'next timer']);
});

test('run moves time until the work settles, and gives its value or its rejection', async () => {
  const clock = new VirtualClock(0);
  expect(await clock.run(clock.sleep(500).then(() => clock.now()))).toBe(500);
  await expect(clock.run(clock.sleep(5).then(() => Promise.reject(new Error('no'))))).rejects.toThrow('no');
  await expect(clock.run(new Promise(() => undefined))).rejects.toThrow('did not settle');
  clock.timer(200, () => undefined);
  await expect(clock.run(new Promise(() => undefined), 100)).rejects.toThrow('within 100 ms');
});

test('sleep ends with cancelled when its signal aborts, before or during, and leaves no timer', async () => {
  const clock = new VirtualClock(0);
  const during = new AbortController();
  clock.timer(5, () => during.abort());
  await expect(clock.run(clock.sleep(100, during.signal))).rejects.toMatchObject({ reason: 'cancelled' });
  expect(clock.now()).toBe(5);
  await expect(clock.sleep(100, AbortSignal.abort())).rejects.toMatchObject({ reason: 'cancelled' });
  expect(clock.pending).toBe(0);
});
