import type { RulePackInput } from '../runtime/index.js';

/** What operators say, and how results are told: `(a|b)` one of them, `[x]` perhaps, `{slot}` what is named. */
export const rulePack: RulePackInput = {
  intents: [
    {
      name: 'SAMPLE_AGENT_OVERVIEW',
      method: 'sample_agent_overview',
      effect: 'read',
      verbs: {
        zh: ['样板概况', '样板总览'],
        en: ['sample agent overview', 'sample agent summary'],
      },
      templates: {
        zh: [
          '(查看|查询|查|看|看看|显示|给出|报告)[一下|下]{device}[的]样板(概况|总览)',
          '{device}[的]样板(概况|总览)[怎么样|如何|呢]',
          '(给我|我要|来一份){device}[的]样板(概况|总览)',
        ],
        en: [
          '[show|get|give|read] [me] sample agent (overview|summary) (of|for|on) {device}',
          "[show|get|give|read] [me] {device} ['s] sample agent (overview|summary)",
        ],
      },
      slots: {
        device: { entity: 'device', param: 'device_id', ask: { zh: '请指定设备编号？', en: 'Which device?' } },
      },
      example: {
        zh: '查看PLC-003的样板概况',
        en: 'sample agent overview of PLC-003',
      },
    },
  ],
  titles: {
    sample_agent_overview: {
      zh: '样板概况',
      en: 'sample agent overview',
    },
  },
  answers: {
    sample_agent_overview: {
      zh: '{device_id} 有 {points} 个点位，{good} 个正常[，不正常的：{not_good}][，无法读取：{unreadable}]。',
      en: '{device_id}: {good} of {points} points are good[; not good: {not_good}][; unreadable: {unreadable}].',
    },
  },
};
