import { describe, expect, test } from 'vitest';
import { schedulingBench } from '../../support/scheduling-bench.js';

const spans = (orders: readonly { start: string; end: string }[]): (readonly [number, number])[] =>
  orders.map(({ start, end }) => [Date.parse(start), Date.parse(end)] as const).sort(([a], [b]) => a - b);

describe('one job per asset', () => {
  test('four orders of one device with skills of four people: one after the other', async () => {
    const { create } = await schedulingBench();
    const orders = [];
    for (const skills of [['hvac'], ['power'], ['plc'], ['refrigerant']]) {
      orders.push(await create({ device_id: 'AHU-3', skills, priority: 'high' }));
    }
    const times = spans(orders);
    for (const [index, [start]] of times.entries()) {
      expect(start).toBeGreaterThanOrEqual(times[index - 1]?.[1] ?? 0);
    }
    expect(orders[1]?.why.waits_for).toEqual([orders[0]?.work_order_id]);
  });

  test('a zone is one asset where no device is named; a device of it is another', async () => {
    const { create } = await schedulingBench();
    const first = await create({ zone: 'F3-A', skills: ['hvac'] });
    expect((await create({ device_id: 'AHU-3', skills: ['power'] })).start).toBe(first.start);
    expect((await create({ zone: 'F2-A', skills: ['plc'] })).why.waits_for).toEqual([]);
    const second = await create({ zone: 'F3-A', skills: ['power'] });
    expect(Date.parse(second.start)).toBeGreaterThanOrEqual(Date.parse(first.end));
    expect(second.why.waits_for).toContain(first.work_order_id);
  });

  test('an order that is taken up again waits for the asset too', async () => {
    const { create, update } = await schedulingBench();
    const held = await create({ device_id: 'AHU-3', skills: ['hvac'] });
    await update(held.work_order_id, { state: 'on_hold' });
    const other = await create({ device_id: 'AHU-3', skills: ['power'] });
    expect(other.start).toBe(held.start);
    expect((await update(held.work_order_id, { state: 'open' })).start).toBe(other.end);
  });
});

describe('what an order is about', () => {
  const findings = [{ fault: 'fan_failure', device_id: 'AHU-3', skills: ['hvac'] }, { device_id: 'VAV-301' }];

  test('an order for a zone is about the device of its first finding', async () => {
    const { create, list } = await schedulingBench();
    const order = await create({ zone: 'F3-A', findings });
    expect(order).toMatchObject({ zone: 'F3-A', device_id: 'AHU-3' });
    expect((await list({ device_id: 'AHU-3' })).work_order_ids).toEqual([order.work_order_id]);
    const next = await create({ device_id: 'AHU-3', skills: ['power'] });
    expect(next.start).toBe(order.end);
  });

  test('a device that the caller named stays; one that the site has not is left out', async () => {
    const { create } = await schedulingBench();
    expect(await create({ device_id: 'VAV-301', findings })).toMatchObject({ device_id: 'VAV-301', zone: 'F3-A' });
    const odd = [{ fault: 'x', device_id: 'AHU-99' }];
    expect(await create({ zone: 'F3-A', findings: odd })).toMatchObject({ device_id: null, zone: 'F3-A' });
  });

  test.each([
    ['VAV-301', 'F3-A'],
    ['AHU-3', 'F3-A'],
    ['BRK-6', 'F3-A'],
    ['M-0', 'F3-A'],
  ])('%s is in or for %s', async (device_id, zone) => {
    const { create } = await schedulingBench();
    expect(await create({ device_id, zone })).toMatchObject({ device_id, zone });
  });

  test.each([
    ['VAV-301', 'F2-A'],
    ['AHU-3', 'F2-A'],
    ['BRK-1', 'F3-A'],
  ])('%s is not for %s: refused, the field named', async (device_id, zone) => {
    const { fails, list } = await schedulingBench();
    const error = await fails('create_work_order', { device_id, zone });
    expect(error.reason).toBe('invalid_params');
    expect(error.data.fields?.[0]?.pointer).toBe('/params/zone');
    expect((await list()).total).toBe(0);
  });
});

test('a due time that is over is refused, the field named, when an order is created or changed', async () => {
  const { create, update, fails } = await schedulingBench();
  const due = '2026-01-05T09:49:00+08:00';
  const field = { reason: 'invalid_params', data: { fields: [{ pointer: '/params/due' }] } };
  expect(await fails('create_work_order', { zone: 'F3-A', due })).toMatchObject(field);
  const { work_order_id } = await create({ zone: 'F3-A', due: '2026-01-05T12:00:00+08:00' });
  expect(await fails('update_work_order', { work_order_id, due })).toMatchObject(field);
  expect(await update(work_order_id, { note: 'later' })).toMatchObject({ note: 'later' });
});
