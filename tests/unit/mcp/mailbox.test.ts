import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMailbox } from '../../../mcp/index.js';
import { seededRandom } from '../../../shared/random.js';
import { VirtualClock } from '../../../shared/virtual-clock.js';

describe('a mailbox', () => {
  test('one key runs one at a time in order of arrival; no key holds up another; never more than may run', async () => {
    const work = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c', undefined), fails: fc.boolean() }), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(work, fc.integer({ min: 1, max: 5 }), fc.integer(), async (items, concurrency, seed) => {
        const clock = new VirtualClock();
        const random = seededRandom(seed);
        const mailbox = createMailbox({ size: 100, concurrency });
        const busy = new Set<string>();
        const order: { key: string | undefined; index: number }[] = [];
        let running = 0;
        const done = items.map(({ key, fails }, index) =>
          mailbox.submit(key, async () => {
            running++;
            expect(running).toBeLessThanOrEqual(concurrency);
            if (key !== undefined) expect(busy.has(key)).toBe(false);
            if (key !== undefined) busy.add(key);
            order.push({ key, index });
            await clock.sleep(random.int(20));
            if (key !== undefined) busy.delete(key);
            running--;
            if (fails) throw new Error('failed');
            return index;
          }),
        );
        const ended = await clock.run(Promise.allSettled(done));
        items.forEach(({ fails }, index) => {
          expect(ended[index]?.status).toBe(fails ? 'rejected' : 'fulfilled');
        });
        for (const key of ['a', 'b', 'c']) {
          const mine = order.filter((entry) => entry.key === key).map((entry) => entry.index);
          expect(mine).toEqual([...mine].sort((x, y) => x - y));
        }
        await clock.run(mailbox.idle());
        expect([mailbox.waiting, mailbox.running]).toEqual([0, 0]);
      }),
      { numRuns: 100 },
    );
  });

  test('a long queue behind one key lets another key through', async () => {
    const clock = new VirtualClock();
    const mailbox = createMailbox({ size: 10, concurrency: 4 });
    for (let n = 0; n < 5; n++) void mailbox.submit('slow', () => clock.sleep(1_000));
    let through = false;
    void mailbox.submit('other', async () => {
      through = true;
    });
    await clock.settle();
    expect(through).toBe(true);
  });

  test('work that throws at once fails its own caller only', async () => {
    const mailbox = createMailbox({ size: 1, concurrency: 1 });
    const broken = mailbox.submit('a', () => {
      throw new Error('at once');
    });
    await expect(broken).rejects.toThrow('at once');
    await expect(mailbox.submit('a', async () => 'next')).resolves.toBe('next');
  });
});
