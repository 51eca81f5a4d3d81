/** The temperature of a zone: what is said, what is written, what is proven and taken back. */
import { afterEach, describe, expect, test } from 'vitest';
import type { Diagnosis } from '../../agents/hvac/diagnosis/diagnosis.js';
import { type Building, faultsOf, MINUTE, startBuilding } from '../support/hvac-building.js';

const buildings: Building[] = [];
afterEach(async () => {
  for (const one of buildings.splice(0)) await one.stop();
});

async function building(): Promise<Building> {
  const one = await startBuilding();
  buildings.push(one);
  return one;
}

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

  test('a status that is read while the set-point changes does not take the change out of the memory', async () => {
    const { call, clock } = await building();
    const agent = 'floor3_hvac_agent_v1.0';
    for (const temperature_c of [23, 24, 23, 24, 23, 24]) {
      const ask = () => call(agent, 'get_zone_status', { zone: 'F3-A' });
      const set = call(agent, 'set_setpoint', { zone: 'F3-A', temperature_c });
      await Promise.all([ask(), set, ask()]);
      await clock.advance(1_000);
    }
    expect(await call(agent, 'get_zone_status', { zone: 'F3-A' })).toMatchObject({ changed_at: { length: 6 } });
    const seventh = await call(agent, 'set_setpoint', { zone: 'F3-A', temperature_c: 23 });
    expect(seventh).toMatchObject({ reason: 'invalid_params', data: { fields: [{ pointer: '/params/zone' }] } });
    expect(await call(agent, 'set_setpoint', { zone: 'F3-A', temperature_c: 24 })).toMatchObject({ before: 24 });
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

  test.each([
    ['a link that swallows everything', 'half_open', {}, 'timeout'],
    ['a box that is slow', 'delay', { ms: 3_000 }, 'timeout'],
    ['a gateway that does not reach it', 'exception', { code: 11 }, 'gateway_target_silent'],
  ])('%s: device and link are named, nothing is written', async (_what, kind, params, cause) => {
    const { world, goal, written } = await building();
    world.addFault({ device: 'VAV-301', kind, params });
    const { error, state } = await goal('把三楼A区温度设为25度');
    expect(state).toBe('failed');
    expect(error?.message).toContain('VAV-301 does not answer (link hvac-3)');
    expect(error?.data).toMatchObject({ reason: 'tool_failed', device_id: 'VAV-301', link: 'hvac-3', cause });
    expect(written('VAV-301')).toEqual([]);
  });

  test('after a new set-point the way to it is no fault', async () => {
    const { goal, result, clock } = await building();
    await goal('把三楼A区温度设为18度');
    await clock.advance(2 * MINUTE);
    const found = await result<Diagnosis>('诊断三楼A区空调');
    expect(faultsOf(found)).toEqual([]);
    const zone = found.skipped.find(({ rule }) => rule === 'ZONE-HOT');
    expect(zone?.reason).toContain('the set-point of F3-A is new');
  });
});
