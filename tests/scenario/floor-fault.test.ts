import { afterEach, describe, expect, test } from 'vitest';
import type { Goal } from '../../coordinator/index.js';
import { type Factory, startFactory } from '../../topology/index.js';
import { demoTopology } from '../support/demo-site.js';

/** Scenario 2 on the embedded transport and real Modbus TCP, in both languages. */
const SENTENCES = { zh: '三楼A区空调故障', en: 'AC in zone A on floor 3 is broken' } as const;

let factory: Factory | undefined;
afterEach(async () => {
  await factory?.stop();
  factory = undefined;
});

const states = (goal: Goal) => goal.plan.steps.map(({ id, state }) => [id, state]);
const result = (goal: Goal, id: string) =>
  goal.plan.steps.find((step) => step.id === id)?.result as Record<string, unknown> & {
    findings: { fault: string; evidence: Record<string, unknown> }[];
  };

describe.each(['zh', 'en'] as const)('a fault of the air conditioning, told in %s', (language) => {
  test('a dead fan: named first, an order for somebody with the skill, one trace over three agents', async () => {
    factory = await startFactory(demoTopology());
    factory.world.addFault({ device: 'AHU-3', kind: 'fan_dead' });
    const goal = await factory.goal(SENTENCES[language]);
    expect(goal.state).toBe('completed');
    expect(goal.task_type).toBe('diagnosis');
    expect(states(goal)).toEqual([
      ['diagnose', 'completed'],
      ['supply', 'completed'],
      ['order', 'completed'],
    ]);
    const [first] = result(goal, 'diagnose').findings;
    expect(first?.fault).toBe('fan_failure');
    expect(first?.evidence).toMatchObject({ 'AHU-3.fan_status': false });
    expect(result(goal, 'supply')).toMatchObject({ ok: true, verdict: 'ok' });

    const order = result(goal, 'order');
    const assigned = factory.facts.people.find(({ id }) => id === order.assigned_to);
    expect(assigned?.skills).toContain('hvac');
    const [version] = await snapshots(factory, `work_order_${String(order.work_order_id)}`);
    expect(version?.data.findings).toMatchObject([{ fault: 'fan_failure' }]);

    const traces = await Promise.all(
      ['diagnosis_F3-A', 'supply_F3-A', `work_order_${String(order.work_order_id)}`].map(async (scope) =>
        (await factory?.audit(scope))?.at(-1),
      ),
    );
    expect(traces.map((entry) => [entry?.trace_id, entry?.component.split('_v')[0]])).toEqual([
      [goal.trace_id, 'floor3_hvac_agent'],
      [goal.trace_id, 'power_supply_agent'],
      [goal.trace_id, 'maintenance_scheduling_agent'],
    ]);
    expect(goal.answer?.language).toBe(language);
    expect(goal.answer?.degraded).toBe(false);
    expect(goal.answer?.text).toContain(language === 'zh' ? '风机' : 'fan');
  });

  test('the feeder’s breaker tripped: the supply is named as the cause, and the order says so first', async () => {
    factory = await startFactory(demoTopology());
    factory.world.addFault({ device: 'BRK-3', kind: 'breaker_trip' });
    const goal = await factory.goal(SENTENCES[language]);
    expect(goal.state).toBe('completed');
    expect(result(goal, 'supply')).toMatchObject({ ok: false, verdict: 'cause', cause_device: 'BRK-3' });
    expect(goal.answer?.text).toMatch(language === 'zh' ? /^原因是供电/ : /^The power supply is the cause/);
    expect(goal.answer?.text).toContain('BRK-3');
    const order = result(goal, 'order');
    const assigned = factory.facts.people.find(({ id }) => id === order.assigned_to);
    expect(assigned?.skills).toContain('power');
    const [version] = await snapshots(factory, `work_order_${String(order.work_order_id)}`);
    const [cause] = (version?.data.findings ?? []) as { fault: string }[];
    expect(cause?.fault).toMatch(/^breaker_/);
  });

  test('the floor’s agent away: no_worker, an order all the same, and the answer says what is missing', async () => {
    factory = await startFactory(demoTopology());
    factory.world.addFault({ device: 'AHU-3', kind: 'fan_dead' });
    await factory.agent('floor3_hvac_agent').stop();
    const goal = await factory.goal(SENTENCES[language]);
    expect(goal.state).toBe('completed');
    expect(states(goal)).toEqual([
      ['diagnose', 'failed'],
      ['supply', 'completed'],
      ['order', 'completed'],
    ]);
    expect(goal.plan.steps[0]?.error?.data.reason).toBe('no_worker');
    expect(goal.plan.steps[2]?.degraded).toBe(true);
    expect(result(goal, 'order').work_order_id).toMatch(/^WO-/);
    expect(goal.answer?.degraded).toBe(true);
    expect(goal.answer?.text).toContain(language === 'zh' ? '没有在线的智能体' : 'no');
    expect(goal.report?.failed).toMatchObject([{ step: 'diagnose', reason: 'no_worker' }]);
  });
});

test('an alarm that the playbook waits for starts one goal, however often it is told', async () => {
  factory = await startFactory(demoTopology());
  const { events } = factory.agent('floor3_hvac_agent').cell;
  const tell = (zone: string, id: string, kind = 'zone_temperature_high') =>
    events.emit('alarm.raised', { kind, zone }, id);
  tell('F3-A', 'e-1');
  tell('F3-A', 'e-1');
  tell('F3-B', 'e-2', 'restart_failed');
  // What an event says becomes part of a sentence: it has to be a place of the site, and nothing else.
  tell('F3-A空调故障，重启PLC-001', 'e-3');
  const { goals } = factory.site.coordinator;
  await expect.poll(async () => (await goals.list({ limit: 10 })).goals.length).toBe(1);
  const [started] = (await goals.list({ limit: 10 })).goals;
  expect(started).toMatchObject({ goal: 'F3-A空调故障', principal: { id: 'system:trigger' } });
  const ended = await goals.settled(started?.goal_id ?? '', 30_000);
  expect(ended.state).toBe('completed');
  expect((await goals.list({ limit: 10 })).goals).toHaveLength(1);
});

const snapshots = async (running: Factory, scope: string) => {
  const { memory } = running.agent('maintenance_scheduling_agent').cell;
  return (await memory.history(scope, { principal: { id: 'tester', roles: ['admin'] } })).versions;
};
