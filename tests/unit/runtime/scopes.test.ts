import { describe, expect, expectTypeOf, test } from 'vitest';
import { parseScope, RETENTION, scopes } from '../../../agents/runtime/index.js';
import { createRetention, type ScopeOf, scopeKind } from '../../../agents/runtime/record/index.js';
import type { Scope } from '../../../shared/ids.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const remember = (scope: Scope): Scope => scope;
const restart = (scope: ScopeOf<'device'>): string => scope;

describe('a scope', () => {
  test('that is written by hand does not type-check, nor does one of another kind', () => {
    // @ts-expect-error a string is no scope
    remember('device_PLC-007');
    // @ts-expect-error a template is no scope
    remember(`device_${'PLC-007'}`);
    // @ts-expect-error a zone is no device
    restart(scopes.zone('F3-A'));
    // @ts-expect-error an inspection is no device
    restart(scopes.inspection('PLC-007'));
    // @ts-expect-error of which kind is not known
    restart(parseScope('device_PLC-007'));
    expect(restart(scopes.device('PLC-007'))).toBe('device_PLC-007');
    expectTypeOf(scopes.profile('li')).toEqualTypeOf<ScopeOf<'user_profile'>>();
  });

  test.each([
    [scopes.inspection('I-7'), 'device_inspection_I-7', 'device_inspection'],
    [scopes.profile('li'), 'user_profile_li', 'user_profile'],
    [scopes.report('R-1'), 'report_R-1', 'report'],
    [scopes.inventory('belts'), 'inventory_belts', 'inventory'],
    [scopes.timetable('people'), 'timetable_people', 'timetable'],
    [scopes.hold('PLC-007'), 'hold_PLC-007', 'hold'],
    [scopes.workOrder('WO-1'), 'work_order_WO-1', 'work_order'],
    [scopes.session('s-1'), 'user_session_s-1', 'user_session'],
  ])('%s has its kind', (scope, text, kind) => {
    expect([scope, scopeKind(scope)]).toEqual([text, kind]);
  });

  test('of a device whose id looks like another kind stays a device', () => {
    const posing = scopes.device('inspection_7');
    expect(posing.startsWith('device_inspection_')).toBe(false);
    expect(scopeKind(posing)).toBe('device');
    expect(createRetention().of(posing).ms).toBe(24 * HOUR);
  });

  test.each(['../../etc', 'a.b', '>', '*', 'ｄ', '\u0000', '__proto__', 'a_b', ' ', '💡'])(
    'made of the id %j is one token, and no other id has it',
    (id) => {
      const made = scopes.zone(id);
      expect(made).toMatch(/^zone_[A-Za-z0-9-]+$/);
      expect(made).not.toBe(scopes.zone(`${id}x`));
    },
  );
});

describe('how long a snapshot is remembered', () => {
  const at = Date.parse('2026-03-01T00:00:00Z');
  const lifeOf = (text: string, own?: { ms?: number | null; open?: boolean }, policy = {}): number | null => {
    const { expires_at } = createRetention(policy).expiryOf(parseScope(text), at, own);
    return expires_at === undefined ? null : Date.parse(expires_at) - at;
  };

  test.each([
    ['device_PLC-007', DAY],
    ['device_inspection_7', 90 * DAY],
    ['user_session_s-1', 7 * DAY],
    ['user_profile_li', 180 * DAY],
    ['report_R-1', 30 * DAY],
    ['zone_F1-A', DAY],
    ['meter_M-1', DAY],
    ['inventory_belts', DAY],
    ['diagnosis_F1-A', DAY],
    ['supply_F1-A', DAY],
    ['audit_access', null],
    ['link_line-1', null],
    ['request_r-1', null],
    ['timetable_people', null],
    ['alarm_a', null],
    ['hold_PLC-007', null],
  ])('%s: %d ms', (text, ms) => {
    expect(lifeOf(text)).toBe(ms);
  });

  test.each(['work_order_WO-1', 'goal_g-1'])('%s not while it is open, then 90 days', (text) => {
    expect([lifeOf(text), lifeOf(text, { open: true }), lifeOf(text, { open: false })]).toEqual([null, null, 90 * DAY]);
  });

  test('the longest prefix counts, and a tool may give its own life', () => {
    expect(lifeOf('device_inspections_7')).toBe(DAY);
    expect([lifeOf('device_PLC-007', { ms: HOUR }), lifeOf('device_PLC-007', { ms: null })]).toEqual([HOUR, null]);
  });

  test('a site may say otherwise, for a kind that there is', () => {
    const policy = { device_: 2 * HOUR, report_: null, work_order_: DAY, __proto__: 5 };
    expect(lifeOf('device_PLC-007', {}, policy)).toBe(2 * HOUR);
    expect(lifeOf('device_inspection_7', {}, policy)).toBe(90 * DAY);
    expect(lifeOf('report_R-1', {}, policy)).toBeNull();
    expect(lifeOf('work_order_WO-1', { open: true }, policy)).toBeNull();
    expect(lifeOf('work_order_WO-1', { open: false }, policy)).toBe(DAY);
  });

  test.each(['wish_x', 'user_x', 'work_x', 'devices_x', 'config_x', 'constructor_x', 'order_WO-1'])(
    '%s is of no kind that is remembered: refused',
    (text) => {
      expect(() => lifeOf(text)).toThrow(/no retention rule/);
    },
  );

  test('every kind that can be made and remembered has a row', () => {
    const kept = Object.keys(RETENTION).filter((prefix) => /^[a-z]+(_[a-z]+)*_$/.test(prefix));
    expect(kept).toHaveLength(Object.keys(RETENTION).length);
  });
});
