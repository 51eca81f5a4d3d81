import { describe, expect, test } from 'vitest';
import { parseScope } from '../../../agents/runtime/index.js';
import { checkScope, patternProblem, type Roles } from '../../../agents/runtime/memory/index.js';
import { HermesError } from '../../../shared/errors.js';

const LONG = `device_${'x'.repeat(121)}`;

const roles: Roles = {
  admin: { read: ['*'], write: ['*'] },
  leaf: { read: ['device_PLC-007'], write: ['device_PLC-007'] },
  node: { read: ['device_*'], write: ['zone_*'] },
  inspector: { read: ['device_inspection_*'], write: [] },
  deep: { read: ['device_inspection_2026_*'], write: [] },
  person: { read: ['user_session_s-li'], write: [] },
  people: { read: ['user_session_*'], write: [] },
  long: { read: [LONG, `${'d'.repeat(127)}_*`], write: [] },
  writer: { read: [], write: ['work_order_*'] },
  nothing: { read: [], write: [] },
  // What an operator may have meant, and what is no pattern: each reaches nothing.
  dash: { read: ['device_PLC-00*'], write: [] },
  question: { read: ['device_PLC-00?'], write: [] },
  regex: { read: ['device_.*', '.*', '^device_PLC-007$', 'device_[A-Z]*'], write: [] },
  middle: { read: ['device_*_7', 'device_*_*', '*_PLC-007', '*_*'], write: [] },
  bare: { read: ['_*', '', ' ', '_', '**', 'device*', 'device'], write: [] },
  spaced: { read: [' device_PLC-007', 'device_PLC-007 ', 'device_PLC-007\n', 'device_*\n'], write: [] },
  nats: { read: ['device_>', '>', 'device.*', 'device_PLC-007.>'], write: [] },
  path: { read: ['device_../*', '../device_*', 'device_%2a', 'device_/_*'], write: [] },
  upper: { read: ['DEVICE_*', 'Device_PLC-007', 'device_plc-007'], write: [] },
  unicode: { read: ['dévice_*', 'device_ＰＬＣ-007', 'device_PLC‐007', 'ｄevice_*'], write: [] },
  comma: { read: ['device_PLC-007,zone_*', 'device_PLC-007|zone_F1-A'], write: [] },
  __own__: { read: ['device_*'], write: [] },
};

/** Role, scope, right, and whether it may. */
const CASES: readonly (readonly [role: string, scope: string, right: 'read' | 'write', may: boolean])[] = [
  // A leaf is the whole scope, letter by letter.
  ['leaf', 'device_PLC-007', 'read', true],
  ['leaf', 'device_PLC-007', 'write', true],
  ['leaf', 'device_PLC-0071', 'read', false],
  ['leaf', 'device_PLC-00', 'read', false],
  ['leaf', 'device_PLC-007_x', 'read', false],
  ['leaf', 'device_PLC-007-', 'read', false],
  ['leaf', 'device_plc-007', 'read', false],
  ['leaf', 'device_PLC007', 'read', false],
  ['leaf', 'device_PLC_007', 'read', false],
  ['leaf', 'device_inspection_PLC-007', 'read', false],
  ['leaf', 'zone_PLC-007', 'read', false],
  ['leaf', 'xdevice_PLC-007', 'read', false],
  // A node is a prefix of whole words.
  ['node', 'device_PLC-001', 'read', true],
  ['node', 'device_PLC-001', 'write', false],
  ['node', 'device_inspection_7', 'read', true],
  ['node', 'device_-', 'read', true],
  ['node', 'device_x_y_z', 'read', true],
  ['node', 'devices_PLC-001', 'read', false],
  ['node', 'devic_e', 'read', false],
  ['node', 'a_device_PLC-001', 'read', false],
  ['node', 'zone_F1-A', 'read', false],
  ['node', 'zone_F1-A', 'write', true],
  ['node', 'zones_F1-A', 'write', false],
  // The longer node does not reach up.
  ['inspector', 'device_inspection_7', 'read', true],
  ['inspector', 'device_inspection_7_b', 'read', true],
  ['inspector', 'device_inspection', 'read', false],
  ['inspector', 'device_inspection-7', 'read', false],
  ['inspector', 'device_inspections_7', 'read', false],
  ['inspector', 'device_Inspection_7', 'read', false],
  ['inspector', 'device_PLC-007', 'read', false],
  ['inspector', 'inspection_7', 'read', false],
  ['deep', 'device_inspection_2026_1', 'read', true],
  ['deep', 'device_inspection_2026', 'read', false],
  ['deep', 'device_inspection_20261_1', 'read', false],
  // Another person's session.
  ['person', 'user_session_s-li', 'read', true],
  ['person', 'user_session_s-li2', 'read', false],
  ['person', 'user_session_s', 'read', false],
  ['person', 'user_profile_s-li', 'read', false],
  ['people', 'user_session_s-li', 'read', true],
  ['people', 'user_profile_li', 'read', false],
  ['people', 'user_sessions_s', 'read', false],
  // Reading is not writing.
  ['writer', 'work_order_WO-1', 'write', true],
  ['writer', 'work_order_WO-1', 'read', false],
  ['writer', 'work_WO-1', 'write', false],
  ['writer', 'work_orders_1', 'write', false],
  ['person', 'user_session_s-li', 'write', false],
  // At the limit of length, and beyond it.
  ['long', LONG, 'read', true],
  ['long', LONG.slice(0, -1), 'read', false],
  ['long', `${'d'.repeat(126)}_d`, 'read', false],
  // No pattern: nothing.
  ['dash', 'device_PLC-007', 'read', false],
  ['question', 'device_PLC-007', 'read', false],
  ['regex', 'device_PLC-007', 'read', false],
  ['middle', 'device_x_7', 'read', false],
  ['middle', 'device_PLC-007', 'read', false],
  ['bare', 'device_PLC-007', 'read', false],
  ['bare', 'device_device', 'read', false],
  ['spaced', 'device_PLC-007', 'read', false],
  ['nats', 'device_PLC-007', 'read', false],
  ['path', 'device_PLC-007', 'read', false],
  ['upper', 'device_PLC-007', 'read', false],
  ['unicode', 'device_PLC-007', 'read', false],
  ['comma', 'device_PLC-007', 'read', false],
  ['comma', 'zone_F1-A', 'read', false],
  // Roles that the site does not name.
  ['nothing', 'device_PLC-007', 'read', false],
  ['nobody', 'device_PLC-007', 'read', false],
  ['', 'device_PLC-007', 'read', false],
  ['*', 'device_PLC-007', 'read', false],
  ['Admin', 'device_PLC-007', 'read', false],
  ['admin ', 'device_PLC-007', 'read', false],
  ['ａdmin', 'device_PLC-007', 'read', false],
  ['admin,node', 'device_PLC-007', 'read', false],
  ['device_*', 'device_PLC-007', 'read', false],
  ['__proto__', 'device_PLC-007', 'read', false],
  ['constructor', 'device_PLC-007', 'read', false],
  ['prototype', 'device_PLC-007', 'read', false],
  ['toString', 'device_PLC-007', 'read', false],
  ['hasOwnProperty', 'device_PLC-007', 'write', false],
  ['valueOf', 'device_PLC-007', 'read', false],
  ['__own__', 'device_PLC-007', 'read', true],
  ['admin', 'device_PLC-007', 'read', true],
  ['admin', 'user_session_s-li', 'write', true],
];

describe('rights on scopes, crafted', () => {
  test.each(CASES)('%j on %j, to %s: %s', (role, text, right, may) => {
    const decide = () => checkScope(roles, { id: 'somebody', roles: [role] }, parseScope(text), right);
    if (may) return expect(decide).not.toThrow();
    let reason: string | undefined;
    try {
      decide();
    } catch (error) {
      reason = error instanceof HermesError ? error.reason : String(error);
    }
    expect(reason).toBe('scope_denied');
  });

  test('who holds several roles has what each has, and no more', () => {
    const both = { id: 'li', roles: ['leaf', 'inspector', 'nothing', '__proto__'] };
    const may = (scope: string) => {
      try {
        checkScope(roles, both, parseScope(scope), 'read');
        return true;
      } catch {
        return false;
      }
    };
    expect(['device_PLC-007', 'device_inspection_7', 'device_PLC-001'].map(may)).toEqual([true, true, false]);
  });

  test('an id that is spelt like a role is not one', () => {
    const decide = () => checkScope(roles, { id: 'admin', roles: [] }, parseScope('device_PLC-007'), 'read');
    expect(decide).toThrow(/may not read/);
  });
});

describe('patterns of roles', () => {
  const names = ['dash', 'question', 'regex', 'middle', 'bare', 'spaced', 'nats', 'path', 'unicode', 'comma'];
  const broken = names.flatMap((role) => roles[role]?.read.map((pattern) => [role, pattern] as const) ?? []);
  test.each(broken)('%s: %j is named as a problem', (_role, pattern) => {
    expect(patternProblem(pattern)).toBeTruthy();
  });

  test.each(['*', 'device_*', 'device_inspection_*', 'device_PLC-007', 'user_session_s-x', LONG])(
    '%j is none',
    (good) => {
      expect(patternProblem(good)).toBeUndefined();
    },
  );

  test('one that is longer than a scope can be is a problem', () => {
    expect(patternProblem(`${LONG}x`)).toMatch(/128/);
  });
});
