import { afterEach, describe, expect, test } from 'vitest';
import { scopes } from '../../agents/runtime/index.js';
import type { FaultRequest } from '../../simulators/index.js';
import { type Factory, startFactory } from '../../topology/index.js';
import { demoTopology } from '../support/demo-site.js';
import { resultOf, type TwinTalk, twinTalk } from '../support/twin-talk.js';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function site(...faults: FaultRequest[]): Promise<TwinTalk> {
  const twin = await twinTalk();
  open.push(twin);
  for (const fault of faults) twin.world.addFault(fault);
  return twin;
}

const SENTENCES = {
  zh: { zone: '检查三楼A区供电', device: 'AHU-3的供电正常吗', feeder: '检查馈线M-3', meter: '读一下M-3电表' },
  en: {
    zone: 'check the supply of zone A on floor 3',
    device: 'is the power to AHU-3 ok',
    feeder: 'check feeder M-3',
    meter: 'read meter M-3',
  },
} as const;
const SAYS = {
  zh: { ok: '三楼A区供电检查：供电正常（BRK-6 之后没有电表，缺相等看不到）', tripped: '供电是原因：BRK-3 断路器跳闸' },
  en: {
    ok: 'Supply of zone A on floor 3: in order (no meter sees what comes out of BRK-6)',
    tripped: 'the supply is the cause: breaker tripped (BRK-3)',
  },
} as const;

describe.each(['zh', 'en'] as const)('asked in %s', (language) => {
  test('a supply in order: said so, with every breaker and meter of the chain seen', async () => {
    const { goal } = await site();
    const asked = await goal(SENTENCES[language].zone);
    expect(asked.state).toBe('completed');
    expect(asked.answer?.text).toContain(SAYS[language].ok);
    expect(resultOf(asked)).toMatchObject({
      ok: true,
      verdict: 'ok',
      cause: null,
      chain: ['PLC-010', 'VAV-301', 'AHU-3', 'BRK-6', 'BRK-3', 'M-3', 'BRK-8', 'M-0'],
    });
  });

  test.each(['zone', 'device', 'feeder'] as const)('BRK-3 tripped, asked by %s: named as the cause', async (by) => {
    const { goal } = await site({ device: 'BRK-3', kind: 'breaker_trip' });
    const asked = await goal(SENTENCES[language][by]);
    expect(asked.answer?.text).toContain(SAYS[language].tripped);
    const said = resultOf(asked);
    expect(said).toMatchObject({ ok: false, verdict: 'cause', cause: 'breaker_tripped', cause_device: 'BRK-3' });
    expect((said.findings as unknown[])[0]).toMatchObject({
      fault: 'breaker_tripped',
      severity: 'high',
      evidence: { 'BRK-3.closed': false },
      skills: ['power'],
    });
    expect(said.skipped).toContainEqual({
      rule: 'supply_lost',
      device_id: 'M-3',
      reason: 'explained by breaker_tripped of BRK-3',
    });
  });

  test('a meter is read: values in units', async () => {
    const { goal } = await site();
    const asked = await goal(SENTENCES[language].meter);
    expect(asked.answer?.text).toMatch(/M-3.*\d+(\.\d+)? V\/.*50\.\d+ Hz/);
    expect(resultOf(asked).points).toMatchObject({ voltage_l1: { unit: 'V', quality: 'good' } });
  });
});

describe('what the meters show', () => {
  test.each<[string, FaultRequest, string, string]>([
    ['a sag', { device: 'M-3', kind: 'voltage_sag', params: { pct: 25 } }, 'under_voltage', 'M-3'],
    ['a sag of the whole site', { device: 'BRK-8', kind: 'voltage_sag', params: { pct: 25 } }, 'under_voltage', 'M-0'],
    ['a lost phase', { device: 'M-3', kind: 'phase_loss', params: { phase: 2 } }, 'phase_loss', 'M-3'],
    ['the incomer tripped', { device: 'BRK-8', kind: 'breaker_trip' }, 'breaker_tripped', 'BRK-8'],
    ['the breaker of the fan', { device: 'BRK-6', kind: 'breaker_trip' }, 'breaker_tripped', 'BRK-6'],
  ])('%s is the cause, and told once', async (_name, fault, cause, cause_device) => {
    const { goal } = await site(fault);
    const said = resultOf(await goal('检查三楼A区供电'));
    expect(said).toMatchObject({ verdict: 'cause', cause, cause_device });
    const stopping = (said.findings as { fault: string }[]).filter((one) => one.fault !== 'low_pf');
    expect(stopping).toHaveLength(1);
  });

  test('a fault beside the chain is not the cause', async () => {
    const { goal } = await site({ device: 'BRK-2', kind: 'breaker_trip' });
    expect(resultOf(await goal('检查三楼A区供电'))).toMatchObject({ verdict: 'ok' });
  });

  test('the feeder’s silent meter, or a whole silent link, makes it unknown, in time', async () => {
    const { goal } = await site({ device: 'M-3', kind: 'exception', params: { code: 4 } });
    const one = resultOf(await goal('检查三楼A区供电'));
    expect(one).toMatchObject({ verdict: 'unknown', not_known: ['M-3'] });
    expect(one.findings).toContainEqual(expect.objectContaining({ fault: 'meter_unreachable', device_id: 'M-3' }));
    const { goal: other, clock } = await site({ device: 'BRK-3', kind: 'half_open' });
    const began = clock.now();
    const asked = await other('检查三楼A区供电');
    expect(asked.state).toBe('completed');
    expect(resultOf(asked)).toMatchObject({ ok: false, verdict: 'unknown', cause: null });
    expect(asked.answer?.text).toContain('无法判断供电是否正常');
    expect(clock.now() - began).toBeLessThan(8_000);
  });
});

test('over real Modbus TCP, with the record in the power agent’s own book', async () => {
  const factory: Factory = await startFactory(demoTopology());
  open.push({ close: () => factory.stop() });
  factory.world.addFault({ device: 'BRK-3', kind: 'breaker_trip' });
  const asked = await factory.goal('检查三楼A区供电');
  expect(asked.answer?.text).toContain('供电是原因：BRK-3 断路器跳闸');
  const { cell } = factory.agent('power_supply_agent');
  await cell.view.catchUp();
  const [entry] = await cell.view.entries(scopes.supply('F3-A'));
  expect(entry).toMatchObject({ kind: 'finished', goal_id: asked.goal_id, outcome: 'confirmed' });
  expect(entry?.snapshots?.[0]).toMatchObject({ version: 1, data: { cause: 'breaker_tripped' } });
});
