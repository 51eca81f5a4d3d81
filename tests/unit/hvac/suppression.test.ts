import { describe, expect, test } from 'vitest';
import { type Diagnosis, diagnosisOf } from '../../../agents/hvac/diagnosis/diagnosis.js';
import type { Seen } from '../../../agents/hvac/diagnosis/looks.js';
import { equipmentOfDevice, equipmentOfFloor, equipmentOfZone } from '../../../agents/hvac/equipment.js';
import { demoSite, deviceOf, type Said, steady, windowOf } from '../../support/hvac-looks.js';

const site = demoSite();
const DEAD_FAN: Said = { fan_status: false, fan_speed: 0, duct_static_pressure: 0, filter_pressure: 0 };
const NO_AIR: Said = { airflow: 0, damper_position: 100, damper_command: 100, zone_temperature: 27 };

const found = (...seen: Seen[]): Diagnosis => diagnosisOf(windowOf(seen), new Map());
const faults = (diagnosis: Diagnosis) => diagnosis.findings.map(({ device_id, fault }) => `${fault} ${device_id}`);
const explained = (diagnosis: Diagnosis) =>
  diagnosis.skipped
    .filter(({ reason }) => reason.startsWith('explained'))
    .map((one) => `${one.rule} ${one.device_id}: ${one.reason}`);
const see = (id: string, said: Said = {}): Seen => steady(deviceOf(site, id), said);

describe('a cause mutes what it explains (G36 5.1.19)', () => {
  test('a dead fan: no airflow and a hot zone are its effects', () => {
    const diagnosis = found(
      see('AHU-3', { ...DEAD_FAN, supply_air_temperature: 20, cooling_valve: 100 }),
      see('VAV-301', NO_AIR),
    );
    expect(faults(diagnosis)).toEqual(['fan_failure AHU-3']);
    expect(diagnosis.supply_suspect).toBe(true);
    expect(explained(diagnosis)).toEqual([
      'G36-5.6.6-L2 VAV-301: explained by fan_failure of AHU-3',
      'ZONE-HOT VAV-301: explained by fan_failure of AHU-3',
    ]);
  });

  test('switched off while its zones are away: a finding of its own, no matter of supply', () => {
    const off = see('AHU-3', { ...DEAD_FAN, mode: 0 });
    const diagnosis = found(off, see('VAV-301', NO_AIR));
    expect(diagnosis.findings).toMatchObject([
      { device_id: 'AHU-3', fault: 'switched_off', rule: 'AHU-OFF', severity: 'medium', skills: ['hvac'] },
    ]);
    expect(diagnosis.findings[0]?.evidence).toMatchObject({ 'AHU-3.mode': 0, 'VAV-301.zone_temperature': 27 });
    expect(diagnosis.supply_suspect).toBe(false);
    expect(explained(diagnosis)).toEqual(['ZONE-HOT VAV-301: explained by switched_off of AHU-3']);
    const commanded = found(see('AHU-3', { ...DEAD_FAN, fan_command: false }), see('VAV-301', NO_AIR));
    expect(faults(commanded)).toEqual(['switched_off AHU-3']);
  });

  test('switched off with its zones where they should be: nothing is found, and nothing is ruled out', () => {
    const diagnosis = found(
      see('AHU-3', { ...DEAD_FAN, mode: 0 }),
      see('VAV-301', { ...NO_AIR, zone_temperature: 22 }),
    );
    expect(diagnosis).toMatchObject({ verdict: 'incomplete', findings: [] });
  });

  test('a dead fan explains nothing on another floor, and no stuck damper', () => {
    const diagnosis = found(
      see('AHU-3', DEAD_FAN),
      see('VAV-301', { ...NO_AIR, damper_position: 10 }),
      see('VAV-101', NO_AIR),
    );
    expect(faults(diagnosis)).toEqual(['fan_failure AHU-3', 'low_airflow VAV-101', 'damper_stuck VAV-301']);
  });

  test('a clogged filter explains the static pressure, and over it the airflow and the zone', () => {
    const diagnosis = found(
      see('AHU-3', { filter_pressure: 340, fan_speed: 100, duct_static_pressure: 120 }),
      see('VAV-301', { airflow: 300, zone_temperature: 25 }),
    );
    expect(faults(diagnosis)).toEqual(['filter_clogged AHU-3']);
    expect(explained(diagnosis).every((reason) => reason.endsWith('filter_clogged of AHU-3'))).toBe(true);
    expect(explained(diagnosis)).toHaveLength(3);
    expect(diagnosis.supply_suspect).toBe(false);
  });

  test('a clogged filter that does not cost pressure explains no low airflow', () => {
    const diagnosis = found(see('AHU-3', { filter_pressure: 260 }), see('VAV-301', { airflow: 300 }));
    expect(faults(diagnosis)).toEqual(['low_airflow VAV-301', 'filter_clogged AHU-3']);
  });

  test('a stuck damper explains its low airflow and its zone, both boxes of the zone', () => {
    const diagnosis = found(
      see('AHU-3'),
      see('VAV-303', { damper_position: 5, damper_command: 80, airflow: 50, zone_temperature: 25 }),
      see('VAV-304', { zone_temperature: 25 }),
    );
    expect(faults(diagnosis)).toEqual(['damper_stuck VAV-303']);
  });

  test('a compressor that stands explains the hot zone of the boxes beside it', () => {
    const diagnosis = found(
      see('AHU-1'),
      see('VAV-102', { zone_temperature: 27 }),
      see('AC-1', { room_temperature: 27, return_air_temperature: 27, compressor_status: false }),
    );
    expect(faults(diagnosis)).toEqual(['compressor_not_running AC-1']);
    expect(diagnosis.supply_suspect).toBe(true);
  });

  test('low airflow of a box whose air handler is switched off is nobody’s fault', () => {
    const diagnosis = found(see('AHU-3', { ...DEAD_FAN, mode: 0 }), see('VAV-301', NO_AIR));
    expect(faults(diagnosis)).toEqual(['switched_off AHU-3']);
    const skipped = diagnosis.skipped.find(({ rule }) => rule === 'G36-5.6.6-L2');
    expect(skipped?.reason).toBe('AHU-3: switched off: mode OFF');
  });
});

describe('what is told first', () => {
  test('severity, then cause before effect, then the surer', () => {
    const diagnosis = found(
      see('AHU-3', { filter_pressure: 300, mixed_air_temperature: 40 }),
      see('VAV-301', { zone_temperature: 27 }),
      see('VAV-302', { damper_position: 5 }),
      { device: deviceOf(site, 'VAV-303'), looks: [], silent: 'timeout' },
    );
    expect(faults(diagnosis)).toEqual([
      'equipment_unreachable VAV-303',
      'filter_clogged AHU-3',
      'mixed_air_out_of_range AHU-3',
      'damper_stuck VAV-302',
      'zone_too_hot VAV-301',
    ]);
  });

  test('equipment that does not answer is a finding, and its supply is suspected', () => {
    const diagnosis = found({ device: deviceOf(site, 'AHU-3'), looks: [], silent: 'timeout' }, see('VAV-301'));
    expect(diagnosis).toMatchObject({
      verdict: 'fault',
      supply_suspect: true,
      findings: [
        { fault: 'equipment_unreachable', evidence: { 'AHU-3.link': 'timeout' }, skills: ['hvac'], confidence: 0.95 },
      ],
    });
  });

  test('a link of which nothing comes back is one finding; its devices are explained by it', () => {
    const silent = (id: string, cause = 'timeout'): Seen => ({ device: deviceOf(site, id), looks: [], silent: cause });
    const diagnosis = found(silent('AHU-3'), silent('VAV-301', 'closed'), see('VAV-201'));
    expect(diagnosis).toMatchObject({
      supply_suspect: true,
      findings: [
        {
          fault: 'link_unreachable',
          device_id: 'AHU-3',
          link: 'hvac-3',
          devices: ['AHU-3', 'VAV-301'],
          skills: ['hvac'],
          evidence: { 'AHU-3.link': 'timeout', 'VAV-301.link': 'closed' },
        },
      ],
    });
    expect(diagnosis.findings).toHaveLength(1);
    expect(explained(diagnosis)).toEqual([
      'LINK AHU-3: explained by link hvac-3, which is silent',
      'LINK VAV-301: explained by link hvac-3, which is silent',
    ]);
    // A gateway that speaks for both lives, and so does a link on which one answers.
    expect(faults(found(silent('AHU-3', 'gateway_target_silent'), silent('VAV-301')))).toEqual([
      'equipment_unreachable AHU-3',
      'equipment_unreachable VAV-301',
    ]);
    expect(faults(found(silent('AHU-3'), silent('VAV-301'), see('VAV-302')))).toHaveLength(2);
    expect(faults(found(silent('AHU-3')))).toEqual(['equipment_unreachable AHU-3']);
  });

  test('what nobody had time to ask leaves the diagnosis incomplete', () => {
    const diagnosis = found({ device: deviceOf(site, 'AHU-3'), looks: [], unasked: true }, see('VAV-301'));
    expect(diagnosis).toMatchObject({ verdict: 'incomplete', findings: [], supply_suspect: false });
    expect(diagnosis.skipped).toContainEqual({
      rule: 'LINK',
      device_id: 'AHU-3',
      reason: 'there was no time left to ask it',
      open: true,
    });
  });
});

describe('which equipment is meant', () => {
  const ids = (devices: readonly { id: string }[]) => devices.map(({ id }) => id);
  test('a zone: the air handler that feeds it, its boxes, its split unit', () => {
    expect(ids(equipmentOfZone(site, 'F3-A'))).toEqual(['AHU-3', 'VAV-301']);
    expect(ids(equipmentOfZone(site, 'F3-C'))).toEqual(['AHU-3', 'VAV-303', 'VAV-304']);
    expect(ids(equipmentOfZone(site, 'F1-B'))).toEqual(['AHU-1', 'VAV-102', 'AC-1']);
  });
  test('a device and what feeds it; a floor with all of it', () => {
    expect(ids(equipmentOfDevice(site, 'AHU-3'))).toEqual(['AHU-3']);
    expect(ids(equipmentOfDevice(site, 'VAV-302'))).toEqual(['AHU-3', 'VAV-302']);
    expect(ids(equipmentOfFloor(site, 2))).toEqual(['AHU-2', 'VAV-201', 'VAV-202', 'VAV-203', 'VAV-204', 'AC-2']);
  });
  test('what is unknown, or no air conditioning, is refused by name', () => {
    expect(() => equipmentOfZone(site, 'F9-A')).toThrow(/no zone F9-A/);
    expect(() => equipmentOfFloor(site, 9)).toThrow(/no floor 9/);
    expect(() => equipmentOfDevice(site, 'AHU-9')).toThrow(/no device AHU-9/);
    expect(() => equipmentOfDevice(site, 'PLC-001')).toThrow(/PLC-001 is a plc/);
    const empty = { ...site, devices: site.devices.filter(({ zone }) => zone !== 'F3-A') };
    expect(() => equipmentOfZone(empty, 'F3-A')).toThrow(/no air conditioning is known for zone F3-A/);
  });
});
