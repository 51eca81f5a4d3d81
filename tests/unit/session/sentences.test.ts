import { describe, expect, it } from 'vitest';
import type { Understanding } from '../../../agents/runtime/session/index.js';
import { conversation, engineFixture } from '../../support/session-fixture.js';

const engine = engineFixture();
const say = (text: string): Understanding => conversation(engine)(text);
const calls = (text: string): string[] =>
  say(text).actions.map((action) => `${action.method} ${String(action.params.device_id ?? action.params.recipients)}`);
const OFFLINE = "steps.s1.result.status == 'OFFLINE'";

describe('the main sentence', () => {
  const wanted = [
    {
      id: 's1',
      intent: 'DEVICE_STATUS_QUERY_INIT',
      callee: 'plc_controller',
      method: 'get_device_status',
      effect: 'read',
      params: { device_id: 'PLC-007' },
      bind: {},
      depends_on: [],
    },
    {
      id: 's2',
      intent: 'RESTART_DEVICE',
      callee: 'plc_controller',
      method: 'restart_device',
      effect: 'write',
      params: { device_id: 'PLC-007' },
      bind: {
        '/reason': 'steps.s1.result.error_code != null ? steps.s1.result.error_code : steps.s1.result.status',
      },
      when: OFFLINE,
      depends_on: ['s1'],
    },
    {
      id: 's3',
      intent: 'NOTIFY',
      callee: 'maintenance_scheduling_agent',
      method: 'notify',
      effect: 'write',
      params: { recipients: ['zhang'], channel: 'email' },
      bind: {},
      when: OFFLINE,
      depends_on: ['s1', 's2'],
    },
  ];
  for (const text of [
    '查PLC-007状态，如果离线，重启它并通知张工',
    'check PLC-007 status, if offline, restart it and notify Zhang',
    'Check the status of PLC-007; if it is offline, restart it and notify Mr Zhang.',
    '如果PLC-007离线，重启它并通知张工',
    'if PLC-007 is offline restart it and notify engineer Zhang',
  ]) {
    it(`makes the same plan of "${text}"`, () => {
      const said = say(text);
      expect(said.outcome).toBe('plan');
      expect(said.actions).toEqual(wanted);
      expect(said.stack).toEqual([
        'IDLE',
        'DEVICE_STATUS_QUERY_INIT',
        'DEVICE_STATUS_OFFLINE',
        'RESTART_DEVICE',
        'NOTIFY',
      ]);
    });
  }
});

describe('conditions', () => {
  it.each([
    ['查PLC-007状态，如果在线就通知张工，否则重启它', "!(steps.s1.result.status == 'ONLINE')"],
    ['check PLC-007, if it is online notify Zhang, otherwise restart it', "!(steps.s1.result.status == 'ONLINE')"],
    ['除非PLC-007在线，否则重启它', "!(steps.s1.result.status == 'ONLINE')"],
    ['restart PLC-007 unless it is online', "!(steps.s1.result.status == 'ONLINE')"],
    ['Is PLC-007 online? If not, restart it.', "!(steps.s1.result.status == 'ONLINE')"],
    ['restart PLC-007 if it is down', OFFLINE],
    ['restart it if PLC-007 is down', OFFLINE],
    ['PLC-007离线的话就重启', OFFLINE],
    ['PLC-007掉线就重启', OFFLINE],
    ['只有PLC-007离线才重启它', OFFLINE],
    ['如果PLC-007离线或者故障，重启它', `(${OFFLINE}) || (steps.s1.result.status == 'FAULT')`],
  ])('%s', (text, when) => {
    const restart = say(text).actions.find((action) => action.method === 'restart_device');
    expect(restart?.when).toBe(when);
    expect(restart?.params.device_id).toBe('PLC-007');
  });

  it('has the two branches of one condition not wait for one another', () => {
    const [, first, second] = say('查PLC-007状态，如果离线就重启，否则通知张工').actions;
    expect(first?.depends_on).toEqual(['s1']);
    expect(second?.depends_on).toEqual(['s1']);
  });

  it('distributes over several devices', () => {
    const said = say('查PLC-003和PLC-004状态，如果离线就重启它们并通知运维组');
    expect(said.actions.map((action) => action.when)).toEqual([
      undefined,
      undefined,
      OFFLINE,
      "steps.s2.result.status == 'OFFLINE'",
      `(${OFFLINE}) || (steps.s2.result.status == 'OFFLINE')`,
    ]);
  });

  it('reads anew for "still"', () => {
    const said = say('重启PLC-007，如果还是离线，通知张工');
    expect(said.actions.map((action) => action.method)).toEqual(['restart_device', 'get_device_status', 'notify']);
    expect(said.actions[2]?.when).toBe("steps.s2.result.status == 'OFFLINE'");
  });

  it.each([
    '查PLC-007状态，如果温度过高，重启它',
    'restart PLC-007 if needed',
    'restart PLC-007 if',
    'restart PLC-007 if not',
    '否则重启PLC-007',
    '有必要的话重启PLC-007',
    '急的话重启PLC-007',
  ])('plans nothing under a condition that it does not know: %s', (text) => {
    expect(say(text).outcome).not.toBe('plan');
  });
});

describe('no write', () => {
  it.each([
    ['不要重启PLC-007', 'none'],
    ['PLC-007就别重启了', 'none'],
    ['请勿重启PLC-007', 'none'],
    ["don't restart PLC-007", 'none'],
    ['there is no need to restart PLC-007', 'none'],
    ['如果重启PLC-007会怎样？', 'none'],
    ['重启PLC-007要多久', 'none'],
    ['what if we restart PLC-007', 'none'],
    ['我已经重启过PLC-007了', 'none'],
    ['I already restarted PLC-007', 'none'],
    ['PLC-007重启过吗', 'none'],
    ['was PLC-007 restarted?', 'none'],
    ['重启PLC-003…算了', 'none'],
    ['restart PLC-003, never mind', 'none'],
    ['restart PLC-003. Scratch that.', 'none'],
    ['他说“重启PLC-003”', 'none'],
    ['he said "restart PLC-003"', 'none'],
    ['张工说重启PLC-003', 'none'],
    ['重启PLC-003？', 'ask'],
    ['PLC-003能重启吗', 'ask'],
    ['should I restart PLC-003?', 'ask'],
    ['明天重启PLC-007', 'ask'],
    ['restart PLC-003 or PLC-004', 'ask'],
    ['restart all PLCs', 'ask'],
  ])('%s → %s', (text, outcome) => {
    const said = say(text);
    expect(said.outcome).toBe(outcome);
    if (outcome === 'none') expect(said.understood).toMatch(/不执行|not done/);
  });

  it('keeps what is not denied', () => {
    expect(calls('别重启PLC-003，重启PLC-004')).toEqual(['restart_device PLC-004']);
    expect(calls('check PLC-003 but do not restart it')).toEqual(['get_device_status PLC-003']);
    expect(calls('如果PLC-003离线，先别重启，通知张工')).toEqual(['get_device_status PLC-003', 'notify zhang']);
  });

  it('takes the last after a correction', () => {
    expect(calls('重启PLC-003，不对，PLC-004')).toEqual(['restart_device PLC-004']);
    expect(calls('restart PLC-003, no wait, PLC-004')).toEqual(['restart_device PLC-004']);
    expect(calls('restart PLC-003, sorry, check PLC-003')).toEqual(['get_device_status PLC-003']);
    expect(calls('restart PLC-004, not PLC-003')).toEqual(['restart_device PLC-004']);
  });

  it('is only told to somebody', () => {
    const said = say('tell Zhang to restart PLC-003');
    expect(said.actions.map((action) => action.method)).toEqual(['notify']);
    expect(said.actions[0]?.params.body).toBe('restart PLC-003');
  });
});

describe('names and values', () => {
  it.each([
    'PLC-007',
    'plc007',
    'PLC 7',
    'PLC7',
    '七号PLC',
    '7号PLC',
    'ＰＬＣ－００７',
    'plc no. 7',
    'PLC七号',
    '灌装机',
  ])('knows %s', (name) => expect(calls(`查一下${name}的状态`)).toEqual(['get_device_status PLC-007']));

  it.each(['PLC-003、004和005', 'PLC 3, 4 and 5', '3号、4号和5号PLC', 'PLC-003 PLC-004 PLC-005'])(
    'knows the list %s',
    (list) => {
      expect(calls(`重启${list}`)).toEqual([
        'restart_device PLC-003',
        'restart_device PLC-004',
        'restart_device PLC-005',
      ]);
    },
  );

  it('asks about what the site does not know, with the nearest', () => {
    expect(say('重启PLC-099').prompt).toMatchObject({
      reason: 'unknown_entity',
      missing: ['device_id'],
      candidates: ['PLC-009', 'PLC-012', 'PLC-011'],
    });
    expect(say('通知王师傅泵坏了').prompt).toMatchObject({ reason: 'unknown_entity', candidates: ['wang'] });
    expect(say('notify Bob that it is done').prompt?.reason).toBe('unknown_entity');
  });

  it.each([
    ['把PLC-003的温度设定改为45度', 'temperature_setpoint', 45],
    ['把PLC-003的温度调到四十五点五度', 'temperature_setpoint', 45.5],
    ['set the temperature set-point of PLC-003 to 45', 'temperature_setpoint', 45],
    ['把PLC-003加热功率设为百分之五十', 'heating_power', 50],
    ['set PLC-003 speed to 1200 rpm', 'speed_setpoint', 1200],
  ])('%s', (text, point, value) => {
    expect(say(text).actions[0]).toMatchObject({
      method: 'write_point',
      params: { device_id: 'PLC-003', point, value },
    });
  });

  it('never takes a relative value for an absolute one', () => {
    expect(say('把PLC-003温度调高两度').outcome).toBe('refuse');
    expect(say('raise the temperature of PLC-003 by 2 degrees').outcome).toBe('refuse');
  });

  it('fills the text of a message and chooses the channel', () => {
    expect(say('用企业微信通知张工和李工：三号线停了，快来').actions[0]?.params).toEqual({
      recipients: ['zhang', 'li'],
      body: '三号线停了，快来',
      channel: 'wecom',
    });
    expect(say('notify Zhang that the pump is broken').actions[0]?.params.body).toBe('the pump is broken');
  });
});
