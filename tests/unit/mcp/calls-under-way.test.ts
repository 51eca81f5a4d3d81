import { describe, expect, test } from 'vitest';
import { createPairMemo } from '../../../mcp/caller/pair-memo.js';
import { createDeadlineSweep, Expiring } from '../../../mcp/deadline-sweep.js';
import { Linked, LinkedList } from '../../../mcp/linked-list.js';
import { VirtualClock } from '../../../shared/virtual-clock.js';

class Named extends Linked {
  constructor(readonly name: string) {
    super();
  }
}

class Due extends Expiring {
  constructor(
    public until: number,
    readonly expire: () => void,
  ) {
    super();
  }
}

describe('a linked list', () => {
  test('keeps the order of arrival; who leaves keeps nobody', () => {
    const [a, b, c] = [new Named('a'), new Named('b'), new Named('c')];
    const list = new LinkedList<Named>();
    for (const one of [a, b, c, a]) list.add(one);
    expect([...list].map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(list.delete(b)).toBe(true);
    expect(list.delete(b)).toBe(false);
    expect([b.before, b.after]).toEqual([undefined, undefined]);
    expect([...list].map(({ name }) => name)).toEqual(['a', 'c']);
    expect(list.size).toBe(2);
  });

  test('the member that is handed out may leave', () => {
    const list = new LinkedList<Named>();
    for (const name of ['a', 'b', 'c']) list.add(new Named(name));
    for (const one of list) list.delete(one);
    expect([list.size, [...list]]).toEqual([0, []]);
  });
});

describe('a deadline sweep', () => {
  test('ends each at its time and none before, over one timer', async () => {
    const clock = new VirtualClock();
    const sweep = createDeadlineSweep(clock);
    const ended: string[] = [];
    const due = (name: string, ms: number): Due => new Due(clock.monotonic() + ms, () => void ended.push(name));
    const early = due('early', 50);
    for (const one of [due('late', 200), early, due('middle', 100)]) sweep.add(one);
    sweep.remove(early);
    await clock.advance(99);
    expect(ended).toEqual([]);
    await clock.advance(1);
    expect(ended).toEqual(['middle']);
    await clock.advance(100);
    expect(ended).toEqual(['middle', 'late']);
    expect(clock.pending).toBe(0);
  });

  test('a thousand calls one after the other arm one timer, and stop ends it', async () => {
    const clock = new VirtualClock();
    let armed = 0;
    const counting = {
      monotonic: () => clock.monotonic(),
      timer: (ms: number, run: () => void) => {
        armed++;
        return clock.timer(ms, run);
      },
    };
    const sweep = createDeadlineSweep(counting);
    for (let n = 0; n < 1_000; n++) {
      const one = new Due(clock.monotonic() + 10_000, () => undefined);
      sweep.add(one);
      await clock.advance(1);
      sweep.remove(one);
    }
    expect(armed).toBe(1);
    sweep.stop();
    expect(clock.pending).toBe(0);
    sweep.add(new Due(clock.monotonic() + 5, () => void armed++));
    await clock.advance(5);
    expect(armed, 'armed anew, and fired').toBe(3);
  });
});

test('a memo of pairs makes each once, and forgets all when names are made up', () => {
  let made = 0;
  const memo = createPairMemo((first, second) => ({ first, second, n: ++made }), 3);
  expect(memo.of('a', 'x')).toBe(memo.of('a', 'x'));
  expect(memo.of('a', 'y')).toMatchObject({ first: 'a', second: 'y', n: 2 });
  memo.of('b', 'x');
  expect([...memo.values()].length).toBe(3);
  memo.of('c', 'x');
  expect([...memo.values()].length).toBe(1);
});
