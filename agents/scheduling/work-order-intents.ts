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

const fault: Slots[string] = { entity: 'text', param: 'fault', required: false };
const priority: Slots[string] = {
  entity: 'choice',
  param: 'priority',
  required: false,
  choices: {
    urgent: {
      zh: ['紧急', '加急', '特急', '抢修', '紧急的'],
      en: ['urgent', 'emergency', 'urgently', 'with urgent priority'],
    },
    high: { zh: ['高优先级', '高优先', '优先级高的'], en: ['high priority', 'high-priority', 'important'] },
    low: { zh: ['低优先级', '低优先', '优先级低的'], en: ['low priority', 'low-priority'] },
  },
};

const MAKE_ZH = '(创建|新建|建立|建|开|开具|生成|下|提交|提|派|发|登记|录入|录|做|起|立|填)';
const ONE_ZH =
  '[一|一个|个|一张|张|一份|份|一条|条|新的|一个新的|一张新的|新][的][紧急|加急|特急|紧急的|高优先级|高优先级的|高优先|低优先级|低优先级的|低优先|优先级高的|优先级低的]';
const KIND_ZH =
  '[维修|检修|维护|抢修|报修|保养|故障|设备|设备维修|空调|空调维修|电气|电气维修|供电|故障维修|现场|处理|维修类|紧急维修|紧急抢修]';
const ABOUT_ZH =
  '[空调|供电|设备|的空调|的供电|的设备|的故障|的问题|空调故障|供电故障|的空调故障|的供电故障|这个故障|故障|问题|情况]';
const SEND_ZH = '(派人|派个人|安排人|找人|叫人|派师傅|派工程师|派维修工|安排师傅|安排维修)';
const REPAIR_ZH =
  '(修|维修|检修|处理|抢修|修理|维修处理|处理处理|修修|修一修|解决|排除故障|看看|检查检查|现场检查|现场处理|维护)';
const MAKE_EN = '(create|raise|open|make|file|log|issue|submit|generate|place|put in|set up|need|want)';
const ONE_EN =
  '[a|an|one|the] [new] [urgent|emergency|high priority|high-priority|low priority|low-priority|important]';
const KIND_EN = '[maintenance|repair|service|electrical|power|hvac|ac]';
const ORDER_EN = '(work order|workorder|repair order|maintenance order|maintenance ticket|repair ticket)';
const BECAUSE_EN = '(:|because|saying|about|that says|with the text|as)';
const BECAUSE_ZH = '(:|说明|内容是|内容为|原因是|说|备注|注明|故障是|故障为)';
const SOMEBODY_EN =
  '(send|get|dispatch|assign|have|call) (someone|somebody|a technician|an engineer|a mechanic|an electrician|a repairman|maintenance)';
const REPAIR_EN = '(repair|fix|check|look at|service|inspect|see to|deal with|come to)';
const THINGS_EN = '[ac|air conditioning|hvac|power|power supply] [in|of|at|on]';

const creating = (slot: string): Intent['templates'] => ({
  zh: [
    `(给|为|替|对|针对|就|关于){${slot}}${ABOUT_ZH}${MAKE_ZH}${ONE_ZH}${KIND_ZH}${ORDER_ZH}`,
    `(给|为|替|对|针对|就|关于){${slot}}${ABOUT_ZH}${MAKE_ZH}${ONE_ZH}${KIND_ZH}${ORDER_ZH}${BECAUSE_ZH}{fault}`,
    `${MAKE_ZH}${ONE_ZH}{${slot}}${ABOUT_ZH}[的]${KIND_ZH}${ORDER_ZH}`,
    `${MAKE_ZH}${ONE_ZH}{${slot}}${ABOUT_ZH}[的]${KIND_ZH}${ORDER_ZH}${BECAUSE_ZH}{fault}`,
    `${MAKE_ZH}${ONE_ZH}${KIND_ZH}${ORDER_ZH}(给|为|到|针对|去|关于|用于){${slot}}${ABOUT_ZH}`,
    `${MAKE_ZH}${ONE_ZH}${KIND_ZH}${ORDER_ZH}(给|为|到|针对|去|关于|用于){${slot}}${ABOUT_ZH}${BECAUSE_ZH}{fault}`,
    `{${slot}}${ABOUT_ZH}${MAKE_ZH}${ONE_ZH}${KIND_ZH}${ORDER_ZH}`,
    `(给|为|对){${slot}}${ABOUT_ZH}(报修|派工|派单|开单|建单|报个修)`,
    `(报修|派工|派单){${slot}}${ABOUT_ZH}`,
    `{${slot}}${ABOUT_ZH}(报修|派工|派单)`,
    `${SEND_ZH}[去|来|到|过去|上门]${REPAIR_ZH}[一下|下]{${slot}}${ABOUT_ZH}`,
    `${SEND_ZH}[去|来|到]{${slot}}${REPAIR_ZH}[一下|下]${ABOUT_ZH}`,
  ],
  en: [
    `${MAKE_EN} ${ONE_EN} ${KIND_EN} ${ORDER_EN} (for|on|in|at|about|to repair|to fix|to check) ${THINGS_EN} {${slot}}`,
    `${MAKE_EN} ${ONE_EN} ${KIND_EN} ${ORDER_EN} (for|on|in|at|about) ${THINGS_EN} {${slot}} ${BECAUSE_EN} {fault}`,
    `${MAKE_EN} {${slot}} ${ONE_EN} ${KIND_EN} ${ORDER_EN}`,
    `${MAKE_EN} ${ONE_EN} {${slot}} ${KIND_EN} ${ORDER_EN}`,
    `${ORDER_EN} (for|on) ${THINGS_EN} {${slot}} please`,
    `${SOMEBODY_EN} to ${REPAIR_EN} ${THINGS_EN} {${slot}}`,
    `${SOMEBODY_EN} to {${slot}} to ${REPAIR_EN} it`,
  ],
});

/** What was found stands in the order: of a supply only what keeps equipment from working, and that first. */
const FOUND: Intent['bind'] = [
  { param: 'findings', from: 'check_supply', cel: "result.verdict == 'cause' ? result.findings : []" },
  { param: 'findings', from: 'diagnose', cel: 'result.findings' },
];

/** Constant of an intent: nobody says it, so it always holds. */
const always = (param: string, value: string): Slots[string] => ({
  entity: 'choice',
  param,
  required: false,
  default: value,
});

const OF_ZH = '[把|将|给]';

/** 所有工单, the open work orders: one order at a time is changed, so it is asked for. */
const MANY_ZH = `[一下|掉][所有|全部|一切|这些|那些|这张|那张][的][${STATE_ZH}][的]${ORDER_ZH}`;
const MANY_EN = `[all|every|each|any|both] [of] [the|my|our|a|these|those|this|that] [${STATE_EN}] ${ORDERS_EN}`;
const ALL_ZH = `(把|将)[所有|全部|一切|这些|那些|这张|那张][的]${ORDER_ZH}[全部|都|全|统统|给|一起]`;

/** What operators say about work orders. */
export const workOrderIntents: readonly Intent[] = [
  {
    name: 'CREATE_WORK_ORDER',
    method: 'create_work_order',
    effect: 'write',
    verbs: {
      zh: ['建工单', '创建工单', '开工单', '派工单', '报修', '新建工单', '生成工单', '建个工单', '建一个工单'],
      en: ['create a work order', 'raise a work order', 'open a work order', 'make a work order', 'file a work order'],
    },
    templates: {
      zh: [...creating('zone').zh, `${MAKE_ZH}${ONE_ZH}${KIND_ZH}${ORDER_ZH}`],
      en: [...creating('zone').en, `${MAKE_EN} ${ONE_EN} ${KIND_EN} ${ORDER_EN}`],
    },
    slots: { zone, fault, priority },
    bind: FOUND,
    example: { zh: '给三楼A区建一个维修工单', en: 'create a work order for zone A on floor 3' },
  },
  {
    name: 'CREATE_DEVICE_WORK_ORDER',
    method: 'create_work_order',
    effect: 'write',
    verbs: { zh: [], en: [] },
    templates: creating('device'),
    slots: { device, fault, priority },
    bind: FOUND,
    example: { zh: '为AHU-3创建工单', en: 'raise a work order for AHU-3: fan is noisy' },
  },
  {
    name: 'COMPLETE_WORK_ORDER',
    method: 'complete_work_order',
    effect: 'write',
    verbs: {
      zh: ['完成工单', '关闭工单', '办结工单'],
      en: ['complete', 'complete work order', 'close work order', 'finish work order'],
    },
    templates: {
      zh: [
        `(完成|关闭|办结|完结|结束|结掉|关掉|关|结|销)[一下|掉]${ORDER_ZH}${CODE_ZH}{order}`,
        `(完成|关闭|办结|完结|结束|结掉|关掉)[一下|掉]{order}[这张|这个|的][${ORDER_ZH}]`,
        `${OF_ZH}[${ORDER_ZH}]${CODE_ZH}{order}(完成|关闭|办结|完结|结束|结掉|关掉|关了|结了|标记为完成|标记为已完成|标为完成|标为已完成|设为完成|设为已完成|改为完成|改为已完成|置为完成|设置为完成)`,
        `(完成|关闭|办结|完结|结束|结掉|关掉)${MANY_ZH}`,
        `${ALL_ZH}(完成|关闭|办结|完结|结束|结掉|关掉|关了|结了|标记为完成|标记为已完成|标为完成|设为完成|设为已完成)[掉|了]`,
      ],
      en: [
        `(complete|close|finish|close out|sign off|sign off on|resolve) [the] [${ORDERS_EN}] [number|no] {order}`,
        `mark [the] [${ORDERS_EN}] {order} [as] (complete|completed|done|finished|closed)`,
        `set [the] [${ORDERS_EN}] {order} to (complete|completed|done|finished|closed)`,
        `(complete|close|finish|close out|sign off|resolve) ${MANY_EN}`,
        `(mark|set) ${MANY_EN} [as|to] (complete|completed|done|finished|closed)`,
      ],
    },
    slots: { order },
    example: { zh: '完成工单WO-7K2M9QXD', en: 'complete work order WO-7K2M9QXD' },
  },
  {
    name: 'CANCEL_WORK_ORDER',
    method: 'update_work_order',
    effect: 'write',
    verbs: {
      zh: ['取消工单', '作废工单', '撤销工单', '删除'],
      en: ['cancel work order', 'withdraw work order', 'delete', 'remove', 'erase'],
    },
    templates: {
      zh: [
        `(取消|撤销|作废|撤回|撤掉|取消掉|删除|删掉|移除)[一下|掉]${ORDER_ZH}${CODE_ZH}{order}`,
        `(取消|撤销|作废|撤掉|取消掉)[一下|掉]{order}[这张|这个|的][${ORDER_ZH}]`,
        `${OF_ZH}[${ORDER_ZH}]${CODE_ZH}{order}(取消|撤销|作废|撤掉|取消掉|标记为取消|标记为已取消|标为取消|设为取消|设为已取消|改为取消|删除|删掉|删了)`,
        `(取消|撤销|作废|撤回|撤掉|取消掉|删除|删掉|清除|清空|移除|去掉)${MANY_ZH}`,
        `${ALL_ZH}(取消|撤销|作废|撤掉|取消掉|标记为取消|标记为已取消|删除|删掉|删了|清空|清掉)[掉|了]`,
      ],
      en: [
        `(cancel|withdraw|void|abort|revoke|drop|delete|remove) ${MANY_EN}`,
        `(erase|discard|purge|clear|get rid of|wipe|scrap|call off) ${MANY_EN}`,
        `mark ${MANY_EN} [as] (cancelled|canceled|void)`,
        `(cancel|withdraw|void|abort|revoke|drop|delete|remove) [the] [${ORDERS_EN}] [number|no] {order}`,
        `mark [the] [${ORDERS_EN}] {order} [as] (cancelled|canceled|void)`,
      ],
    },
    slots: { order, to: always('state', 'cancelled') },
    example: { zh: '取消工单WO-7K2M9QXD', en: 'cancel work order WO-7K2M9QXD' },
  },
  {
    name: 'START_WORK_ORDER',
    method: 'update_work_order',
    effect: 'write',
    verbs: { zh: ['开始工单', '恢复工单'], en: ['start work order', 'resume work order'] },
    templates: {
      zh: [
        `(开始|启动|着手|恢复|继续)[处理|执行|做|办理|维修]${ORDER_ZH}${CODE_ZH}{order}`,
        `(开始|启动|恢复|继续)[处理|执行|做|办理|维修]${MANY_ZH}`,
        `(开始|恢复|继续)[处理|执行|做|办理]{order}[这张|的][${ORDER_ZH}]`,
        `${OF_ZH}[${ORDER_ZH}]${CODE_ZH}{order}(标记为进行中|标为进行中|设为进行中|改为进行中|开始处理|设置为进行中)`,
      ],
      en: [
        `(start|begin|resume|take up|continue) [work on|working on] [the] [${ORDERS_EN}] [number|no] {order}`,
        `(start|begin|resume|take up|continue) [work on|working on] ${MANY_EN}`,
        `(set|put|mark|move) [the] [${ORDERS_EN}] {order} [to|as] (in progress|started)`,
      ],
    },
    slots: { order, to: always('state', 'in_progress') },
    example: { zh: '开始处理工单WO-7K2M9QXD', en: 'start work order WO-7K2M9QXD' },
  },
  {
    name: 'HOLD_WORK_ORDER',
    method: 'update_work_order',
    effect: 'write',
    verbs: {
      zh: ['挂起工单', '暂停工单', '搁置工单'],
      en: ['hold work order', 'pause work order', 'suspend work order'],
    },
    templates: {
      zh: [
        `(挂起|暂停|搁置|暂停处理)[一下]${ORDER_ZH}${CODE_ZH}{order}`,
        `(挂起|暂停|搁置)${MANY_ZH}`,
        `(挂起|暂停|搁置)[一下]{order}[这张|的][${ORDER_ZH}]`,
        `${OF_ZH}[${ORDER_ZH}]${CODE_ZH}{order}(挂起|暂停|搁置|标记为挂起|设为挂起|改为挂起)`,
      ],
      en: [
        `(hold|pause|suspend|park) [the] [${ORDERS_EN}] [number|no] {order}`,
        `(hold|pause|suspend|park) ${MANY_EN}`,
        `(put|set|place) ${MANY_EN} [to] on hold`,
        `(put|set|place) [the] [${ORDERS_EN}] {order} [to] on hold`,
      ],
    },
    slots: { order, to: always('state', 'on_hold') },
    example: { zh: '挂起工单WO-7K2M9QXD', en: 'put work order WO-7K2M9QXD on hold' },
  },
  {
    name: 'ASSIGN_WORK_ORDER',
    method: 'update_work_order',
    effect: 'write',
    verbs: { zh: ['改派', '转派', '派给', '指派给', '转给'], en: ['assign', 'reassign'] },
    templates: {
      zh: [
        `${OF_ZH}[${ORDER_ZH}]${CODE_ZH}{order}(改派给|转派给|派给|指派给|分配给|分派给|转给|交给|安排给|改给){person}[处理|去做|来做]`,
        `(改派|转派|指派|分配|分派)[一下]${ORDER_ZH}${CODE_ZH}{order}(给|到){person}`,
        `(让|由){person}(处理|负责|接手|做|接)[${ORDER_ZH}]${CODE_ZH}{order}`,
      ],
      en: [
        `(assign|reassign|re-assign|give|hand|hand over|move|pass) [the] [${ORDERS_EN}] [number|no] {order} [over] to {person}`,
        `let {person} (do|handle|take|take over) [the] [${ORDERS_EN}] {order}`,
      ],
    },
    slots: {
      order,
      person: { entity: 'person', param: 'assigned_to', ask: { zh: '派给谁？', en: 'To whom?' } },
    },
    example: { zh: '把工单WO-7K2M9QXD派给王工', en: 'assign work order WO-7K2M9QXD to Wang' },
  },
];
