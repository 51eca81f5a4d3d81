import { describe, expect, test } from 'vitest';
import { planned, siteEngine, talkWith } from '../../support/site-engine.js';

const engine = await siteEngine();
const calls = (text: string): string[] => planned(talkWith(engine)(text));
const WO = 'WO-7K2M9QXD';

describe('work orders in sentences, beside all other agents of the site', () => {
  test.each([
    ['给三楼A区建一个维修工单', '{"zone":"F3-A"}'],
    ['为三楼A区创建工单', '{"zone":"F3-A"}'],
    ['请给二楼B区开一张紧急检修工单', '{"zone":"F2-B","priority":"urgent"}'],
    ['帮我给三楼A区的空调报修', '{"zone":"F3-A"}'],
    ['派人去修三楼A区的空调', '{"zone":"F3-A"}'],
    ['create a work order for zone A on floor 3', '{"zone":"F3-A"}'],
    ['please open an urgent work order for zone B on floor 2', '{"zone":"F2-B","priority":"urgent"}'],
    ['send a technician to fix the AC in zone A on floor 3', '{"zone":"F3-A"}'],
    ['为AHU-3创建工单', '{"device_id":"AHU-3"}'],
    ['给AHU-3建一个维修工单：风机异响', '{"device_id":"AHU-3","fault":"风机异响"}'],
    ['raise a work order for AHU-3', '{"device_id":"AHU-3"}'],
    ['raise a work order for AHU-3: fan is noisy', '{"device_id":"AHU-3","fault":"fan is noisy"}'],
    ['为PLC-007创建一个高优先级的工单', '{"device_id":"PLC-007","priority":"high"}'],
  ])('%s', (text, params) => {
    expect(calls(text)).toEqual([`create_work_order ${params}`]);
  });

  test.each([
    ['列出未完成的工单', '{"state":"unfinished"}'],
    ['有哪些工单', '{"state":"unfinished"}'],
    ['查看工单', '{"state":"unfinished"}'],
    ['列出所有工单', '{"state":"any"}'],
    ['已完成的工单有哪些', '{"state":"completed"}'],
    ['列出已取消的工单', '{"state":"cancelled"}'],
    ['查看三楼A区的工单', '{"state":"unfinished","zone":"F3-A"}'],
    ['AHU-3有哪些工单', '{"state":"unfinished","device_id":"AHU-3"}'],
    ['李工有哪些未完成的工单', '{"state":"unfinished","assigned_to":"li"}'],
    ['list open work orders', '{"state":"unfinished"}'],
    ['show me all work orders', '{"state":"any"}'],
    ['list completed work orders', '{"state":"completed"}'],
    ['which work orders are on hold?', '{"state":"on_hold"}'],
    ['show the work orders for zone A on floor 3', '{"state":"unfinished","zone":"F3-A"}'],
    ['what open work orders does Li have?', '{"state":"unfinished","assigned_to":"li"}'],
  ])('%s', (text, params) => {
    expect(calls(text)).toEqual([`list_work_order ${params}`]);
  });

  test.each([
    [`完成工单${WO}`, `complete_work_order {"work_order_id":"${WO}"}`],
    [`把工单${WO}标记为已完成`, `complete_work_order {"work_order_id":"${WO}"}`],
    [`完成工单${WO.toLowerCase()}`, `complete_work_order {"work_order_id":"${WO}"}`],
    [`complete work order ${WO}`, `complete_work_order {"work_order_id":"${WO}"}`],
    [`please close work order ${WO}.`, `complete_work_order {"work_order_id":"${WO}"}`],
    [`取消工单${WO}`, `update_work_order {"work_order_id":"${WO}","state":"cancelled"}`],
    [`cancel work order ${WO}`, `update_work_order {"work_order_id":"${WO}","state":"cancelled"}`],
    [`暂停工单${WO}`, `update_work_order {"work_order_id":"${WO}","state":"on_hold"}`],
    [`put work order ${WO} on hold`, `update_work_order {"work_order_id":"${WO}","state":"on_hold"}`],
    [`开始处理工单${WO}`, `update_work_order {"work_order_id":"${WO}","state":"in_progress"}`],
    [`resume work order ${WO}`, `update_work_order {"work_order_id":"${WO}","state":"in_progress"}`],
    [`把工单${WO}派给王工`, `update_work_order {"work_order_id":"${WO}","assigned_to":"wang"}`],
    [`assign work order ${WO} to Wang`, `update_work_order {"work_order_id":"${WO}","assigned_to":"wang"}`],
  ])('%s', (text, call) => {
    expect(calls(text)).toEqual([call]);
  });

  test.each([
    [`不要完成工单${WO}`],
    [`不要取消工单${WO}`],
    [`do not cancel work order ${WO}`],
    ['不要给三楼A区建工单'],
    ['do not create a work order for zone A on floor 3'],
  ])('%s: nothing is planned', (text) => {
    expect(calls(text)).toEqual(['none']);
  });
});

describe('orders that are spoken of together, by id or by person', () => {
  test.each([
    ['delete all work orders'],
    ['complete all work orders'],
    ['cancel all work orders'],
    ['close all open work orders'],
    ['remove the work orders'],
    ['start all work orders'],
    ['mark all work orders as completed'],
    ['删除所有工单'],
    ['完成所有工单'],
    ['取消所有工单'],
    ['把所有工单取消'],
    ['把所有工单都完成'],
    ['清空工单'],
    ['暂停所有工单'],
  ])('%s: a change of no order in particular asks which, and lists nothing', (text) => {
    expect(calls(text)).toEqual(['ask missing']);
  });

  test.each([
    [`show work order ${WO}`],
    [`what is the status of work order ${WO}?`],
    [`work order ${WO}`],
    [`查看工单${WO}`],
    [`工单${WO}`],
    [`工单${WO}的状态`],
  ])('%s: that one', (text) => {
    expect(calls(text)).toEqual([`list_work_order {"work_order_id":"${WO}"}`]);
  });

  test.each([['李工的工单'], ["Li's work orders"], ['work orders of Li']])('%s: those of the person', (text) => {
    expect(calls(text)).toEqual(['list_work_order {"state":"unfinished","assigned_to":"li"}']);
  });
});

describe('what work orders leave to a conversation', () => {
  test('what is not said is asked for', () => {
    const talk = talkWith(engine);
    expect(planned(talk('完成工单'))).toEqual(['ask missing']);
    expect(planned(talk(WO))).toEqual([`complete_work_order {"work_order_id":"${WO}"}`]);
    const other = talkWith(engine);
    expect(planned(other('建一个工单'))).toEqual(['ask missing']);
    expect(planned(other('三楼A区'))).toEqual(['create_work_order {"zone":"F3-A"}']);
  });

  test('findings of an earlier step go into the order', () => {
    const { actions } = talkWith(engine)('检查三楼A区供电，然后给它建一个维修工单');
    expect(actions.map(({ method }) => method)).toEqual(['check_supply', 'create_work_order']);
    const findings = "steps.s1.result.verdict == 'cause' ? steps.s1.result.findings : []";
    expect(actions[1]).toMatchObject({ params: { zone: 'F3-A' }, bind: { '/findings': findings } });
  });

  test('telling people stays what it was', () => {
    expect(calls('通知张工“泵坏了”')).toEqual(['notify {"recipients":["zhang"],"body":"泵坏了","channel":"email"}']);
    expect(calls('张工的电话是多少')).toEqual(['lookup_person {"name":"zhang"}']);
  });
});
