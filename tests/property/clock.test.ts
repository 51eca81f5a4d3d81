import fc from 'fast-check';
import { expect, test } from 'vitest';
import { VirtualClock } from '../../shared/virtual-clock.js';

test('whatever timers are set and cancelled, the rest fires once, by time and then by insertion', async () => {
  const timers = fc.array(fc.record({ ms: fc.nat(20), cancelled: fc.boolean() }), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(timers, async (all) => {
      const clock = new VirtualClock(0);
      const fired: number[] = [];
      const cancels = all.map(({ ms }, at) =>
        clock.timer(ms, () => {
          expect(clock.now()).toBe(ms);
          fired.push(at);
        }),
      );
      all.forEach(({ cancelled }, at) => {
        if (cancelled) cancels[at]?.();
      });
      await clock.advance(20);
      const expected = all
        .map(({ ms, cancelled }, at) => ({ ms, cancelled, at }))
        .filter(({ cancelled }) => !cancelled)
        .sort((a, b) => a.ms - b.ms || a.at - b.at);
      expect(fired).toEqual(expected.map(({ at }) => at));
      expect(clock.pending).toBe(0);
    }),
    { numRuns: 200 },
  );
});
