import { describe, expect, test } from 'vitest';
import { type Diagnosis, diagnosisOf } from '../../../agents/hvac/diagnosis/diagnosis.js';
import { FAULT_CODES } from '../../../agents/hvac/diagnosis/faults.js';
import { judge } from '../../../agents/hvac/diagnosis/judgement.js';
import { RULES } from '../../../agents/hvac/rules/index.js';
import { demoSite, deviceOf, FROM, lookOf, type Said, steady, windowOf } from '../../support/hvac-looks.js';

const site = demoSite();
const AHU = deviceOf(site, 'AHU-3');
const VAV = deviceOf(site, 'VAV-301');
const AC = deviceOf(site, 'AC-1');

const alone = (device: typeof AHU, said: Said, bad: readonly string[] = []): Diagnosis =>
  diagnosisOf(windowOf([steady(device, said, bad)]), new Map());
const rulesOf = (found: Diagnosis): string[] => found.findings.map(({ rule }) => rule);
const why = (found: Diagnosis, rule: string) => found.skipped.find((one) => one.rule === rule)?.reason;

describe('healthy equipment', () => {
  test.each([AHU, VAV, AC])('$id: nothing is found', (device) => {
    const found = alone(device, {});
    expect(found).toMatchObject({ verdict: 'no_fault', findings: [], supply_suspect: false, window_ms: 1_500 });
  });

  test('every rule can fire, and names a known fault', () => {
    expect(new Set(RULES.map(({ fault }) => fault)).size).toBeGreaterThan(10);
    for (const rule of RULES) expect(FAULT_CODES).toContain(rule.fault);
  });
});

describe('an air handler, each rule at its threshold', () => {
  test.each<[string, Said, string[]]>([
    ['no proof and no pressure', { fan_status: false, duct_static_pressure: 24 }, ['FAN-PROOF']],
    [
      'no proof under pressure: the proof is broken',
      { fan_status: false, duct_static_pressure: 25 },
      ['FAN-PROOF-SENSOR'],
    ],
    ['static low at full speed', { duct_static_pressure: 224, fan_speed: 94 }, ['G36-FC1']],
    ['static low, fan not at full speed', { duct_static_pressure: 224, fan_speed: 93.9 }, []],
    ['static within its error', { duct_static_pressure: 225, fan_speed: 100 }, []],
    ['filter above 250 Pa', { filter_pressure: 251 }, ['FILTER-DP']],
    ['filter at 250 Pa', { filter_pressure: 250 }, []],
    ['supply air 9 K too warm, valve all open', { supply_air_temperature: 22, cooling_valve: 99 }, ['G36-FC13']],
    ['supply air 9 K too warm, valve not all open', { supply_air_temperature: 22, cooling_valve: 98.9 }, ['SAT-HIGH']],
    ['supply air 8.9 K too warm, valve all open', { supply_air_temperature: 21.9, cooling_valve: 100 }, []],
    ['supply air at the error', { supply_air_temperature: 14, cooling_valve: 100 }, []],
    [
      'supply air 9 K too cold, valve all open',
      { supply_air_temperature: 4, heating_valve: 99, cooling_valve: 0 },
      ['G36-FC7'],
    ],
    ['supply air 9 K too cold', { supply_air_temperature: 4 }, ['SAT-LOW']],
    ['supply air too warm, no fan', { supply_air_temperature: 24, fan_status: false }, ['FAN-PROOF-SENSOR']],
    ['both valves open', { cooling_valve: 60, heating_valve: 10.1 }, ['AHU-SIMUL']],
    ['mixed air below both', { mixed_air_temperature: 17.9 }, ['G36-FC2']],
    ['mixed air at the error below', { mixed_air_temperature: 18 }, []],
    ['mixed air above both', { mixed_air_temperature: 32.1 }, ['G36-FC3']],
    ['mixed air at the error above', { mixed_air_temperature: 32 }, []],
  ])('%s', (_what, said, rules) => {
    expect(rulesOf(alone(AHU, said))).toEqual(rules);
  });

  test.each<[string, Said]>([
    ['G36-FC13', { supply_air_temperature: 14.1, cooling_valve: 99 }],
    ['SAT-HIGH', { supply_air_temperature: 16.1 }],
    ['G36-FC7', { supply_air_temperature: 11.9, heating_valve: 99, cooling_valve: 0 }],
    ['SAT-LOW', { supply_air_temperature: 9.9 }],
  ])('%s near the set-point may be on its way: neither found nor ruled out', (rule, said) => {
    const found = alone(AHU, said);
    expect(found).toMatchObject({ verdict: 'incomplete', findings: [] });
    expect(why(found, rule)).toMatch(/^AHU-3: needs_history: /);
  });

  test('supply air that comes back in sight is under way', () => {
    const looks = [24, 24, 23.9, 23.9].map((supply_air_temperature) => lookOf(AHU, { supply_air_temperature }));
    const found = diagnosisOf(windowOf([{ device: AHU, looks }]), new Map());
    expect(found.verdict).toBe('incomplete');
    expect(why(found, 'SAT-HIGH')).toBe('AHU-3: the supply air is on its way');
  });

  test('switched off, nothing of its air is asked, and each rule says so', () => {
    const found = alone(AHU, { mode: 0, fan_status: false, duct_static_pressure: 0 });
    expect(found).toMatchObject({ verdict: 'incomplete', findings: [] });
    expect(why(found, 'AHU-OFF')).toBe('AHU-3: switched off: mode OFF; its air cannot be judged');
    expect(why(found, 'FAN-PROOF')).toBe('AHU-3: switched off: mode OFF');
    expect(why(alone(AHU, { fan_command: false, fan_status: false }), 'G36-FC1')).toContain('no fan command');
  });

  test('a dead fan is surer with the pressure than without', () => {
    const said = { fan_status: false, duct_static_pressure: 0 };
    const [proven] = alone(AHU, said).findings;
    expect(proven).toMatchObject({ fault: 'fan_failure', severity: 'high', confidence: 0.95, skills: ['hvac'] });
    expect(proven?.evidence).toMatchObject({ 'AHU-3.fan_status': false, 'AHU-3.duct_static_pressure': 0 });
    expect(proven?.since).toBe(new Date(FROM).toISOString());
    const found = alone(AHU, said, ['duct_static_pressure']);
    expect(found.findings[0]).toMatchObject({ fault: 'fan_failure', confidence: 0.7 });
    expect(found.findings[0]?.evidence).not.toHaveProperty(['AHU-3.duct_static_pressure']);
  });
});

describe('a terminal box', () => {
  test.each<[string, Said, [string, string][]]>([
    ['flow below half', { airflow: 312 }, [['G36-5.6.6-L2', 'high']]],
    ['flow at half', { airflow: 313 }, [['G36-5.6.6-L3', 'medium']]],
    ['flow below 70 %', { airflow: 437 }, [['G36-5.6.6-L3', 'medium']]],
    ['flow at 70 %', { airflow: 438 }, []],
    ['no flow wanted', { airflow: 0, airflow_setpoint: 0 }, []],
    ['damper away by more than 10 %', { damper_position: 52, damper_command: 62.1 }, [['DAMPER-CMD', 'medium']]],
    ['damper away by 10 %', { damper_position: 52, damper_command: 62 }, []],
    ['damper away the other way', { damper_position: 80, damper_command: 62 }, [['DAMPER-CMD', 'medium']]],
    ['zone more than 2 K above', { zone_temperature: 24.01 }, [['ZONE-HOT', 'low']]],
    ['zone 2 K above', { zone_temperature: 24 }, []],
    ['zone more than 2 K below', { zone_temperature: 19.99 }, [['ZONE-COLD', 'low']]],
  ])('%s', (_what, said, expected) => {
    expect(alone(VAV, said).findings.map(({ rule, severity }) => [rule, severity])).toEqual(expected);
  });

  test('what moves towards its command, or rises, is skipped as under way; what moves away is not', () => {
    const course = (point: string, from: number, step: number, said: Said) =>
      diagnosisOf(
        windowOf([{ device: VAV, looks: [0, 1, 2, 3].map((n) => lookOf(VAV, { ...said, [point]: from + n * step })) }]),
        new Map(),
      );
    const opening = course('damper_position', 20, 0.55, { damper_command: 100 });
    expect(opening.findings).toEqual([]);
    expect(why(opening, 'DAMPER-CMD')).toBe('VAV-301: the damper is on its way');
    expect(rulesOf(course('damper_position', 20, -0.55, { damper_command: 100 }))).toEqual(['DAMPER-CMD']);
    expect(why(course('airflow', 100, 5, {}), 'G36-5.6.6-L2')).toBe('VAV-301: the airflow is rising');
    expect(rulesOf(course('airflow', 100, -5, {}))).toEqual(['G36-5.6.6-L2']);
  });

  test('one look cannot tell a stuck damper from one on its way', () => {
    const seen = { device: VAV, looks: [lookOf(VAV, { damper_position: 20 })] };
    const found = diagnosisOf(windowOf([seen]), new Map());
    expect(found).toMatchObject({ verdict: 'incomplete', findings: [] });
    expect(why(found, 'DAMPER-CMD')).toContain('one look cannot tell');
    expect(found.skipped).toContainEqual(expect.objectContaining({ rule: 'DAMPER-CMD', open: true }));
  });

  test('fewer looks than there should be leave everything open', () => {
    const seen = { device: VAV, looks: [lookOf(VAV), lookOf(VAV)] };
    const found = diagnosisOf(windowOf([seen]), new Map());
    expect(found).toMatchObject({ verdict: 'incomplete', findings: [] });
    expect(why(found, 'LOOKS')).toBe('VAV-301 was looked at 2 times of 4');
  });

  test('while its zone is on its way to a new set-point a deviation is no finding', () => {
    const seen = windowOf([steady(VAV, { zone_temperature: 26 })]);
    const until = (zone: number) => diagnosisOf(seen, new Map([['F3-A', { zone, compressor: 0 }]]));
    expect(rulesOf(until(FROM))).toEqual(['ZONE-HOT']);
    expect(until(FROM + 1)).toMatchObject({ verdict: 'incomplete', findings: [] });
    expect(why(until(FROM + 60_000), 'ZONE-HOT')).toContain('the set-point of F3-A is new; asked again from 2026');
  });
});

describe('a split unit', () => {
  test.each<[string, Said, string[]]>([
    ['fan without proof', { fan_status: false }, ['SPLIT-FAN']],
    ['off', { mode: 0, fan_status: false, compressor_status: false }, []],
    ['too warm in COOL, compressor stands', { room_temperature: 25.1, compressor_status: false }, ['SPLIT-COMPRESSOR']],
    ['1 K too warm in COOL', { room_temperature: 25, compressor_status: false }, []],
    ['too warm in HEAT', { mode: 3, room_temperature: 27, compressor_status: false }, []],
    ['too cold in HEAT', { mode: 3, room_temperature: 22.9, compressor_status: false }, ['SPLIT-COMPRESSOR']],
    ['2 K too cold in AUTO: not changed over', { mode: 1, room_temperature: 22, compressor_status: false }, []],
    ['3.1 K too cold in AUTO', { mode: 1, room_temperature: 20.9, compressor_status: false }, ['SPLIT-COMPRESSOR']],
    ['too warm in FAN', { mode: 4, room_temperature: 27, compressor_status: false }, []],
    ['little drop over the evaporator', { supply_air_temperature: 18.3 }, ['SPLIT-DT']],
    ['6 K over the evaporator', { supply_air_temperature: 18.2 }, []],
    ['it heats', { mode: 3, supply_air_temperature: 40 }, []],
    ['filter above 250 Pa', { filter_pressure: 251 }, ['FILTER-DP']],
  ])('%s', (_what, said, rules) => {
    expect(rulesOf(alone(AC, said))).toEqual(rules);
  });

  test('a compressor rests for its minimum off time after a new set-point', () => {
    const seen = windowOf([steady(AC, { room_temperature: 28, compressor_status: false })]);
    expect(rulesOf(diagnosisOf(seen, new Map([['F1-B', { zone: FROM, compressor: FROM + 1 }]])))).toEqual([]);
    expect(rulesOf(diagnosisOf(seen, new Map([['F1-B', { zone: FROM + 1, compressor: FROM }]])))).toEqual([
      'SPLIT-COMPRESSOR',
    ]);
  });
});

describe('sensors', () => {
  test('a point of bad quality skips the rules that need it, and is a finding of its own', () => {
    const found = alone(AHU, { supply_air_temperature: 30, cooling_valve: 100 }, ['supply_air_temperature']);
    expect(found.findings).toMatchObject([
      { fault: 'sensor_fault', rule: 'SV-QUALITY', evidence: { 'AHU-3.supply_air_temperature': 'exception_device' } },
    ]);
    expect(why(found, 'G36-FC13')).toBe('AHU-3.supply_air_temperature is bad: exception_device');
  });

  test('an implausible value is the sensor’s fault, and no rule believes it', () => {
    const found = alone(VAV, { zone_temperature: 85 });
    expect(rulesOf(found)).toEqual(['SV-RANGE']);
    expect(why(found, 'ZONE-HOT')).toBe('VAV-301.zone_temperature is implausible: 85 (4 to 38)');
  });

  test('each broken sensor stands for itself', () => {
    const found = alone(VAV, { zone_temperature: 85, discharge_air_temperature: 99 });
    expect(found.findings.map(({ evidence }) => Object.keys(evidence))).toEqual([
      ['VAV-301.zone_temperature'],
      ['VAV-301.discharge_air_temperature'],
    ]);
  });

  test('what holds in three looks of four is no finding', () => {
    const looks = [24.5, 24.5, 24.5, 23.9].map((zone_temperature) => lookOf(VAV, { zone_temperature }));
    expect(diagnosisOf(windowOf([{ device: VAV, looks }]), new Map()).findings).toEqual([]);
    const bad = [0, 1, 2, 3].map((n) => lookOf(VAV, { zone_temperature: 25 }, n === 2 ? ['zone_temperature'] : []));
    const found = diagnosisOf(windowOf([{ device: VAV, looks: bad }]), new Map());
    expect(found.findings).toEqual([]);
    expect(found.verdict).toBe('incomplete');
    expect(why(found, 'ZONE-HOT')).toContain('is bad');
  });

  test('a device without a point that a rule needs skips the rule', () => {
    const bare = { ...AHU, points: AHU.points.filter(({ name }) => name !== 'filter_pressure') };
    const { filter_pressure: _gone, ...rest } = lookOf(AHU);
    const rule = RULES.find(({ name, kind }) => name === 'FILTER-DP' && kind === 'ahu');
    if (!rule) throw new Error('no such rule');
    const verdict = judge(rule, { device: bare, looks: [rest] });
    expect(verdict).toEqual({ is: 'skipped', reason: 'AHU-3.filter_pressure is not declared' });
  });
});
