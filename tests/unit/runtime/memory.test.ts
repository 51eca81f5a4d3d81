import { describe, expect, test } from 'vitest';
import { parseScope, scopes } from '../../../agents/runtime/index.js';
import { checkScope, type Roles, reaches } from '../../../agents/runtime/memory/index.js';
import { cellBench, toyTool } from '../../support/cell-bench.js';

const roles: Roles = {
  admin: { read: ['*'], write: ['*'] },
  leaf: { read: ['device_PLC-007'], write: [] },
  node: { read: ['device_*'], write: ['zone_*'] },
  dash: { read: ['device_PLC-00*', 'device_PLC_*'], write: [] },
  nothing: { read: [], write: [] },
};
const as = (...held: string[]) => ({ id: 'somebody', roles: held });
const may = (role: string, scope: string, right: 'read' | 'write' = 'read'): boolean => {
  try {
    checkScope(roles, as(role), parseScope(scope), right);
    return true;
  } catch {
    return false;
  }
};

describe('rights on scopes', () => {
  test.each([
    ['leaf', 'device_PLC-007', true],
    ['leaf', 'device_PLC-0071', false],
    ['leaf', 'device_PLC-00', false],
    ['leaf', 'device_PLC-007_x', false],
    ['leaf', 'device_inspection_PLC-007', false],
    ['node', 'device_PLC-001', true],
    ['node', 'device_inspection_7', true],
    ['node', 'devices_PLC-001', false],
    ['node', 'zone_F1-A', false],
    ['dash', 'device_PLC-007', false],
    ['dash', 'device_PLC_7', true],
    ['nothing', 'device_PLC-007', false],
    ['nobody', 'device_PLC-007', false],
    ['__proto__', 'device_PLC-007', false],
    ['constructor', 'device_PLC-007', false],
    ['toString', 'device_PLC-007', false],
    ['admin', 'device_PLC-007', true],
  ])('%s reads %s: %s', (role, scope, expected) => {
    expect(may(role, scope)).toBe(expected);
  });

  test('reading is not writing', () => {
    expect([may('node', 'device_PLC-001', 'write'), may('node', 'zone_F1-A', 'write')]).toEqual([false, true]);
  });

  test('a prefix counts only up to a whole word', () => {
    expect(reaches('device_*', scopes.device('x'))).toBe(true);
    expect(reaches('dev*', scopes.device('x'))).toBe(false);
    expect(reaches('_*', scopes.device('x'))).toBe(false);
  });

  test.each([
    'device',
    'device_',
    '_device',
    'device__x',
    'device_*',
    'device_PLC-007 ',
    'device_PLC-007\n',
    'device_PLC.007',
    'device_>',
    'device_../x',
    'Device_x',
    'device_ü',
    `device_${'x'.repeat(122)}`,
    '*',
    '',
  ])('the crafted scope %j is refused by the parser', (text) => {
    expect(() => parseScope(text)).toThrow(/is not a scope/);
  });
});

describe('memory over the bus', () => {
  const bench = async (readers?: readonly string[]) => {
    const tool = toyTool('idempotent_write', {
      snapshot: ({ device_id }, { value }) => ({
        data: { device_id, nested: { value } },
        ...(readers ? { readers } : {}),
      }),
    });
    const made = await cellBench({ tools: [tool], roles });
    const write = (value: number) => made.call({ params: { device_id: 'PLC-007', value } });
    const ask = async (method: string, params: Record<string, unknown>, role = 'admin', more = {}) =>
      (await made.call({ method, params, principal: as(role), ...more })).response.result as Record<string, unknown>;
    const refused = async (method: string, params: Record<string, unknown>, role: string) =>
      (await made.fails({ method, params, principal: as(role) })).reason;
    return { ...made, write, ask, refused };
  };
  const scope = 'device_PLC-007';

  test('versions stay: newest, each by number, history, difference by field', async () => {
    const { write, ask } = await bench();
    for (const value of [1, 2, 3]) await write(value);
    expect(await ask('memory_read', { scope })).toMatchObject({ version: 3, data: { nested: { value: 3 } } });
    expect(await ask('memory_read', { scope, version: 1 })).toMatchObject({
      version: 1,
      data: { nested: { value: 1 } },
    });
    const { versions } = await ask('memory_history', { scope });
    expect((versions as { version: number }[]).map(({ version }) => version)).toEqual([1, 2, 3]);
    expect(await ask('memory_diff', { scope, from: 1, to: 3 })).toEqual({
      from: 1,
      to: 3,
      changes: [{ path: '/nested/value', before: 1, after: 3 }],
    });
    expect(await ask('memory_diff', { scope, from: 2, to: 2 })).toMatchObject({ changes: [] });
  });

  test('a strong read sees the write before it, however the scope is spelt', async () => {
    const { write, ask } = await bench();
    for (let value = 1; value <= 20; value++) {
      await write(value);
      for (const spelling of [scope, 'device_plc-007', 'device_PLC007']) {
        expect(await ask('memory_read', { scope: spelling }), spelling).toMatchObject({ version: value });
      }
    }
  });

  test('an expired snapshot is gone from reads and history, and stays in the audit', async () => {
    const { write, ask, refused, clock } = await bench();
    await write(1);
    await clock.advance(25 * 3_600_000);
    expect(await refused('memory_read', { scope }, 'admin')).toBe('not_found');
    expect(await refused('memory_read', { scope, version: 1 }, 'admin')).toBe('not_found');
    expect(await ask('memory_history', { scope })).toEqual({ versions: [] });
    expect((await ask('audit_query', { scope })).entries).toHaveLength(2);
  });

  test('without the right each door is closed', async () => {
    const { write, refused } = await bench();
    await write(1);
    for (const [method, params] of [
      ['memory_read', { scope }],
      ['memory_history', { scope }],
      ['memory_diff', { scope, from: 1, to: 1 }],
      ['audit_query', { scope }],
    ] as const) {
      expect(await refused(method, params, 'nothing'), method).toBe('scope_denied');
    }
  });

  test('readers that a snapshot names narrow every way to it', async () => {
    const { write, ask, refused } = await bench(['security']);
    await write(1);
    await write(2);
    expect(await refused('memory_read', { scope }, 'node')).toBe('scope_denied');
    expect(await refused('memory_diff', { scope, from: 1, to: 2 }, 'node')).toBe('scope_denied');
    expect(await ask('memory_history', { scope }, 'node')).toEqual({ versions: [] });
    const audited = JSON.stringify(await ask('audit_query', { scope }, 'node'));
    expect(audited).not.toContain('"nested"');
    expect((await ask('memory_history', { scope }, 'admin')).versions).toHaveLength(2);
  });

  test('a caller who may not speak for people has no roles, whatever it claims', async () => {
    const { write, clock, callerOf, spec } = await bench();
    await write(1);
    const stranger = callerOf('stranger_v1.0');
    const call = stranger.call(spec({ method: 'memory_read', params: { scope }, principal: as('admin') }));
    await expect(clock.run(call)).rejects.toMatchObject({ reason: 'scope_denied' });
  });

  test.each([
    ['memory_read', {}],
    ['memory_read', { scope, version: 0 }],
    ['memory_read', { scope: 'device_*' }],
    ['memory_diff', { scope, from: 1 }],
    ['audit_query', { scope, limit: 100_000 }],
    ['memory_query', { session_context_id: '' }],
  ])('%s with %j is a 400 that names the field', async (method, params) => {
    const { fails } = await bench();
    const error = await fails({ method, params });
    expect(error.code).toBe(400);
    expect(error.data.fields?.length).toBeGreaterThan(0);
  });
});
