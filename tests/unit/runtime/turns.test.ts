import { describe, expect, test } from 'vitest';
import { createTurns } from '../../../agents/runtime/turns.js';
import { openDeadline } from '../../../shared/deadline.js';
import type { HermesError } from '../../../shared/errors.js';
import { VirtualClock } from '../../../shared/virtual-clock.js';

function bench() {
  const clock = new VirtualClock();
  const stuck: string[] = [];
  const ended: [string, unknown, number][] = [];
  const turns = createTurns(clock, (key) => stuck.push(key));
  const from = clock.now();
  const take = (name: string, key: string, work: () => Promise<unknown>, ms = 1_000) => {
    const deadline = openDeadline(clock, clock.now() + ms);
    turns
      .take(key, deadline, work)
      .then(
        (value) => value,
        ({ reason, data }: HermesError) => [reason, data.started, data.stuck],
      )
      .then((end) => {
        ended.push([name, end, clock.now() - from]);
        deadline.close();
      });
    return deadline;
  };
  return { clock, stuck, ended, take };
}
const never = (): Promise<never> => new Promise(() => undefined);

describe('turns', () => {
  test('of one key are one at a time in order, other keys do not wait', async () => {
    const { clock, ended, take } = bench();
    const slow = (name: string) => () => clock.sleep(100).then(() => name);
    take('one', 'k', slow('1'));
    take('two', 'k', slow('2'));
    take('other', 'l', slow('3'));
    await clock.advance(500);
    expect(ended.map(([name, , at]) => [name, at])).toEqual([
      ['one', 100],
      ['other', 100],
      ['two', 200],
    ]);
  });

  test('W9: work that hangs is given up long after its deadline, its key is told, the turn goes on', async () => {
    const { clock, stuck, ended, take } = bench();
    take('hangs', 'k', never);
    await clock.advance(10_000);
    take('next', 'k', async () => 'done', 5_000);
    await clock.advance(999);
    expect([stuck, ended]).toEqual([[], []]);
    await clock.advance(1);
    expect(stuck).toEqual(['k']);
    expect(ended).toEqual([
      ['hangs', ['deadline', true, true], 11_000],
      ['next', 'done', 11_000],
    ]);
  });

  test('W9: who waits behind it is answered at its own deadline, not begun, and never runs', async () => {
    const { clock, stuck, ended, take } = bench();
    let ran = false;
    take('hangs', 'k', never, 60_000);
    take('waits', 'k', async () => {
      ran = true;
    });
    await clock.advance(1_000);
    expect(ended).toEqual([['waits', ['deadline', false, undefined], 1_000]]);
    await clock.advance(80_000);
    expect([ran, stuck]).toEqual([false, ['k']]);
  });

  test('work that ends after its deadline, as a rollback does, has its own end and is not stuck', async () => {
    const { clock, stuck, ended, take } = bench();
    take('undoes', 'k', () => clock.sleep(4_000).then(() => 'undone'));
    await clock.advance(60_000);
    expect([ended, stuck]).toEqual([[['undoes', 'undone', 4_000]], []]);
  });

  test('a cancel ends who waits, and begins the watch of who runs', async () => {
    const { clock, stuck, ended, take } = bench();
    const running = take('runs', 'k', never, 60_000);
    const waiting = take('waits', 'k', never, 60_000);
    await clock.advance(1);
    waiting.cancel('no more');
    running.cancel('no more');
    await clock.advance(10_000);
    expect(stuck).toEqual(['k']);
    expect(ended.map(([name, end]) => [name, (end as unknown[])[0]])).toEqual([
      ['waits', 'cancelled'],
      ['runs', 'deadline'],
    ]);
  });
});
