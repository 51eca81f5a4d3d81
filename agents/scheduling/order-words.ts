import type { RulePackInput } from '../runtime/index.js';

/** Words about work orders that several sentences share. */
export type Intent = RulePackInput['intents'][number];
export type Slots = NonNullable<Intent['slots']>;

export const order: Slots[string] = {
  entity: 'code',
  param: 'work_order_id',
  pattern_prefix: 'WO',
  ask: { zh: '哪张工单？例如 WO-7K2M9QXD', en: 'Which work order, for example WO-7K2M9QXD?' },
};
export const zone: Slots[string] = {
  entity: 'zone',
  param: 'zone',
  ask: { zh: '给哪个区域建工单？例如三楼A区', en: 'A work order for which zone, for example zone A on floor 3?' },
};
export const device: Slots[string] = {
  entity: 'device',
  param: 'device_id',
  ask: { zh: '给哪台设备建工单？', en: 'A work order for which device?' },
};
export const ORDER_ZH = '(工单|维修单|报修单|派工单|任务单|作业单|检修单|维护单)';
export const CODE_ZH = '[编号|编号为|号|单号|单号为|这张]';

export const STATE_ZH =
  '(未完成|没完成|没有完成|未关闭|未处理|没处理|待处理|待办|待办的|没做完|没做|未做|还没完成|还没做完|打开|开着|进行中|正在进行|正在处理|处理中|执行中|挂起|暂停|搁置|已完成|完成|' +
  '做完|已做完|完工|已完工|已关闭|关闭|已经完成|已取消|取消|作废|已作废|取消了|完成了)';
export const STATE_EN =
  '(open|unfinished|pending|outstanding|active|unclosed|in progress|ongoing' +
  '|on hold|held|suspended|paused|completed|complete|closed|done|finished|cancelled|canceled)';
export const ORDERS_EN = '(work orders|workorders|work order|repair orders|maintenance orders|maintenance tickets)';
