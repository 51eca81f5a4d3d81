import { describe, expect, it } from 'vitest';
import { createSessionEngine, type Understanding } from '../../../agents/runtime/session/index.js';
import { compilePacks } from '../../../agents/runtime/session/language/compile-packs.js';
import { floorsEngine, floorsPacks, floorsSite } from '../../support/floors-fixture.js';
import { conversation, engineFixture } from '../../support/session-fixture.js';
import { siteFixture } from '../../support/site-fixture.js';

const engine = floorsEngine();
const say = (text: string): Understanding => conversation(engine)(text);
const flat = (said: Understanding): string[] =>
  said.actions.map(({ callee, method, params }) =>
    `${callee}.${method} ${Object.values(params).flat().join(' ')}`.trim(),
  );
const calls = (text: string): string[] => flat(say(text));

describe('agents that announce the same pack', () => {
  it('are one set of rules', () => {
    const compiled = compilePacks(floorsPacks(), floorsSite.agents);
    expect(compiled.groups.map(({ components }) => components.length)).toEqual([1, 1, 3, 1, 1]);
    const rule = compiled.ruleOf('floor2_hvac_agent', 'ZONE_DIAGNOSE');
    expect(rule).toBe(compiled.ruleOf('floor3_hvac_agent', 'ZONE_DIAGNOSE'));
    expect(compiled.rules.filter((one) => one.is === 'intent' && one.intent.name === 'ZONE_DIAGNOSE')).toHaveLength(1);
  });

  it.each([
    ['诊断三楼A区', ['floor3_hvac_agent.diagnose F3-A']],
    ['diagnose zone B on floor 2', ['floor2_hvac_agent.diagnose F2-B']],
    ['把一楼C区温度设为24度', ['floor1_hvac_agent.set_setpoint F1-C 24']],
    ['列出三楼空调故障', ['floor3_hvac_agent.list_faults 3']],
    ['list AC faults on floor 2', ['floor2_hvac_agent.list_faults 2']],
    ['查AHU-2状态', ['floor2_hvac_agent.get_unit_status AHU-2']],
  ])('%s goes to the one that serves it', (text, wanted) => expect(calls(text)).toEqual(wanted));

  it.each(['诊断三楼A区和二楼B区', 'diagnose zone A on floor 3 and zone B on floor 2', '诊断三楼A区、二楼B区'])(
    'are called side by side: %s',
    (text) => {
      const said = say(text);
      expect(flat(said)).toEqual(['floor3_hvac_agent.diagnose F3-A', 'floor2_hvac_agent.diagnose F2-B']);
      expect(said.actions.map((action) => action.depends_on)).toEqual([[], []]);
    },
  );

  it('are all asked when a read names no place', () => {
    expect(calls('列出所有空调故障')).toEqual([1, 2, 3].map((floor) => `floor${floor}_hvac_agent.list_faults`));
  });

  it('are the first of them where the site says nothing of who serves what', () => {
    const talk = conversation(floorsEngine({ ...floorsSite, agents: [] }));
    expect(flat(talk('诊断三楼A区'))).toEqual(['floor1_hvac_agent.diagnose F3-A']);
  });

  it('resolve an answer after one of them has left', () => {
    let packs = floorsPacks();
    const talk = conversation(createSessionEngine({ packs: () => packs, site: () => floorsSite }));
    expect(talk('诊断').outcome).toBe('ask');
    packs = packs.filter(({ component }) => component !== 'floor1_hvac_agent');
    expect(flat(talk('三楼A区'))).toEqual(['floor3_hvac_agent.diagnose F3-A']);
    expect(talk('诊断').outcome).toBe('plan');
    expect(talk('重启').outcome).toBe('ask');
    packs = packs.filter(({ component }) => component !== 'plc_controller');
    expect(talk('PLC-003')).toMatchObject({ outcome: 'not_understood', actions: [] });
  });
});

describe('packs with the same words', () => {
  it.each([
    ['查PLC-007', ['plc_controller.get_device_status PLC-007']],
    ['查M-1', ['power_supply_agent.read_meter M-1']],
    ['check the status of M-2', ['power_supply_agent.read_meter M-2']],
    ['check AHU-1', ['floor1_hvac_agent.get_unit_status AHU-1']],
    [
      '查PLC-007、AHU-3和M-1的状态',
      [
        'plc_controller.get_device_status PLC-007',
        'floor3_hvac_agent.get_unit_status AHU-3',
        'power_supply_agent.read_meter M-1',
      ],
    ],
    [
      'check PLC-007 and AHU-3',
      ['plc_controller.get_device_status PLC-007', 'floor3_hvac_agent.get_unit_status AHU-3'],
    ],
  ])('%s: the one that serves the device wins', (text, wanted) => expect(calls(text)).toEqual(wanted));

  it('ask about what the site does not know, as the agent of its like', () => {
    expect(say('查PLC-099').prompt?.candidates).toEqual(['PLC-009', 'PLC-012', 'PLC-011']);
    expect(say('check AHU-9').prompt?.candidates).toEqual(['AHU-3', 'AHU-2', 'AHU-1']);
    expect(say('重启PLC-099').prompt?.reason).toBe('unknown_entity');
  });

  it('take a bare number for a device that they serve', () => {
    const talk = conversation(engine);
    talk('重启');
    expect(flat(talk('7'))).toEqual(['plc_controller.restart_device PLC-007']);
  });
});

describe('a thing that nobody serves with a method', () => {
  it.each([
    ['重启AHU-3', '“重启”不适用于 AHU-3，它由 floor3_hvac_agent 负责'],
    ['restart AHU-3', 'restart is not possible for AHU-3: it is served by floor3_hvac_agent'],
    ['重启CAM-1', '“重启”不适用于 CAM-1，没有智能体负责它'],
    ['restart CAM-1', 'restart is not possible for CAM-1: no agent serves it'],
    ['重启PLC-003和AHU-3', '“重启”不适用于 AHU-3，它由 floor3_hvac_agent 负责'],
    ['查AHU-3状态，重启它', '“重启”不适用于 AHU-3，它由 floor3_hvac_agent 负责'],
    ['查AHU-3的温度', '“读点位”不适用于 AHU-3，它由 floor3_hvac_agent 负责'],
    ['how is AHU-3', 'status check is not possible for AHU-3: it is served by floor3_hvac_agent'],
    ['如果AHU-3离线，通知张工', '“查状态”不适用于 AHU-3，它由 floor3_hvac_agent 负责'],
    ['如果AHU-3离线就重启', '“查状态”不适用于 AHU-3，它由 floor3_hvac_agent 负责'],
  ])('%s is refused and says why', (text, understood) => {
    expect(say(text)).toMatchObject({ outcome: 'refuse', understood, actions: [] });
  });

  it('is refused as an answer too', () => {
    const talk = conversation(engine);
    talk('重启');
    expect(talk('AHU-3').outcome).toBe('refuse');
  });

  it('is not taken from the session without a word for it', () => {
    const talk = conversation(engine);
    talk('查AHU-3状态');
    expect(talk('读数').outcome).not.toBe('refuse');
  });

  it('is still not written when that is denied', () => {
    expect(say('不要重启AHU-3').outcome).toBe('none');
    expect(say('如果重启AHU-3会怎样').outcome).toBe('none');
  });
});

describe('a site whose agents serve nothing', () => {
  it('reads as it did without rows', () => {
    const before = conversation(engineFixture());
    const packs = floorsPacks().filter(({ component }) => /plc|maintenance/.test(component));
    const rows = [{ name: 'plc_controller', devices: [], zones: [], floors: [] }];
    const after = conversation(floorsEngine({ ...siteFixture, agents: rows }, packs));
    for (const text of ['查PLC-007状态，如果离线，重启它并通知张工', '重启PLC-099', '读一下PLC-003的温度']) {
      expect(after(text)).toEqual(before(text));
    }
  });
});
