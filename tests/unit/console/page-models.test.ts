import { describe, expect, test } from 'vitest';
import { announce } from '../../../coordinator/console/src/announce.js';
import type { Goal, Step } from '../../../coordinator/console/src/contract.js';
import { pointRows } from '../../../coordinator/console/src/device-points.js';
import { initialLanguage, TEXTS } from '../../../coordinator/console/src/language.js';
import { devicesTouched, planLevels } from '../../../coordinator/console/src/plan-levels.js';
import { problemFrom } from '../../../coordinator/console/src/problem.js';
import { duration, unixMs } from '../../../coordinator/console/src/show-time.js';
import { placeStages } from '../../../coordinator/console/src/trace-bars.js';

const step = (id: string, depends_on: string[] = [], more: Partial<Step> = {}): Step => ({
  id,
  method: `do_${id}`,
  state: 'pending',
  depends_on,
  ...more,
});
const goal = (steps: Step[], more: Partial<Goal> = {}): Goal => ({
  goal_id: 'g',
  session_id: 's',
  trace_id: 't',
  goal: 'x',
  state: 'running',
  plan: { steps },
  ...more,
});

describe('plan', () => {
  test('steps that do not wait for each other share a level; an unknown dependency or a cycle does not hang', () => {
    const levels = planLevels([step('a'), step('b', ['a']), step('c', ['a']), step('d', ['b', 'c', 'gone'])]);
    expect(levels.map((level) => level.map((item) => item.id))).toEqual([['a'], ['b', 'c'], ['d']]);
    expect(planLevels([step('x', ['y']), step('y', ['x'])]).flat()).toHaveLength(2);
  });

  test('names each device once, and only by ids that a scope spells alike', () => {
    const steps = [
      step('a', [], { params: { device_id: 'PLC-007' } }),
      step('b', [], { params: { target_devices: ['PLC-007', 'PLC-008', 'a/b'] } }),
    ];
    expect(devicesTouched(goal(steps))).toEqual(['PLC-007', 'PLC-008']);
  });
});

test('a change of state is said once, in the page language', () => {
  const before = goal([step('a')]);
  const after = goal([step('a', [], { state: 'completed' })], { state: 'completed' });
  expect(announce(before, after, TEXTS.en)).toBe('do_a: Completed. Goal: Completed');
  expect(announce(after, after, TEXTS.zh)).toBe('');
});

test('an alarm long before the goal keeps its offset and does not squeeze the bars', () => {
  const stages = [
    { name: 'plan', start_unix_ms: 1_700_000_000_100, ms: 100 },
    { name: 'accept', start_unix_ms: '2023-11-14T22:13:20.000Z', ms: 100 },
    { name: 'alarm device_offline', start_unix_ms: 1_699_999_940_000, ms: 1 },
  ];
  const { bars, totalMs } = placeStages(stages);
  expect(totalMs).toBe(200);
  expect(bars.map((bar) => [bar.stage.name, bar.offsetMs, bar.left, bar.width, bar.drawn])).toEqual([
    ['alarm device_offline', -60_000, 0, 0, false],
    ['accept', 0, 0, 0.5, true],
    ['plan', 100, 0.5, 0.5, true],
  ]);
  expect(placeStages([])).toEqual({ bars: [], totalMs: 0 });
});

test('times are read as Unix ms or ISO 8601, durations are told with their unit', () => {
  expect(unixMs('2023-11-14T22:13:20Z')).toBe(1_700_000_000_000);
  expect(unixMs(1_700_000_000_000)).toBe(1_700_000_000_000);
  expect(unixMs('soon')).toBeUndefined();
  expect([0.34, 41, 2_463, 125_000].map(duration)).toEqual(['0.3 ms', '41 ms', '2.46 s', '2 min 05 s']);
});

test('a problem names its fields, whichever way they are listed', () => {
  const listed = problemFrom(400, 'Bad Request', { title: 't', errors: [{ path: ['budget', 'steps'], message: 'm' }] });
  expect(listed.fields).toEqual([{ field: 'budget.steps', message: 'm' }]);
  expect(problemFrom(400, '', { title: 't', errors: { goal: 'empty' } }).fields).toEqual([
    { field: 'goal', message: 'empty' },
  ]);
  expect(problemFrom(503, 'Busy', undefined, '3')).toMatchObject({ message: '503 Busy', retryAfterS: 3 });
});

test('points are shown with quality, reason and unit, from a list or a map', () => {
  const good = { point: 't', value: 41.25, unit: '°C', quality: { status: 'good' }, source_time_unix_ms: 5 };
  const row = { name: 't', value: '41.25', unit: '°C', quality: 'good', reason: '', time: 5 };
  expect(pointRows([good])).toEqual([row]);
  expect(pointRows({ t: { value: null, quality: 'bad', reason: 'timeout' } })).toMatchObject([
    { name: 't', value: '–', quality: 'bad', reason: 'timeout' },
  ]);
});

test('the language is the one chosen last, else the browser’s', () => {
  expect(initialLanguage({ getItem: () => null }, 'zh-TW')).toBe('zh');
  expect(initialLanguage({ getItem: () => null }, 'de')).toBe('en');
  expect(initialLanguage({ getItem: () => 'zh' }, 'en')).toBe('zh');
});
