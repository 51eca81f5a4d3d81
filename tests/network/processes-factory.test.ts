import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

  test('keeps what was said in the journal', async () => {
    const goal = await factory.goal('查PLC-003状态');
    const said = await factory.journal.query({ trace_id: goal.trace_id });
    expect(said.map(({ kind }) => kind)).toContain('reply');
  });
});
