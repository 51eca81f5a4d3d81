import type { RulePackInput } from '../runtime/index.js';

type Intent = RulePackInput['intents'][number];
type Slots = NonNullable<Intent['slots']>;

const order: Slots[string] = {
  entity: 'code',
  param: 'work_order_id',
  pattern_prefix: 'WO',
  ask: { zh: '哪张工单？例如 WO-7K2M9QXD', en: 'Which work order, for example WO-7K2M9QXD?' },
};
const zone: Slots[string] = {
  entity: 'zone',
  param: 'zone',
  ask: { zh: '给哪个区域建工单？例如三楼A区', en: 'A work order for which zone, for example zone A on floor 3?' },
};
const device: Slots[string] = {
  entity: 'device',
  param: 'device_id',
  ask: { zh: '给哪台设备建工单？', en: 'A work order for which device?' },
};
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
const ORDER_ZH = '(工单|维修单|报修单|派工单|任务单|作业单|检修单|维护单)';
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

const LIST_ZH = '(列出|列一下|列|查|查看|查询|看|看看|看一下|查一下|显示|给我看|汇总|统计|报一下|告诉我|查查|盘点)';
const STATE_ZH =
  '(未完成|没完成|没有完成|未关闭|未处理|没处理|待处理|待办|待办的|没做完|没做|未做|还没完成|还没做完|打开|开着|进行中|正在进行|正在处理|处理中|执行中|挂起|暂停|搁置|已完成|完成|' +
  '做完|已做完|完工|已完工|已关闭|关闭|已经完成|已取消|取消|作废|已作废|取消了|完成了)';
const LIST_EN = '(list|show|give|get|display|see|check|report|find|tell|query|print|look up|review)';
const STATE_EN =
  '(open|unfinished|pending|outstanding|active|unclosed|in progress|ongoing|on hold|held|suspended|paused|completed|complete|closed|done|finished|cancelled|canceled)';
const ORDERS_EN = '(work orders|workorders|work order|repair orders|maintenance orders|maintenance tickets)';

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

/** Constant of an intent: nobody says it, so it always holds. */
const always = (param: string, value: string): Slots[string] => ({
  entity: 'choice',
  param,
  required: false,
  default: value,
});

const OF_ZH = '[把|将|给]';
const CODE_ZH = '[编号|编号为|号|单号|单号为|这张]';

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
    name: 'LIST_WORK_ORDERS',
    method: 'list_work_order',
    effect: 'read',
    verbs: { zh: ['工单列表', '哪些工单', '什么工单', '几张工单'], en: ['work orders'] },
    templates: {
      zh: [
        `${LIST_ZH}[一下|下][所有|全部|当前|现在|目前|现有][的][${STATE_ZH}][的]${ORDER_ZH}[列表|清单|情况|状态|都|有哪些|有多少|有几张]`,
        `${LIST_ZH}[一下|下]{zone}[的|里的][所有|全部|当前][的][${STATE_ZH}][的]${ORDER_ZH}[列表|清单|情况|状态|有哪些]`,
        `${LIST_ZH}[一下|下]{device}[的][所有|全部|当前][的][${STATE_ZH}][的]${ORDER_ZH}[列表|清单|情况|状态|有哪些]`,
        `${LIST_ZH}[一下|下]{person}[的|手上的|手头的][所有|全部|当前][的][${STATE_ZH}][的]${ORDER_ZH}[列表|清单|情况|状态|有哪些]`,
        `[现在|目前|当前|还|都|一共](有哪些|有什么|有多少|有几张|有几个|有没有|有啥|哪些|哪几张)[${STATE_ZH}][的]${ORDER_ZH}[吗|没有|没|未完成|没完成|没做完|还没做]`,
        `{zone}[现在|目前|还|都]有[哪些|什么|多少|几张|几个|没有|啥][${STATE_ZH}][的]${ORDER_ZH}[吗|没有|没]`,
        `{device}[现在|目前|还|都]有[哪些|什么|多少|几张|几个|没有|啥][${STATE_ZH}][的]${ORDER_ZH}[吗|没有|没]`,
        `{person}[现在|目前|手上|手头|还|都]有[哪些|什么|多少|几张|几个|没有|啥][${STATE_ZH}][的]${ORDER_ZH}[吗|没有|没]`,
        `[所有|全部|当前][的]${STATE_ZH}[的]${ORDER_ZH}(有哪些|有多少|列表|清单|有几张|都有哪些|是哪些|有几个)`,
        '(工单列表|工单清单|工单情况|工单汇总|工单有哪些)',
      ],
      en: [
        `${LIST_EN} [me] [all] [the|my|our] [${STATE_EN}] ${ORDERS_EN}`,
        `${LIST_EN} [me] [all] [the] [${STATE_EN}] ${ORDERS_EN} (for|of|in|on|at) {zone}`,
        `${LIST_EN} [me] [all] [the] [${STATE_EN}] ${ORDERS_EN} (for|of|on|about) {device}`,
        `${LIST_EN} [me] [all] [the] [${STATE_EN}] ${ORDERS_EN} (for|of|assigned to|given to|with) {person}`,
        `${LIST_EN} [me] {person} ['s] [${STATE_EN}] ${ORDERS_EN}`,
        `(what|which|how many) [${STATE_EN}] ${ORDERS_EN} (are|do we have|exist|are there|is there|are still) [there] [${STATE_EN}]`,
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
  {
    name: 'COMPLETE_WORK_ORDER',
    method: 'complete_work_order',
    effect: 'write',
    verbs: {
      zh: ['完成工单', '关闭工单', '办结工单'],
      en: ['complete work order', 'close work order', 'finish work order'],
    },
    templates: {
      zh: [
        `(完成|关闭|办结|完结|结束|结掉|关掉|关|结|销)[一下|掉]${ORDER_ZH}${CODE_ZH}{order}`,
        `(完成|关闭|办结|完结|结束|结掉|关掉)[一下|掉]{order}[这张|这个|的][${ORDER_ZH}]`,
        `${OF_ZH}[${ORDER_ZH}]${CODE_ZH}{order}(完成|关闭|办结|完结|结束|结掉|关掉|关了|结了|标记为完成|标记为已完成|标为完成|标为已完成|设为完成|设为已完成|改为完成|改为已完成|置为完成|设置为完成)`,
        `(完成|关闭|办结|完结)[一下]${ORDER_ZH}`,
      ],
      en: [
        `(complete|close|finish|close out|sign off|sign off on|resolve) [the] [${ORDERS_EN}] [number|no] {order}`,
        `mark [the] [${ORDERS_EN}] {order} [as] (complete|completed|done|finished|closed)`,
        `set [the] [${ORDERS_EN}] {order} to (complete|completed|done|finished|closed)`,
        `(complete|close|finish) [the|a] ${ORDERS_EN}`,
      ],
    },
    slots: { order },
    example: { zh: '完成工单WO-7K2M9QXD', en: 'complete work order WO-7K2M9QXD' },
  },
  {
    name: 'CANCEL_WORK_ORDER',
    method: 'update_work_order',
    effect: 'write',
    verbs: { zh: ['取消工单', '作废工单', '撤销工单'], en: ['cancel work order', 'withdraw work order'] },
    templates: {
      zh: [
        `(取消|撤销|作废|撤回|撤掉|取消掉|删除)[一下|掉]${ORDER_ZH}${CODE_ZH}{order}`,
        `(取消|撤销|作废|撤掉|取消掉)[一下|掉]{order}[这张|这个|的][${ORDER_ZH}]`,
        `${OF_ZH}[${ORDER_ZH}]${CODE_ZH}{order}(取消|撤销|作废|撤掉|取消掉|标记为取消|标记为已取消|标为取消|设为取消|设为已取消|改为取消)`,
      ],
      en: [
        `(cancel|withdraw|void|abort|revoke|drop) [the] [${ORDERS_EN}] [number|no] {order}`,
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
        `(开始|恢复|继续)[处理|执行|做|办理]{order}[这张|的][${ORDER_ZH}]`,
        `${OF_ZH}[${ORDER_ZH}]${CODE_ZH}{order}(标记为进行中|标为进行中|设为进行中|改为进行中|开始处理|设置为进行中)`,
      ],
      en: [
        `(start|begin|resume|take up|continue) [work on|working on] [the] [${ORDERS_EN}] [number|no] {order}`,
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
        `(挂起|暂停|搁置)[一下]{order}[这张|的][${ORDER_ZH}]`,
        `${OF_ZH}[${ORDER_ZH}]${CODE_ZH}{order}(挂起|暂停|搁置|标记为挂起|设为挂起|改为挂起)`,
      ],
      en: [
        `(hold|pause|suspend|park) [the] [${ORDERS_EN}] [number|no] {order}`,
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
