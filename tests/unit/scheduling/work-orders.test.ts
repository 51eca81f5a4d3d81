import { describe, expect, test } from 'vitest';
import { fillTemplate } from '../../../agents/runtime/answer/index.js';
import { schedulingRulePack } from '../../../agents/scheduling/intents.js';
import { type WorkOrder, workOrderIdOf } from '../../../agents/scheduling/work-order.js';
import { schedulingBench } from '../../support/scheduling-bench.js';

describe('creating', () => {
  test('a person with the skills, an hour, and why, in codes; it stands in memory and does not expire', async () => {
    const { create, versions } = await schedulingBench();
    const order = await create({ zone: 'F3-A', fault: 'low_airflow' });
    expect(order).toMatchObject({
      state: 'open',
      priority: 'normal',
      zone: 'F3-A',
      device_id: null,
      fault: 'low_airflow',
      assigned_to: 'li',
      start: '2026-01-05T10:00:00+08:00',
      end: '2026-01-05T11:00:00+08:00',
      created_by: 'tester',
      why: {
        skill: 'hvac',
        skills: ['hvac'],
        skills_from: 'place',
        candidates: ['li', 'liu'],
        chosen_because: 'earliest',
        waits_for: [],
        minutes: 60,
        late: false,
      },
    });
    expect(order.work_order_id).toMatch(/^WO-[0-9A-HJKMNP-TV-Z]{8}$/);
    const [first] = await versions(order.work_order_id);
    expect(first).toMatchObject({ version: 1, data: { state: 'open', assigned_to: 'li' } });
    expect(first?.expires_at).toBeUndefined();
  });

  test('the findings decide: skills of the first that names some, a severe one raises the priority', async () => {
    const { create } = await schedulingBench();
    const findings = [
      { fault: 'breaker_tripped', severity: 'high', skills: ['power'], evidence: { 'BRK-3.closed': false } },
      { fault: 'zone_too_hot', severity: 'medium', skills: ['hvac'] },
    ];
    const order = await create({ device_id: 'AHU-3', findings });
    expect(order).toMatchObject({ assigned_to: 'wang', priority: 'high', fault: 'breaker_tripped', findings });
    expect(order.why).toMatchObject({ skills_from: 'findings', minutes: 120, chosen_because: 'only_one' });
  });

  test('a low priority stays low; a due time that cannot be met is said to be late', async () => {
    const { create } = await schedulingBench();
    const findings = [{ fault: 'x', severity: 'high', skills: ['power'] }];
    const order = await create({ zone: 'F3-A', findings, priority: 'low', due: '2026-01-05T11:00:00+08:00' });
    expect(order).toMatchObject({ priority: 'low', why: { late: true } });
  });

  test.each([
    [undefined, 'high'],
    ['normal', 'normal'],
    ['urgent', 'urgent'],
  ])('a severe finding and priority %s: %s; only what nobody ranked is raised', async (priority, expected) => {
    const { create } = await schedulingBench();
    const findings = [{ fault: 'x', severity: 'high', skills: ['power'] }];
    expect((await create({ zone: 'F3-A', findings, ...(priority ? { priority } : {}) })).priority).toBe(expected);
  });

  test('the same request is the same order, however often it comes', async () => {
    const { create, list, versions } = await schedulingBench();
    const first = await create({ zone: 'F3-A' }, 'g-1.s3.1');
    const again = await create({ zone: 'F3-A' }, 'g-1.s3.1');
    expect(again).toEqual(first);
    expect(first.work_order_id).toBe(workOrderIdOf('g-1.s3.1'));
    expect(await versions(first.work_order_id)).toHaveLength(1);
    expect((await list()).total).toBe(1);
    expect((await create({ zone: 'F3-A' }, 'g-1.s3.2')).work_order_id).not.toBe(first.work_order_id);
  });

  test('and also after the agent was killed and came back', async () => {
    const { create, restart, list } = await schedulingBench();
    const first = await create({ zone: 'F3-A' }, 'g-1.s3.1');
    await restart();
    expect(await create({ zone: 'F3-A' }, 'g-1.s3.1')).toEqual(first);
    expect((await list()).total).toBe(1);
    const second = await create({ zone: 'F3-A' });
    expect(Date.parse(second.start)).toBeGreaterThanOrEqual(Date.parse(first.end));
  });

  test('twelve at once: one after the other, nobody twice in one hour', async () => {
    const { begin, clock } = await schedulingBench();
    const all = Array.from({ length: 12 }, (_, n) =>
      begin('create_work_order', { zone: n % 2 === 0 ? 'F3-A' : 'F2-A' }),
    );
    const orders = (await clock.run(Promise.all(all))) as WorkOrder[];
    expect(new Set(orders.map(({ work_order_id }) => work_order_id)).size).toBe(12);
    for (const a of orders) {
      for (const b of orders) {
        if (a === b || a.assigned_to !== b.assigned_to) continue;
        expect(Date.parse(a.start) < Date.parse(b.end) && Date.parse(b.start) < Date.parse(a.end)).toBe(false);
      }
    }
    expect(new Set(orders.map(({ assigned_to }) => assigned_to))).toEqual(new Set(['li', 'liu']));
  });

  test.each([
    [{}, 'invalid_params', '/params/device_id'],
    [{ zone: 'F9-A' }, 'unknown_entity', '/params/zone'],
    [{ device_id: 'AHU-33' }, 'unknown_entity', '/params/device_id'],
    [{ zone: 'F3-A', skills: ['welding'] }, 'unknown_entity', '/params/skills'],
    [{ zone: 'F3-A', due: '2026-01-05 11:00' }, 'invalid_params', '/params/due'],
    [{ zone: 'F3-A', priority: 'asap' }, 'invalid_params', '/params/priority'],
    [{ zone: 'F3-A', findings: Array.from({ length: 51 }, () => ({})) }, 'invalid_params', '/params/findings'],
    [{ zone: 'F3-A', findings: [{ text: 'x'.repeat(70_000) }] }, 'invalid_params', '/params/findings'],
  ])('%j is refused, the field named; no order is left behind', async (params, reason, pointer) => {
    const { fails, list } = await schedulingBench();
    const error = await fails('create_work_order', params);
    expect(error.reason).toBe(reason);
    expect(error.data.fields?.[0]?.pointer).toBe(pointer);
    expect((await list()).total).toBe(0);
  });

  test('the missing skill is named, and those there are', async () => {
    const { fails } = await schedulingBench();
    const error = await fails('create_work_order', { zone: 'F3-A', skills: ['hvac', 'welding'] });
    expect(error.message).toContain('welding');
    expect(error.data).toMatchObject({ missing: ['welding'], candidates: ['hvac', 'plc', 'power', 'refrigerant'] });
  });
});

describe('changing', () => {
  test('started, held, taken up again: planned anew behind what was booked meanwhile', async () => {
    const { create, update } = await schedulingBench();
    const { work_order_id } = await create({ zone: 'F3-A', skills: ['refrigerant'] });
    const begun = await update(work_order_id, { state: 'in_progress' });
    expect(begun).toMatchObject({ changed: ['state', 'start', 'end'] });
    expect(begun.start).toMatch(/^2026-01-05T09:50/);
    expect(await update(work_order_id, { state: 'on_hold', note: 'waits for a part' })).toMatchObject({
      state: 'on_hold',
      note: 'waits for a part',
    });
    const other = await create({ zone: 'F3-A', skills: ['refrigerant'] });
    expect(other.start).toBe('2026-01-05T10:00:00+08:00');
    const again = await update(work_order_id, { state: 'open' });
    expect(again).toMatchObject({ state: 'open', assigned_to: 'li', start: '2026-01-05T11:00:00+08:00' });
    expect(again.why).toMatchObject({ chosen_because: 'named', waits_for: [other.work_order_id] });
  });

  test('given to another person: the skills are checked, the hour is one of hers', async () => {
    const { create, update, fails } = await schedulingBench();
    const { work_order_id } = await create({ zone: 'F3-A' });
    expect(await update(work_order_id, { assigned_to: '刘工' })).toMatchObject({
      assigned_to: 'liu',
      start: '2026-01-05T18:00:00+08:00',
      changed: ['assigned_to', 'start', 'end'],
    });
    const error = await fails('update_work_order', { work_order_id, assigned_to: 'wang' });
    expect(error.data.fields).toEqual([{ pointer: '/params/assigned_to', problem: 'wang lacks hvac' }]);
  });

  test('said twice it is the same; nothing said is refused', async () => {
    const { create, update, fails } = await schedulingBench();
    const { work_order_id } = await create({ zone: 'F3-A' });
    const first = await update(work_order_id, { state: 'cancelled' });
    const again = await update(work_order_id, { state: 'cancelled' });
    expect(again).toEqual({ ...first, changed: [] });
    expect((await fails('update_work_order', { work_order_id })).data.fields?.[0]?.pointer).toBe('/params/state');
  });

  test('what was cancelled takes nobody’s time and expires after 90 days', async () => {
    const { create, update, versions } = await schedulingBench();
    const { work_order_id } = await create({ zone: 'F3-A', skills: ['refrigerant'] });
    await update(work_order_id, { state: 'cancelled' });
    expect((await create({ zone: 'F3-A', skills: ['refrigerant'] })).start).toBe('2026-01-05T10:00:00+08:00');
    const last = (await versions(work_order_id)).at(-1);
    expect(Date.parse(String(last?.expires_at)) - Date.parse(String(last?.created_at))).toBe(90 * 86_400_000);
  });
});

describe('completing', () => {
  test('closes it, and frees the person; said again it stays as it is', async () => {
    const { create, call, list } = await schedulingBench();
    const { work_order_id } = await create({ zone: 'F3-A', skills: ['refrigerant'] });
    const done = (await call('complete_work_order', { work_order_id, note: 'belt replaced' })) as WorkOrder;
    expect(done).toMatchObject({ state: 'completed', note: 'belt replaced' });
    expect(await call('complete_work_order', { work_order_id })).toEqual(done);
    expect((await create({ zone: 'F3-A', skills: ['refrigerant'] })).start).toBe('2026-01-05T10:00:00+08:00');
    expect(await list({ state: 'completed' })).toMatchObject({ total: 1, work_order_ids: [work_order_id] });
  });

  test('a closed order is not opened again, and a cancelled one is not completed; the field is named', async () => {
    const { create, call, update, fails } = await schedulingBench();
    const { work_order_id } = await create({ zone: 'F3-A' });
    await call('complete_work_order', { work_order_id });
    const back = await fails('update_work_order', { work_order_id, state: 'open' });
    expect(back.data.fields).toEqual([
      { pointer: '/params/state', problem: 'after completed may come nothing: it is final' },
    ]);
    expect((await fails('update_work_order', { work_order_id, priority: 'high' })).data.fields?.[0]?.pointer).toBe(
      '/params/priority',
    );
    expect(await update(work_order_id, { note: 'photo taken' })).toMatchObject({
      state: 'completed',
      changed: ['note'],
    });
    const other = await create({ zone: 'F3-A' });
    await update(other.work_order_id, { state: 'cancelled' });
    const never = await fails('complete_work_order', { work_order_id: other.work_order_id });
    expect(never.data.fields?.[0]?.pointer).toBe('/params/state');
  });

  test('an id that nobody gave: not found, with the nearest', async () => {
    const { create, fails } = await schedulingBench();
    const { work_order_id } = await create({ zone: 'F3-A' });
    for (const method of ['complete_work_order', 'update_work_order']) {
      const error = await fails(method, { work_order_id: 'WO-00000000', ...(method[0] === 'u' ? { note: 'x' } : {}) });
      expect(error).toMatchObject({ reason: 'not_found', data: { candidates: [work_order_id] } });
    }
    const odd = await fails('complete_work_order', { work_order_id: 'WO-OOOO' });
    expect(odd).toMatchObject({ reason: 'invalid_params' });
  });
});

describe('listing', () => {
  test('by state, person, zone and device; the most pressing first', async () => {
    const { create, update, list } = await schedulingBench();
    const low = await create({ zone: 'F2-A', priority: 'low' });
    const urgent = await create({ device_id: 'AHU-3', priority: 'urgent' });
    const held = await create({ device_id: 'VAV-301' });
    await update(held.work_order_id, { state: 'on_hold' });
    const gone = await create({ zone: 'F3-A' });
    await update(gone.work_order_id, { state: 'cancelled' });
    const ids = (...orders: WorkOrder[]) => orders.map(({ work_order_id }) => work_order_id);
    expect((await list({ state: 'unfinished' })).work_order_ids).toEqual(ids(urgent, held, low));
    expect((await list()).work_order_ids).toEqual(ids(urgent, held, low, gone));
    expect((await list({ state: 'on_hold' })).work_order_ids).toEqual(ids(held));
    expect((await list({ zone: 'F3-A', state: 'unfinished' })).work_order_ids).toEqual(ids(held));
    expect((await list({ device_id: 'AHU-3' })).work_order_ids).toEqual(ids(urgent));
    expect((await list({ assigned_to: '王工' })).total).toBe(0);
    expect(await list({ limit: 1 })).toMatchObject({ total: 4, work_order_ids: ids(urgent), more: 3 });
    expect(await list()).toMatchObject({ total: 4, more: 1 });
    expect(await list({ state: 'on_hold' })).toMatchObject({ more: null });
  });

  test('one by its id, in whatever state; an id that nobody gave: not found', async () => {
    const { create, update, list, fails } = await schedulingBench();
    const { work_order_id } = await create({ zone: 'F2-A' });
    await create({ zone: 'F3-A' });
    await update(work_order_id, { state: 'cancelled' });
    expect(await list({ work_order_id })).toMatchObject({ total: 1, work_order_ids: [work_order_id], more: null });
    expect(await fails('list_work_order', { work_order_id: 'WO-00000000' })).toMatchObject({ reason: 'not_found' });
  });

  test('an answer tells three orders in full, with place and time, and how many more there are', async () => {
    const { create, list } = await schedulingBench();
    for (const zone of ['F2-A', 'F3-A', 'F2-A', 'F3-A', 'F1-A']) await create({ zone });
    const fields = (await list()) as unknown as Readonly<Record<string, unknown>>;
    const { zh = '', en = '' } = schedulingRulePack.answers?.list_work_order ?? {};
    const row = String.raw`WO-\w{8} \(F\d-\w, open, \w+, 2026-\S+ to 2026-\S+\)`;
    expect(fillTemplate(en, fields)).toMatch(new RegExp(`^Work orders: 5\\. ${row}; ${row}; ${row}; and 2 more\\.$`));
    expect(fillTemplate(zh, fields)).toMatch(/^共 5 张工单：.*；另有 2 张。$/);
    expect(fillTemplate(en, { total: 0, work_orders: [], more: null })).toBe('Work orders: 0.');
  });

  test('nobody of that name: who there is', async () => {
    const { fails } = await schedulingBench();
    const error = await fails('list_work_order', { assigned_to: '赵工' });
    expect(error).toMatchObject({ reason: 'unknown_entity', data: { candidates: ['li', 'liu', 'wang'] } });
  });
});
