import { afterEach, describe, expect, test } from 'vitest';
import type { Diagnosis } from '../../agents/hvac/diagnosis/diagnosis.js';
import { scopes } from '../../agents/runtime/index.js';
import type { Goal } from '../../coordinator/index.js';
import { startTwin, type Twin } from '../../topology/index.js';
import { demoTopology } from '../support/demo-site.js';

/** Floors of a small building in virtual time: what is said, what the equipment does, what is found. */
const MINUTE = 60_000;

const twins: Twin[] = [];
afterEach(async () => {
  for (const twin of twins.splice(0)) await twin.clock.run(twin.stop());
});

async function building(seed = 1) {
  const twin = await startTwin(demoTopology(), { seed });
  twins.push(twin);
  const { world, clock } = twin;
  const goal = async (text: string): Promise<Goal> => {
    const id = await clock.run(twin.submit(text));
    return clock.run(twin.settled(id, 120_000), 180_000);
  };
  return {
    world,
    clock,
    goal,
    /** The result of the first step. */
    result: async <T>(text: string): Promise<T> => {
      const ended = await goal(text);
      expect(ended.error).toBeUndefined();
      return ended.plan.steps[0]?.result as T;
    },
    point: (device: string, name: string) => world.device(device).points.find((point) => point.name === name)?.value,
    written: (device: string) =>
      world.frames({ device }).filter(({ dir, fc, address }) => dir === 'in' && fc === 6 && address === 0),
    async entries(agent: string, zone: string) {
      const view = twin.site().agents.get(agent)?.cell.view;
      return clock.run(view?.entries(scopes.zone(zone)) ?? Promise.resolve([]));
    },
  };
}

const faults = (found: Diagnosis) => found.findings.map(({ device_id, fault }) => `${fault} ${device_id}`);

describe.each([
  ['zh', '诊断三楼A区空调'],
  ['en', 'diagnose the AC in zone A on floor 3'],
])('a diagnosis, asked in %s', (language, sentence) => {
  test('healthy: no fault, said so', async () => {
    const { goal } = await building();
    const asked = await goal(sentence);
    expect(asked.plan.steps[0]?.result).toMatchObject({
      zone: 'F3-A',
      verdict: 'no_fault',
      findings: [],
      supply_suspect: false,
      equipment: ['AHU-3', 'VAV-301'],
    });
    const found = asked.plan.steps[0]?.result as Diagnosis;
    expect(found.window_ms).toBeGreaterThanOrEqual(1_500);
    expect(asked.answer?.text).toContain(language === 'zh' ? '未发现故障' : 'no fault found');
  });

  test('a dead fan is named first; low airflow and the warm zone are its effects', async () => {
    const { world, clock, goal } = await building();
    world.addFault({ device: 'AHU-3', kind: 'fan_dead' });
    await clock.advance(40 * MINUTE);
    const asked = await goal(sentence);
    const found = asked.plan.steps[0]?.result as Diagnosis;
    expect(faults(found)).toEqual(['fan_failure AHU-3']);
    expect(found).toMatchObject({ verdict: 'fault', supply_suspect: true });
    expect(found.findings[0]?.evidence).toMatchObject({ 'AHU-3.fan_status': false, 'AHU-3.duct_static_pressure': 0 });
    const muted = found.skipped.filter(({ reason }) => reason === 'explained by fan_failure of AHU-3');
    expect(muted.map(({ rule }) => rule)).toEqual(expect.arrayContaining(['G36-5.6.6-L2', 'ZONE-HOT']));
    expect(asked.answer?.text).toContain(language === 'zh' ? '风机故障' : 'fan failure');
    expect(asked.answer?.text).toContain(language === 'zh' ? '需要检查供电' : 'power supply has to be checked');
  });
});

describe('faults of the equipment', () => {
  test('a dead fan, asked at once: the damper that opens for more air is not taken for a stuck one', async () => {
    const { world, result } = await building();
    world.addFault({ device: 'AHU-3', kind: 'fan_dead' });
    expect(faults(await result('诊断三楼A区空调'))).toEqual(['fan_failure AHU-3']);
  });

  test('a clogged filter', async () => {
    const { world, clock, result } = await building();
    world.addFault({ device: 'AHU-2', kind: 'filter_clogged' });
    await clock.advance(10 * MINUTE);
    const found = await result<Diagnosis>('诊断AHU-2');
    expect(faults(found)[0]).toBe('filter_clogged AHU-2');
    expect(found.findings[0]?.skills).toEqual(['hvac']);
    expect(found.supply_suspect).toBe(false);
  });

  test('a damper that hangs, and what it leads to', async () => {
    const { world, clock, result } = await building();
    world.put('VAV-301', 'damper_position', 5);
    world.addFault({ device: 'VAV-301', kind: 'stuck', params: { point: 'damper_position' } });
    await clock.advance(60 * MINUTE);
    const found = await result<Diagnosis>('三楼A区空调怎么回事');
    expect(faults(found)).toEqual(['damper_stuck VAV-301']);
    expect(found.skipped).toContainEqual(
      expect.objectContaining({ rule: 'ZONE-HOT', reason: 'explained by damper_stuck of VAV-301' }),
    );
  });

  test('an open breaker stops a fan: the supply is suspected', async () => {
    const { world, result } = await building();
    world.addFault({ device: 'BRK-6', kind: 'breaker_trip' });
    const found = await result<Diagnosis>('diagnose AHU-3');
    expect(faults(found)).toEqual(['fan_failure AHU-3']);
    expect(found.supply_suspect).toBe(true);
  });

  test('a dead fan of a split unit', async () => {
    const { world, result } = await building();
    world.addFault({ device: 'AC-1', kind: 'fan_dead' });
    const found = await result<Diagnosis>('诊断一楼B区空调');
    expect(faults(found)).toEqual(['fan_failure AC-1']);
  });

  test('an air handler that answers with exceptions is found unreachable; the box beside it is judged', async () => {
    const { world, result } = await building();
    world.addFault({ device: 'AHU-3', kind: 'exception', params: { code: 11 } });
    const found = await result<Diagnosis>('诊断三楼A区空调');
    expect(faults(found)).toEqual(['equipment_unreachable AHU-3']);
    expect(found.findings[0]?.evidence).toEqual({ 'AHU-3.link': 'gateway_target_silent' });
    expect(found.supply_suspect).toBe(true);
    expect(found.window_ms).toBeLessThan(1_700);
  });

  test('a link that swallows everything: all of it is found unreachable, in time', async () => {
    const { world, clock, goal } = await building();
    world.addFault({ device: 'AHU-3', kind: 'half_open' });
    const began = clock.now();
    const asked = await goal('三楼有哪些故障');
    expect(clock.now() - began).toBeLessThan(10_000);
    const floor = ['AHU-3', 'VAV-301', 'VAV-302', 'VAV-303', 'VAV-304'];
    expect(asked.plan.steps[0]?.result).toMatchObject({
      floor: 3,
      faults: floor.map((device_id) => ({ device_id, fault: 'equipment_unreachable' })),
      checked: floor,
    });
  });

  test('a link that has come back is not taken for silent', async () => {
    const { world, clock, result } = await building();
    await result('诊断三楼A区空调');
    const fault = world.addFault({ device: 'AHU-3', kind: 'half_open', for_ms: 60_000 });
    await result('三楼A区现在多少度');
    world.removeFault(fault.fault_id);
    await clock.advance(2_000);
    expect(faults(await result('诊断三楼A区空调'))).toEqual([]);
  });

  test('the faults of a floor, worst first, in words', async () => {
    const { world, clock, goal } = await building();
    world.put('VAV-203', 'damper_position', 5);
    world.addFault({ device: 'VAV-203', kind: 'stuck', params: { point: 'damper_position' } });
    world.addFault({ device: 'AC-2', kind: 'fan_dead' });
    await clock.advance(5 * MINUTE);
    const asked = await goal('二楼有哪些故障');
    expect(asked.answer?.text).toContain('AC-2 风机故障；VAV-203 风阀卡滞');
  });
});

describe('the temperature of a zone', () => {
  test('set to 24: the box has it, the zone follows, the record and the memory say so', async () => {
    const { clock, goal, point, entries, result } = await building();
    const asked = await goal('把三楼A区温度设为24度');
    expect(asked.state).toBe('completed');
    expect(asked.answer?.text).toContain('24 °C');
    expect(point('VAV-301', 'temperature_setpoint')).toBe(24);
    expect(asked.plan.steps[0]?.result).toMatchObject({
      zone: 'F3-A',
      temperature_c: 24,
      before: 22,
      devices: [{ device_id: 'VAV-301', before: 22 }],
    });
    const last = (await entries('floor3_hvac_agent', 'F3-A')).at(-1);
    expect(last).toMatchObject({ outcome: 'confirmed', verification: { evidence: { read_back: { 'VAV-301': 24 } } } });
    expect(last?.snapshots?.[0]?.data).toMatchObject({ action: 'set_setpoint', setpoint_c: 24, before: 22 });
    expect(last?.effects?.map(({ target }) => target)).toContain('VAV-301.temperature_setpoint');
    await clock.advance(90 * MINUTE);
    const status = await result<{ temperature_c: number; setpoint_c: number }>('三楼A区现在多少度');
    expect(status.setpoint_c).toBe(24);
    expect(Math.abs(status.temperature_c - 24)).toBeLessThan(1);
  });

  test('a zone of two boxes, and one with a split unit: every one of them', async () => {
    const { goal, point } = await building();
    expect((await goal('set zone C on floor 3 to 23.5 degrees')).state).toBe('completed');
    expect(['VAV-303', 'VAV-304'].map((id) => point(id, 'temperature_setpoint'))).toEqual([23.5, 23.5]);
    expect((await goal('一楼B区空调调到二十三度')).state).toBe('completed');
    expect(['VAV-102', 'AC-1'].map((id) => point(id, 'temperature_setpoint'))).toEqual([23, 23]);
  });

  test.each([
    ['把三楼A区温度设为40度', '40 is above 30 °C'],
    ['把三楼A区温度设为15度', '15 is below 16 °C'],
    ['把三楼A区温度设为23.3度', '23.3 is between two steps of 0.5 K'],
  ])('%s: refused, the limit is named, nothing is written', async (sentence, limit) => {
    const { goal, written } = await building();
    const { error, state } = await goal(sentence);
    expect(state).toBe('failed');
    expect(error).toMatchObject({
      code: 400,
      data: { reason: 'invalid_params', fields: [{ pointer: '/params/temperature_c', problem: limit }] },
    });
    expect(written('VAV-301')).toEqual([]);
  });

  test('a longer way than 8 K is refused', async () => {
    const { goal, world } = await building();
    world.put('VAV-301', 'temperature_setpoint', 17);
    const { error } = await goal('把三楼A区温度设为26度');
    expect(error?.message).toContain('26 is 9 K from the 17 °C of VAV-301; at most 8 K a command');
  });

  test('the seventh change within ten minutes is refused, whatever was asked between; later it is not', async () => {
    const { goal, clock, result, written } = await building();
    for (const degrees of [23, 24, 23, 24, 23, 24]) {
      expect((await goal(`把三楼A区温度设为${degrees}度`)).state).toBe('completed');
      await clock.advance(MINUTE);
    }
    await result('三楼A区现在多少度');
    const count = written('VAV-301').length;
    const { error } = await goal('把三楼A区温度设为23度');
    expect(error).toMatchObject({ data: { reason: 'invalid_params', fields: [{ pointer: '/params/zone' }] } });
    expect(error?.message).toContain('6 times within 10 minutes; again from');
    expect(written('VAV-301')).toHaveLength(count);
    expect((await goal('把三楼B区温度设为23度')).state).toBe('completed');
    await clock.advance(4 * MINUTE);
    expect((await goal('把三楼A区温度设为23度')).state).toBe('completed');
  });

  test('what it has already is not written again and is no change', async () => {
    const { goal, written } = await building();
    for (let n = 0; n < 8; n++) expect((await goal('把三楼A区温度设为22度')).state).toBe('completed');
    expect(written('VAV-301')).toEqual([]);
  });

  test('acknowledged and not done: the read-back finds it, all are set back', async () => {
    const { world, goal, point, entries } = await building();
    world.addFault({ device: 'VAV-304', kind: 'silent_write' });
    const { error, state } = await goal('把三楼C区温度设为25度');
    expect(state).toBe('failed');
    expect(error?.data).toMatchObject({ reason: 'verification_failed', rollback_executed: true });
    expect(['VAV-303', 'VAV-304'].map((id) => point(id, 'temperature_setpoint'))).toEqual([22, 22]);
    const last = (await entries('floor3_hvac_agent', 'F3-C')).at(-1);
    expect(last).toMatchObject({
      outcome: 'failed',
      verification: { evidence: { wanted: 25, read_back: { 'VAV-303': 25, 'VAV-304': 22 } } },
      rollback: { executed: true, outcome: 'confirmed' },
    });
  });

  test('one box refuses the write: the one before it is set back', async () => {
    const { world, goal, point } = await building();
    world.addFault({ device: 'VAV-304', kind: 'exception', params: { code: 4, fc: [6] } });
    const { error } = await goal('把三楼C区温度设为25度');
    expect(error?.data).toMatchObject({ rollback_executed: true, rollback_outcome: 'confirmed' });
    expect(point('VAV-303', 'temperature_setpoint')).toBe(22);
  });

  test('after a new set-point the way to it is no fault', async () => {
    const { goal, result, clock } = await building();
    await goal('把三楼A区温度设为18度');
    await clock.advance(2 * MINUTE);
    const found = await result<Diagnosis>('诊断三楼A区空调');
    expect(faults(found)).toEqual([]);
    const zone = found.skipped.find(({ rule }) => rule === 'ZONE-HOT');
    expect(zone?.reason).toContain('the set-point of F3-A is new');
  });
});
