import { REASONS, type Reason } from '../../../shared/errors.js';
import type { Language } from '../../../shared/site.js';

/** Fixed sentences of answers. */
export const WORDS = {
  zh: {
    joint: '',
    failed: (what: string, why: string, detail: string) => `${what} 失败：${why}（${detail}）。`,
    rolledBack: (ms: number | undefined) => `已执行回滚${ms === undefined ? '' : `（${ms} 毫秒）`}。`,
    rollbackFailed: '回滚失败，需要人员处理。',
    notRolledBack: '没有执行回滚。',
    unknown: '结果无法确认，需要人员到现场核实。',
    skipped: (what: string) => `未执行${what}：条件不满足。`,
    cancelled: (what: string) => `未执行${what}：前面的步骤没有完成。`,
    stopped: '目标已取消。',
    suggestion: (text: string) => `建议：${text}。`,
    degraded: '（降级：缺少前一步的结果）',
    floor: (floor: number) => `${floor}楼`,
    nothing: '没有需要执行的步骤。',
    otherwise: '查看审计与轨迹记录',
  },
  en: {
    joint: ' ',
    failed: (what: string, why: string, detail: string) => `${what} failed: ${why} (${detail}).`,
    rolledBack: (ms: number | undefined) => `Rollback executed${ms === undefined ? '' : ` (${ms} ms)`}.`,
    rollbackFailed: 'The rollback failed; a person is needed.',
    notRolledBack: 'No rollback was executed.',
    unknown: 'The outcome is unknown; a person has to look.',
    skipped: (what: string) => `${what} was not run: its condition was not met.`,
    cancelled: (what: string) => `${what} was not run: an earlier step did not complete.`,
    stopped: 'The goal was cancelled.',
    suggestion: (text: string) => `Suggestion: ${text}.`,
    degraded: ' (degraded: an earlier step gave no result)',
    floor: (floor: number) => `floor ${floor}`,
    nothing: 'There was nothing to run.',
    otherwise: 'see the audit and the trace',
  },
} as const;

/** Reasons in Chinese; English stands in the error table. A reason without a row here is told in English. */
const REASONS_ZH: Partial<Record<Reason, string>> = {
  invalid_params: '参数不合要求',
  unknown_method: '对方没有这个方法',
  unknown_entity: '站点中没有这个对象',
  wrong_target: '该地址上不是声明的设备',
  no_restart_path: '拓扑没有声明重启方式',
  refused_by_device: '设备拒绝执行',
  not_allowed: '没有权限',
  scope_denied: '没有权限',
  held: '设备处于手动状态',
  deadline: '超时',
  no_worker: '没有在线的智能体',
  overloaded: '智能体繁忙',
  log_unavailable: '记录暂时无法读写',
  cancelled: '已被取消',
  tool_failed: '没有按要求完成',
  bad_output: '返回结果不合要求',
  verification_failed: '设备已应答，但回读显示没有执行',
  outcome_unknown: '无法确认是否已经执行',
  rollback_failed: '回滚失败',
};

/** The table speaks to developers in places; operators get these words. */
const REASONS_EN: Partial<Record<Reason, string>> = {
  invalid_params: 'a value does not fit',
  refused_by_device: 'the device refuses',
  deadline: 'the time was over',
};

export const reasonText = (reason: Reason, language: Language): string =>
  (language === 'zh' ? REASONS_ZH : REASONS_EN)[reason] ?? REASONS[reason].meaning;

const SUGGESTIONS: Partial<Record<Reason, Readonly<Record<Language, string>>>> = {
  no_worker: { zh: '启动对应的智能体后再试', en: 'start the agent, then try again' },
  deadline: { zh: '检查设备是否响应，或给更长的时限', en: 'check that the device answers, or allow more time' },
  verification_failed: { zh: '到现场核对设备的实际状态', en: 'check the real state of the device on site' },
  tool_failed: { zh: '到现场检查设备后再试', en: 'look at the device on site, then try again' },
  refused_by_device: { zh: '解除设备的联锁或急停后再试', en: 'clear the interlock or emergency stop, then try again' },
  outcome_unknown: { zh: '先核实设备状态，不要直接重试', en: 'verify the device before trying again' },
  invalid_params: { zh: '按提示修改后重新提交', en: 'correct it as told, then submit again' },
};

export const suggestionText = (reason: Reason | undefined, language: Language): string | undefined =>
  reason && SUGGESTIONS[reason]?.[language];
