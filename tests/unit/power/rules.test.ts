import { describe, expect, test } from 'vitest';
import type { FaultCode } from '../../../agents/power/faults.js';
import type { Look } from '../../../agents/power/rules/look.js';
import { isStale, judgePlace } from '../../../agents/power/rules/supply-rules.js';
import { meanDeviation, sequenceRatio } from '../../../agents/power/rules/voltage-rules.js';
import type { ChainPlace } from '../../../agents/power/supply-chain.js';
import { CLOSED, DEAD, meterValues, OPEN, TRIPPED, type Values, voltages } from '../../support/power-site.js';

const METER: ChainPlace = { id: 'M-3', role: 'meter', path: ['BRK-3'] };
const BREAKER: ChainPlace = { id: 'BRK-3', role: 'breaker', path: ['BRK-3'] };

const look = (values: Values, at: number): Look => ({ at, values, missing: {} });

/** Two looks; the second differs in the last digits, as a real meter's does. */
const looks = (values: Values): Look[] => {
  const moved = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'number' ? value * 1.000001 : value,
  ]);
  return [look(values, 1_000), look(Object.fromEntries(moved) as Values, 1_300)];
};

const judge = (place: ChainPlace, values: Values) => judgePlace(place, { id: place.id, looks: looks(values) }, 1_300);
const faults = (place: ChainPlace, values: Values): string[] =>
  judge(place, values).found.map(({ finding }) => `${finding.fault} ${finding.severity}`);

describe('a meter', () => {
  test.each<[string, Values, string[]]>([
    ['healthy', meterValues(), []],
    ['220 V −9.9 %, balanced', meterValues(voltages(0.931)), []],
    ['380 V −7.5 %', meterValues(voltages(0.925)), ['under_voltage medium']],
    ['−12 %', meterValues(voltages(0.88)), ['under_voltage medium']],
    ['−14.9 %', meterValues(voltages(0.851)), ['under_voltage medium']],
    ['−20 %', meterValues(voltages(0.8)), ['under_voltage high']],
    ['−40 %', meterValues(voltages(0.6)), ['under_voltage high']],
    ['+6.9 %', meterValues(voltages(1.069)), []],
    ['+8 %', meterValues(voltages(1.08)), ['over_voltage medium']],
    ['+12 %', meterValues(voltages(1.12)), ['over_voltage high']],
    ['50.2 Hz', meterValues({ frequency: Math.fround(50.2) }), []],
    ['50.3 Hz', meterValues({ frequency: 50.3 }), ['frequency medium']],
    ['49.4 Hz', meterValues({ frequency: 49.4 }), ['frequency high']],
    ['THD 5 %', meterValues({ thd_voltage_l2: 5 / 1.000001 }), []],
    ['THD 6 %', meterValues({ thd_voltage_l2: 6 }), ['thd medium']],
    ['THD 9 %', meterValues({ thd_voltage_l2: 9 }), ['thd high']],
    ['PF 0.89', load(13_000, 0.89), ['low_pf low']],
    ['PF −0.80, feeding back', { ...load(13_000, 0.8), power_factor: -0.8 }, ['low_pf low']],
    ['PF 0.50 at 3 kW', load(3_000, 0.5), []],
    ['ΣP 3 % off', meterValues({ power_l1: 4_700 }), ['meter_inconsistent medium']],
    ['S without Q', meterValues({ apparent_power: 20_000 }), ['meter_inconsistent medium']],
    ['PF 1.2', meterValues({ power_factor: 1.2 }), ['meter_inconsistent medium']],
  ])('%s', (_name, values, expected) => {
    expect(faults(METER, values)).toEqual(expected);
  });

  test('one phase gone is a lost phase; what follows from it is found too, and muted elsewhere', () => {
    const gone = meterValues({ voltage_l2: 2, voltage_l1_l2: 221, voltage_l2_l3: 221 });
    expect(faults(METER, gone)[0]).toBe('phase_loss high');
    const floating = meterValues({ voltage_l2: 112, voltage_l1_l2: 330, voltage_l2_l3: 331 });
    expect(faults(METER, floating)[0]).toBe('phase_loss high');
  });

  test('all phases below 5 % are a lost supply and no lost phase', () => {
    const found = faults(METER, DEAD);
    expect(found[0]).toBe('supply_lost high');
    expect(found.join()).not.toContain('phase_loss');
  });

  test('a finding carries its proof, limit, standard and who repairs it', () => {
    const [found] = judge(METER, meterValues(voltages(0.8))).found;
    expect(found?.finding).toMatchObject({
      rule: 'ansi_27_under_voltage',
      since: '1970-01-01T00:00:01.000Z',
      evidence: { 'M-3.voltage_l1': 176, 'M-3.voltage_l3_l1': 304 },
      limit: { min: 198, unit: 'V' },
      standard: 'GB/T 12325-2008 (220 V −10 %, 380 V −7 %)',
      skills: ['power'],
    });
  });

  test('what shows in one look of two is no finding, and is said', () => {
    const seen = { id: 'M-3', looks: [look(meterValues(), 0), look(meterValues(voltages(0.8)), 300)] };
    const { found, skipped } = judgePlace(METER, seen, 300);
    expect(found).toEqual([]);
    expect(skipped).toContainEqual({ rule: 'under_voltage', device_id: 'M-3', reason: 'shown by 1 of 2 looks' });
  });

  test('a point that could not be read: its rules are skipped with the cause, the others judge', () => {
    const { voltage_l1: _lost, ...values } = meterValues({ frequency: 49 });
    const missing = { voltage_l1: 'exception_permanent' };
    const two = looks(values).map((one) => ({ ...one, missing }));
    const { found, skipped } = judgePlace(METER, { id: 'M-3', looks: two }, 0);
    expect(found.map(({ finding }) => finding.fault)).toEqual(['frequency']);
    expect(skipped.map(({ rule }) => rule)).toEqual(['supply_lost', 'phase_loss', 'under_voltage', 'over_voltage']);
    expect(skipped[0]?.reason).toBe('voltage_l1 could not be read: exception_permanent');
  });

  test('a load below 5 % is not judged by its power factor, and that is said', () => {
    const { skipped } = judge(METER, load(3_000, 0.5));
    expect(skipped).toContainEqual({
      rule: 'low_pf',
      device_id: 'M-3',
      reason: 'the load is below 8000 VA, 5 % of the supply',
    });
  });

  test('no answer is a finding of the meter', () => {
    const { found } = judgePlace(METER, { id: 'M-3', looks: [], unreachable: 'timeout' }, 0);
    expect(found[0]?.finding).toMatchObject({ fault: 'meter_unreachable', evidence: { 'M-3.cause': 'timeout' } });
  });
});

describe('a meter that does not move', () => {
  test.each<[string, Values[], boolean]>([
    ['the same to the last bit', [meterValues(), meterValues()], true],
    ['one value moved', [meterValues(), meterValues({ frequency: 50.02 })], false],
    ['a dead line', [DEAD, DEAD], false],
    ['one look', [meterValues()], false],
  ])('%s', (_name, values, stale) => {
    expect(isStale({ looks: values.map(look) })).toBe(stale);
  });
});

describe('a breaker', () => {
  test.each<[string, Values, string[]]>([
    ['closed', CLOSED, []],
    ['tripped', TRIPPED, ['breaker_tripped high']],
    ['open', OPEN, ['breaker_open high']],
    ['at its rating', { ...CLOSED, current: 63, rated_current: 63 }, []],
    ['at 1.2 of its rating', { ...CLOSED, current: 75.6, rated_current: 63 }, ['overload medium']],
    ['at 1.5 of its rating', { ...CLOSED, current: 94.5, rated_current: 63 }, ['overload high']],
  ])('%s', (_name, values, expected) => {
    expect(faults(BREAKER, values)).toEqual(expected);
  });

  test('without a rating no overload is judged, and that is said', () => {
    const { skipped } = judge(BREAKER, CLOSED);
    expect(skipped).toEqual([{ rule: 'overload', device_id: 'BRK-3', reason: 'no rating of the breaker is known' }]);
  });

  test('one that does not answer has no state', () => {
    const { found, skipped } = judgePlace(BREAKER, { id: 'BRK-3', looks: [], unreachable: 'refused' }, 0);
    expect(found).toEqual([]);
    expect(skipped).toEqual([{ rule: 'breaker_state', device_id: 'BRK-3', reason: 'refused' }]);
  });
});

describe('unbalance', () => {
  test('of three equal voltages is nought, by both formulas', () => {
    expect(sequenceRatio([380, 380, 380])).toBeCloseTo(0, 5);
    expect(meanDeviation([220, 220, 220])).toBe(0);
  });

  test('from phase-to-phase voltages it is the ratio of the sequences', () => {
    // Symmetrical components of phase phasors 220, 210, 231 V at 120°, worked out by hand: 2.75 %.
    const [a, b, c] = [220, 210, 231];
    const line = (x: number, y: number): number => Math.sqrt(x ** 2 + y ** 2 + x * y);
    expect(sequenceRatio([line(a, b), line(b, c), line(c, a)])).toBeCloseTo(sequences([a, b, c]), 3);
  });

  test.each<[string, Values, FaultCode[]]>([
    ['1.5 %', unbalanced(1.5), []],
    ['3 %', unbalanced(3), ['unbalance']],
  ])('of %s', (_name, values, expected) => {
    expect(judge(METER, values).found.map(({ finding }) => finding.fault)).toEqual(expected);
  });
});

/** U2/U1 in percent of three phase voltages at 120°, by symmetrical components. */
function sequences(volts: readonly number[]): number {
  const part = (turn: number): number => {
    const angle = (k: number): number => (-2 * Math.PI * k) / 3 + (turn * 2 * Math.PI * k) / 3;
    const real = volts.reduce((sum, v, k) => sum + v * Math.cos(angle(k)), 0);
    const imaginary = volts.reduce((sum, v, k) => sum + v * Math.sin(angle(k)), 0);
    return Math.hypot(real, imaginary);
  };
  return (100 * part(2)) / part(1);
}

/** Phase-to-phase voltages with about this much negative sequence. */
function unbalanced(percent: number): Values {
  const share = percent / 100;
  const line = (k: number): number => 380 * Math.hypot(1 + share * Math.cos(k), share * Math.sin(k));
  const third = (2 * Math.PI) / 3;
  return meterValues({
    voltage_l1_l2: line(0),
    voltage_l2_l3: line(2 * third),
    voltage_l3_l1: line(third),
  });
}

function load(watts: number, factor: number): Values {
  const s = watts / factor;
  const third = watts / 3;
  return meterValues({
    power_l1: third,
    power_l2: third,
    power_l3: third,
    power_total: watts,
    apparent_power: s,
    reactive_power: Math.sqrt(s ** 2 - watts ** 2),
    power_factor: factor,
  });
}
