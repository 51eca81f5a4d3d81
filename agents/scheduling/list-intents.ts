import {
  CODE_ZH,
  device,
  type Intent,
  ORDER_ZH,
  ORDERS_EN,
  order,
  type Slots,
  STATE_EN,
  STATE_ZH,
  zone,
} from './order-words.js';

const LIST_ZH = '(列出|列一下|列|查|查看|查询|看|看看|看一下|查一下|显示|给我看|汇总|统计|报一下|告诉我|查查|盘点)';
const LIST_EN = '(list|show|give|get|display|see|check|report|find|tell|query|print|look up|review)';

/** States of an order as operators say them; `unfinished` is everything that is neither completed nor cancelled. */
const state: Slots[string] = {
  entity: 'choice',
  param: 'state',
  required: false,
  default: 'unfinished',
  choices: {
    unfinished: {
      zh: '未完成 没完成 没有完成 未关闭 未处理 没处理 待处理 待办 没做完 没做 未做 还没完成 还没做完 打开 开着'.split(
        ' ',
      ),
      en: ['open', 'unfinished', 'pending', 'outstanding', 'active', 'unclosed', 'incomplete', 'remaining'],
    },
    in_progress: { zh: '进行中 正在进行 正在处理 处理中 执行中'.split(' '), en: ['in progress', 'ongoing', 'running'] },
    on_hold: { zh: ['挂起', '暂停', '搁置'], en: ['on hold', 'held', 'suspended', 'paused'] },
    completed: {
      zh: '已完成 完成 做完 已做完 完工 已完工 已关闭 关闭 已经完成 完成了'.split(' '),
      en: ['completed', 'complete', 'closed', 'done', 'finished'],
    },
    cancelled: { zh: ['已取消', '取消', '作废', '已作废', '取消了'], en: ['cancelled', 'canceled'] },
    any: {
      zh: ['所有工单', '全部工单', '所有的工单', '全部的工单'],
      en: ['all work orders', 'all the work orders', 'every work order'],
    },
  },
};

/** What operators ask about work orders. */
export const listIntents: readonly Intent[] = [
  {
    name: 'SHOW_WORK_ORDER',
    method: 'list_work_order',
    effect: 'read',
    verbs: { zh: [], en: [] },
    templates: {
      zh: [
        `${LIST_ZH}[一下|下|一眼][${ORDER_ZH}]${CODE_ZH}{order}[的][情况|状态|详情|内容|进度|信息|明细][怎么样|如何|是什么]`,
        `${ORDER_ZH}${CODE_ZH}{order}[现在|目前][的|是|在][什么|怎么样|谁负责|谁在做|情况|状态|详情|进度|信息|到哪了|到哪一步了|做完了吗|完成了吗][情况|状态|进度]`,
      ],
      en: [
        `${LIST_EN} [me] [the] [status of|state of|details of] [the] [${ORDERS_EN}] [number|no] {order}`,
        `(what is|how is) [the] [status of|state of] [the] [${ORDERS_EN}] {order}`,
        `(what about|who has|who does|is) [the] [${ORDERS_EN}] {order} [done|finished|completed|open]`,
        `${ORDERS_EN} [number|no] {order} [status|details]`,
      ],
    },
    slots: { order },
    example: { zh: '查看工单WO-7K2M9QXD', en: 'show work order WO-7K2M9QXD' },
  },
  {
    name: 'LIST_WORK_ORDERS',
    method: 'list_work_order',
    effect: 'read',
    verbs: { zh: ['工单列表', '哪些工单', '什么工单', '几张工单'], en: [] },
    templates: {
      zh: [
        `${LIST_ZH}[一下|下][所有|全部|当前|现在|目前|现有][的][${STATE_ZH}][的]${ORDER_ZH}[列表|清单|情况|状态|都|有哪些|有多少|有几张]`,
        `${LIST_ZH}[一下|下]{zone}[的|里的][所有|全部|当前][的][${STATE_ZH}][的]${ORDER_ZH}[列表|清单|情况|状态|有哪些]`,
        `${LIST_ZH}[一下|下]{device}[的][所有|全部|当前][的][${STATE_ZH}][的]${ORDER_ZH}[列表|清单|情况|状态|有哪些]`,
        `${LIST_ZH}[一下|下]{person}[的|手上的|手头的][所有|全部|当前][的][${STATE_ZH}][的]${ORDER_ZH}[列表|清单|情况|状态|有哪些]`,
        `[现在|目前|当前|还|都|一共](有哪些|有什么|有多少|有几张|有几个|有没有|有啥|哪些|哪几张)[${STATE_ZH}][的]${ORDER_ZH}[吗|没有|没|未完成|没完成|没做完|还没做]`,
        `{zone}[现在|目前|还|都]有[哪些|什么|多少|几张|几个|没有|啥][${STATE_ZH}][的]${ORDER_ZH}[吗|没有|没]`,
        `{device}[现在|目前|还|都]有[哪些|什么|多少|几张|几个|没有|啥][${STATE_ZH}][的]${ORDER_ZH}[吗|没有|没]`,
        `{person}[现在|目前]的[所有|全部|当前][${STATE_ZH}][的]${ORDER_ZH}[列表|清单|情况|状态|有哪些]`,
        `{person}[现在|目前|手上|手头|还|都]有[哪些|什么|多少|几张|几个|没有|啥][${STATE_ZH}][的]${ORDER_ZH}[吗|没有|没]`,
        `[所有|全部|当前][的]${STATE_ZH}[的]${ORDER_ZH}(有哪些|有多少|列表|清单|有几张|都有哪些|是哪些|有几个)`,
        '(工单列表|工单清单|工单情况|工单汇总|工单有哪些)',
      ],
      en: [
        `${LIST_EN} [me] [all] [the|my|our] [${STATE_EN}] ${ORDERS_EN}`,
        `${LIST_EN} [me] [all] [the] [${STATE_EN}] ${ORDERS_EN} (for|of|in|on|at) {zone}`,
        `${LIST_EN} [me] [all] [the] [${STATE_EN}] ${ORDERS_EN} (for|of|on|about) {device}`,
        `${LIST_EN} [me] [all] [the] [${STATE_EN}] ${ORDERS_EN} (for|of|assigned to|given to|with) {person}`,
        `[${LIST_EN}] [me] [all] [of] {person} ['s] [${STATE_EN}] ${ORDERS_EN}`,
        `${ORDERS_EN} (of|for|assigned to|given to|with) {person}`,
        `${ORDERS_EN} (in|on|for|at) {zone}`,
        `${ORDERS_EN} (for|on) {device}`,
        `(what|which|how many) [${STATE_EN}] ${ORDERS_EN} (are|do we have|exist|are there|is there|are still) ` +
          `[there] [${STATE_EN}]`,
        `(what|which|how many) [${STATE_EN}] ${ORDERS_EN} (are|do we have|are there) [there] (for|in|on|at) {zone}`,
        `(what|which|how many) [${STATE_EN}] ${ORDERS_EN} (are|do we have|are there) [there] (for|on) {device}`,
        `(what|which|how many) [${STATE_EN}] ${ORDERS_EN} does {person} have`,
        `(are|is) there [any] [${STATE_EN}] ${ORDERS_EN} [${STATE_EN}]`,
        `[any|all] ${STATE_EN} ${ORDERS_EN}`,
        '(work orders|all work orders|work order list)',
      ],
    },
    slots: {
      state,
      zone: { ...zone, required: false },
      device: { ...device, required: false },
      person: { entity: 'person', param: 'assigned_to', required: false },
    },
    example: { zh: '列出未完成的工单', en: 'list open work orders' },
  },
];
