import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HermesError } from '../../shared/errors.js';
import { type Factory, startFactory } from '../../topology/index.js';
import { linesTopology } from '../support/demo-site.js';

/** The test kit on a real nats-server: the same factory, several instances of an agent. */
let factory: Factory;
beforeAll(async () => {
  factory = await startFactory(linesTopology(), { bus: 'nats', instances: { plc_controller: 2 } });
}, 60_000);
afterAll(() => factory.stop());

describe('a factory over NATS', () => {
  test('does the goal of day one', async () => {
    const goal = await factory.goal('查PLC-007状态，如果离线，重启它并通知张工');
    expect([goal.state, ...goal.plan.steps.map(({ method, state }) => `${method} ${state}`)]).toEqual([
      'completed',
      ...['get_device_status completed', 'restart_device completed', 'notify completed'],
    ]);
    expect(factory.simulators.mail.mails('zhang')).toHaveLength(1);
    expect(factory.device('PLC-007').state).toBe('ONLINE');
  });

  test('has as many instances as were asked for, each with a name of its own', () => {
    const members = factory.site.coordinator.discovery.members('plc_controller');
    expect(new Set(members.map(({ instance }) => instance)).size).toBe(2);
  });

  test('each says what it owns: every link of the agent is one instance’s, and both have some', async () => {
    const { clock, site, facts } = factory;
    const own = facts.devices.filter(({ home }) => home === 'plc_controller').map(({ link }) => `link:${link}`);
    const owned = () => site.coordinator.discovery.members('plc_controller').map(({ owns = [] }) => owns);
    const isShared = (): boolean => owned().every((keys) => keys.length > 0);
    for (const end = clock.monotonic() + 20_000; !isShared() && clock.monotonic() < end; ) await clock.sleep(50);
    expect(owned().flat().sort()).toEqual([...new Set(own)].sort());
    expect(isShared()).toBe(true);
  });

  test('W9: an agent with a call that never ends is started again, and nobody else is', {
    timeout: 60_000,
  }, async () => {
    const { clock, site } = factory;
    const { discovery, agent } = site.coordinator;
    const instances = (): string[] => discovery.members().map(({ instance }) => instance);
    const call = (method: string) =>
      agent.cell.caller
        .call({ callee: 'hanging_agent_v1.0', method, params: {}, deadlineAt: clock.now() + 1_000 })
        .then(
          ({ response }) => response.result,
          ({ reason }: HermesError) => reason,
        );
    const siblings = instances();
    const first = (await factory.join('hanging_agent', 'tests/support/hanging-agent')).cell.instance;
    expect(await call('answer')).toEqual({ done: true });
    expect(await call('hang')).toBe('deadline');
    const isBack = (): boolean => discovery.members('hanging_agent').some(({ instance }) => instance !== first);
    for (const end = clock.monotonic() + 40_000; !isBack() && clock.monotonic() < end; ) await clock.sleep(50);
    expect(isBack()).toBe(true);
    expect(instances().filter((one) => !one.startsWith('hanging_agent'))).toEqual(siblings);
    expect(await call('answer')).toEqual({ done: true });
    await site.leave('hanging_agent');
    expect(instances()).toEqual(siblings);
  });

  test('keeps what was said in the journal', async () => {
    const goal = await factory.goal('查PLC-003状态');
    const said = await factory.journal.query({ trace_id: goal.trace_id });
    expect(said.map(({ kind }) => kind)).toContain('reply');
  });
});
