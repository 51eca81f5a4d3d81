import { describe, expect, test } from 'vitest';
import { FAULT_CODES } from '../../../agents/hvac/diagnosis/faults.js';
import { hvacRulePack } from '../../../agents/hvac/intents.js';
import { rulePackSchema } from '../../../agents/runtime/session/index.js';
import { buildingEngine } from '../../support/building-engine.js';
import { conversation } from '../../support/session-fixture.js';

describe('what is left to others', () => {
  test.each([
    '三楼A区空调故障',
    '三楼A区空调坏了',
    '三楼A区空调有问题',
    '三楼A区空调不工作了',
    'the AC in zone A on floor 3 is broken',
    'the air conditioning of zone A on floor 3 has failed',
  ])('%s: a report, not a request of this agent', (text) => {
    expect(conversation(buildingEngine())(text).actions).toEqual([]);
  });

  test.each(['如果我把三楼A区温度设为30度会怎样', '昨天有人把三楼A区温度设为30度', '别把三楼A区温度设为24度'])(
    '%s: nothing is set',
    (text) => {
      expect(conversation(buildingEngine())(text).actions).toEqual([]);
    },
  );
});

describe('what is asked back', () => {
  test('without a zone, a floor or a value', () => {
    const asked = (text: string) => conversation(buildingEngine())(text).prompt?.text;
    expect(asked('空调调到20度')).toContain('哪个区域');
    expect(asked('空调有哪些故障')).toContain('哪一层');
    expect(asked('把三楼A区的温度调一下')).toContain('多少度');
  });

  test('and goes on with the answer', () => {
    const talk = conversation(buildingEngine());
    talk('空调有哪些故障');
    expect(talk('三楼').actions).toMatchObject([{ callee: 'floor3_hvac_agent', params: { floor: 3 } }]);
  });
});

test('every fault has its words in both languages', () => {
  const pack = rulePackSchema.parse(hvacRulePack);
  for (const fault of FAULT_CODES) expect(pack.words[fault], fault).toBeDefined();
});
