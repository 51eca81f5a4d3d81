import { describe, expect, it } from 'vitest';
import type { Understanding } from '../../../agents/runtime/session/index.js';
import { conversation, engineFixture } from '../../support/session-fixture.js';

const engine = engineFixture();
const say = (text: string): Understanding => conversation(engine)(text);

describe('a conversation', () => {
  it('asks for what is missing and goes on with the answer', () => {
    const talk = conversation(engine);
    expect(talk('重启').prompt).toMatchObject({ reason: 'missing', missing: ['device_id'] });
    expect(talk('七号PLC').actions[0]?.params).toEqual({ device_id: 'PLC-007' });
    expect(talk('notify Zhang').prompt).toMatchObject({ reason: 'missing', missing: ['body'] });
    expect(talk('restart PLC-003').actions.map((action) => action.method)).toEqual(['notify']);
  });

  it('takes a candidate by its number, and a no for an answer', () => {
    const talk = conversation(engine);
    talk('重启PLC-099');
    expect(talk('第二个').actions[0]?.params).toEqual({ device_id: 'PLC-012' });
    talk('重启PLC-099');
    expect(talk('算了').outcome).toBe('none');
    expect(talk('PLC-007').outcome).not.toBe('plan');
  });

  it('asks for consent and heeds it', () => {
    const talk = conversation(engine);
    talk('重启PLC-003？');
    expect(talk('是').actions.map((action) => action.method)).toEqual(['restart_device']);
    talk('restart PLC-003?');
    expect(talk('no').outcome).toBe('none');
  });

  it('resolves references in this session only', () => {
    const talk = conversation(engine);
    talk('查PLC-007状态');
    expect(talk('重启刚才那台').actions[0]?.params).toEqual({ device_id: 'PLC-007' });
    expect(say('重启刚才那台').outcome).toBe('ask');
    expect(talk('重启').outcome).toBe('ask');
  });

  it('repeats reads, never writes', () => {
    const talk = conversation(engine);
    expect(talk('再查一遍').outcome).toBe('none');
    talk('查PLC-007状态，如果离线，重启它');
    const said = talk('再查一遍');
    expect(said.outcome).toBe('repeat');
    expect(said.actions.map((action) => action.method)).toEqual(['get_device_status']);
    expect(talk('refresh').outcome).toBe('repeat');
  });

  it('takes back one node', () => {
    const talk = conversation(engine);
    talk('查PLC-007状态');
    talk('重启它');
    expect(talk('撤回上一步')).toMatchObject({ outcome: 'undo', stack: ['IDLE', 'DEVICE_STATUS_QUERY_INIT'] });
    expect(talk('undo').stack).toEqual(['IDLE']);
    expect(talk('undo').outcome).toBe('none');
  });

  it.each([
    ['undo', 'Went back one step in the dialogue; what was done at devices stays done'],
    ['撤销', '已退回上一步对话；设备上做过的没有撤销'],
    ['请撤销一下。', '已退回上一步对话；设备上做过的没有撤销'],
  ])('%s takes back a step of the dialogue and says that devices stay as they are', (text, understood) => {
    const talk = conversation(engine);
    talk('查PLC-007状态');
    expect(talk(text)).toMatchObject({ outcome: 'undo', understood, stack: ['IDLE'] });
    talk('重启PLC-099');
    expect(talk(text)).toMatchObject({ outcome: 'none', stack: ['IDLE'] });
    expect(talk('PLC-007').outcome).not.toBe('plan');
  });

  it('撤销 with an object denies it', () => {
    expect(say('撤销重启PLC-003').outcome).toBe('none');
    expect(say('重启PLC-003，撤销').outcome).toBe('none');
  });
});

describe('what is not a command', () => {
  it('names the nearest commands', () => {
    expect(say('查库存').outcome).toBe('not_understood');
    expect(say('查库存').understood).toContain('查PLC-007状态');
  });

  it('refuses what is too long', () => {
    expect(say('查'.repeat(10_001)).outcome).toBe('refuse');
  });

  it('explains', () => {
    const { context } = engine.understand('', {
      context: { version: 1, stack: ['IDLE'], last_actions: [], last_entities: { devices: [], persons: [] } },
    });
    const said = engine.understand('请重启PLC-007明天', { context, explain: true }).understanding;
    expect(said.explain?.[0]).toMatchObject({ best: { intent: 'RESTART_DEVICE' }, why: 'not explained: 明天' });
  });
});
