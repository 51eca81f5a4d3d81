import { afterEach, describe, expect, test } from 'vitest';
import type { WorkOrder } from '../../agents/scheduling/work-order.js';
import { resultOf, type TwinTalk, twinTalk } from '../support/twin-talk.js';

const open: TwinTalk[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function site(): Promise<TwinTalk> {
  const twin = await twinTalk();
  open.push(twin);
  return twin;
}

const SENTENCES = {
  zh: {
    create: '给三楼A区建一个维修工单',
    list: '列出未完成的工单',
    complete: (id: string) => `完成工单${id}`,
    cancel: (id: string) => `取消工单${id}`,
    both: '检查三楼A区供电，然后给它建一个维修工单',
    created: (id: string) => `已为三楼A区创建工单 ${id}，派给李工，`,
    listed: (id: string) => `共 1 张工单：${id}（三楼A区，待处理，李工，`,
    completed: '已完成',
  },
  en: {
    create: 'create a work order for zone A on floor 3',
    list: 'list open work orders',
    complete: (id: string) => `complete work order ${id}`,
    cancel: (id: string) => `cancel work order ${id}`,
    both: 'check the supply of zone A on floor 3, then create a work order for zone A on floor 3',
    created: (id: string) => `Work order ${id} was created for zone A on floor 3: Li, from`,
    listed: (id: string) => `Work orders: 1. ${id} (zone A on floor 3, open, Li, `,
    completed: 'is completed',
  },
} as const;

describe.each(['zh', 'en'] as const)('work orders over goals, in %s', (language) => {
  const say = SENTENCES[language];

  test('created, listed, completed, and gone from the list', async () => {
    const { goal } = await site();
    const created = await goal(say.create);
    expect(created.state).toBe('completed');
    const order = resultOf(created) as unknown as WorkOrder;
    expect(order).toMatchObject({ zone: 'F3-A', assigned_to: 'li', state: 'open', why: { skill: 'hvac' } });
    const id = order.work_order_id;
    expect(created.answer?.text).toContain(say.created(id));
    expect((await goal(say.list)).answer?.text).toContain(say.listed(id));
    expect((await goal(say.complete(id))).answer?.text).toContain(say.completed);
    expect(resultOf(await goal(say.list))).toMatchObject({ total: 0, work_orders: [] });
  });

  test('cancelled; a second time it stays so; completing it is refused, and says why', async () => {
    const { goal } = await site();
    const id = String(resultOf(await goal(say.create)).work_order_id);
    expect(resultOf(await goal(say.cancel(id)))).toMatchObject({ state: 'cancelled', changed: ['state'] });
    expect(resultOf(await goal(say.cancel(id)))).toMatchObject({ state: 'cancelled', changed: [] });
    const refused = await goal(say.complete(id));
    expect(refused.state).toBe('failed');
    expect(refused.error?.data).toMatchObject({ reason: 'invalid_params', fields: [{ pointer: '/params/state' }] });
  });

  test('the findings of a supply check go into the order: power skills, high priority, at once', async () => {
    const { goal, world } = await site();
    world.addFault({ device: 'BRK-3', kind: 'breaker_trip' });
    const asked = await goal(say.both);
    expect(asked.plan.steps.map(({ method, state }) => [method, state])).toEqual([
      ['check_supply', 'completed'],
      ['create_work_order', 'completed'],
    ]);
    const order = resultOf(asked, 1) as unknown as WorkOrder;
    expect(order).toMatchObject({ assigned_to: 'wang', priority: 'high', fault: 'breaker_tripped' });
    expect(order.findings[0]).toMatchObject({ fault: 'breaker_tripped', evidence: { 'BRK-3.closed': false } });
    expect(order.why).toMatchObject({ skills_from: 'findings', chosen_because: 'only_one' });
  });
});

describe('orders and the life of the agent', () => {
  test('the same goal sent twice makes one order', async () => {
    const { submit, clock, settled, goal } = await site();
    const ids = await clock.run(Promise.all([1, 2].map(() => submit('给三楼A区建一个维修工单', {}, 'one-key'))));
    expect(new Set(ids).size).toBe(1);
    await clock.run(settled(String(ids[0]), 60_000));
    expect(resultOf(await goal('列出所有工单'))).toMatchObject({ total: 1 });
  });

  test('orders outlive a crash of the whole site', async () => {
    const twin = await site();
    const id = String(resultOf(await twin.goal('为AHU-3创建工单')).work_order_id);
    twin.crash();
    await twin.clock.advance(6_000);
    await twin.clock.run(twin.restart());
    expect(resultOf(await twin.goal('列出未完成的工单'))).toMatchObject({ total: 1, work_order_ids: [id] });
  });

  test('an order that nobody gave: not found, with those there are', async () => {
    const { goal } = await site();
    const id = String(resultOf(await goal('为AHU-3创建工单')).work_order_id);
    const refused = await goal('完成工单WO-00000000');
    expect(refused.error?.data).toMatchObject({ reason: 'not_found', candidates: [id] });
    expect(refused.answer?.text).toContain(id);
  });
});
