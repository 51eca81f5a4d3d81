import { describe, expect, test } from 'vitest';
import type { WorkOrder } from '../../../agents/scheduling/work-order.js';
import { schedulingBench } from '../../support/scheduling-bench.js';

const MINUTE = 60_000;

/** The bench with a clock that goes to an hour of the Monday, and a refrigerant job: only Li does those. */
async function bench() {
  const running = await schedulingBench();
  const { clock, create, update } = running;
  const until = (hour: string) => clock.advance(Date.parse(`2026-01-05T${hour}:00+08:00`) - clock.now());
  const job = (more: Record<string, unknown> = {}) => create({ zone: 'F3-A', skills: ['refrigerant'], ...more });
  const begin = ({ work_order_id }: WorkOrder) => update(work_order_id, { state: 'in_progress' });
  const refused = async ({ work_order_id }: WorkOrder, changes: Record<string, unknown> = { state: 'in_progress' }) =>
    running.fails('update_work_order', { work_order_id, ...changes });
  return { ...running, until, job, begin, refused };
}

const minutesOf = ({ start, end }: WorkOrder): number => (Date.parse(end) - Date.parse(start)) / MINUTE;
const hourOf = (time: string): string => time.slice(11, 16);

describe('work that begins takes its time from now on', () => {
  test('begun shortly before its planned end: nobody else is planned for the person at that hour', async () => {
    const { until, job, begin } = await bench();
    const order = await job();
    await until('10:55');
    const begun = await begin(order);
    expect([hourOf(begun.start), hourOf(begun.end), minutesOf(begun)]).toEqual(['10:55', '11:55', 60]);
    expect(begun.changed).toEqual(['state', 'start', 'end']);
    expect(hourOf((await job({ zone: 'F2-A' })).start)).toBe('12:00');
  });

  test('said again, it goes on as it was', async () => {
    const { until, job, begin, update } = await bench();
    const begun = await begin(await job());
    await until('10:20');
    expect(await begin(begun)).toEqual({ ...begun, changed: [] });
    const noted = await update(begun.work_order_id, { note: 'x' });
    expect([noted.start, noted.end]).toEqual([begun.start, begun.end]);
  });

  test('a late beginning may make it late', async () => {
    const { until, job, begin } = await bench();
    const order = await job({ due: '2026-01-05T11:30:00+08:00' });
    expect(order.why.late).toBe(false);
    await until('10:45');
    expect((await begin(order)).why.late).toBe(true);
  });

  test('on hold and then in progress: at once, with what is left of it', async () => {
    const { until, job, begin, update } = await bench();
    const order = await begin(await job());
    await until('10:20');
    await update(order.work_order_id, { state: 'on_hold' });
    await until('13:00');
    const again = await begin(order);
    expect([hourOf(again.start), minutesOf(again)]).toEqual(['13:00', 30]);
    expect(hourOf((await job({ zone: 'F2-A' })).start)).toBe('13:30');
  });

  test('planned anew after a hold: what is left of it; at least a slot', async () => {
    const { until, job, begin, update } = await bench();
    const order = await begin(await job());
    await until('12:00');
    await update(order.work_order_id, { state: 'on_hold' });
    const again = await update(order.work_order_id, { state: 'open' });
    expect(minutesOf(again)).toBe(15);
  });

  test('handed over while in progress: the other one is at it now, in hours or not', async () => {
    const { until, create, begin, update, list } = await bench();
    const order = await begin(await create({ zone: 'F3-A' }));
    await until('10:20');
    const handed = await update(order.work_order_id, { assigned_to: 'liu' });
    expect(handed).toMatchObject({ state: 'in_progress', assigned_to: 'liu', why: { chosen_because: 'named' } });
    expect([hourOf(handed.start), minutesOf(handed)]).toEqual(['10:20', 30]);
    expect((await list({ assigned_to: 'li' })).total).toBe(0);
  });
});

describe('nobody and no asset is worked on twice at once', () => {
  test('begun early or late over another order of the person: refused, which and from when', async () => {
    const { until, job, begin, refused, list } = await bench();
    const first = await job();
    const second = await job({ zone: 'F2-A' });
    await until('10:30');
    const error = await refused(first);
    const way = `${second.work_order_id} of li on zone F2-A is planned from 2026-01-05T11:00:00`;
    expect(error.reason).toBe('invalid_params');
    expect(error.message).toContain(way);
    expect(error.data.fields?.[0]?.pointer).toBe('/params/state');
    expect(error.data).toMatchObject({ work_order_id: second.work_order_id, since: second.start });
    expect((await list({ state: 'in_progress' })).total).toBe(0);
    const early = await refused(second);
    expect(early.message).toContain(`${first.work_order_id} of li on zone F3-A is planned from`);
    await until('11:00');
    expect(await begin(second)).toMatchObject({ state: 'in_progress', start: '2026-01-05T11:00:00+08:00' });
  });

  test('a few minutes late with another right behind: it is shortened, no one is stopped', async () => {
    const { until, job, begin } = await bench();
    const first = await job();
    const second = await job({ zone: 'F2-A' });
    await until('10:05');
    expect(await begin(first)).toMatchObject({ state: 'in_progress', end: second.start });
  });

  test('another order of the same person in progress: refused, since when', async () => {
    const { job, begin, refused, update } = await bench();
    const first = await begin(await job());
    const second = await job({ zone: 'F2-A' });
    const error = await refused(second);
    expect(error.message).toContain(`is in progress since ${first.start}`);
    await update(first.work_order_id, { state: 'on_hold' });
    expect((await begin(second)).state).toBe('in_progress');
  });

  test('the asset of somebody else’s order: refused', async () => {
    const { create, begin, refused } = await bench();
    const first = await begin(await create({ device_id: 'AHU-3', skills: ['hvac'] }));
    const second = await create({ device_id: 'AHU-3', skills: ['power'] });
    expect((await refused(second)).message).toContain(`${first.work_order_id} of li on AHU-3 is in progress`);
  });

  test('handed over to somebody who is at another order: refused, the person named', async () => {
    const { create, begin, refused, update } = await bench();
    const his = await create({ zone: 'F2-A', skills: ['plc'] });
    expect((await begin(his)).assigned_to).toBe('liu');
    const order = await begin(await create({ zone: 'F3-A' }));
    const error = await refused(order, { assigned_to: 'liu' });
    expect(error.data.fields?.[0]?.pointer).toBe('/params/assigned_to');
    await update(his.work_order_id, { state: 'cancelled' });
    expect((await update(order.work_order_id, { assigned_to: 'liu' })).assigned_to).toBe('liu');
  });

  test('overdue work takes another planning slot, for pressing work too', async () => {
    const { until, job, begin } = await bench();
    await begin(await job());
    await until('11:10');
    const pressing = await job({ zone: 'F2-A', priority: 'urgent' });
    expect(Date.parse(pressing.start)).toBeGreaterThanOrEqual(Date.parse('2026-01-05T11:25:00+08:00'));
    expect(pressing.why.chosen_because).not.toBe('on_duty_now');
  });
});
