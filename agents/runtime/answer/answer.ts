import type { ErrorData } from '../../../shared/errors.js';
import type { Language, Site } from '../../../shared/site.js';
import type { Plan, PlanStep, StepStatus } from '../plan/index.js';
import type { RulePack, Understanding } from '../session/index.js';
import { aboutOf } from './about.js';
import { conclude } from './conclude.js';
import { speechOf } from './speech.js';
import { fillTemplate, show } from './template.js';
import { reasonText, suggestionText, WORDS } from './words.js';

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
  readonly site: Site;
}

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
  const meaning = conclude(plan, steps, language, (callee) =>
    speechOf(sources.site, language, sources.pack(sources.nameOf(callee))),
  );
  const told = [...(state === 'cancelled' ? [words.stopped] : []), ...(meaning ? [meaning] : []), ...lines];
  const degraded = statuses.some(([step, status]) => status.degraded === true || lacking(step, status));
  const text = (told.length > 0 ? told : [words.nothing]).join(words.joint);
  return { answer: { language, text, degraded }, report: reportOf(statuses) };
}

/** It gave nothing, and what follows went on without it. */
const lacking = (step: PlanStep, { state }: StepStatus): boolean =>
  step.on_failure === 'continue' && (state === 'failed' || state === 'unknown');

function sentence(step: PlanStep, status: StepStatus, sources: AnswerSources, language: Language): string {
  const told = sentenceOf(step, status, sources, language);
  if (status.degraded !== true || told === '') return told;
  const end = /[。.]$/.exec(told)?.[0] ?? '';
  return `${told.slice(0, told.length - end.length)}${WORDS[language].degraded}${end}`;
}

function sentenceOf(step: PlanStep, status: StepStatus, sources: AnswerSources, language: Language): string {
  const words = WORDS[language];
  const pack = sources.pack(sources.nameOf(step.callee));
  const speech = speechOf(sources.site, language, pack);
  const title = pack?.titles[step.method]?.[language] ?? step.method;
  const about = aboutOf(step.params, speech, language);
  const what = about === undefined ? title : `${title} ${about}`;
  switch (status.state) {
    case 'completed': {
      const template = pack?.answers[step.method]?.[language];
      const result =
        typeof status.result === 'object' && status.result !== null ? status.result : { result: status.result };
      const fields = { ...status.params, ...result };
      return template ? fillTemplate(template, fields, speech) : `${what}: ${show(status.result)}`;
    }
    case 'failed':
    case 'rolled_back':
    case 'unknown':
      return failure(what, status, language);
    case 'skipped':
      return words.skipped(what);
    case 'cancelled':
      return words.cancelled(what);
    default:
      return '';
  }
}

/** What failed and why, what was undone, what is in doubt, what to do next. */
function failure(what: string, status: StepStatus, language: Language): string {
  const words = WORDS[language];
  const { data, message = '' } = status.error ?? {};
  const undone = undoing(data, language);
  const doubt = status.state === 'unknown' ? words.unknown : '';
  const why = reasonText(data?.reason ?? 'internal', language);
  const parts = [words.failed(what, why, message), undone, doubt, words.suggestion(suggest(status, language))];
  return parts.filter((part) => part !== '').join(words.joint);
}

function undoing(data: ErrorData | undefined, language: Language): string {
  const words = WORDS[language];
  if (data?.rollback_outcome === 'failed') return words.rollbackFailed;
  const ms = typeof data?.rollback_ms === 'number' ? data.rollback_ms : undefined;
  if (data?.rollback_executed === true) return words.rolledBack(ms);
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

function suggest(status: StepStatus, language: Language): string {
  const data = status.error?.data;
  const known = suggestionText(data?.reason, language);
  return known ?? (typeof data?.suggestion === 'string' ? data.suggestion : WORDS[language].otherwise);
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
