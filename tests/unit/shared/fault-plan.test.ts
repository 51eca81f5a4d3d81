import { describe, expect, test } from 'vitest';
import { type FaultTarget, openFaults, parseFaultPlan } from '../../../shared/fault-plan.js';
import { seededRandom } from '../../../shared/random.js';
import { skewedClock } from '../../../shared/skewed-clock.js';
import { VirtualClock } from '../../../shared/virtual-clock.js';
import { matches } from '../../support/transport-harness.js';

const open = (rules: readonly unknown[], seed = 1) => {
  const clock = new VirtualClock();
  const faults = openFaults({ clock, random: seededRandom(seed), matches }, parseFaultPlan({ rules }));
  return { clock, faults };
};
const call: FaultTarget = { on: 'bus', name: 'hermes.t.call.plc.v1.hvac', component: 'hvac' };

describe('a fault plan', () => {
  test('hits within its window, its pattern, its component and its limit, and nothing else', async () => {
    const { clock, faults } = open([
      { on: 'bus', name: 'hermes.*.call.>', component: 'hvac', kind: 'drop', from_ms: 10, to_ms: 20, limit: 2 },
    ]);
    expect(faults.at(call)).toBeUndefined();
    await clock.advance(10);
    expect(faults.at({ ...call, name: 'hermes.t.reply.hvac.x' })).toBeUndefined();
    expect(faults.at({ ...call, component: 'power' })).toBeUndefined();
    expect(faults.at({ ...call, on: 'log' })).toBeUndefined();
    expect([faults.at(call)?.kind, faults.at(call)?.kind, faults.at(call)]).toEqual(['drop', 'drop', undefined]);
  });

  test('names one instance, or all of a component', () => {
    const one = open([{ on: 'bus', component: 'plc#2', kind: 'drop' }]).faults;
    const all = open([{ on: 'bus', component: 'plc', kind: 'drop' }]).faults;
    const kinds = (component: string) => [one, all].map((faults) => faults.at({ ...call, component })?.kind);
    expect(kinds('plc#2')).toEqual(['drop', 'drop']);
    expect(kinds('plc#1')).toEqual([undefined, 'drop']);
    expect(kinds('plc_other')).toEqual([undefined, undefined]);
  });

  test('same seed, same faults; a rule more does not shift the others', () => {
    const rule = { on: 'bus', kind: 'delay', probability: 0.3, ms: 500 };
    const draw = (rules: readonly unknown[], seed = 1) => {
      const { faults } = open(rules, seed);
      return Array.from({ length: 50 }, () => faults.at(call)?.ms);
    };
    expect(draw([rule])).toEqual(draw([rule]));
    expect(draw([rule, { on: 'log', kind: 'error' }])).toEqual(draw([rule]));
    expect(draw([rule], 2)).not.toEqual(draw([rule]));
    const hits = draw([rule]).filter((ms) => ms !== undefined);
    expect(hits.length).toBeGreaterThan(5);
    expect(hits.length).toBeLessThan(25);
    expect(hits.every((ms) => ms >= 0 && ms < 500)).toBe(true);
  });

  test('the first rule that hits wins, the next has its chance when it does not', () => {
    const { faults } = open([
      { on: 'bus', kind: 'drop', limit: 1 },
      { on: 'bus', kind: 'duplicate' },
    ]);
    expect([faults.at(call)?.kind, faults.at(call)?.kind]).toEqual(['drop', 'duplicate']);
  });

  test('a skewed component runs ahead or behind by its wall clock alone', async () => {
    const { clock, faults } = open([
      { on: 'component', component: 'plc', kind: 'skew', ms: -120_000, from_ms: 0, to_ms: 50 },
      { on: 'component', component: 'plc#1', kind: 'skew', ms: 1_000 },
    ]);
    const own = skewedClock(clock, () => faults.skewOf('plc#1'));
    expect(own.now() - clock.now()).toBe(-119_000);
    const before = own.monotonic();
    await clock.run(own.sleep(50));
    expect(own.monotonic() - before).toBe(50);
    expect(own.now() - clock.now()).toBe(1_000);
    expect(faults.skewOf('hvac')).toBe(0);
  });

  test.each([
    [{ on: 'bus', kind: 'explode' }, '/rules/0/kind'],
    [{ on: 'bus', kind: 'drop', probability: 2 }, '/rules/0/probability'],
    [{ on: 'component', kind: 'crash', ms: 5 }, '/rules/0/component'],
    [{ on: 'moon', kind: 'drop' }, '/rules/0/on'],
  ])('a malformed rule %j is refused by its field', (rule, pointer) => {
    expect(() => parseFaultPlan({ rules: [rule] })).toThrowError(
      expect.objectContaining({ reason: 'invalid_params', data: { fields: [expect.objectContaining({ pointer })] } }),
    );
  });
});
