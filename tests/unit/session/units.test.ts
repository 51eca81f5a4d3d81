import { describe, expect, it } from 'vitest';
import { rulePackSchema } from '../../../agents/runtime/session/index.js';
import { buildingEngine } from '../../support/building-engine.js';
import { conversation } from '../../support/session-fixture.js';

const engine = buildingEngine();
const say = (text: string) => conversation(engine)(text);

describe('a number in another unit than the one that is taken', () => {
  it.each([
    ['把三楼A区温度设为24%', '“24%”的单位不是 °C。要设为多少 °C？', 'temperature_c'],
    ['把三楼A区温度设为75华氏度', '“75华氏度”的单位不是 °C。要设为多少 °C？', 'temperature_c'],
    ['把三楼A区温度设为华氏75度', '“华氏75度”的单位不是 °C。要设为多少 °C？', 'temperature_c'],
    ['把三楼A区温度设为75°F', '“75°F”的单位不是 °C。要设为多少 °C？', 'temperature_c'],
    ['set F3-A to 24 kW', '"24 kW" is not in °C. To how many °C?', 'temperature_c'],
    ['set F3-A to 24 percent', '"24 percent" is not in °C. To how many °C?', 'temperature_c'],
    ['set F3-A to 75 fahrenheit', '"75 fahrenheit" is not in °C. To how many °C?', 'temperature_c'],
    ['set F3-A to 75 degrees fahrenheit', '"75 degrees fahrenheit" is not in °C. To how many °C?', 'temperature_c'],
    ['set F3-A to 75 °F', '"75 °F" is not in °C. To how many °C?', 'temperature_c'],
    ['把PLC-003的温度设定改为45%', '“45%”的单位不是 °C。要设为多少 °C？', 'value'],
    ['把PLC-003的加热功率设为45度', '“45度”的单位不是 %。要设为多少 %？', 'value'],
    ['set the speed of PLC-003 to 1200 percent', '"1200 percent" is not in rpm. To how many rpm?', 'value'],
    ['set the temperature of PLC-003 to 45 kW', '"45 kW" is not in °C. To how many °C?', 'value'],
  ])('%s is asked about', (text, question, param) => {
    expect(say(text)).toMatchObject({
      outcome: 'ask',
      actions: [],
      prompt: { reason: 'missing', text: question, missing: [param], candidates: [] },
    });
  });

  it.each([
    ['把三楼A区温度设为24%', '24度', { zone: 'F3-A', temperature_c: 24 }],
    ['set F3-A to 24 kW', '24', { zone: 'F3-A', temperature_c: 24 }],
    ['把PLC-003的加热功率设为45度', '45%', { device_id: 'PLC-003', point: 'heating_power', value: 45 }],
  ])('%s: the answer fills the slot', (text, answer, params) => {
    const talk = conversation(engine);
    talk(text);
    expect(talk('25 kW').outcome).toBe('ask');
    expect(talk(answer)).toMatchObject({ outcome: 'plan', actions: [{ params }] });
  });
});

describe('a number in the unit that is taken, or in none', () => {
  it.each([
    ['把三楼A区温度设为24', 24],
    ['把三楼A区温度设为24摄氏度', 24],
    ['把三楼A区温度设为摄氏24度', 24],
    ['set F3-A to 24 °C', 24],
    ['set F3-A to 24 degrees celsius', 24],
    ['把PLC-003的温度设定改为45℃', 45],
    ['把PLC-003的加热功率设为百分之四十五', 45],
    ['set the speed of PLC-003 to 1200 rpm', 1200],
    ['set the speed of PLC-003 to 1200', 1200],
  ])('%s is planned', (text, value) => {
    const said = say(text);
    expect([said.outcome, said.prompt?.text]).toEqual(['plan', undefined]);
    expect(Object.values(said.actions[0]?.params ?? {})).toContain(value);
  });

  it('3F is a floor', () => {
    expect(say('诊断3F A区').actions[0]?.params).toEqual({ zone: 'F3-A' });
    expect(say('set F3-A to 75F').outcome).toBe('ask');
    expect(say('set 3F zone A to 24').actions[0]?.params).toEqual({ zone: 'F3-A', temperature_c: 24 });
  });
});

it('a unit is text', () => {
  const slot = { entity: 'number', param: 'value', unit: '' };
  const intent = { name: 'A', method: 'a', effect: 'write', templates: { zh: [], en: [] }, verbs: { zh: [], en: [] } };
  const pack = { intents: [{ ...intent, slots: { slot }, example: { zh: '啊', en: 'a' } }] };
  expect(rulePackSchema.safeParse(pack).success).toBe(false);
});
