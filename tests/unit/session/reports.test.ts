import { describe, expect, it } from 'vitest';
import type { Understanding } from '../../../agents/runtime/session/index.js';
import { floorsEngine } from '../../support/floors-fixture.js';
import { conversation } from '../../support/session-fixture.js';

const engine = floorsEngine();
const say = (text: string): Understanding => conversation(engine)(text);
const calls = (text: string): string[] =>
  say(text).actions.map(({ method, params }) => `${method} ${String(Object.values(params)[0])}`);

describe('a report of trouble', () => {
  it.each([
    '三楼A区空调故障',
    '三楼A区空调坏了',
    '三楼A区的空调不制冷。',
    '三楼A区空调坏了，请尽快处理一下',
    '三楼A区空调坏了，快派人来修',
    'AC in zone A on floor 3 is broken',
    'The AC in zone A on floor 3 is broken!',
    'hello, the AC in zone A on floor 3 is broken, please send someone',
    'AC at floor 3 zone A fails',
  ])('calls for what is to be done: %s', (text) => {
    expect(say(text).actions).toMatchObject([
      { callee: 'production_coordinator', method: 'floor_ac_fault', params: { zone: 'F3-A' }, effect: 'write' },
    ]);
  });

  it.each([
    '三楼A区空调没有故障',
    '三楼A区空调没坏',
    '不是三楼A区空调坏了',
    '如果三楼A区空调故障怎么办',
    '如果三楼A区空调不制冷，通知李工“好”',
    '三楼A区空调坏了怎么办',
    '三楼A区空调坏了就通知李工',
    '三楼A区空调坏的话通知李工',
    '昨天三楼A区空调坏过',
    '三楼A区空调以前坏过',
    '三楼A区空调坏了吗',
    '三楼A区空调坏了没',
    '三楼A区空调坏了？',
    '是不是三楼A区空调坏了',
    '张工说三楼A区空调坏了',
    '他说“三楼A区空调坏了”',
    '三楼A区空调坏了，算了',
    'AC in zone A on floor 3 is not broken',
    'if AC in zone A on floor 3 is broken, notify Li',
    'what if AC in zone A on floor 3 fails',
    'yesterday AC in zone A on floor 3 is broken',
    'AC in zone A on floor 3 was broken',
    'is AC in zone A on floor 3 broken?',
    'AC in zone A on floor 3 is broken?',
    'Zhang said AC in zone A on floor 3 is broken',
    'AC in zone A on floor 3 is broken, never mind',
  ])('does not: %s', (text) => {
    const said = say(text);
    expect(said.outcome).not.toBe('plan');
    expect(said.actions).toEqual([]);
  });

  it.each(['昨天三楼A区空调坏了', '三楼A区空调坏了，怎么办？', '三楼A区空调坏了，嗡嗡响'])(
    'asks when it is not clear: %s',
    (text) => expect(say(text).prompt?.reason).toBe('read_or_write'),
  );

  it('asks for the zone that is meant', () => {
    expect(say('九楼A区空调坏了').prompt?.reason).toBe('unknown_entity');
    expect(say('A区空调坏了').prompt?.reason).toBe('ambiguous');
  });

  it('of several zones calls for each', () => {
    expect(calls('三楼A区和B区空调坏了')).toEqual(['floor_ac_fault F3-A', 'floor_ac_fault F3-B']);
  });

  it('goes before an order about something else, and gives way to one about the same thing', () => {
    expect(calls('三楼A区空调坏了，通知李工')).toEqual(['floor_ac_fault F3-A', 'notify li']);
    expect(calls('三楼A区空调坏了，把它设为24度')).toEqual(['set_setpoint F3-A']);
    expect(calls('PLC-003坏了，重启它')).toEqual(['restart_device PLC-003']);
  });

  it('outweighs a look at the device, not a question about it', () => {
    expect(calls('PLC-003故障')).toEqual(['unit_trouble PLC-003']);
    expect(calls('PLC-003故障吗')).toEqual(['get_device_status PLC-003']);
    expect(calls('PLC-003故障？')).toEqual(['get_device_status PLC-003']);
    expect(say('如果PLC-003故障，重启它').actions[1]?.when).toBe("steps.s1.result.status == 'FAULT'");
  });
});
