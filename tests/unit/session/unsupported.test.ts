import { describe, expect, it } from 'vitest';
import { buildingEngine } from '../../support/building-engine.js';
import { conversation } from '../../support/session-fixture.js';

const engine = buildingEngine();
const say = (text: string) => conversation(engine)(text);
const AMOUNT = { zh: '还不支持按多少度、多少量相对调整', en: 'a change by an amount is not supported yet' };
const SWITCH = { zh: '还不支持开机和关机', en: 'switching on or off is not supported yet' };

describe('what no method can serve yet is said, not asked about', () => {
  it.each([
    '三楼A区温度调高2度',
    '把三楼A区温度降低2度',
    '三楼A区温度调高一点',
    '调高三楼A区温度2度',
    '三楼A区温度加2度',
    '把PLC-003的加热功率降低10',
    '如果三楼A区太热，就把三楼A区温度调低2度',
    'raise zone A on floor 3 by 2 degrees',
    'raise the temperature in F3-A by 2 degrees',
    'raise F3-A 2 degrees',
    'make F3-A 2 degrees warmer',
    'make F3-A a bit warmer',
    'raise the temperature of PLC-003 by 5',
  ])('a change by an amount: %s', (text) => {
    const said = say(text);
    expect(['refuse', 'not_understood']).toContain(said.outcome);
    expect(said.understood).toContain(AMOUNT[said.language]);
    expect([said.actions, said.prompt]).toEqual([[], undefined]);
  });

  it.each([
    'turn off the AC in F3-A',
    'turn the AC off in F3-A',
    'turn on the AC in F3-A',
    'switch off F3-A',
    'turn off PLC-003',
    '关闭三楼A区空调',
    '把三楼A区空调关了',
    '打开三楼A区空调',
  ])('switching: %s', (text) => {
    const said = say(text);
    expect(['refuse', 'not_understood']).toContain(said.outcome);
    expect(said.understood).toContain(SWITCH[said.language]);
    expect([said.actions, said.prompt]).toEqual([[], undefined]);
  });

  it('an amount of change is no answer to the question for a value', () => {
    for (const [text, answer] of [
      ['把三楼A区温度设一下', '调高2度'],
      ['set the temperature in F3-A', 'up by 2 degrees'],
    ] as const) {
      const talk = conversation(engine);
      expect(talk(text).outcome).toBe('ask');
      expect(talk(answer)).toMatchObject({ outcome: 'refuse', actions: [] });
    }
  });
});

describe('what names the value itself goes on', () => {
  it.each(['三楼A区温度调高到24度', 'raise F3-A to 24', 'cool F3-A down to 24', 'raise F3-A up to 24'])(
    '%s',
    (text) => {
      expect(say(text)).toMatchObject({ outcome: 'plan', actions: [{ params: { zone: 'F3-A', temperature_c: 24 } }] });
    },
  );

  it.each([
    ['把三楼A区温度设一下', '24度'],
    ['set the temperature in F3-A', '24'],
  ])('%s is asked about and answered', (text, answer) => {
    const talk = conversation(engine);
    expect(talk(text).prompt?.reason).toBe('missing');
    expect(talk(answer).actions[0]?.params).toEqual({ zone: 'F3-A', temperature_c: 24 });
  });

  it('a question whether it is off is no wish to switch it', () => {
    for (const text of ['AHU-3关了吗', 'is AHU-3 off', '关于PLC-003']) {
      expect(say(text).understood).not.toContain(SWITCH.zh);
      expect(say(text).understood).not.toContain(SWITCH.en);
    }
  });
});

it('a long sentence is read in little time', () => {
  const began = performance.now();
  say('raise 1 '.repeat(1_200));
  say('把turn关'.repeat(1_600));
  expect(performance.now() - began).toBeLessThan(3_000);
});
