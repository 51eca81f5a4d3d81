import { beforeEach, describe, expect, test } from 'vitest';
import type { OwnedKey } from '../../../agents/runtime/ownership/index.js';
import { scopes } from '../../../agents/runtime/record/index.js';
import { HermesError } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import { ownersBench } from '../../support/owners-bench.js';

let bench: Awaited<ReturnType<typeof ownersBench>>;
let lineA: OwnedKey;
beforeEach(async () => {
  bench = await ownersBench();
  lineA = bench.keys[0] as OwnedKey;
});
const settle = () => bench.clock.advance(LIMITS.claimDelayMs + 1_000);
const ALL = ['line-a', 'line-b', 'line-c', 'line-d'];

describe('ownership of keys', () => {
  test('who is alone owns everything before it is ready', async () => {
    const one = await bench.start('i-1');
    expect(one.ownership.owned).toEqual(ALL);
    expect(one.fenced).toEqual([]);
  });

  test('a second and a third instance take their share, handed over with the socket closed', async () => {
    const one = await bench.start('i-1');
    const two = await bench.start('i-2');
    await settle();
    expect(one.ownership.owned).toHaveLength(2);
    expect(two.ownership.owned).toHaveLength(2);
    expect([...one.released].sort()).toEqual([...two.ownership.owned]);
    const three = await bench.start('i-3');
    await settle();
    const shares = [one, two, three].map(({ ownership }) => ownership.owned.length);
    expect([...shares].sort()).toEqual([1, 1, 2]);
    expect([one, two, three].flatMap(({ ownership }) => [...ownership.owned]).sort()).toEqual(ALL);
    expect(three.fenced).toEqual([]);
  });

  test('a handing over waits for the call that runs, and later calls wait for the next owner', async () => {
    const one = await bench.start('i-1');
    const last = bench.keys[3] as OwnedKey;
    let end: () => void = () => undefined;
    const running = one.use(last, 60_000, () => new Promise<void>((resolve) => (end = resolve)));
    await bench.start('i-2');
    await settle();
    expect(one.ownership.owned).toContain(last.id);
    const late = one.use(last, 60_000, async () => 'done').catch((error: unknown) => error);
    end();
    await bench.clock.run(running);
    expect(await bench.clock.run(late)).toMatchObject({
      reason: 'owner_moved',
      data: { owner: 'i-2', started: false },
    });
  });

  test('the keys of a dead owner are taken over, its devices fenced in the record and at the device', async () => {
    const one = await bench.start('i-1');
    const two = await bench.start('i-2');
    await settle();
    const lost = [...one.ownership.owned];
    bench.presence.go('i-1');
    await settle();
    expect(two.ownership.owned).toEqual(ALL);
    expect([...two.fenced].sort()).toEqual(lost.map((key) => `D-${key}`).sort());
    expect([...two.inherited].sort()).toEqual(lost);
    const epochs = async (key: string) => {
      const entries = await two.view.entries(scopes.device(`D-${key}`));
      return entries.map(({ kind, data }) => [kind, data?.instance]);
    };
    expect(await epochs(lost[0] as string)).toEqual([['owned', 'i-2']]);
  });

  test('a call about a key without an owner waits for the next one, as long as its deadline allows', async () => {
    await bench.start('i-1');
    const two = await bench.start('i-2');
    await settle();
    bench.presence.go('i-1');
    const served = two.use(lineA, 5_000, async () => two.ownership.ownerOf(lineA));
    expect(await bench.clock.run(served)).toBe('i-2');
  });

  test('an owner that was taken for dead and comes back is refused, whatever it still believes', async () => {
    const one = await bench.start('i-1');
    const two = await bench.start('i-2');
    await settle();
    const held = await bench.clock.run(one.ownership.hold(lineA));
    bench.presence.go('i-1');
    await settle();
    bench.presence.come('i-1');
    expect(() => held.guard()).toThrow(/owned by i-2/);
    await expect(bench.clock.run(one.ownership.hold(lineA))).rejects.toMatchObject({ reason: 'owner_moved' });
    expect((await bench.clock.run(two.ownership.hold(lineA))).epoch).toBeGreaterThan(held.epoch);
  });

  test('what was confirmed over 2 s ago counts no longer for a write that leaves now', async () => {
    const one = await bench.start('i-1');
    await bench.clock.advance(LIMITS.confirmedMs + 1);
    const held = await bench.clock.run(one.ownership.hold(lineA));
    held.guard();
    await bench.clock.advance(LIMITS.confirmedMs + 1);
    expect(() => held.guard()).toThrow(/looked up again/);
    (await bench.clock.run(one.ownership.hold(lineA))).guard();
  });

  test('an instance whose own renewals do not arrive looks at the log before each write', async () => {
    const one = await bench.start('i-1');
    one.renewal.agoMs = LIMITS.renewalTrustMs + 1;
    const held = await bench.clock.run(one.ownership.hold(lineA));
    held.guard();
    await bench.clock.advance(LIMITS.confirmedNowMs + 1);
    expect(() => held.guard()).toThrow(/looked up again/);
  });

  test('who drains gives everything away, who stops too, and nobody needs to be fenced', async () => {
    const one = await bench.start('i-1');
    const two = await bench.start('i-2');
    await settle();
    bench.presence.drain('i-1');
    one.ownership.drain();
    await settle();
    expect([one.ownership.owned, two.ownership.owned]).toEqual([[], ALL]);
    await bench.clock.run(two.ownership.stop());
    bench.presence.go('i-2');
    const three = await bench.start('i-3');
    await settle();
    expect(three.ownership.owned).toEqual(ALL);
    expect([two.fenced, three.fenced]).toEqual([[], []]);
  });

  test('W6: of two that start at the same moment each key has one owner in the end', async () => {
    const both = await Promise.all(['i-1', 'i-2'].map((name) => bench.start(name)));
    await settle();
    expect(both.flatMap(({ ownership }) => [...ownership.owned]).sort()).toEqual(ALL);
  });
});

describe('ownership when things go wrong', () => {
  test('a take-over whose fencing failed is fenced before the first act, not forgotten', async () => {
    await bench.start('i-1');
    const two = await bench.start('i-2');
    await settle();
    const append = two.record.append.bind(two.record);
    let refused = 0;
    Object.assign(two.record, {
      append: (...args: Parameters<typeof append>) =>
        refused++ < 2 ? Promise.reject(new HermesError('log_unavailable', 'an election')) : append(...args),
    });
    bench.presence.go('i-1');
    await bench.clock.advance(10);
    expect(two.ownership.owned).toHaveLength(2);
    await settle();
    expect(two.ownership.owned).toEqual(ALL);
    expect(two.inherited).toHaveLength(2);
    for (const key of two.inherited) {
      expect((await two.view.entries(scopes.device(`D-${key}`))).map(({ kind }) => kind)).toContain('owned');
    }
  });

  test('one long call holds up its own key, not the handing over of the others', async () => {
    const one = await bench.start('i-1');
    const last = bench.keys[3] as OwnedKey;
    let end: () => void = () => undefined;
    const running = one.use(last, 60_000, () => new Promise<void>((resolve) => (end = resolve)));
    const two = await bench.start('i-2');
    await settle();
    expect(two.ownership.owned).toHaveLength(1);
    end();
    await bench.clock.run(running);
    await settle();
    expect(two.ownership.owned).toHaveLength(2);
  });

  test('of many calls about a key that nobody owns some wait, the others are sent back to come again', async () => {
    await bench.start('i-1');
    const two = await bench.start('i-2');
    await settle();
    bench.presence.go('i-1');
    const calls = Array.from({ length: 20 }, () =>
      two.use(lineA, 5_000, async () => 'served').catch((error: HermesError) => error.reason),
    );
    const ends = await bench.clock.run(Promise.all(calls));
    expect(ends.filter((end) => end === 'served')).toHaveLength(LIMITS.ownerWaiters);
    expect(ends.filter((end) => end === 'owner_moved')).toHaveLength(20 - LIMITS.ownerWaiters);
  });
});
