import { expect, test } from 'vitest';
import { systemClock } from '../../../shared/clock.js';

test('a timer of more than 24.8 days does not fire at once', async () => {
  const clock = systemClock();
  let fired = 0;
  const cancels = [2 ** 31, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY].map((ms) =>
    clock.timer(ms, () => {
      fired++;
    }),
  );
  await clock.sleep(20);
  for (const cancel of cancels) cancel();
  expect(fired).toBe(0);
});
