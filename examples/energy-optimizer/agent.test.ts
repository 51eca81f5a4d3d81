import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoTopology } from '../../tests/support/demo-site.js';
import { type Factory, startFactory } from '../../topology/index.js';
import { advise, type ZoneReadings } from './advice.js';
import { defineAgent } from './index.js';

const { name, version, rulePack } = defineAgent();

describe('advice', () => {
  const cooled: ZoneReadings = { setpoint_c: 22, zone_c: 22.2, supply_c: 13, airflow_m3h: 400, outdoor_c: 30 };
  test.each<[string, Partial<ZoneReadings>, number, number, string]>([
    ['a cooled zone is set higher by a step', {}, 24, 12, 'cooling'],
    ['never beyond the limit of summer', { setpoint_c: 25.5, zone_c: 25.5 }, 26, 3, 'cooling'],
    ['nor where the limit is reached', { setpoint_c: 26, zone_c: 26 }, 26, 0, 'at_limit'],
    ['a heated zone is set lower', { zone_c: 21.8, supply_c: 30, outdoor_c: -2 }, 20, 12, 'heating'],
    ['never below the limit of winter', { setpoint_c: 20, zone_c: 20, supply_c: 30 }, 20, 0, 'at_limit'],
    ['cold air from outside saves nothing', { outdoor_c: 8 }, 22, 0, 'free_cooling'],
    ['a zone without air is left alone', { airflow_m3h: 0 }, 22, 0, 'idle'],
    ['a zone that does not hold its set-point has a fault first', { zone_c: 25 }, 22, 0, 'not_holding'],
    ['what is not known is not guessed', { supply_c: null }, 22, 0, 'not_enough_known'],
  ])('%s', (_what, readings, advised_setpoint_c, saving_pct, basis) => {
    expect(advise({ ...cooled, ...readings })).toEqual({ advised_setpoint_c, saving_pct, basis });
  });
});

describe(name, () => {
  let factory: Factory;
  beforeAll(async () => {
    factory = await startFactory(demoTopology());
    await factory.join(name, 'examples/energy-optimizer');
  });
  afterAll(() => factory.stop());
  const result = async (text: string): Promise<unknown> => (await factory.goal(text)).plan.steps[0]?.result;

  test.each(['zh', 'en'] as const)('is dispatched by its own example in %s', async (language) => {
    const goal = await factory.goal(rulePack?.intents[0]?.example[language] ?? '');
    expect(goal).toMatchObject({ state: 'completed', language });
    expect(goal.plan.steps).toMatchObject([{ callee: `${name}_v${version}`, method: 'advise_energy' }]);
    expect(goal.plan.steps[0]?.result).toEqual({
      zone: 'F3-A',
      setpoint_c: 22,
      advised_setpoint_c: 24,
      saving_pct: 12,
      basis: 'cooling',
      power_w: expect.any(Number),
    });
    expect(goal.answer?.text).toContain('24 °C');
  });

  test.each([
    '三楼A区怎么省电',
    'F3-A能省多少电',
    'how can we save energy in F3-A',
    'give me some energy advice for F3-A',
  ])('hears %s', async (text) => expect(await result(text)).toMatchObject({ zone: 'F3-A' }));

  test('asks for the zone that nobody said', async () => {
    expect(await factory.goal('给我一个节能建议')).toMatchObject({ state: 'paused', prompt: { text: '哪个区域？' } });
  });

  test('follows the set-point of both boxes of a zone, and does without a meter that is silent', async () => {
    for (const box of ['VAV-303', 'VAV-304']) factory.world.put(box, 'temperature_setpoint', 25);
    factory.world.put('VAV-303', 'zone_temperature', 25);
    factory.world.addFault({ device: 'M-3', kind: 'exception', params: { code: 4 } });
    expect(await result('energy advice for zone C on floor 3')).toMatchObject({
      setpoint_c: 25,
      advised_setpoint_c: 26,
      saving_pct: 6,
      power_w: null,
    });
  });

  test('writes nothing to any device', () => {
    const written = factory.world.frames().filter((frame) => frame.dir === 'in' && frame.fc >= 5 && frame.fc !== 23);
    expect(written).toEqual([]);
  });
});
