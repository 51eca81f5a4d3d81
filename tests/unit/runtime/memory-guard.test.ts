import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool, scopes } from '../../../agents/runtime/index.js';
import type { Roles } from '../../../agents/runtime/memory/index.js';
import { createRefusals } from '../../../agents/runtime/memory/index.js';
import type { Access, SnapshotDraft } from '../../../agents/runtime/record/index.js';
import { HermesError } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import { VirtualClock } from '../../../shared/virtual-clock.js';
import { cellBench, toyTool } from '../../support/cell-bench.js';
import { silentMetrics } from '../../support/transport-harness.js';

const roles: Roles = {
  admin: { read: ['*'], write: ['*'] },
  operator: { read: ['device_*'], write: ['device_*'] },
  viewer: { read: ['device_*'], write: [] },
  stranger: { read: ['zone_*'], write: ['zone_*'] },
};
const as = (...held: string[]) => ({ id: held.join('-') || 'nobody', roles: held });

/** Reads what memory has of a device, or of all of them, for whoever asks. */
const peek = defineTool({
  name: 'peek',
  version: '1.0.0',
  description: 'what memory has',
  input: z.strictObject({ device_id: z.string().optional() }),
  output: z.strictObject({ found: z.number() }),
  side_effects: ['memory.read:device_*'],
  effect_class: 'read',
  risk: 'low',
  timeout_ms: 1_000,
  rollback: { none: 'a read' },
  execute: async (ctx, { device_id }) => {
    if (device_id === undefined) return { found: (await ctx.memory.list('device')).length };
    return { found: (await ctx.memory.read(scopes.device(device_id))) ? 1 : 0 };
  },
});

async function bench(snapshot: Partial<SnapshotDraft> = {}) {
  const tool = toyTool('idempotent_write', {
    snapshot: ({ device_id }, { value }) => ({ data: { device_id, value }, ...snapshot }),
  });
  const grants = ['modbus.write:PLC-*', 'modbus.read:PLC-*', 'memory.read'];
  const made = await cellBench({ tools: [tool, peek], roles, grants });
  const write = (role: string | undefined, value: number) => ({
    params: { device_id: 'PLC-007', value },
    principal: role === undefined ? as() : as(role),
  });
  const refusals = () => made.entries(scopes.audit('access'));
  return { ...made, write, refusals };
}

describe('inside a tool', () => {
  test('a person has written what a role lets them write, and nothing reaches the device otherwise', async () => {
    const { call, fails, write, device, refusals, entries } = await bench();
    await call(write('operator', 30));
    for (const role of ['viewer', 'stranger', '__proto__', undefined]) {
      expect((await fails(write(role, 99))).reason, role).toBe('scope_denied');
    }
    expect(device.writes.map(({ value }) => value)).toEqual([30]);
    expect((await entries()).map(({ kind }) => kind)).toEqual(['started', 'finished']);
    const noted = await refusals();
    expect(noted.map(({ kind, principal, data }) => [kind, principal?.id, data?.what, data?.about])).toEqual(
      ['viewer', 'stranger', '__proto__', 'nobody'].map((id) => ['refused', id, 'set_value', 'device_PLC-007']),
    );
    expect(noted[0]?.error?.data).toMatchObject({ reason: 'scope_denied', right: 'write' });
  });

  test('writers that the newest snapshot names narrow who has the next one written', async () => {
    const { call, fails, write, restart } = await bench({ writers: ['viewer', 'admin-of-lifts'] });
    await call(write('operator', 30));
    expect((await fails(write('operator', 31))).reason).toBe('scope_denied');
    await restart();
    expect((await fails(write('operator', 32))).reason, 'after a restart').toBe('scope_denied');
    expect((await fails(write('viewer', 33))).reason, 'named, without a role').toBe('scope_denied');
    await call({ ...write('operator', 34), principal: { id: 'admin-of-lifts', roles: ['operator'] } });
  });

  test('a tool reads no more of memory for a person than that person may', async () => {
    const { call, fails, write, refusals } = await bench();
    await call(write('operator', 30));
    const ask = (role: string, params = {}) => ({ method: 'peek', params, principal: as(role) });
    expect((await call(ask('viewer', { device_id: 'PLC-007' }))).response.result).toEqual({ found: 1 });
    expect((await call(ask('viewer'))).response.result).toEqual({ found: 1 });
    expect((await fails(ask('stranger', { device_id: 'PLC-007' }))).reason).toBe('scope_denied');
    expect((await fails(ask('stranger', { device_id: 'PLC-404' }))).reason, 'where there is none').toBe('scope_denied');
    expect((await fails(ask('stranger'))).reason, 'a list is not cut short in silence').toBe('scope_denied');
    expect((await refusals()).length).toBeGreaterThan(0);
  });

  test('readers that a snapshot names narrow tools too', async () => {
    const { call, fails, write } = await bench({ readers: ['security'] });
    await call(write('operator', 30));
    const ask = { method: 'peek', params: { device_id: 'PLC-007' } };
    expect((await fails({ ...ask, principal: as('viewer') })).reason).toBe('scope_denied');
    expect((await call({ ...ask, principal: as('viewer', 'security') })).response.result).toEqual({ found: 1 });
  });

  test('readers that a snapshot names narrow the audit too: what it was made of is not told either', async () => {
    const { call, write } = await bench({ readers: ['security'] });
    await call(write('operator', 31));
    const ask = async (...roleNames: string[]) => {
      const how = { method: 'audit_query', params: { scope: 'device_PLC-007' }, principal: as(...roleNames) };
      const { entries } = (await call(how)).response.result as { entries: Record<string, unknown>[] };
      return entries.at(-1) as Record<string, unknown>;
    };
    const told = await ask('viewer');
    expect([told.kind, told.snapshots, told.result, told.params, told.verification]).toEqual([
      ...['finished', []],
      ...[undefined, undefined, undefined],
    ]);
    expect(told.effects).toHaveLength(1);
    expect(await ask('viewer', 'security')).toMatchObject({ result: { value: 31 }, params: { value: 31 } });
  });

  test('one component that calls another acts for nobody: its grants decide', async () => {
    const { callerOf, spec, clock, device } = await bench();
    const { principal: _nobody, ...calls } = spec({ params: { device_id: 'PLC-007', value: 40 } });
    await clock.run(callerOf('helper_v1.0').call(calls));
    expect(device.value).toBe(40);
  });
});

describe('refusals', () => {
  test.each([
    ['memory_read', { scope: 'device_PLC-007' }],
    ['memory_history', { scope: 'device_PLC-007' }],
    ['memory_diff', { scope: 'device_PLC-007', from: 1, to: 1 }],
    ['audit_query', { scope: 'device_PLC-007' }],
  ])('of %s stand on the record: who, what, why', async (method, params) => {
    const { call, fails, write, refusals } = await bench();
    await call(write('operator', 30));
    await fails({ method, params, principal: as('stranger') });
    const [entry, ...more] = await refusals();
    expect(more).toEqual([]);
    expect(entry).toMatchObject({
      ...{ kind: 'refused', principal: { id: 'stranger' }, data: { what: method, about: 'device_PLC-007' } },
      error: { data: { reason: 'scope_denied' } },
    });
  });

  test('of readers that a snapshot names too', async () => {
    const { call, fails, write, refusals } = await bench({ readers: ['security'] });
    await call(write('operator', 30));
    await fails({ method: 'memory_read', params: { scope: 'device_PLC-007' }, principal: as('viewer') });
    expect((await refusals()).map(({ data }) => data?.what)).toEqual(['memory_read']);
  });

  test('who is refused learns nothing about what there is', async () => {
    const { call, fails, write } = await bench();
    await call(write('operator', 30));
    const ask = (scope: string) => fails({ method: 'memory_read', params: { scope }, principal: as('stranger') });
    const [there, not] = [await ask('device_PLC-007'), await ask('device_PLC-404')];
    expect(not.message.replaceAll('404', '007')).toBe(there.message);
    expect(not.code).toBe(there.code);
  });

  const counted = () => {
    const clock = new VirtualClock();
    const written: Access[] = [];
    const access = { refused: async (one: Access) => void written.push(one), looked: async () => undefined };
    const refusals = createRefusals({ access, clock, metrics: silentMetrics() });
    const error = new HermesError('scope_denied', 'no').toWire();
    const note = (id: string, scope: string) =>
      refusals.note({ principal: { id, roles: [] }, what: 'memory_read', scope }, error);
    return { clock, written, refusals, note };
  };

  test('by the thousand fill a page and not the disk, and the count of the rest is on the record', async () => {
    const { clock, written, refusals, note } = counted();
    for (let n = 0; n < 5_000; n++) await note('mallory', `device_${n}`);
    expect(written).toHaveLength(LIMITS.refusalsOfOne);
    await clock.advance(LIMITS.refusalsWithinMs);
    await refusals.flush();
    expect(written.at(-1)).toMatchObject({ facts: { count: 5_000 - LIMITS.refusalsOfOne, principals: ['mallory'] } });
    await refusals.flush();
    expect(written).toHaveLength(LIMITS.refusalsOfOne + 1);
  });

  test('under ever other names have a limit too, and a quiet one is heard again the minute after', async () => {
    const { clock, written, note } = counted();
    for (let n = 0; n < 5_000; n++) await note(`mallory-${n}`, 'device_PLC-007');
    expect(written).toHaveLength(LIMITS.refusalsOfAll);
    await clock.advance(LIMITS.refusalsWithinMs);
    await note('eve', 'device_PLC-007');
    expect(written.slice(-2).map(({ what, principal }) => [what, principal.id])).toEqual([
      ['refusals_without_a_line', 'system:record'],
      ['memory_read', 'eve'],
    ]);
  });

  test('that are the same are one line and a count', async () => {
    const { written, note } = counted();
    for (let n = 0; n < 100; n++) await note('mallory', 'device_PLC-007');
    await note('mallory', 'device_PLC-001');
    expect(written.map(({ scope }) => scope)).toEqual(['device_PLC-007', 'device_PLC-001']);
  });
});
