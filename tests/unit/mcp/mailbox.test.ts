import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMailbox, type Mailbox, Ticket } from '../../../mcp/index.js';
import { HermesError } from '../../../shared/errors.js';
import { seededRandom } from '../../../shared/random.js';
import { VirtualClock } from '../../../shared/virtual-clock.js';

/** Work that is over when its promise settles. */
class Job<T> extends Ticket {
  readonly done: Promise<T>;
  #settle: (done: Promise<T>) => void = () => undefined;

  constructor(
    readonly mailbox: Mailbox,
    key: string | undefined,
    readonly work: () => Promise<T>,
  ) {
    super(key);
    this.done = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  begin(): void {
    const done = this.work();
    this.#settle(done.finally(() => this.mailbox.over(this)));
  }

  fail(error: Error): void {
    this.#settle(Promise.reject(error));
  }
}

function submit<T>(mailbox: Mailbox, key: string | undefined, work: () => Promise<T>): Job<T> {
  const job = new Job(mailbox, key, work);
  mailbox.submit(job);
  return job;
}

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
        const jobs = items.map(({ key, fails }, index) =>
          submit(mailbox, key, async () => {
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
        const ended = await clock.run(Promise.allSettled(jobs.map(({ done }) => done)));
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
    for (let n = 0; n < 5; n++) submit(mailbox, 'slow', () => clock.sleep(1_000));
    let through = false;
    submit(mailbox, 'other', async () => {
      through = true;
    });
    await clock.settle();
    expect(through).toBe(true);
  });

  test('what is given up frees its key once, and what waited behind it fails', async () => {
    const mailbox = createMailbox({ size: 10, concurrency: 1 });
    const stuck = submit(mailbox, 'a', () => new Promise<string>(() => undefined));
    const behind = submit(mailbox, 'a', async () => 'never');
    const other = submit(mailbox, 'b', async () => 'next');
    const error = new HermesError('overloaded', 'stuck before it', { started: false });
    expect(mailbox.giveUp(stuck, () => error)).toBe(1);
    await expect(behind.done).rejects.toBe(error);
    await expect(other.done).resolves.toBe('next');
    mailbox.over(stuck);
    expect([mailbox.waiting, mailbox.running]).toEqual([0, 0]);
    expect(mailbox.giveUp(stuck, () => error)).toBe(0);
  });

  test('what is withdrawn never begins and makes room; what is too much is refused', async () => {
    const mailbox = createMailbox({ size: 1, concurrency: 1 });
    let end = (): void => undefined;
    submit(mailbox, undefined, () => new Promise<void>((resolve) => (end = resolve)));
    let begun = false;
    const waits = submit(mailbox, undefined, async () => {
      begun = true;
    });
    expect(() => submit(mailbox, undefined, async () => 'too much')).toThrow('the mailbox is full');
    mailbox.withdraw(waits);
    const next = submit(mailbox, undefined, async () => 'next');
    end();
    await expect(next.done).resolves.toBe('next');
    expect(begun).toBe(false);
  });
});
