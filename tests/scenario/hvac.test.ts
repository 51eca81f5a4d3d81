/** Floors of a small building: what the equipment does, what is asked, what is found. */
import { afterEach, describe, expect, test } from 'vitest';
import type { Diagnosis } from '../../agents/hvac/diagnosis/diagnosis.js';
import { type Factory, startFactory } from '../../topology/index.js';
import { demoTopology } from '../support/demo-site.js';
import { type Building, faultsOf, MINUTE, startBuilding } from '../support/hvac-building.js';

let factory: Factory | undefined;
const buildings: Building[] = [];
afterEach(async () => {
  for (const one of buildings.splice(0)) await one.stop();
  await factory?.stop();
  factory = undefined;
});

async function building(): Promise<Building> {
  const one = await startBuilding();
  buildings.push(one);
  return one;
}

describe.each([
  ['zh', '诊断三楼A区空调'],
  ['en', 'diagnose the AC in zone A on floor 3'],
])('a diagnosis, asked in %s', (language, sentence) => {
  test('healthy: no fault, said so', async () => {
    const { clock, goal } = await building();
    // A building that has just been started has its dampers on their way.
    await clock.advance(MINUTE);
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
    expect(faultsOf(found)).toEqual(['fan_failure AHU-3']);
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
    expect(faultsOf(await result('诊断三楼A区空调'))).toEqual(['fan_failure AHU-3']);
  });

  test.each([
    [5, [], 'incomplete', '有些还不能判断'],
    [90, ['switched_off AHU-3'], 'fault', '空调机组被关闭'],
  ])('an air handler that is OFF for %i minutes is not told healthy', async (minutes, faults, verdict, words) => {
    const { world, clock, goal } = await building();
    world.put('AHU-3', 'mode', 0);
    await clock.advance(minutes * MINUTE);
    const asked = await goal('诊断三楼A区空调');
    const found = asked.plan.steps[0]?.result as Diagnosis;
    expect(found).toMatchObject({ verdict, supply_suspect: false });
    expect(faultsOf(found)).toEqual(faults);
    expect(asked.answer?.text).toContain(words);
  });

  test('a clogged filter', async () => {
    const { world, clock, result } = await building();
    world.addFault({ device: 'AHU-2', kind: 'filter_clogged' });
    await clock.advance(10 * MINUTE);
    const found = await result<Diagnosis>('诊断AHU-2');
    expect(faultsOf(found)[0]).toBe('filter_clogged AHU-2');
    expect(found.findings[0]?.skills).toEqual(['hvac']);
    expect(found.supply_suspect).toBe(false);
  });

  test('a damper that hangs, and what it leads to', async () => {
    const { world, clock, result } = await building();
    world.put('VAV-301', 'damper_position', 5);
    world.addFault({ device: 'VAV-301', kind: 'stuck', params: { point: 'damper_position' } });
    await clock.advance(60 * MINUTE);
    const found = await result<Diagnosis>('三楼A区空调怎么回事');
    expect(faultsOf(found)).toEqual(['damper_stuck VAV-301']);
    expect(found.skipped).toContainEqual(
      expect.objectContaining({ rule: 'ZONE-HOT', reason: 'explained by damper_stuck of VAV-301' }),
    );
  });

  test('an open breaker stops a fan: the supply is suspected', async () => {
    const { world, result } = await building();
    world.addFault({ device: 'BRK-6', kind: 'breaker_trip' });
    const found = await result<Diagnosis>('diagnose AHU-3');
    expect(faultsOf(found)).toEqual(['fan_failure AHU-3']);
    expect(found.supply_suspect).toBe(true);
  });

  test('a dead fan of a split unit', async () => {
    const { world, result } = await building();
    world.addFault({ device: 'AC-1', kind: 'fan_dead' });
    const found = await result<Diagnosis>('诊断一楼B区空调');
    expect(faultsOf(found)).toEqual(['fan_failure AC-1']);
  });

  test('an air handler that answers with exceptions is found unreachable; the box beside it is judged', async () => {
    const { world, result } = await building();
    world.addFault({ device: 'AHU-3', kind: 'exception', params: { code: 11 } });
    const found = await result<Diagnosis>('诊断三楼A区空调');
    expect(faultsOf(found)).toEqual(['equipment_unreachable AHU-3']);
    expect(found.findings[0]?.evidence).toEqual({ 'AHU-3.link': 'gateway_target_silent' });
    expect(found.supply_suspect).toBe(true);
    expect(found.window_ms).toBeLessThan(1_700);
  });

  test('a link that swallows everything: it is found so, in time', async () => {
    const { world, clock, goal } = await building();
    world.addFault({ device: 'AHU-3', kind: 'half_open' });
    const began = clock.now();
    const asked = await goal('三楼有哪些故障');
    expect(clock.now() - began).toBeLessThan(10_000);
    const floor = ['AHU-3', 'VAV-301', 'VAV-302', 'VAV-303', 'VAV-304'];
    expect(asked.plan.steps[0]?.result).toMatchObject({
      floor: 3,
      faults: [{ device_id: 'AHU-3', fault: 'link_unreachable', link: 'hvac-3', devices: floor, skills: ['hvac'] }],
      checked: floor,
    });
  });

  test.each([1_500, 3_000])('one unit that answers %i ms late does not make its neighbours unreachable', async (ms) => {
    const { world, clock, result } = await building();
    world.addFault({ device: 'AHU-3', kind: 'delay', params: { ms } });
    for (let n = 0; n < 3; n++) {
      expect(faultsOf(await result('诊断三楼A区空调'))).toEqual(['equipment_unreachable AHU-3']);
      await clock.advance(2_000);
    }
  });

  test('a zone behind a silent link: the link is told, once', async () => {
    const { world, goal } = await building();
    world.addFault({ device: 'AHU-3', kind: 'half_open' });
    const asked = await goal('诊断三楼A区空调');
    expect(faultsOf(asked.plan.steps[0]?.result as Diagnosis)).toEqual(['link_unreachable AHU-3']);
    expect(asked.answer?.text).toContain('链路 hvac-3（AHU-3、VAV-301）');
  });

  test('a link that has come back is not taken for silent', async () => {
    const { world, clock, result } = await building();
    await result('诊断三楼A区空调');
    const fault = world.addFault({ device: 'AHU-3', kind: 'half_open', for_ms: 60_000 });
    await result('三楼A区现在多少度');
    world.removeFault(fault.fault_id);
    await clock.advance(2_000);
    expect(faultsOf(await result('诊断三楼A区空调'))).toEqual([]);
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

describe('whose floor it is', () => {
  test('an agent called for another floor reads and writes nothing there', async () => {
    const { call: callOf, written } = await building();
    const call = (method: string, params: Record<string, unknown>) => callOf('floor1_hvac_agent_v1.0', method, params);
    const elsewhere = (field: string, what: string) => {
      const problem = `${what} is served by floor3_hvac_agent`;
      const data = { fields: [{ pointer: `/params/${field}`, problem }] };
      return { reason: 'unknown_entity', message: problem, data };
    };
    expect(await call('set_setpoint', { zone: 'F3-A', temperature_c: 24 })).toMatchObject(elsewhere('zone', 'F3-A'));
    expect(await call('get_zone_status', { zone: 'F3-A' })).toMatchObject(elsewhere('zone', 'F3-A'));
    expect(await call('diagnose', { zone: 'F3-A' })).toMatchObject(elsewhere('zone', 'F3-A'));
    expect(await call('diagnose', { device_id: 'AHU-3' })).toMatchObject(elsewhere('device_id', 'AHU-3'));
    expect(await call('list_faults', { floor: 3 })).toMatchObject(elsewhere('floor', 'floor 3'));
    expect(await call('diagnose', { zone: 'F9-A' })).toMatchObject({ message: 'no zone F9-A at this site' });
    expect(written('VAV-301')).toEqual([]);
  });

  test.each([
    ['diagnose', {}, '/params/zone', 'missing: give zone or device_id'],
    ['diagnose', { zone: 'F1-A', device_id: 'AHU-1' }, '/params/device_id', 'give zone or device_id, not both'],
    ['diagnose', { device_id: 'PLC-001' }, '/params/device_id', undefined],
    ['list_faults', {}, '/params/floor', 'missing: give floor or zone'],
  ])('%s %j: the field is named', async (method, params, pointer, problem) => {
    const { call } = await building();
    const thrown = await call('floor1_hvac_agent_v1.0', method, params);
    const fields = [problem === undefined ? { pointer } : { pointer, problem }];
    expect(thrown).toMatchObject({ reason: 'invalid_params', data: { fields } });
  });
});

test('over real Modbus TCP: diagnosed, set, and found dead', async () => {
  factory = await startFactory(demoTopology());
  const asked = await factory.goal('诊断三楼A区空调');
  expect(asked.plan.steps[0]?.result).toMatchObject({ findings: [], equipment: ['AHU-3', 'VAV-301'] });
  expect((await factory.goal('set zone A on floor 3 to 24 degrees')).state).toBe('completed');
  const point = factory.device('VAV-301').points.find(({ name }) => name === 'temperature_setpoint');
  expect(point?.value).toBe(24);
  factory.world.addFault({ device: 'AHU-3', kind: 'fan_dead' });
  const found = (await factory.goal('诊断AHU-3')).plan.steps[0]?.result as Diagnosis;
  expect(faultsOf(found)).toEqual(['fan_failure AHU-3']);
});
