import { describe, expect, test } from 'vitest';
import {
  type AnswerSources,
  fillTemplate,
  renderAnswer,
  speechOf,
  templateToCel,
} from '../../../agents/runtime/answer/index.js';
import { compileExpression } from '../../../agents/runtime/plan/expression.js';
import type { PlanStep, StepStatus } from '../../../agents/runtime/plan/index.js';
import { rulePackSchema } from '../../../agents/runtime/session/index.js';
import type { Language } from '../../../shared/site.js';
import { floorsSite } from '../../support/floors-fixture.js';

const pack = rulePackSchema.parse({
  intents: [],
  points: { temperature: { zh: ['温度'], en: ['temperature'] } },
  titles: { diagnose: { zh: '诊断', en: 'diagnosis' }, order: { zh: '建工单', en: 'work order' } },
  words: {
    fan_failure: { zh: '风机故障', en: 'fan failure' },
    "it's odd": { zh: '怪', en: 'odd' },
  },
  answers: {
    diagnose: {
      zh: '{zone@zone}：[发现{findings.0.fault@word}，建议{findings.0.recommendation}。][技能：{findings.0.skills}。]',
      en: '{zone@zone}: [{findings.0.fault@word} found. ][Skills: {findings.0.skills}.]',
    },
    order: { zh: '工单 {work_order_id} 已建。', en: 'Work order {work_order_id} was made.' },
  },
});
const ZH = speechOf(floorsSite, 'zh', pack);
const EN = speechOf(floorsSite, 'en', pack);

const found = {
  findings: [{ fault: 'fan_failure', recommendation: null, skills: ['hvac', 'electrical'], n: 3 }],
  none: [],
  odd: "it's odd",
  zone: 'F3-A',
  recipients: ['zhang', 'ops', 'nobody'],
  points: { temperature: { value: 21.5, unit: '°C', quality: 'good' } },
};

/** What a template says of a result: told now, and told later by the expression of a plan. */
function told(template: string, result: object, speech = ZH, params: Record<string, unknown> = {}) {
  const now = fillTemplate(template, { ...params, ...result }, speech);
  const cel = compileExpression(templateToCel(template, 's1', params, speech), '/body');
  const later = cel.evaluate({ steps: { s1: { state: 'completed', result } }, goal: {}, site: {} });
  return { now, later };
}
const both = (text: string) => ({ now: text, later: text });

describe('an answer template', () => {
  test.each([
    ['{findings.0.fault}', 'fan_failure'],
    ['{findings.0.fault@word}', '风机故障'],
    ['{odd@word}', '怪'],
    ['{findings.0.n} 次', '3 次'],
    ['{findings.0.skills}', 'hvac、electrical'],
    ['{findings.0.fault|fan_failure=风机坏}', '风机坏'],
    ['{findings.0.skills|hvac=暖通}', '暖通、electrical'],
    ['{zone@zone}', '三楼A区'],
    ['{recipients@person}', '张工、运维组、nobody'],
    ['{findings.1.fault@word}', '—'],
    ['{findings.0.recommendation}', '—'],
    ['{findings.0.unheard}', '—'],
    ['{nothing.0.at.all}', '—'],
    ['有[故障{findings.0.fault@word}]', '有故障风机故障'],
    ['有[故障{findings.1.fault}]', '有'],
    ['有[建议{findings.0.recommendation}]', '有'],
    ['有[{none.0}]', '有'],
  ])('%s says %s, now and in a later step', (template, text) => {
    expect(told(template, found)).toEqual(both(text));
  });

  test('says places and words in the language of the question', () => {
    expect(told('{zone@zone}: {findings.0.fault@word}', found, EN)).toEqual(both('zone A on floor 3: fan failure'));
  });

  test('tells what is known when the plan is made as it stands', () => {
    expect(templateToCel('{zone@zone}好', 's1', { zone: 'F2-B' }, ZH)).toBe("'二楼B区' + '好'");
    expect(told('[{zone@zone}：]{findings.0.fault@word}', found, ZH, { zone: 'F2-B' }).later).toBe('二楼B区：风机故障');
  });

  test('looks up in a hundred words as cheaply as in two', () => {
    const words = Object.fromEntries(
      Array.from({ length: 100 }, (_, n) => [`w${n}`, { zh: `词${n}`, en: `word ${n}` }]),
    );
    const speech = speechOf(floorsSite, 'zh', rulePackSchema.parse({ intents: [], words }));
    const template = Array.from({ length: 12 }, () => '{odd@word}').join('，');
    expect(told(template, { odd: 'w99' }, speech).later).toBe(Array.from({ length: 12 }, () => '词99').join('，'));
  });

  test('tells an object of which it knows no words as more, never as a fault of the plan', () => {
    expect(told('{points}', found).later).toBe('…');
  });
});

describe('an answer', () => {
  const step = (id: string, method: string, params: object, more: Partial<PlanStep> = {}): PlanStep => ({
    id,
    callee: 'a_v1.0',
    method,
    params: { ...params },
    bind: {},
    depends_on: [],
    on_failure: 'stop',
    risk: 'low',
    effect_class: 'read',
    timeout_ms: 1_000,
    ...more,
  });
  const sources: AnswerSources = { pack: () => pack, nameOf: () => 'a', site: floorsSite };
  const failed: StepStatus = {
    state: 'failed',
    attempts: 1,
    error: { code: -32_000, message: 'gone', data: { reason: 'no_worker', retryable: true } },
  } as unknown as StepStatus;
  const render = (pairs: readonly (readonly [PlanStep, StepStatus])[], language: Language = 'zh') =>
    renderAnswer(
      { steps: pairs.map(([one]) => one) },
      new Map(pairs.map(([one, status]) => [one.id, status])),
      sources,
      language,
      'completed',
    ).answer;
  const done = (result: object, more: Partial<StepStatus> = {}): StepStatus => ({
    state: 'completed',
    attempts: 1,
    result,
    ...more,
  });

  test('names the zone, the floor or the first id of a step that failed', () => {
    const text = (params: object, language: Language) =>
      render([[step('s1', 'diagnose', params), failed]], language).text;
    expect(text({ zone: 'F3-A' }, 'zh')).toMatch(/^诊断 三楼A区 失败/);
    expect(text({ zone: 'F3-A' }, 'en')).toMatch(/^diagnosis zone A on floor 3 failed/);
    expect(text({ floor: 3 }, 'en')).toMatch(/^diagnosis floor 3 failed/);
    expect(text({ device_id: 'AHU-3', zone: 'F3-A' }, 'zh')).toMatch(/^诊断 AHU-3 失败/);
    expect(text({ window: '24h', meter: 'M-1' }, 'zh')).toMatch(/^诊断 M-1 失败/);
    expect(text({ plan_id: 'p', note: 'x' }, 'zh')).toMatch(/^诊断 p 失败/);
    expect(text({ note: 'hello' }, 'zh')).toMatch(/^诊断 失败/);
  });

  test('says of a degraded step that an earlier one gave no result', () => {
    const order = step('s2', 'order', {});
    const made = done({ work_order_id: 'WO-1' }, { degraded: true });
    expect(render([[order, made]])).toMatchObject({
      degraded: true,
      text: '工单 WO-1 已建（降级：缺少前一步的结果）。',
    });
    expect(render([[order, made]], 'en').text).toBe(
      'Work order WO-1 was made (degraded: an earlier step gave no result).',
    );
  });

  test('is degraded when a step failed that the plan went on without', () => {
    const order = [step('s2', 'order', {}), done({ work_order_id: 'WO-1' })] as const;
    const diagnose = (on_failure: PlanStep['on_failure']) => step('s1', 'diagnose', { zone: 'F3-A' }, { on_failure });
    expect(render([[diagnose('continue'), failed], order]).degraded).toBe(true);
    expect(render([[diagnose('continue'), { ...failed, state: 'unknown' }], order]).degraded).toBe(true);
    expect(render([[diagnose('stop'), failed], order]).degraded).toBe(false);
    expect(render([[diagnose('continue'), done(found)], order]).degraded).toBe(false);
  });
});
