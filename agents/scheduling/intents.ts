import type { RulePackInput } from '../runtime/index.js';
import { listIntents } from './list-intents.js';
import { workOrderIntents } from './work-order-intents.js';

/** One order of a list, in full: which, where, in what state, whose, and when. */
const rowZh = (n: number): string =>
  `[${n === 0 ? '：' : '；'}{work_orders.${n}.work_order_id}（][{work_orders.${n}.zone@zone}，][{work_orders.${n}.device_id}，]` +
  `[{work_orders.${n}.state@word}，{work_orders.${n}.assigned_to@person}，` +
  `{work_orders.${n}.start@time} 至 {work_orders.${n}.end@time}）]`;
const rowEn = (n: number): string =>
  `[${n === 0 ? '. ' : '; '}{work_orders.${n}.work_order_id} (][{work_orders.${n}.zone@zone}, ][{work_orders.${n}.device_id}, ]` +
  `[{work_orders.${n}.state@word}, {work_orders.${n}.assigned_to@person}, ` +
  `{work_orders.${n}.start@time} to {work_orders.${n}.end@time})]`;

/** What operators say to the maintenance agent, and how its results are told. */
export const schedulingRulePack: RulePackInput = {
  intents: [
    ...workOrderIntents,
    ...listIntents,
    {
      name: 'NOTIFY',
      method: 'notify',
      effect: 'write',
      tell: { subject: 'subject', body: 'body' },
      verbs: {
        zh: [
          '通知',
          '告诉',
          '告知',
          '发邮件',
          '发个邮件',
          '发消息',
          '提醒',
          '转告',
          '知会',
          '发封邮件',
          '发一封邮件',
          '叫',
          '喊',
          '汇报',
          '上报',
          '发给',
          '抄送',
          '发通知',
          '联系',
          '发短信',
          '发微信',
          '发企业微信',
          '说一声',
          '邮件',
        ],
        en: [
          'notify',
          'tell',
          'inform',
          'email',
          'e-mail',
          'mail',
          'alert',
          'let',
          'message',
          'send',
          'ping',
          'warn',
          'contact',
          'report',
          'update',
          'page',
          'remind',
          'advise',
          'call',
        ],
      },
      templates: {
        zh: [
          '(通知|告诉|告知|提醒|转告|知会|通知给|通知到|汇报给|上报给|联系|汇报)[一下|下]{person}[一下|一声|知道|结果|处理结果|说|关于|有关][:|,]',
          '(通知|告诉|告知|提醒|转告|知会)[一下|下]{person}[一下|一声|说|关于|:|,]{text}',
          '[用]{channel}(通知|告诉|告知|提醒|联系){person}[一下|一声]',
          '[用]{channel}(通知|告诉|告知|提醒){person}[一下|一声|说|:|,]{text}',
          '(给|向|跟|对){person}(发|发个|发封|发一封|发条|发一条|写个|写封){channel}[说|通知|告知|:|,|一下]',
          '(给|向|跟|对){person}(发|发个|发封|发一封|发条|发一条|写个|写封){channel}[说|通知|告知|:|,|一下]{text}',
          '(给|向|跟|对){person}(发通知|发消息|发个消息|发条消息|发个通知|说一声|汇报|汇报一下|报告|发一下|说|发个信息)[:]',
          '(给|向|跟|对){person}(发通知|发消息|发个消息|发条消息|发个通知|说一声|汇报|报告|说|发个信息)[说|:|,]{text}',
          '(发|发个|发封|发一封|发条){channel}(给|通知|告诉|到){person}[说|:|,]',
          '(发|发个|发封|发一封|发条){channel}(给|通知|告诉|到){person}[说|:|,]{text}',
          '(发通知|发消息|发个消息|发个通知|发)给{person}[说|:|,]',
          '把[结果|情况|这个|处理结果|消息|状态|这事](发给|告诉|通知|告知|发到|汇报给|转告|报告给|通知给){person}',
          '把{text}(发给|告诉|通知|告知|发到|汇报给|转告){person}',
          '让{person}知道[一下|结果]',
          '{person}(通知|告诉)[一下|一声]',
          '(通知|告诉|告知|提醒|知会)[一下|下]',
        ],
        en: [
          '(notify|inform|alert|message|warn|contact|page|ping|advise|update) {person} [about it|' +
            'about this|of this|about that|of the result|about the result|with the result|of it|' +
            'accordingly]',
          '(notify|inform|alert|message|warn|page|ping|advise|tell|email|e-mail|mail|remind) ' +
            '{person} [that|saying|:|,|about|of|to] {text}',
          '(tell|email|e-mail|mail|remind) {person} [about it|about this|the result|so|of it|about that|what happened]',
          'let {person} know [about it|about this|the result|so|of it|what happened]',
          'let {person} know [that|:|,|about] {text}',
          'send [an|a] {channel} [message|notification] to {person} [about it|:|,]',
          'send [an|a] {channel} [message|notification] to {person} [saying|that|:|,|about] {text}',
          'send {person} [an|a] {channel} [message|notification|about it]',
          'send {person} [an|a] {channel} [message] [saying|that|:|,|about] {text}',
          'send [a|the] (message|notification|note|notice|alert|result|results) to {person} [about it|:]',
          'send [a|the] (message|notification|note|notice) to {person} [saying|that|:|,|about] {text}',
          'send {person} [a] (message|notification|note|notice|alert)',
          'send {person} [a] (message|notification|note|notice) [saying|that|:|,|about] {text}',
          'send {text} to {person}',
          '(report|send) [it|this|the result|results|back] to {person}',
          '{channel} {person}',
          '(notify|inform|alert|tell)',
        ],
      },
      slots: {
        person: {
          entity: 'person',
          param: 'recipients',
          list: true,
          ask: { zh: '通知谁？', en: 'Whom should I notify?' },
        },
        text: {
          entity: 'text',
          param: 'body',
          told_by_steps: true,
          ask: { zh: '通知什么内容？', en: 'What should the message say?' },
        },
        channel: {
          entity: 'choice',
          param: 'channel',
          required: false,
          default: 'email',
          choices: {
            email: {
              zh: ['邮件', '电子邮件', '邮箱', 'email', '用邮件', '通过邮件', '发邮件'],
              en: ['email', 'e-mail', 'mail', 'by email', 'via email', 'by mail', 'by e-mail', 'over email'],
            },
            wecom: {
              zh: ['企业微信', '微信', '企微', '用企业微信', '用微信', '通过企业微信', '发微信', 'wecom'],
              en: ['wecom', 'wechat', 'by wecom', 'via wecom', 'on wecom', 'by wechat', 'via wechat', 'on wechat'],
            },
            webhook: { zh: ['webhook'], en: ['webhook', 'by webhook', 'via webhook'] },
          },
        },
      },
      example: { zh: '通知张工“泵坏了”', en: 'notify Zhang that the pump is broken' },
    },
    {
      name: 'LOOKUP_PERSON',
      method: 'lookup_person',
      effect: 'read',
      verbs: {
        zh: [
          '电话',
          '邮箱',
          '邮件地址',
          '联系方式',
          '是谁',
          '手机',
          '号码',
          '谁',
          '找',
          '查',
          '联系',
          '资料',
          '负责',
          '技能',
          '会',
        ],
        en: [
          'who',
          'phone',
          'email',
          'number',
          'contact',
          'look',
          'find',
          'lookup',
          'reach',
          'details',
          'address',
          'mail',
          'e-mail',
        ],
      },
      templates: {
        zh: [
          '[查|查一下|查询|找|找一下|看|告诉我|给我]{person}[的](电话|电话号码|邮箱|邮件地址|联系方式|手机|手机号|号码|联系电话|邮箱地址|资料|信息|技能|' +
            '企业微信|微信|职务|岗位)[和|或]([电话|邮箱])[是][多少|什么|啥|几号|哪个]',
          '{person}是谁',
          '谁是{person}',
          '(怎么|如何|怎样)联系{person}',
          '{person}(怎么|如何)联系',
          '{person}(会什么|负责什么|是干什么的|是做什么的|管什么|有什么技能)',
        ],
        en: [
          'who is {person}',
          "what is {person} ['s] (phone|phone number|email|email address|number|contact|e-mail|mail " +
            'address|address|contact details)',
          "(look up|find|show|get|give me|lookup|need|tell me) [me] {person} ['s] [phone|phone " +
            'number|email|email address|number|contact|contact details|e-mail|details|address|contact ' +
            'info]',
          "{person} ['s] (phone|phone number|email|email address|number|contact|contact details|" +
            'e-mail|details|contact info)',
          'how (do i|can i|to) (contact|reach) {person}',
          '(phone|phone number|email|email address|number|contact|contact details) (of|for) {person}',
          'what does {person} do',
          '(look up|lookup) {person}',
        ],
      },
      slots: {
        person: { entity: 'person', param: 'name', ask: { zh: '要查谁？', en: 'Whom should I look up?' } },
      },
      example: { zh: '张工的电话是多少', en: 'who is Zhang' },
    },
  ],
  words: {
    open: { zh: '待处理', en: 'open' },
    in_progress: { zh: '处理中', en: 'in progress' },
    on_hold: { zh: '挂起', en: 'on hold' },
    completed: { zh: '已完成', en: 'completed' },
    cancelled: { zh: '已取消', en: 'cancelled' },
    low: { zh: '低', en: 'low' },
    normal: { zh: '普通', en: 'normal' },
    high: { zh: '高', en: 'high' },
    urgent: { zh: '紧急', en: 'urgent' },
    only_one: { zh: '唯一有此技能的人', en: 'the only one with the skill' },
    on_duty_now: { zh: '正在当班', en: 'on duty now' },
    earliest: { zh: '最早有空', en: 'free first' },
    least_work: { zh: '手头工作最少', en: 'least work in hand' },
    first_by_id: { zh: '同等条件', en: 'all equal' },
    named: { zh: '指定', en: 'as named' },
  },
  titles: {
    create_work_order: { zh: '建工单', en: 'work order' },
    list_work_order: { zh: '列出工单', en: 'list of work orders' },
    update_work_order: { zh: '修改工单', en: 'change of a work order' },
    complete_work_order: { zh: '完成工单', en: 'completion of a work order' },
    notify: { zh: '通知', en: 'notification' },
    lookup_person: { zh: '查人员', en: 'person look-up' },
  },
  answers: {
    create_work_order: {
      zh: '已为[{zone@zone}][ {device_id} ]创建工单 {work_order_id}，派给{assigned_to@person}，{start@time} 开始。',
      en: 'Work order {work_order_id} was created[ for {zone@zone}][ for {device_id}]: {assigned_to@person}, from {start@time}.',
    },
    list_work_order: {
      zh: `共 {total} 张工单${[0, 1, 2].map(rowZh).join('')}[；另有 {more} 张]。`,
      en: `Work orders: {total}${[0, 1, 2].map(rowEn).join('')}[; and {more} more].`,
    },
    update_work_order: {
      zh: '工单 {work_order_id}：{state@word}，{assigned_to@person}，{start@time} 开始。',
      en: 'Work order {work_order_id}: {state@word}, {assigned_to@person}, from {start@time}.',
    },
    complete_work_order: {
      zh: '工单 {work_order_id} 已完成。',
      en: 'Work order {work_order_id} is completed.',
    },
    notify: {
      zh: '已通知{recipients@person}（{channel|email=邮件}）。',
      en: 'Notified {recipients@person} by {channel|email=mail}.',
    },
    lookup_person: {
      zh: '{name}：邮箱 {email}[，技能 {skills}]。',
      en: '{name}: mail {email}[, skills {skills}].',
    },
  },
};
