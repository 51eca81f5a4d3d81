import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { balance, type Holding } from '../../../agents/runtime/ownership/index.js';

const keys = ['a', 'b', 'c', 'd'];
const held = (owners: readonly (string | undefined)[]): Holding[] =>
  owners.map((owner, at) => ({ key: keys[at] ?? `k${at}`, owner }));

describe('how keys are spread over instances', () => {
  test('free keys go to the instance that owns fewest, ties by name', () => {
    const free = held(['x', undefined, undefined, undefined]);
    expect(balance('x', ['x', 'y'], free).take).toEqual(['c']);
    expect(balance('y', ['x', 'y'], free).take).toEqual(['b', 'd']);
  });

  test('an owner with at least two more than the least loaded hands one over, otherwise none', () => {
    expect(balance('x', ['x', 'y'], held(['x', 'x', 'x', 'y'])).give).toEqual({ key: 'c', to: 'y' });
    expect(balance('x', ['x', 'y', 'z'], held(['x', 'x', 'y', 'y'])).give).toEqual({ key: 'b', to: 'z' });
    expect(balance('x', ['x', 'y'], held(['x', 'x', 'y', 'y'])).give).toBeUndefined();
    expect(balance('x', ['x', 'y'], held(['x', 'x', 'y'])).give).toBeUndefined();
  });

  test('one that drains takes nothing and gives everything, as long as somebody else is there', () => {
    expect(balance('x', ['y'], held(['x', undefined]))).toEqual({ take: [], give: { key: 'a', to: 'y' } });
    expect(balance('x', [], held(['x', undefined]))).toEqual({ take: [] });
  });

  test('every free key is taken by exactly one, and handing over ends with a spread of at most one', () => {
    const instances = ['i1', 'i2', 'i3', 'i4'];
    const scene = fc.record({
      able: fc.subarray(instances, { minLength: 1 }),
      owners: fc.array(fc.option(fc.constantFrom(...instances), { nil: undefined }), { minLength: 1, maxLength: 12 }),
    });
    fc.assert(
      fc.property(scene, ({ able, owners }) => {
        let now: Holding[] = held(owners).map((h) =>
          h.owner !== undefined && able.includes(h.owner) ? h : { ...h, owner: undefined },
        );
        for (let round = 0; round < 40; round++) {
          const decided = able.map((self) => [self, balance(self, able, now)] as const);
          const taken = decided.flatMap(([, claims]) => claims.take);
          expect(new Set(taken).size).toBe(taken.length);
          const free = now.filter(({ owner }) => owner === undefined).map(({ key }) => key);
          expect([...taken].sort()).toEqual([...free].sort());
          // One at a time, as the record has it.
          const [giver] = decided.filter(([, claims]) => claims.give);
          now = now.map((holding) => {
            const taker = decided.find(([, claims]) => claims.take.includes(holding.key));
            if (taker) return { ...holding, owner: taker[0] };
            return giver?.[1].give?.key === holding.key ? { ...holding, owner: giver[1].give.to } : holding;
          });
        }
        const loads = able.map((self) => now.filter(({ owner }) => owner === self).length);
        expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
