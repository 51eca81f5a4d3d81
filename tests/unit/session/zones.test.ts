import { describe, expect, it } from 'vitest';
import type { Understanding } from '../../../agents/runtime/session/index.js';
import { floorsEngine } from '../../support/floors-fixture.js';
import { conversation } from '../../support/session-fixture.js';

const engine = floorsEngine();
const say = (text: string): Understanding => conversation(engine)(text);
const zones = (said: Understanding): unknown[] => said.actions.map((action) => action.params.zone);

describe('zones', () => {
  it.each([
    '三楼A区',
    '3楼A区',
    '３楼Ａ区',
    '三樓A區',
    '第三层的A区域',
    'A区三楼',
    'F3-A',
    'f3a区',
    '3A区',
    '3F A区',
    'Office A',
  ])('诊断%s', (name) => expect(zones(say(`诊断${name}`))).toEqual(['F3-A']));

  it.each([
    'zone A on floor 3',
    'floor 3 zone A',
    '3F zone A',
    "the third floor's zone A",
    'zone A on the 3rd floor',
    'zone a, floor three',
    'the zone A of the third floor',
    'zone F3-A',
    'zone 3A',
    'Office A',
    'F3-A',
  ])('diagnose %s', (name) => expect(zones(say(`diagnose ${name}`))).toEqual(['F3-A']));

  it.each([
    ['三楼A区和B区', ['F3-A', 'F3-B']],
    ['三楼A区、B区和二楼C区', ['F3-A', 'F3-B', 'F2-C']],
    ['三楼A和B区', ['F3-A', 'F3-B']],
    ['三楼A、B、C三个区', ['F3-A', 'F3-B', 'F3-C']],
    ['三楼A区，B区', ['F3-A', 'F3-B']],
    ['三楼A区，再诊断B区', ['F3-A', 'F3-B']],
  ])('诊断%s', (list, wanted) => expect(zones(say(`诊断${list}`))).toEqual(wanted));

  it.each([
    ['zones A and B on floor 3', ['F3-A', 'F3-B']],
    ['zone A and B on floor 3', ['F3-A', 'F3-B']],
    ['floor 3 zones A and B', ['F3-A', 'F3-B']],
    ['zone A on floor 3 and zone B on floor 2', ['F3-A', 'F2-B']],
    ['Office A and Office B', ['F3-A', 'F3-B']],
  ])('diagnose %s', (list, wanted) => expect(zones(say(`diagnose ${list}`))).toEqual(wanted));

  it.each([
    ['诊断九楼A区', '没有“九楼A区”。是指 一楼A区、二楼A区、三楼A区 吗？', ['F1-A', 'F2-A', 'F3-A']],
    ['诊断三楼D区', '没有“三楼D区”。是指 三楼A区、三楼B区、三楼C区 吗？', ['F3-A', 'F3-B', 'F3-C']],
    [
      'diagnose zone D on floor 3',
      'There is no "zone D on floor 3". Did you mean zone A on floor 3, zone B on floor 3, zone C on floor 3?',
      ['F3-A', 'F3-B', 'F3-C'],
    ],
    ['诊断F9-A', '没有“F9-A”。是指 一楼A区、二楼A区、三楼A区 吗？', ['F1-A', 'F2-A', 'F3-A']],
  ])('%s asks with the nearest', (text, question, candidates) => {
    expect(say(text).prompt).toEqual({ reason: 'unknown_entity', text: question, missing: ['zone'], candidates });
  });

  it('asks on which floor, and takes the floor for an answer', () => {
    for (const [text, answer] of [
      ['把A区设为24度', '三楼'],
      ['set zone A to 24', 'floor 3'],
      ['set zone A to 24', 'zone A on floor 3'],
    ] as const) {
      const talk = conversation(engine);
      expect(talk(text).prompt).toMatchObject({ reason: 'ambiguous', candidates: ['F1-A', 'F2-A', 'F3-A'] });
      expect(talk(answer).actions[0]?.params).toEqual({ zone: 'F3-A', temperature_c: 24 });
    }
  });

  it('does not take an article for a zone', () => {
    expect(say('notify Zhang that there is a zone on fire').actions[0]?.params.body).toBe('there is a zone on fire');
    expect(say('diagnose zone B and a report').actions).toEqual([]);
  });
});

describe('set-points of zones', () => {
  it.each([
    ['把三楼A区温度设为24度', 24],
    ['三楼A区温度调到二十四度', 24],
    ['三楼A区空调设为24.5°C', 24.5],
    ['set zone A on floor 3 to 24 degrees', 24],
    ['set zone A on floor 3 to 24°C', 24],
    ['set the temperature of zone A on floor 3 to 24', 24],
    ['please turn down zone A on floor 3 to twenty four degrees', 24],
  ])('%s', (text, temperature_c) => {
    const [action, ...more] = say(text).actions;
    expect(action).toMatchObject({ callee: 'floor3_hvac_agent', method: 'set_setpoint' });
    expect(action?.params).toEqual({ zone: 'F3-A', temperature_c });
    expect(more).toEqual([]);
  });

  it('are put right, and kept from what is denied', () => {
    expect(zones(say('把三楼A区设为24度，不对，三楼B区'))).toEqual(['F3-B']);
    expect(say('不要把三楼A区设为24度').outcome).toBe('none');
    expect(say('set zone A or zone B on floor 3 to 24').outcome).toBe('ask');
  });
});

describe('a pronoun', () => {
  it.each(['诊断三楼A区，然后把它设为24度', 'diagnose zone A on floor 3, then set it to 24 degrees'])(
    'stands for the zone of the former clause: %s',
    (text) => {
      const [, set] = say(text).actions;
      expect(set).toMatchObject({ method: 'set_setpoint', params: { zone: 'F3-A' }, depends_on: ['s1'] });
    },
  );

  it('stands for both zones', () => {
    expect(zones(say('诊断三楼A区和二楼B区，把它们设为24度'))).toEqual(['F3-A', 'F2-B', 'F3-A', 'F2-B']);
  });

  it('stands for the zone of the former sentence, until a device is spoken of', () => {
    const talk = conversation(engine);
    talk('诊断三楼A区');
    expect(zones(talk('把它设为24度'))).toEqual(['F3-A']);
    expect(talk('重启它').outcome).toBe('ask');
    talk('查PLC-007状态');
    expect(talk('重启它').actions[0]?.params).toEqual({ device_id: 'PLC-007' });
    expect(talk('把它设为24度').outcome).not.toBe('plan');
  });

  it('stands for the device where the zone only says where that is', () => {
    expect(say('check PLC-007 in zone A on floor 3 and restart it').actions[1]?.params).toEqual({
      device_id: 'PLC-007',
    });
  });
});
