import { expect, test } from 'vitest';
import { openDeadline, raceSignal } from '../../../shared/deadline.js';
import { VirtualClock } from '../../../shared/virtual-clock.js';

test('it ends at its instant, with the reason on the signal, and says whether work had begun', async () => {
  const clock = new VirtualClock();
  const deadline = openDeadline(clock, clock.now() + 100);
  await clock.advance(60);
  expect(deadline.remainingMs()).toBe(40);
  expect(() => deadline.check(true)).not.toThrow();
  await clock.advance(40);
  expect(deadline.signal.reason).toMatchObject({ reason: 'deadline' });
  expect(() => deadline.check(false)).toThrowError(expect.objectContaining({ reason: 'deadline' }));
  expect(() => deadline.check(true)).toThrowError(
    expect.objectContaining({ data: expect.objectContaining({ started: true }) }),
  );
  expect(deadline.remainingMs()).toBe(0);
});

test('a child ends with its parent, and cancelling names why', async () => {
  const clock = new VirtualClock();
  const parent = openDeadline(clock, clock.now() + 100);
  const child = openDeadline(clock, clock.now() + 1_000, parent.signal);
  parent.cancel('not needed');
  expect(() => child.check(false)).toThrowError(
    expect.objectContaining({ reason: 'cancelled', message: 'not needed' }),
  );
  const late = openDeadline(clock, clock.now() + 1_000, parent.signal);
  expect(late.signal.aborted).toBe(true);
  for (const deadline of [parent, child, late]) deadline.close();
  expect(clock.pending).toBe(0);
});

test('closing frees the timer', () => {
  const clock = new VirtualClock();
  const deadline = openDeadline(clock, clock.now() + 100);
  deadline.close();
  expect(clock.pending).toBe(0);
});

test('a race with a signal gives what is first, and the loser is no unhandled rejection', async () => {
  const clock = new VirtualClock();
  const deadline = openDeadline(clock, clock.now() + 10);
  await expect(clock.run(raceSignal(Promise.resolve(1), deadline.signal))).resolves.toBe(1);
  const slow = clock.sleep(50).then(() => Promise.reject(new Error('too late')));
  await expect(clock.run(raceSignal(slow, deadline.signal))).rejects.toMatchObject({ reason: 'deadline' });
  await clock.advance(100);
});
