import type { ErrorData } from '../../../shared/errors.js';
import type { Language } from '../../../shared/site.js';
import type { Plan, PlanStep, StepStatus } from '../plan/plan.js';
import type { RulePack } from '../session/language/rule-pack.js';
import type { Understanding } from '../session/understanding.js';
import { fillTemplate, show } from './template.js';

/** What the operator reads, and the report behind it. Never stored as a fact. */
export interface Answer {
  readonly language: Language;
  readonly text: string;
  readonly degraded: boolean;
}

export interface Report {
  readonly done: readonly string[];
  readonly failed: readonly {
    readonly step: string;
    readonly where: string;
    readonly reason: string;
    readonly message: string;
    readonly rollback_executed: boolean;
    readonly rollback_ms?: number;
    readonly suggestion: string;
  }[];
  readonly skipped: readonly string[];
  readonly open: readonly string[];
}

export interface AnswerSources {
  readonly pack: (component: string) => RulePack | undefined;
  /** Component id → name. */
  readonly nameOf: (componentId: string) => string;
}

const WORDS = {
  zh: {
    failed: (what: string, message: string) => `${what}失败：${message}。`,
    rolledBack: (ms: number | undefined) => `已执行回滚${ms === undefined ? '' : `（${ms} 毫秒）`}。`,
    rollbackFailed: '回滚失败，需要人员处理。',
    notRolledBack: '没有执行回滚。',
    unknown: '结果无法确认，需要人员到现场核实。',
    skipped: (what: string) => `未执行 ${what}：条件不满足。`,
    cancelled: (what: string) => `未执行 ${what}：前面的步骤没有完成。`,
    stopped: '目标已取消。',
    suggestion: (text: string) => `建议：${text}。`,
    nothing: '没有需要执行的步骤。',
  },
  en: {
    failed: (what: string, message: string) => `${what} failed: ${message}.`,
    rolledBack: (ms: number | undefined) => `Rollback executed${ms === undefined ? '' : ` (${ms} ms)`}.`,
    rollbackFailed: 'The rollback failed; a person is needed.',
    notRolledBack: 'No rollback was executed.',
    unknown: 'The outcome is unknown; a person has to look.',
    skipped: (what: string) => `${what} was not run: its condition was not met.`,
    cancelled: (what: string) => `${what} was not run: an earlier step did not complete.`,
    stopped: 'The goal was cancelled.',
    suggestion: (text: string) => `Suggestion: ${text}.`,
    nothing: 'There was nothing to run.',
  },
} as const;

/** The answer of a plan that has ended: one sentence a step, in the language of the question. */
export function renderAnswer(
  plan: Plan,
  steps: ReadonlyMap<string, StepStatus>,
  sources: AnswerSources,
  language: Language,
  state: 'completed' | 'failed' | 'cancelled',
): { answer: Answer; report: Report } {
  const words = WORDS[language];
  const statuses = plan.steps.map((step) => [step, steps.get(step.id) as StepStatus] as const);
  const lines = statuses
    .map(([step, status]) => sentence(step, status, sources, language))
    .filter((line) => line !== '');
  const told = [...(state === 'cancelled' ? [words.stopped] : []), ...lines];
  const degraded = statuses.some(([, status]) => status.degraded === true);
  const text = (told.length > 0 ? told : [words.nothing]).join(language === 'zh' ? '' : ' ');
  return { answer: { language, text, degraded }, report: reportOf(statuses) };
}

function sentence(step: PlanStep, status: StepStatus, sources: AnswerSources, language: Language): string {
  const words = WORDS[language];
  const what = `${step.method}${typeof step.params.device_id === 'string' ? ` ${step.params.device_id}` : ''}`;
  switch (status.state) {
    case 'completed': {
      const template = sources.pack(sources.nameOf(step.callee))?.answers[step.method]?.[language];
      const result =
        typeof status.result === 'object' && status.result !== null ? status.result : { result: status.result };
      return template ? fillTemplate(template, { ...status.params, ...result }) : `${what}: ${show(status.result)}`;
    }
    case 'failed':
    case 'unknown': {
      const data = status.error?.data;
      const undone = rollbackOf(data, words);
      const doubt = status.state === 'unknown' ? words.unknown : '';
      return [
        words.failed(what, status.error?.message ?? ''),
        undone,
        doubt,
        words.suggestion(suggest(status, language)),
      ].join(language === 'zh' ? '' : ' ');
    }
    case 'skipped':
      return words.skipped(what);
    case 'cancelled':
      return words.cancelled(what);
    default:
      return '';
  }
}

function rollbackOf(data: ErrorData | undefined, words: (typeof WORDS)[Language]): string {
  if (data?.rollback_outcome === 'failed') return words.rollbackFailed;
  if (data?.rollback_executed === true) return words.rolledBack(data.rollback_ms as number | undefined);
  return data?.started === true ? words.notRolledBack : '';
}

function reportOf(statuses: readonly (readonly [PlanStep, StepStatus])[]): Report {
  const by = (state: StepStatus['state']) =>
    statuses.filter(([, status]) => status.state === state).map(([step]) => step.id);
  return {
    done: by('completed'),
    failed: statuses
      .filter(([, status]) => status.error !== undefined)
      .map(([step, status]) => ({
        step: step.id,
        where: `${step.callee}.${step.method}`,
        reason: status.error?.data.reason ?? 'internal',
        message: status.error?.message ?? '',
        rollback_executed: status.error?.data.rollback_executed === true,
        ...(typeof status.error?.data.rollback_ms === 'number' ? { rollback_ms: status.error.data.rollback_ms } : {}),
        suggestion: suggest(status, 'en'),
      })),
    skipped: by('skipped'),
    open: [...by('cancelled'), ...by('pending')],
  };
}

const SUGGESTIONS: Readonly<Record<string, Readonly<Record<Language, string>>>> = {
  no_worker: { zh: '启动对应的智能体后再试', en: 'start the agent, then try again' },
  deadline: { zh: '检查设备是否响应，或给更长的时限', en: 'check that the device answers, or allow more time' },
  verification_failed: { zh: '到现场核对设备的实际状态', en: 'check the real state of the device on site' },
  tool_failed: { zh: '到现场检查设备后再试', en: 'look at the device on site, then try again' },
  refused_by_device: { zh: '解除设备的联锁或急停后再试', en: 'clear the interlock or emergency stop, then try again' },
  outcome_unknown: { zh: '先核实设备状态，不要直接重试', en: 'verify the device before trying again' },
};

function suggest(status: StepStatus, language: Language): string {
  const data = status.error?.data;
  const known = SUGGESTIONS[data?.reason ?? '']?.[language];
  if (known) return known;
  if (typeof data?.suggestion === 'string') return data.suggestion;
  return language === 'zh' ? '查看审计与轨迹记录' : 'see the audit and the trace';
}

/** The answer when a sentence led to no plan. */
export function renderOutcome(understanding: Understanding, examples: readonly string[]): Answer {
  const { language, outcome, understood, prompt } = understanding;
  const zh = language === 'zh';
  const near = examples.slice(0, 3).join(zh ? '；' : '; ');
  const text: Record<Understanding['outcome'], string> = {
    plan: understood,
    repeat: understood,
    ask: prompt?.text ?? '',
    none: understood || (zh ? '没有执行任何操作。' : 'Nothing was done.'),
    undo: understood || (zh ? '已退回上一步，没有动任何设备。' : 'Went back one step; no device was touched.'),
    refuse: zh ? `没有执行：${understood}` : `Not done: ${understood}`,
    not_understood: zh ? `没有听懂。可以这样说：${near}` : `Not understood. You can say: ${near}`,
  };
  return { language, text: text[outcome], degraded: false };
}
