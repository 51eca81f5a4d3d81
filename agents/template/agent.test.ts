import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoTopology } from '../../tests/support/demo-site.js';
import { type Factory, startFactory } from '../../topology/index.js';
import { defineAgent } from './index.js';

/** The agent on the running demo site, which it joins as any agent without a row does. */
const { name, version, tools, rulePack } = defineAgent();
const method = 'sample_agent_overview';
let factory: Factory;
beforeAll(async () => {
  factory = await startFactory(demoTopology());
  await factory.join(name, import.meta.dirname);
});
afterAll(() => factory.stop());

describe(name, () => {
  test('reads and does no more', () => {
    expect(tools.map((tool) => tool.manifest.effect_class)).toEqual(['read']);
    expect(tools.flatMap((tool) => tool.manifest.side_effects)).toEqual(['modbus.read:*']);
  });

  test.each(['zh', 'en'] as const)('is dispatched by its own example in %s', async (language) => {
    const goal = await factory.goal(rulePack?.intents[0]?.example[language] ?? '');
    expect(goal).toMatchObject({ state: 'completed', language });
    expect(goal.plan.steps).toMatchObject([{ callee: `${name}_v${version}`, method, state: 'completed' }]);
    const { points } = factory.facts.devices.find((device) => device.id === 'PLC-003') ?? {};
    expect(goal.plan.steps[0]?.result).toMatchObject({
      device_id: 'PLC-003',
      points: points?.length,
      good: points?.length,
      newest: expect.any(String),
    });
    expect(goal.answer?.text).toContain(`${points?.length}`);
  });

  test('tells which points are not good and why, and of a device of which nothing can be read', async () => {
    const result = async (device: string): Promise<unknown> =>
      (await factory.goal(`sample agent overview of ${device}`)).plan.steps[0]?.result;
    factory.world.addFault({ device: 'PLC-005', kind: 'delay', params: { ms: 4_000, fc: 1 } });
    expect(await result('PLC-005')).toMatchObject({ not_good: { output_enable: 'timeout' } });
    factory.world.addFault({ device: 'PLC-009', kind: 'exception', params: { code: 4 } });
    expect(await result('PLC-009')).toMatchObject({ good: 0, unreadable: 'exception_device', newest: null });
  });

  test('leaves nothing in the record of the device', async () => {
    const goal = await factory.goal('sample agent overview of PLC-004');
    const entries = await factory.audit('device_PLC-004');
    expect(entries.filter((entry) => entry.goal_id === goal.goal_id)).toEqual([]);
  });
});
